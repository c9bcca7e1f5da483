package devtemporal_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/types/known/durationpb"

	"idplatform/app/devtemporal"
	"idplatform/app/devtemporal/devtemporaltest"
)

var attribute = temporal.NewSearchAttributeKeyKeyword("PlatformStatus")

func options(t *testing.T, dir string) devtemporal.Options {
	return devtemporal.Options{
		Binary:           devtemporaltest.Binary(t),
		DBFile:           filepath.Join(dir, "temporal.db"),
		Namespace:        "platform",
		SearchAttributes: map[string]string{"PlatformApplication": "Keyword", "PlatformStatus": "Keyword"},
	}
}

func start(t *testing.T, o devtemporal.Options) *devtemporal.Server {
	t.Helper()
	began := time.Now()
	s, err := devtemporal.Start(t.Context(), o)
	require.NoError(t, err)
	t.Logf("started in %s", time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

func stop(t *testing.T, s *devtemporal.Server) {
	t.Helper()
	began := time.Now()
	require.NoError(t, s.Stop(t.Context()))
	t.Logf("stopped in %s", time.Since(began).Round(time.Millisecond))
}

func dial(t *testing.T, s *devtemporal.Server) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{
		HostPort: s.Address(), Namespace: "platform", Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// alive reports whether the process runs; one that has ended but that nobody has reaped does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, afterName, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(afterName, "Z") && !strings.HasPrefix(afterName, "X")
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	o := options(t, t.TempDir())
	o.Log = &log
	s := start(t, o)
	require.True(t, alive(s.PID()))
	answer, err := http.Get(s.UIAddress())
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "Server:") }, 10*time.Second, 10*time.Millisecond)
	pid := s.PID()

	stop(t, s)
	require.False(t, alive(pid))
	require.Zero(t, s.PID())
	require.Empty(t, s.Exited())
	require.NoError(t, s.Stop(t.Context()), "a second stop is no error")
	_, err = net.Dial("tcp", s.Address())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

func TestASecondStartKeepsTheWorkflows(t *testing.T) {
	t.Parallel()
	o := options(t, t.TempDir())
	s := start(t, o)
	c := dial(t, s)
	_, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: "kept", TaskQueue: "q", TypedSearchAttributes: temporal.NewSearchAttributes(attribute.ValueSet("waiting")),
	}, "Echo", "hello")
	require.NoError(t, err)
	info, err := os.Stat(o.DBFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	stop(t, s)

	began := time.Now()
	s = start(t, o)
	require.Less(t, time.Since(began), 5*time.Second)
	c = dial(t, s)
	w := worker.New(c, "q", worker.Options{})
	w.RegisterWorkflowWithOptions(func(_ workflow.Context, word string) (string, error) { return word, nil },
		workflow.RegisterOptions{Name: "Echo"})
	require.NoError(t, w.Start())
	defer w.Stop()
	var word string
	require.NoError(t, c.GetWorkflow(t.Context(), "kept", "").Get(t.Context(), &word))
	require.Equal(t, "hello", word)
}

func TestNamespaceKeepsClosedWorkflowsForSevenDays(t *testing.T) {
	t.Parallel()
	o := options(t, t.TempDir())
	for range 2 {
		s := start(t, o)
		c := dial(t, s)
		described, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "platform"})
		require.NoError(t, err)
		require.Equal(t, 168*time.Hour, described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())

		// What an operator changed is put right by the next start.
		_, err = c.WorkflowService().UpdateNamespace(t.Context(), &workflowservice.UpdateNamespaceRequest{
			Namespace: "platform", Config: &namespace.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(72 * time.Hour)},
		})
		require.NoError(t, err)
		stop(t, s)
	}
}

func TestSearchAttributes(t *testing.T) {
	t.Parallel()
	o := options(t, t.TempDir())
	o.SearchAttributes = map[string]string{"PlatformApplication": "Keyword"}
	stop(t, start(t, o))

	// One more than the namespace was created with, usable at once.
	o = options(t, filepath.Dir(o.DBFile))
	s := start(t, o)
	c := dial(t, s)
	listed, err := c.OperatorService().ListSearchAttributes(t.Context(), &operatorservice.ListSearchAttributesRequest{Namespace: "platform"})
	require.NoError(t, err)
	require.Equal(t, map[string]enums.IndexedValueType{
		"PlatformApplication": enums.INDEXED_VALUE_TYPE_KEYWORD,
		"PlatformStatus":      enums.INDEXED_VALUE_TYPE_KEYWORD,
	}, listed.GetCustomAttributes())
	_, err = c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: "found", TaskQueue: "q", TypedSearchAttributes: temporal.NewSearchAttributes(attribute.ValueSet("waiting")),
	}, "Echo", "hello")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		found, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "PlatformStatus = 'waiting'"})
		return err == nil && len(found.GetExecutions()) == 1
	}, 10*time.Second, 50*time.Millisecond)
	stop(t, s)

	o.SearchAttributes["PlatformStatus"] = "Int"
	_, err = devtemporal.Start(t.Context(), o)
	require.ErrorContains(t, err, "search attribute PlatformStatus of namespace platform is of type Keyword and must be Int")
	require.FileExists(t, o.DBFile, "a database that was there before stays")
}

func TestSeveralSideBySide(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	addresses := make(chan string, 6)
	for range 3 {
		o := options(t, t.TempDir())
		all.Go(func() {
			s, err := devtemporal.Start(t.Context(), o)
			if err != nil {
				t.Error(err)
				return
			}
			addresses <- s.Address()
			addresses <- s.UIAddress()
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	close(addresses)
	distinct := map[string]bool{}
	for a := range addresses {
		distinct[a] = true
	}
	require.Len(t, distinct, 6)
}

// lockedBuffer is a buffer that the child's output is copied into while the test reads it.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
