package devtemporal_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"idplatform/app/devtemporal"
	"idplatform/app/devtemporal/devtemporaltest"
)

func TestAKilledChildIsStartedAgain(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	o := options(t, t.TempDir())
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := start(t, o)
	c := dial(t, s)
	_, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "kept", TaskQueue: "q"}, "Echo", "hello")
	require.NoError(t, err)
	pid, address, ui := s.PID(), s.Address(), s.UIAddress()

	began := time.Now()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		_, err := c.DescribeWorkflowExecution(t.Context(), "kept", "")
		return err == nil && s.PID() != 0 && s.PID() != pid
	}, 20*time.Second, 50*time.Millisecond)
	t.Logf("back after %s", time.Since(began).Round(time.Millisecond))
	require.Equal(t, address, s.Address())
	require.Equal(t, ui, s.UIAddress())
	require.Empty(t, s.Exited())
	require.Eventually(t, func() bool {
		return containsAll(log.String(), "ended unexpectedly", "signal: killed", "Temporal is back")
	}, 10*time.Second, 20*time.Millisecond)
	pid = s.PID()
	stop(t, s)
	require.False(t, alive(pid))
}

func TestItGivesUpOnAChildThatKeepsEnding(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken")
	o := options(t, t.TempDir()).WithRestarts(10*time.Millisecond, 50*time.Millisecond, 5)
	o.Binary = program(t, fmt.Sprintf(`test -e '%s' && echo "disk on fire" && exit 7
exec '%s' "$@"`, broken, devtemporaltest.Binary(t)))
	s := start(t, o)
	require.NoError(t, os.WriteFile(broken, nil, 0o600))
	require.NoError(t, syscall.Kill(s.PID(), syscall.SIGKILL))
	select {
	case err := <-s.Exited():
		require.ErrorContains(t, err, "the Temporal server failed 5 times within 1m0s and is not started again")
		require.ErrorContains(t, err, "disk on fire")
	case <-time.After(20 * time.Second):
		require.Fail(t, "it did not give up")
	}
	require.Zero(t, s.PID())
	require.NoError(t, s.Stop(t.Context()))
}

func TestStopDuringARestart(t *testing.T) {
	t.Parallel()
	o := options(t, t.TempDir()).WithRestarts(30*time.Second, 30*time.Second, 5)
	s := start(t, o)
	require.NoError(t, syscall.Kill(s.PID(), syscall.SIGKILL))
	require.Eventually(t, func() bool { return s.PID() == 0 }, 5*time.Second, 10*time.Millisecond)
	began := time.Now()
	require.NoError(t, s.Stop(t.Context()))
	require.Less(t, time.Since(began), time.Second)
}

func TestAChildThatWillNotStopIsKilled(t *testing.T) {
	t.Parallel()
	s := start(t, options(t, t.TempDir()))
	pid := s.PID()
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP)) // deaf to SIGTERM
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, s.Stop(ctx), "and was killed")
	require.False(t, alive(pid))
}

func TestDelays(t *testing.T) {
	t.Parallel()
	ms := func(ns ...time.Duration) (ds []time.Duration) {
		for _, n := range ns {
			ds = append(ds, max(n*time.Millisecond, -1))
		}
		return ds
	}
	require.Equal(t, ms(200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000, -1),
		devtemporal.Delays(ms(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)...))
	require.Equal(t, ms(200, 400, 200), devtemporal.Delays(0, time.Second, 2*time.Minute), "old failures are forgotten")
}
