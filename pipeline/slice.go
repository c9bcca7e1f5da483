package pipeline

import (
	"context"
	"fmt"
	"runtime/debug"

	"idplatform/catalog"
	"idplatform/database"
	"idplatform/errs"
	"idplatform/models"
)

// sliceGroup is how many items of a batch are looked up and settled together, in one transaction.
const sliceGroup = 100

// Slice is a part of a batch: the items with places from From (included) to To (excluded).
type Slice struct {
	ApplicationID models.ApplicationID
	BatchID       string
	Service       string
	From, To      int
	// Last says that there is no other try: items that fail for a passing reason fail for good.
	Last bool
}

// RunSlice executes the pending items of a slice in groups, each item once, and settles them. Items that fail
// for a passing reason are set aside: they stay pending, and the number of them is given back. progress is
// called after each group with the place from which on items are untouched and the number set aside so far.
func (p *Pipeline) RunSlice(ctx context.Context, s Slice, progress func(next, aside int)) (aside int, err error) {
	op, err := p.operation(s.Service)
	if err != nil {
		return 0, err
	}
	ctx = database.Bulk(ctx)
	for next := s.From; ; {
		if err := ctx.Err(); err != nil {
			return aside, err
		}
		items, err := p.Store.BatchItems.Pending(ctx, s.ApplicationID, s.BatchID, next, s.To, sliceGroup)
		if err != nil || len(items) == 0 {
			return aside, err
		}
		n, err := p.runGroup(ctx, op, s, items)
		if err != nil {
			return aside, err
		}
		aside += n
		next = items[len(items)-1].Idx + 1
		progress(next, aside)
	}
}

// runGroup executes and settles one group and gives the number of items set aside.
func (p *Pipeline) runGroup(ctx context.Context, op *catalog.Operation, s Slice, items []models.BatchItem) (aside int, err error) {
	g := &group{pipeline: p, slice: s}
	if err = g.execute(ctx, op, items); err == nil {
		return g.aside, nil
	}
	if reason := errs.From(err); passing(reason) && ctx.Err() == nil {
		return p.isolate(ctx, op, s, items, reason)
	}
	return 0, err
}

// isolate deals with a group that could not be executed as a whole. When the source behind the service is
// away all its items are set aside; when something broke, the items are executed one by one, so that only
// those that break are.
func (p *Pipeline) isolate(ctx context.Context, op *catalog.Operation, s Slice, items []models.BatchItem, reason *errs.Error) (aside int, err error) {
	if reason.Kind() == errs.KindInternal && len(items) > 1 {
		for i := range items {
			n, err := p.runGroup(ctx, op, s, items[i:i+1])
			if err != nil {
				return aside, err
			}
			aside += n
		}
		return aside, nil
	}
	if !s.Last {
		return len(items), nil
	}
	return 0, p.Store.Tx(ctx, func(ctx context.Context) error {
		for _, item := range items {
			if err := p.Store.BatchItems.Fail(ctx, s.ApplicationID, s.BatchID, item.Idx, string(reason.Code), reason.Code.Message()); err != nil {
				return err
			}
		}
		return nil
	})
}

// group settles the items of one group in the transaction of their results.
type group struct {
	pipeline *Pipeline
	slice    Slice
	places   []int
	aside    int
}

// execute thaws the items and executes them together. What panics in it has broken these items and nothing else.
func (g *group) execute(ctx context.Context, op *catalog.Operation, items []models.BatchItem) (err error) {
	defer func() {
		if r := recover(); r != nil {
			g.pipeline.Log.Error("a group of batch items panicked", "batch", g.slice.BatchID, "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			err = errs.Internal(fmt.Errorf("a group of items of %s panicked", op.Service))
		}
	}()
	calls := make([]*Call, len(items))
	g.places = make([]int, len(items))
	for i, item := range items {
		g.places[i] = item.Idx
		calls[i], err = g.pipeline.thaw(ctx, tableBatchItems, itemID(g.slice.BatchID, item.Idx), item.Request, g.slice.ApplicationID, op)
		if err != nil {
			return err
		}
	}
	_, err = g.pipeline.execute(ctx, calls, g.open, g.settle)
	return err
}

// open tells which items nobody has settled since they were read: a cancellation, or another worker after
// a crash.
func (g *group) open(ctx context.Context) ([]bool, error) {
	pending, err := g.pipeline.Store.BatchItems.StillPending(ctx, g.slice.ApplicationID, g.slice.BatchID, g.places)
	open := make([]bool, len(g.places))
	for i, place := range g.places {
		open[i] = pending[place]
	}
	return open, err
}

func (g *group) settle(ctx context.Context, outcomes []Outcome) error {
	items, s := g.pipeline.Store.BatchItems, g.slice
	g.aside = 0
	succeeded := make(map[int]string, len(outcomes))
	for i, out := range outcomes {
		switch {
		case out.Skipped:
		case out.Err == nil:
			succeeded[g.places[i]] = out.ID
		case passing(out.Err) && !s.Last:
			g.aside++
		default:
			if err := items.Fail(ctx, s.ApplicationID, s.BatchID, g.places[i], string(out.Err.Code), out.Err.Message); err != nil {
				return err
			}
		}
	}
	return items.Succeed(ctx, s.ApplicationID, s.BatchID, succeeded)
}
