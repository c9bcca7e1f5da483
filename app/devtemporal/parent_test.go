package devtemporal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/app/devtemporal"
)

// The test binary, run again with these set, is a parent process of its own.
const (
	parentMode   = "DEVTEMPORAL_TEST_PARENT"
	parentBinary = "DEVTEMPORAL_TEST_BINARY"
	parentDB     = "DEVTEMPORAL_TEST_DB"
)

type report struct {
	PID        int
	Address    string
	Reachable  bool
	Goroutines string // those left after Stop; empty = none
	Error      string
}

func TestMain(m *testing.M) {
	mode := os.Getenv(parentMode)
	if mode == "" {
		os.Exit(m.Run())
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	before := runtime.NumGoroutine()
	var log lockedBuffer
	o := devtemporal.Options{Binary: os.Getenv(parentBinary), DBFile: os.Getenv(parentDB), Namespace: "platform", Log: &log}
	s, err := devtemporal.Start(context.Background(), o)
	if err != nil {
		tell(report{Error: err.Error()})
		os.Exit(1)
	}
	// The child's last words of its start: one that still had something to say would die of the broken pipe anyway.
	for !strings.Contains(log.String(), "Metrics:") {
		time.Sleep(10 * time.Millisecond)
	}
	tell(report{PID: s.PID(), Address: s.Address()})
	switch mode {
	case "wait":
		select {}
	case "interrupt":
		<-interrupts
		time.Sleep(500 * time.Millisecond) // as workers would drain
		conn, err := net.Dial("tcp", s.Address())
		if err == nil {
			_ = conn.Close()
		}
		r := report{PID: s.PID(), Reachable: err == nil}
		_ = s.Stop(context.Background())
		tell(r)
	case "stop":
		if err := s.Stop(context.Background()); err != nil {
			tell(report{Error: err.Error()})
			return
		}
		for range 100 { // the last ones may still be on their way out
			if runtime.NumGoroutine() <= before {
				tell(report{})
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		tell(report{Goroutines: string(stacks[:runtime.Stack(stacks, true)])})
	}
}

func tell(r report) {
	line, _ := json.Marshal(r)
	fmt.Println(string(line))
}

func parent(t *testing.T, mode string) (*exec.Cmd, func() report) {
	t.Helper()
	o := options(t, t.TempDir())
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), parentMode+"="+mode, parentBinary+"="+o.Binary, parentDB+"="+o.DBFile)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	return cmd, func() report {
		t.Helper()
		line, err := lines.ReadString('\n')
		if err != io.EOF {
			require.NoError(t, err)
		}
		var r report
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		require.Empty(t, r.Error)
		return r
	}
}

func TestAKilledParentTakesTheChildAlong(t *testing.T) {
	t.Parallel()
	cmd, next := parent(t, "wait")
	pid := next().PID
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	require.True(t, alive(pid))
	began := time.Now()
	require.NoError(t, cmd.Process.Kill())
	require.Eventually(t, func() bool { return !alive(pid) }, time.Second, 5*time.Millisecond)
	t.Logf("gone after %s", time.Since(began).Round(time.Millisecond))
}

func TestCtrlCDoesNotReachTheChild(t *testing.T) {
	t.Parallel()
	cmd, next := parent(t, "interrupt")
	pid := next().PID
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)) // the whole group, as a terminal does
	after := next()
	require.Equal(t, pid, after.PID)
	require.True(t, after.Reachable)
	require.Eventually(t, func() bool { return !alive(pid) }, 5*time.Second, 20*time.Millisecond)
}

func TestStopLeavesNoGoroutine(t *testing.T) {
	t.Parallel()
	_, next := parent(t, "stop")
	pid := next().PID
	require.Empty(t, next().Goroutines)
	require.False(t, alive(pid))
}

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
