package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	temporal "go.temporal.io/sdk/client"

	"idplatform/app"
	"idplatform/app/devtemporal"
	"idplatform/client"
	"idplatform/config"
	"idplatform/workflows"
)

const (
	batchItems = 10_000
	// naiveItems is how many items the naive design gets; its time is scaled to batchItems.
	naiveItems = 1_000
	crowd      = 10 // batches of as many applications at once
	idleJobs   = 60
	// asyncNamespace is the namespace of a sandbox.
	asyncNamespace = "platform-sandbox"
)

// What asynchronous work must reach.
const (
	aimOfLoop    = 1.5  // times the plain loop, at most
	aimOfNaive   = 25.0 // times faster than the naive design, at least
	aimOfActions = 0.01 // Temporal actions an item, at most
	aimOfJobs    = 10.0 // p95 of a job beside ten batches over that on an idle system, at most
)

// async is a platform with workers beside a Temporal server of its own.
type async struct {
	*platform
	temporal temporal.Client
}

func startAsync(ctx context.Context, s settings, kind string) (_ *async, err error) {
	binary := filepath.Join("bin", "temporal")
	if _, missing := os.Stat(binary); missing != nil {
		if binary, err = devtemporal.Find(); err != nil {
			return nil, err
		}
	}
	attributes := map[string]string{}
	for _, name := range workflows.SearchAttributes() {
		attributes[name] = "Keyword"
	}
	server, err := devtemporal.Start(ctx, devtemporal.Options{Binary: binary, Namespace: asyncNamespace, SearchAttributes: attributes})
	if err != nil {
		return nil, err
	}
	a := &async{}
	a.platform, err = startPlatform(ctx, s, kind, s.small, func(cfg *config.Config, o *app.Options) {
		cfg.Temporal.Address, cfg.Temporal.Namespace, o.Worker = server.Address(), asyncNamespace, true
		o.Log = slog.New(slog.DiscardHandler)
	})
	if err != nil {
		return nil, errors.Join(err, server.Stop(context.WithoutCancel(ctx)))
	}
	// Closed in the opposite order: first the platform, then its server.
	a.closed = append([]func() error{func() error { return server.Stop(context.WithoutCancel(ctx)) }}, a.closed...)
	if a.temporal, err = temporal.Dial(temporal.Options{HostPort: server.Address(), Namespace: asyncNamespace, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.onClose(func() error { a.temporal.Close(); return nil })
	return a, nil
}

// caller is the client of an application of its own.
func (a *async) caller(ctx context.Context, name string) (*client.Client, error) {
	organisation, err := a.app.Admin.CreateOrganisation(ctx, name, a.app.Admin.Everything())
	if err != nil {
		return nil, err
	}
	_, shown, err := a.app.Admin.CreateApplication(ctx, organisation, name, a.app.Admin.Everything())
	if err != nil {
		return nil, err
	}
	return client.New(client.Credentials{BaseURL: "http://" + a.app.Address(), KeyID: shown.KeyID, APISecret: shown.APISecret, EncryptionKey: shown.EncryptionKey},
		client.WithPolling(10*time.Millisecond, 10*time.Millisecond))
}

// request is a KYC request about one citizen after the other, with basic data.
func (a *async) request(i int) client.KYCRequest {
	id := a.people[i%len(a.people)]
	return client.KYCRequest{Identifier: client.Identifier{Type: string(id.Type), Value: id.Value}, Purpose: client.CustomerOnboarding,
		Scopes: []string{}, Reference: fmt.Sprint("r-", i)}
}

// batch submits a batch and waits for its end.
func (a *async) batch(ctx context.Context, c *client.Client, items int) (id string, took time.Duration, err error) {
	all := client.KYCBatchRequest{Items: make([]client.KYCRequest, items)}
	for i := range all.Items {
		all.Items[i] = a.request(i)
	}
	began := time.Now()
	batch, err := c.SubmitKYCBatch(ctx, all)
	if err == nil {
		batch, err = c.WaitBatch(ctx, batch.ID)
	}
	if err != nil {
		return "", 0, err
	}
	if batch.SucceededItems != items {
		return "", 0, fmt.Errorf("%d of %d items succeeded", batch.SucceededItems, items)
	}
	return batch.ID, time.Since(began), nil
}

// job is the time from a job's 202 to its end as the caller sees it.
func (a *async) job(ctx context.Context, c *client.Client, i int) (time.Duration, error) {
	job, err := c.ValidateKYCAsync(ctx, a.request(i))
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if job, err = c.WaitJob(ctx, job.ID); err != nil {
		return 0, err
	}
	return time.Since(began), job.Err()
}

func p95(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*95/100]
}

// printAsync sets a batch beside a plain loop and beside a workflow for each item, and single jobs beside batches.
func printAsync(ctx context.Context, w io.Writer, s settings, kind string) (err error) {
	a, err := startAsync(ctx, s, kind)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	c, err := a.caller(ctx, "Batches")
	if err != nil {
		return err
	}
	if _, _, err := a.batch(ctx, c, 100); err != nil { // the first one warms up
		return err
	}
	loop, err := newLoop(ctx, s, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, loop.close()) }()
	var mine, plain []time.Duration
	var id string
	for range s.rounds {
		var took time.Duration
		if id, took, err = a.batch(ctx, c, batchItems); err != nil {
			return err
		}
		mine = append(mine, took)
		if took, err = loop.run(ctx, batchItems); err != nil {
			return err
		}
		plain = append(plain, took)
	}
	naive, err := loop.naive(ctx, a, naiveItems)
	if err != nil {
		return err
	}
	actions, err := a.actions(ctx, id)
	if err != nil {
		return err
	}
	idle, busy, err := a.crowd(ctx)
	if err != nil {
		return err
	}
	ours, limit := middle(mine), middle(plain)
	scaled := naive * batchItems / naiveItems
	slower, faster, each, jobs := ours.Seconds()/limit.Seconds(), scaled.Seconds()/ours.Seconds(), float64(actions)/batchItems, busy.Seconds()/idle.Seconds()
	fmt.Fprintf(w, "\n## %d KYC items as one batch, %s; Temporal in memory\n\n", batchItems, kind)
	fmt.Fprint(w, "| | measured | aim |\n|---|---|---|\n")
	fmt.Fprintf(w, "| from submission to completed | %s | |\n", shown(ours))
	fmt.Fprintf(w, "| (a) the same calls as a plain loop over the pipeline: %s; the batch ÷ it | %.2f | ≤ %.1f: %s |\n", shown(limit), slower, aimOfLoop, verdict(slower <= aimOfLoop))
	fmt.Fprintf(w, "| (b) a child workflow for each of %d items: %s; scaled ÷ the batch | %.0f | ≥ %.0f: %s |\n", naiveItems, shown(naive), faster, aimOfNaive, verdict(faster >= aimOfNaive))
	fmt.Fprintf(w, "| Temporal actions: %d; for an item | %.4f | ≤ %.2f: %s |\n", actions, each, aimOfActions, verdict(each <= aimOfActions))
	fmt.Fprintf(w, "| p95 of a job: idle %s, beside %d batches %s; ratio | %.1f | < %.0f: %s |\n", shown(idle), crowd, shown(busy), jobs, aimOfJobs, verdict(jobs < aimOfJobs))
	return nil
}

