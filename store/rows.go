package store

import (
	"context"

	"idplatform/database"
)

// rowsOfStatement bounds the rows of one INSERT; most statements have one row or exactly as many as this, and
// are prepared once.
const rowsOfStatement = 50

// insertRows adds rows of width columns under the head of an INSERT. It joins the transaction of ctx, whose
// commit may be what tells of a failure.
func insertRows[Row any](ctx context.Context, db *database.DB, head string, width int, rows []Row, values func(Row) []any) error {
	for len(rows) > 0 {
		n := min(len(rows), rowsOfStatement)
		args := make([]any, 0, n*width)
		for _, row := range rows[:n] {
			args = append(args, values(row)...)
		}
		if err := db.Later(ctx, database.Rows(head, width, n), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
