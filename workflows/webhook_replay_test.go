package workflows_test

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"

	"idplatform/activities"
	"idplatform/app/devtemporal"
	"idplatform/app/devtemporal/devtemporaltest"
	"idplatform/models"
	"idplatform/platform/webhooks"
	"idplatform/workflows"
)

const anything = mock.Anything

// recordHistories writes the committed histories anew. Do so for a new workflow, or for a new version beside the
// old files, never in their place: deliveries that began before a deployment go on after it.
var recordHistories = flag.Bool("record-webhooks", false, "write the histories of webhook deliveries anew")

const deliveryHistory = "testdata/histories/webhook_delivery.json"

func TestWebhookDelivery_Replays(t *testing.T) {
	t.Parallel()
	if *recordHistories {
		recordDelivery(t)
	}
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflow(workflows.WebhookDelivery)
	require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, deliveryHistory))
}

// script is a deliverer that goes through all that can happen.
type script struct{ verdicts []webhooks.Verdict }

func (s *script) Attempt(context.Context, models.ApplicationID, models.DeliveryID) (webhooks.Verdict, error) {
	next := s.verdicts[0]
	s.verdicts = s.verdicts[1:]
	return next, nil
}

func recordDelivery(t *testing.T) {
	server, err := devtemporal.Start(t.Context(), devtemporal.Options{Binary: devtemporaltest.Binary(t), Namespace: "record",
		SearchAttributes: map[string]string{"PlatformApplication": "Keyword", "PlatformService": "Keyword", "PlatformStatus": "Keyword"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	c, err := client.Dial(client.Options{HostPort: server.Address(), Namespace: "record"})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	w := worker.New(c, workflows.QueueWebhooks, worker.Options{})
	w.RegisterWorkflow(workflows.WebhookDelivery)
	w.RegisterActivity(&activities.Webhooks{Deliverer: &script{[]webhooks.Verdict{{Wait: 100 * time.Millisecond}, {Busy: true},
		{Attempts: 2, Wait: 100 * time.Millisecond}, {Attempts: 3, Done: true, Delivered: true}}}})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "evt_1", TaskQueue: workflows.QueueWebhooks,
		TypedSearchAttributes: workflows.Attributes("app_1", "webhooks")},
		workflows.WebhookDelivery, workflows.WebhookDeliveryInput{DeliveryInput: delivery, Wait: 100 * time.Millisecond})
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
	var all history.History
	events := c.GetWorkflowHistory(t.Context(), run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		all.Events = append(all.Events, event)
	}
	text, err := protojson.MarshalOptions{Multiline: true}.Marshal(&all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(deliveryHistory, text, 0o644))
}