func middle(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)/2]
}

// crowd is the p95 of single jobs on an idle system, and while batches of many applications run.
func (a *async) crowd(ctx context.Context) (idle, busy time.Duration, err error) {
	c, err := a.caller(ctx, "Jobs")
	if err != nil {
		return 0, 0, err
	}
	measure := func(until func(done int) bool) (took []time.Duration, err error) {
		for i := 0; !until(i); i++ {
			one, err := a.job(ctx, c, i)
			if err != nil {
				return nil, err
			}
			took = append(took, one)
		}
		return took, nil
	}
	alone, err := measure(func(done int) bool { return done == idleJobs })
	if err != nil {
		return 0, 0, err
	}
	over := make(chan struct{})
	failed := make(chan error, crowd)
	var all sync.WaitGroup
	for k := range crowd {
		each, err := a.caller(ctx, fmt.Sprint("Crowd ", k))
		if err != nil {
			return 0, 0, err
		}
		all.Go(func() {
			_, _, err := a.batch(ctx, each, batchItems)
			failed <- err
		})
	}
	go func() { all.Wait(); close(over) }()
	beside, err := measure(func(int) bool {
		select {
		case <-over:
			return true
		default:
			return false
		}
	})
	all.Wait()
	close(failed)
	for one := range failed {
		err = errors.Join(err, one)
	}
	if err != nil || len(beside) == 0 {
		return 0, 0, errors.Join(err, errors.New("no job ended beside the batches"))
	}
	return p95(alone), p95(beside), nil
}
