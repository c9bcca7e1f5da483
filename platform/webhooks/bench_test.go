package webhooks_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
)

// BenchmarkBurst records a burst of 1,000 events and waits for all of them to be received: deliveries a second,
// and the wait of the 99th in a hundred from its recording to its arrival.
func BenchmarkBurst(b *testing.B) {
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		b.Run(string(driver), func(b *testing.B) {
			w := newWorld(b, driver)
			w.patience = 5 * time.Second
			const burst = 1000
			tn := w.tenant(nil)
			p := w.process()
			var waits []time.Duration
			for b.Loop() {
				before := len(tn.receiver.hooks())
				recorded := make(map[string]time.Time, burst)
				for range burst {
					at := time.Now()
					recorded[tn.record(p.recorder)] = at
				}
				require.Eventually(b, func() bool { return len(tn.receiver.hooks()) == before+burst }, time.Minute, time.Millisecond)
				for _, h := range tn.receiver.hooks()[before:] {
					waits = append(waits, h.at.Sub(recorded[h.header.Get("webhook-id")]))
				}
			}
			slices.Sort(waits)
			b.ReportMetric(float64(burst*b.N)/b.Elapsed().Seconds(), "deliveries/s")
			b.ReportMetric(waits[len(waits)*99/100].Seconds()*1000, "p99-ms")
			b.ReportMetric(waits[len(waits)/2].Seconds()*1000, "p50-ms")
		})
	}
}

// BenchmarkBarePost is the limit: the same body posted by as many at a time, over kept connections.
func BenchmarkBarePost(b *testing.B) {
	r := newReceiver(b, nil)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	body := bytes.Repeat([]byte("x"), 250)
	const burst = 1000
	for b.Loop() {
		work := make(chan struct{}, burst)
		for range burst {
			work <- struct{}{}
		}
		close(work)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range work {
					answer, err := client.Post("http://"+r.address+"/", "application/json", bytes.NewReader(body))
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
				}
			})
		}
		all.Wait()
	}
	b.ReportMetric(float64(burst*b.N)/b.Elapsed().Seconds(), "posts/s")
}
