package registry_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/engines/registry"
)

// Rows enough that a planner which could choose to read a whole table would be wrong to.
const (
	fillCitizensSQLite = `WITH RECURSIVE n(i) AS (SELECT 1000000 UNION ALL SELECT i + 1 FROM n WHERE i < 1200000)
		INSERT INTO register_citizens SELECT i, 'P' || i, '', TRUE, 0, '', '', '', '', '', '', '', i % 5 FROM n`
	fillCitizensPostgres = `INSERT INTO register_citizens
		SELECT i, 'P' || i, '', TRUE, 0, '', '', '', '', '', '', '', i % 5 FROM generate_series(1000000, 1200000) i`
	fillIdentifiersSQLite = `WITH RECURSIVE n(i) AS (SELECT 5000000 UNION ALL SELECT i + 1 FROM n WHERE i < 6000000)
		INSERT INTO register_identifiers SELECT 'V' || i, 'passport', i / 5 FROM n`
	fillIdentifiersPostgres = `INSERT INTO register_identifiers
		SELECT 'V' || i, 'passport', i / 5 FROM generate_series(5000000, 6000000) i`
	fillBlocks = `INSERT INTO register_blocks SELECT id, 'rX' FROM register_citizens WHERE id >= 1000000`
)

func TestPlansUseIndexesAtAMillionRows(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		cfg := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "register.db")}
		_, db := openOn(t, cfg, 1)
		execute(t, db, fillCitizensSQLite, fillIdentifiersSQLite, fillBlocks)
		for _, size := range []int{1, 50, 500} {
			plan := explain(t, db, "EXPLAIN QUERY PLAN "+registry.LookupStatement(size, true), values(size)...)
			require.Contains(t, plan, "SEARCH i USING PRIMARY KEY (value=?)")
			require.Contains(t, plan, "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)")
			require.Contains(t, plan, "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)")
			require.NotContains(t, plan, "SCAN")
		}
		plan := explain(t, db, "EXPLAIN QUERY PLAN "+registry.ChangesStatement, 10, 100)
		require.Contains(t, plan, "USING INDEX register_citizens_change (change>?)")
		require.NotContains(t, plan, "TEMP B-TREE")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		_, db := openOn(t, database.Config{Driver: database.Postgres, DSN: databasetest.Postgres(t)}, 1)
		execute(t, db, fillCitizensPostgres, fillIdentifiersPostgres, fillBlocks,
			"ANALYZE register_citizens, register_identifiers, register_blocks")
		for _, size := range []int{1, 50, 500} {
			plan := explain(t, db, "EXPLAIN "+registry.LookupStatement(size, true), values(size)...)
			require.Contains(t, plan, "register_identifiers_pkey")
			require.Contains(t, plan, "register_citizens_pkey")
			require.Contains(t, plan, "register_blocks_pkey")
			require.NotContains(t, plan, "Seq Scan")
		}
		plan := explain(t, db, "EXPLAIN "+registry.ChangesStatement, 3, 100)
		require.Contains(t, plan, "register_citizens_change")
		require.NotContains(t, plan, "Seq Scan")
	})
}

func execute(t *testing.T, db *database.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		require.NoError(t, db.Write(t.Context()).Exec(statement).Error)
	}
}

func values(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = passportOf(i).Value
	}
	return all
}

func explain(t *testing.T, db *database.DB, statement string, args ...any) string {
	t.Helper()
	rows, err := db.Read(t.Context()).Raw(statement, args...).Rows()
	require.NoError(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(t, err)
	var plan strings.Builder
	for rows.Next() {
		line := make([]any, len(names))
		for i := range line {
			line[i] = new(any)
		}
		var detail string // the last column of both databases
		line[len(line)-1] = &detail
		require.NoError(t, rows.Scan(line...))
		plan.WriteString(detail + "\n")
	}
	require.NoError(t, rows.Err())
	return plan.String()
}
