package database

import "context"

type afterKey struct{}

// afterCommit collects what is to be done once the transaction has committed.
type afterCommit struct{ funcs []func() }

// AfterCommit runs f once the transaction that the context carries has committed, and never when it rolls
// back; outside a transaction at once. f must not block: it runs before the caller of Tx goes on.
func AfterCommit(ctx context.Context, f func()) {
	if after, ok := ctx.Value(afterKey{}).(*afterCommit); ok {
		after.funcs = append(after.funcs, f)
		return
	}
	f()
}

func (a *afterCommit) run() {
	for _, f := range a.funcs {
		f()
	}
}
