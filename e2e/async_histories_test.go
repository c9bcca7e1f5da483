package e2e_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"idplatform/e2e/e2etest"
)

// list gives all workflows that a query finds.
func (a *async) list(t *testing.T, query string) []*workflowpb.WorkflowExecutionInfo {
	t.Helper()
	var all []*workflowpb.WorkflowExecutionInfo
	var page []byte
	for {
		answer, err := a.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query, NextPageToken: page})
		require.NoError(t, err)
		all = append(all, answer.GetExecutions()...)
		if page = answer.GetNextPageToken(); len(page) == 0 {
			return all
		}
	}
}

func (a *async) status(t *testing.T, id string) enumspb.WorkflowExecutionStatus {
	t.Helper()
	answer, err := a.temporal.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	return answer.GetWorkflowExecutionInfo().GetStatus()
}

// awaitClosed waits until a workflow has ended.
func (a *async) awaitClosed(t *testing.T, id string) {
	t.Helper()
	eventually(t, "the workflow ends", func() bool { return a.status(t, id) != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING })
}

// history is a workflow's history as operators read it, with its payloads decoded.
func (a *async) history(t *testing.T, id, run string) string {
	t.Helper()
	var text strings.Builder
	events := a.temporal.GetWorkflowHistory(t.Context(), id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		line, err := protojson.Marshal(event)
		require.NoError(t, err)
		text.Write(line)
		for _, part := range strings.Split(string(line), `"data":"`)[1:] {
			encoded, _, _ := strings.Cut(part, `"`)
			plain, err := base64.StdEncoding.DecodeString(encoded)
			require.NoError(t, err)
			text.WriteString("\n  " + string(plain))
		}
		text.WriteString("\n")
	}
	return text.String()
}

// testHistories looks at everything that the tests before it have left in Temporal: no workflow failed, none is
// stuck, and nowhere stands anything of a request.
func testHistories(t *testing.T, a *async) {
	eventually(t, "no workflow is left running", func() bool { return len(a.list(t, "ExecutionStatus = 'Running'")) == 0 })
	for _, failed := range a.list(t, "ExecutionStatus IN ('Failed', 'TimedOut')") {
		t.Errorf("a failed workflow is a fault of ours: %s\n%s", failed.GetExecution().GetWorkflowId(),
			a.history(t, failed.GetExecution().GetWorkflowId(), failed.GetExecution().GetRunId()))
	}
	all := a.list(t, "")
	require.NotEmpty(t, all)
	words := secrets()
	read := 0
	for _, info := range all {
		text := a.history(t, info.GetExecution().GetWorkflowId(), info.GetExecution().GetRunId())
		info, err := protojson.Marshal(info)
		require.NoError(t, err)
		text = strings.ToLower(text + string(info))
		require.Contains(t, text, "workflow_execution_started")
		read += len(text)
		for _, word := range words {
			if strings.Contains(text, word) {
				t.Fatalf("a history holds %q of a request:\n%s", word, text)
			}
		}
	}
	t.Logf("%d histories with %d characters hold none of %d words", len(all), read, len(words))
}

// secrets are what the requests and the records of these tests hold of persons, in lower case: identifiers,
// names, dates of birth, references.
func secrets() []string {
	words := []string{`"r-`, "somebody else", "null-inherits", "\"nobody", "no object"}
	for k := range e2etest.Population {
		record := e2etest.Citizen(k)
		words = append(words, record.Person.FullName, record.Person.DateOfBirth.String())
		for _, id := range record.Identifiers {
			words = append(words, id.Value)
		}
	}
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	return words
}
