package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	temporal "go.temporal.io/sdk/client"

	"idplatform/client"
	"idplatform/config"
	"idplatform/database"
	"idplatform/e2e/e2etest"
	"idplatform/models"
)

func TestEvents_ListAndRetrieve(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		mine, other := p.NewApplication(), p.NewApplication()
		sdk := mine.Client()
		empty, err := sdk.Events(t.Context(), client.EventQuery{})
		require.NoError(t, err)
		require.Empty(t, empty.Data)
		require.Nil(t, empty.NextCursor)
		var ids []string
		for i := range 7 {
			typ := []models.EventType{models.EventJobCompleted, models.EventFraudReportStatusChanged}[i%2]
			id, err := p.App.Events.Record(t.Context(), mine.ID, typ, object{"id": "frd_1", "object": "fraud_report", "status": "confirmed"}, object{"status": "under_review"})
			require.NoError(t, err)
			ids = append(ids, id)
		}
		foreign, err := p.App.Events.Record(t.Context(), other.ID, models.EventJobFailed, object{}, nil)
		require.NoError(t, err)

		var listed, changed []string
		for event, err := range sdk.AllEvents(t.Context(), client.EventQuery{Limit: 2}) {
			require.NoError(t, err)
			listed = append(listed, event.ID)
		}
		require.ElementsMatch(t, ids, listed)
		for event, err := range sdk.AllEvents(t.Context(), client.EventQuery{Limit: 2, Type: "fraud_report.status_changed"}) {
			require.NoError(t, err)
			changed = append(changed, event.ID)
		}
		require.Len(t, changed, 3)

		event, err := sdk.Event(t.Context(), ids[1])
		require.NoError(t, err)
		require.Equal(t, "event", event.Object)
		require.False(t, event.Livemode)
		require.JSONEq(t, `{"status":"under_review"}`, string(event.Data.PreviousAttributes))
		require.JSONEq(t, `{"id":"frd_1","object":"fraud_report","status":"confirmed"}`, string(event.Data.Object))

		page, err := sdk.Events(t.Context(), client.EventQuery{Limit: 2})
		require.NoError(t, err)
		for query, want := range map[string]string{
			"type=job.begun": "type", "type=": "", "limit=0": "limit", "limit=501": "limit", "limit=x": "limit", "limit=1.0": "limit", "limit=": "limit",
			"cursor=": "cursor", "cursor=x": "cursor", "cursor=" + *page.NextCursor + "x": "cursor", "typ=job.failed": "query", "limit=1&limit=2": "limit",
			"type=job.failed&cursor=" + *page.NextCursor: "cursor", "limit=%zz": "query",
		} {
			if want == "" {
				continue // an empty type is none
			}
			refused := refusal(t, sdk, http.MethodGet, "/v1/events?"+query, nil)
			require.Equal(t, client.InvalidRequest, refused.Code, query)
			require.Equal(t, []string{want}, fields(refused), query)
		}
		require.Equal(t, []string{"cursor"}, fields(refusal(t, other.Client(), http.MethodGet, "/v1/events?cursor="+*page.NextCursor, nil)))
		for _, id := range []string{foreign, "evt_x", strings.ToUpper(ids[0]), ids[0] + "0"} {
			require.Equal(t, client.NotFound, refusal(t, sdk, http.MethodGet, "/v1/events/"+id, nil).Code)
		}
		p.Clock.Advance(30*24*time.Hour + time.Second)
		require.Equal(t, client.NotFound, refusal(t, sdk, http.MethodGet, "/v1/events/"+ids[0], nil).Code)
	})
}

// hooks is a receiver of webhooks that fails as often as it is told.
type hooks struct {
	*httptest.Server
	mu     sync.Mutex
	fail   int
	got    []*client.Event
	bodies map[string][]string
	key    string
	t      *testing.T
	clock  *e2etest.Clock
}

func newHooks(t *testing.T, fail int) *hooks {
	h := &hooks{fail: fail, t: t, bodies: map[string][]string{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hooks) address() string { return h.Listener.Addr().String() }

func (h *hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	body := readAll(r)
	event, err := client.VerifyWebhook(h.key, r.Header, body, time.Minute, h.clock.Now())
	if err != nil {
		h.t.Errorf("a webhook does not verify: %v", err)
		return
	}
	h.bodies[event.ID] = append(h.bodies[event.ID], string(body))
	if h.fail > 0 {
		h.fail--
		http.Error(w, "not now, Mutombo", http.StatusServiceUnavailable)
		return
	}
	h.got = append(h.got, event)
}

func readAll(r *http.Request) []byte {
	var b strings.Builder
	buffer := make([]byte, 32<<10)
	for {
		n, err := r.Body.Read(buffer)
		b.Write(buffer[:n])
		if err != nil {
			return []byte(b.String())
		}
	}
}

func (h *hooks) types() (types []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.got {
		types = append(types, e.Type)
	}
	return types
}

// subscribe registers the receiver as the application's endpoint.
func (h *hooks) subscribe(p *e2etest.Platform, app *e2etest.Application) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.key, h.clock = app.Credentials.EncryptionKey, p.Clock
	require.NoError(h.t, p.App.Endpoints.Set(h.t.Context(), app.ID, h.URL+"/hooks", nil))
}

func TestWebhooks_OverTemporal(t *testing.T) {
	t.Parallel()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			good, bad, dead, stopped := newHooks(t, 0), newHooks(t, 6), newHooks(t, 1000), newHooks(t, 3)
			address := e2etest.Temporal(t)
			p := e2etest.Start(t, e2etest.Options{Driver: driver, Temporal: address, Worker: true, Change: func(c *config.Config) {
				c.Webhooks.AllowLoopback = []string{good.address(), bad.address(), dead.address(), stopped.address()}
				c.Webhooks.Schedule = []time.Duration{200 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond}
			}})
			c, err := temporal.Dial(temporal.Options{HostPort: address, Namespace: "platform-sandbox"})
			require.NoError(t, err)
			t.Cleanup(c.Close)
			p.AwaitReady()
			t.Run("Cases", func(t *testing.T) {
				t.Run("AJobArrivesAtOnce", func(t *testing.T) { t.Parallel(); testJobHook(t, p, good) })
				t.Run("ARetryArrives", func(t *testing.T) { t.Parallel(); testRetryHook(t, p, bad, c) })
				t.Run("FiveAttemptsThenFailed", func(t *testing.T) { t.Parallel(); testDeadHook(t, p, dead, c) })
				t.Run("ATerminatedDeliveryGoesOn", func(t *testing.T) { t.Parallel(); testTerminatedHook(t, p, stopped, c) })
			})
		})
	}
}

