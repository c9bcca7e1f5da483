package devtemporal_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/app/devtemporal"
)

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	port := taken.Addr().(*net.TCPAddr).Port

	for name, tc := range map[string]struct {
		change func(*devtemporal.Options)
		says   string
	}{
		"ErrPortInUse": {
			func(o *devtemporal.Options) { o.Port = port },
			fmt.Sprintf("port %d, which Temporal wants, is in use by another program: stop it or choose another port with --temporal-port", port),
		},
		"ErrUIPortInUse": {
			func(o *devtemporal.Options) { o.UIPort = port },
			fmt.Sprintf("port %d, which Temporal's UI wants, is in use by another program: stop it or choose another port with --temporal-ui-port", port),
		},
		"ErrSamePort":   {func(o *devtemporal.Options) { o.Port, o.UIPort = 7233, 7233 }, "cannot share port 7233"},
		"ErrNoPort":     {func(o *devtemporal.Options) { o.Port = 70000 }, "70000 is no port for Temporal"},
		"ErrOtherIP":    {func(o *devtemporal.Options) { o.IP = "127.0.0.2" }, "can listen on 127.0.0.1 or 0.0.0.0"},
		"ErrNoBinary":   {func(o *devtemporal.Options) { o.Binary = "/nowhere/temporal" }, "there is no file /nowhere/temporal; run `make build`"},
		"ErrNoProgram":  {func(o *devtemporal.Options) { o.Binary = "/etc/passwd" }, "/etc/passwd is not an executable file; run `make build`"},
		"ErrOddType":    {func(o *devtemporal.Options) { o.SearchAttributes["X"] = "Colour" }, `search attribute X has the unknown type "Colour"`},
		"ErrEndsAtOnce": {func(o *devtemporal.Options) { o.Binary = program(t, "echo no space left on device; exit 3") }, "the Temporal server ended (exit status 3) before it was ready; its last lines were:\n  no space left on device"},
		"ErrNeverReady": {
			func(o *devtemporal.Options) {
				o.Binary = program(t, "echo thinking; exec sleep 60")
				*o = o.WithReadyWithin(300 * time.Millisecond)
			},
			"the Temporal server was not ready within 300ms (nothing listens on ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, t.TempDir())
			tc.change(&o)
			_, err := devtemporal.Start(t.Context(), o)
			require.ErrorContains(t, err, tc.says)
			left, err := os.ReadDir(filepath.Dir(o.DBFile))
			require.NoError(t, err)
			require.Empty(t, left, "nothing half-created")
		})
	}

	t.Run("ErrNoFolder", func(t *testing.T) {
		t.Parallel()
		_, err := devtemporal.Start(t.Context(), options(t, filepath.Join(t.TempDir(), "absent")))
		require.ErrorContains(t, err, "its folder does not exist")
	})
	t.Run("ErrCalledOff", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		o := options(t, t.TempDir())
		_, err := devtemporal.Start(ctx, o)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		left, err := os.ReadDir(filepath.Dir(o.DBFile))
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

func TestAnInterruptedFirstStartIsBegunAgain(t *testing.T) {
	t.Parallel()
	o := options(t, t.TempDir())
	for suffix, content := range map[string]string{"": "half a database", "-wal": "half a log", ".starting": ""} {
		require.NoError(t, os.WriteFile(o.DBFile+suffix, []byte(content), 0o600))
	}
	stop(t, start(t, o))
	require.NoFileExists(t, o.DBFile+".starting")
}

func TestFind(t *testing.T) {
	t.Parallel()
	beside := filepath.Dir(program(t, "exit 0"))
	recent := filepath.Dir(program(t, "echo 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'"))
	old := filepath.Dir(program(t, "echo 'temporal version 1.0.0 (Server 1.24.2, UI 2.28.0)'"))
	mute := filepath.Dir(program(t, "exit 1"))
	none := t.TempDir()

	for name, tc := range map[string]struct{ beside, path, found, says string }{
		"OKBeside":        {beside, recent, filepath.Join(beside, "temporal"), ""},
		"OKOnPath":        {none, none + ":" + recent, filepath.Join(recent, "temporal"), ""},
		"ErrTooOld":       {none, old, "", "is 1.24, and at least 1.29 is needed; run `make build`"},
		"ErrTellsNothing": {none, mute, "", "does not tell its version"},
		"ErrMissing":      {none, none, "", "there is no temporal in " + none + " nor on PATH; run `make build`, which puts it at bin/temporal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := devtemporal.FindIn(tc.beside, tc.path)
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.found, found)
		})
	}
}

// program writes a shell script named temporal into a folder of its own.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "temporal")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}
