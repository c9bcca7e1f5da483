package e2e_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/app"
	"idplatform/client"
	"idplatform/config"
	"idplatform/e2e/e2etest"
	"idplatform/models"
)

// lines collects what is printed.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSpace(l.text.String()), "\n")
}

func credentialsFile(t *testing.T, p *e2etest.Platform, a *e2etest.Application) string {
	t.Helper()
	content, err := json.Marshal(client.Credentials{BaseURL: p.URL, KeyID: a.Credentials.KeyID, APISecret: a.Credentials.APISecret, EncryptionKey: a.Credentials.EncryptionKey})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "credentials.json")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// listen runs `platform listen` until the test ends, or gives its error.
func listen(t *testing.T, o app.ListenOptions) *lines {
	t.Helper()
	out := &lines{}
	o.Out, o.Warnings = out, &lines{}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- app.ListenToEvents(ctx, o) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return out
}

func TestListen_ReadsAndForwards(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{})
	a := p.NewApplication()
	program := newHooks(t, 0)
	program.key, program.clock = a.Credentials.EncryptionKey, p.Clock
	record := func() string {
		id, err := p.App.Events.Record(t.Context(), a.ID, models.EventJobFailed, object{"id": "job_1", "status": "failed"}, nil)
		require.NoError(t, err)
		return id
	}
	record() // before it listens
	out := listen(t, app.ListenOptions{Credentials: credentialsFile(t, p, a), ForwardTo: program.URL})
	time.Sleep(500 * time.Millisecond) // it has looked once
	first, second := record(), record()
	eventually(t, "both are forwarded", func() bool { return len(program.types()) == 2 })
	eventually(t, "both are printed", func() bool { return len(out.all()) == 2 })
	printed := strings.Join(out.all(), "\n")
	require.Contains(t, printed, first)
	require.Contains(t, printed, second)
	require.Regexp(t, regexp.MustCompile(`^\S+Z evt_\S+ job\.failed job_1 failed forwarded: 200 in \S+s$`), out.all()[0])
	time.Sleep(1200 * time.Millisecond)
	require.Len(t, program.types(), 2, "each once")
}

func TestListen_ReceivesAndVerifies(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	p := e2etest.Start(t, e2etest.Options{Change: func(c *config.Config) { c.Webhooks.AllowLoopback = []string{address} }})
	a, stranger := p.NewApplication(), p.NewApplication()
	program := newHooks(t, 0)
	program.key, program.clock = a.Credentials.EncryptionKey, p.Clock
	for _, each := range []*e2etest.Application{a, stranger} {
		require.NoError(t, p.App.Endpoints.Set(t.Context(), each.ID, "http://"+address+"/", nil))
	}
	out := listen(t, app.ListenOptions{Credentials: credentialsFile(t, p, a), ForwardTo: program.URL, Listen: address})
	eventually(t, "it listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	foreign, err := p.App.Events.Record(t.Context(), stranger.ID, models.EventJobFailed, object{}, nil)
	require.NoError(t, err)
	mine, err := p.App.Events.Record(t.Context(), a.ID, models.EventJobFailed, object{}, nil)
	require.NoError(t, err)
	rows := p.Store().Deliveries
	eventually(t, "it is delivered", func() bool {
		all, err := rows.Of(t.Context(), a.ID, mine)
		return err == nil && len(all) == 1 && all[0].Status == models.DeliveryDelivered
	})
	require.Equal(t, []string{"job.failed"}, program.types())
	require.Contains(t, out.all()[0], mine)
	eventually(t, "what another key signed is refused", func() bool {
		attempts, err := rows.Attempts(t.Context(), stranger.ID, foreign)
		return err == nil && len(attempts) == 1 && attempts[0].HTTPStatus == 401
	})
}