func testJobHook(t *testing.T, p *e2etest.Platform, h *hooks) {
	app := p.NewApplication()
	h.subscribe(p, app)
	sdk := fast(app)
	answer, err := sdk.Do(t.Context(), http.MethodPost, validations, text(t, kyc(0, nil)), client.Async())
	require.NoError(t, err)
	id := read(t, answer.Body)["id"].(string)
	job, err := sdk.WaitJob(t.Context(), id)
	require.NoError(t, err)
	eventually(t, "both events arrive", func() bool { return len(h.types()) == 2 })
	require.ElementsMatch(t, []string{"kyc_validation.completed", "job.completed"}, h.types())
	for _, event := range h.got {
		var told client.Job
		require.NoError(t, json.Unmarshal(event.Data.Object, &told))
		require.Equal(t, job.ID, told.ID)
		require.JSONEq(t, string(job.Result), string(told.Result))
	}
}

// delivery waits for the delivery of the one event of an application to end.
func delivery(t *testing.T, p *e2etest.Platform, app *e2etest.Application, event string) models.Delivery {
	t.Helper()
	rows := p.Store().Deliveries
	var last models.Delivery
	eventually(t, "the delivery ends", func() bool {
		all, err := rows.Of(t.Context(), app.ID, event)
		require.NoError(t, err)
		last = all[len(all)-1]
		return last.Status != models.DeliveryPending
	})
	return last
}

func testRetryHook(t *testing.T, p *e2etest.Platform, h *hooks, c temporal.Client) {
	app := p.NewApplication()
	h.subscribe(p, app)
	var events []string
	for range 3 {
		id, err := p.App.Events.Record(t.Context(), app.ID, models.EventJobFailed, object{"id": "job_1", "name": "Mutombo"}, nil)
		require.NoError(t, err)
		events = append(events, id)
	}
	total := 0
	for _, id := range events {
		d := delivery(t, p, app, id)
		require.Equal(t, models.DeliveryDelivered, d.Status)
		total += d.Attempts
		attempts, err := p.Store().Deliveries.Attempts(t.Context(), app.ID, id)
		require.NoError(t, err)
		require.Len(t, attempts, d.Attempts)
		h.mu.Lock()
		for _, body := range h.bodies[id] {
			require.Equal(t, h.bodies[id][0], body)
		}
		h.mu.Unlock()
	}
	require.Equal(t, 9, total, "six failures and three successes")
	run := c.GetWorkflow(t.Context(), events[2], "")
	var result struct{ Delivered bool }
	require.NoError(t, run.Get(t.Context(), &result))
	require.True(t, result.Delivered)
}

func testDeadHook(t *testing.T, p *e2etest.Platform, h *hooks, c temporal.Client) {
	app := p.NewApplication()
	h.subscribe(p, app)
	id, err := p.App.Events.Record(t.Context(), app.ID, models.EventJobFailed, object{"name": "Mutombo"}, nil)
	require.NoError(t, err)
	d := delivery(t, p, app, id)
	require.Equal(t, models.DeliveryFailed, d.Status)
	require.Equal(t, 5, d.Attempts)
	require.NoError(t, c.GetWorkflow(t.Context(), id, "").Get(t.Context(), nil), "a delivery that fails is a workflow that completes")
	described, err := c.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	require.Contains(t, described.String(), string(app.ID), "operators find it by its application")
	events := c.GetWorkflowHistory(t.Context(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		for _, secret := range []string{"Mutombo", h.address(), "hooks"} {
			require.NotContains(t, strings.ReplaceAll(event.String(), "webhooks", ""), secret)
		}
	}
}

func testTerminatedHook(t *testing.T, p *e2etest.Platform, h *hooks, c temporal.Client) {
	app := p.NewApplication()
	h.subscribe(p, app)
	id, err := p.App.Events.Record(t.Context(), app.ID, models.EventJobFailed, object{}, nil)
	require.NoError(t, err)
	eventually(t, "the workflow is there", func() bool {
		return c.TerminateWorkflow(context.WithoutCancel(t.Context()), id, "", "by hand") == nil
	})
	// The reconciler looks when the attempt is two minutes late.
	rows := p.Store().Deliveries
	eventually(t, "the first attempt is recorded", func() bool {
		all, err := rows.Of(t.Context(), app.ID, id)
		require.NoError(t, err)
		return all[0].Attempts > 0
	})
	now := models.At(p.Clock.Now())
	require.NoError(t, rows.PutOff(t.Context(), app.ID, models.DeliveryID{EventID: id}, true, now))
	require.Equal(t, models.DeliveryDelivered, delivery(t, p, app, id).Status)
}
