package registry

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"gorm.io/gorm"
)

// The counters of the register.
const (
	counterPopulation = "population" // citizens of the synthetic population entered so far
	counterIdentities = "identities" // fingerprint of the test identities as entered
	counterChange     = "change"     // last place given in the record of changes
)

// changesStatement repeats the condition of the partial index, so that SQLite sees that it may use it.
const changesStatement = `SELECT platform_id, change FROM register_citizens
	WHERE change > ? AND change > 0 ORDER BY change LIMIT ?`

// Changes implements Register. A cursor is the place, in the record of changes, of the last change read.
func (s *SQL) Changes(ctx context.Context, since Cursor, limit int) (Changes, error) {
	if limit < 1 || limit > MaxChanges {
		return Changes{}, fmt.Errorf("a page of changes holds 1 to %d, not %d", MaxChanges, limit)
	}
	last, err := counter(s.db.Read(ctx), counterChange)
	if err != nil {
		return Changes{}, unreachable(ctx, "read changes", err)
	}
	if since == "" {
		return Changes{Next: cursorAt(last)}, nil
	}
	from, err := strconv.ParseInt(string(since), 10, 64)
	if err != nil || from < 0 || from > last || cursorAt(from) != since {
		return Changes{}, ErrUnknownCursor
	}
	page := Changes{Next: since}
	err = scanAll(s.db.Read(ctx).Raw(changesStatement, from, limit+1), func(rows *sql.Rows) error {
		if len(page.PlatformIDs) == limit {
			page.More = true
			return nil
		}
		var (
			id string
			at int64
		)
		if err := rows.Scan(&id, &at); err != nil {
			return err
		}
		page.PlatformIDs = append(page.PlatformIDs, id)
		page.Next = cursorAt(at)
		return nil
	})
	if err != nil {
		return Changes{}, unreachable(ctx, "read changes", err)
	}
	return page, nil
}

func cursorAt(change int64) Cursor { return Cursor(strconv.FormatInt(change, 10)) }

func counter(tx *gorm.DB, name string) (int64, error) {
	return oneNumber(tx.Raw(`SELECT value FROM register_counters WHERE name = ?`, name))
}

// nextChange gives the next place in the record of changes. The counter's row stays locked until the
// transaction ends, so that places appear in their order and a reader never passes one that commits later.
func nextChange(tx *gorm.DB) (int64, error) { return addToCounter(tx, counterChange, 1) }

// addToCounter adds to a counter and gives its new value; the row stays locked until the transaction ends.
func addToCounter(tx *gorm.DB, name string, n int64) (int64, error) {
	return oneNumber(tx.Raw(`UPDATE register_counters SET value = value + ? WHERE name = ? RETURNING value`, n, name))
}

// oneNumber is the number in the one row that the statement gives. (gorm's Row panics where the statement fails.)
func oneNumber(query *gorm.DB) (int64, error) {
	var value int64
	err := sql.ErrNoRows
	if failed := scanAll(query, func(rows *sql.Rows) error {
		err = rows.Scan(&value)
		return err
	}); failed != nil {
		err = failed
	}
	return value, err
}

func setCounter(tx *gorm.DB, name string, value int64) error {
	return tx.Exec(`UPDATE register_counters SET value = ? WHERE name = ?`, value, name).Error
}
