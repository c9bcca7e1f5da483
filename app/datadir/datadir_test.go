package datadir_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/app/datadir"
)

const holderDir = "DATADIR_TEST_HOLD"

// The test binary, run again with holderDir set, is a process that holds a folder until its input ends.
func TestMain(m *testing.M) {
	dir := os.Getenv(holderDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	if _, err := datadir.Lock(dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

func TestLockCreatesAPrivateFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	held, err := datadir.Lock(dir)
	require.NoError(t, err)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	pid, err := os.ReadFile(filepath.Join(dir, ".lock"))
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(os.Getpid())+"\n", string(pid))
	require.True(t, datadir.Held(dir))

	require.NoError(t, held.Release())
	require.False(t, datadir.Held(dir))
	again, err := datadir.Lock(dir)
	require.NoError(t, err)
	require.NoError(t, again.Release())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "only the lock's file stays")
}

func TestLockNamesTheHolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), holderDir+"="+dir)
	_, err := holder.StdinPipe()
	require.NoError(t, err)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)

	_, err = datadir.Lock(dir)
	require.EqualError(t, err, fmt.Sprintf(
		"data folder %s is in use by process %d: stop it, or choose another folder with --data DIR", dir, holder.Process.Pid))
	require.True(t, datadir.Held(dir))

	require.NoError(t, holder.Process.Kill())
	mine, err := datadir.Lock(dir)
	require.NoError(t, err, "a killed holder holds nothing")
	require.NoError(t, mine.Release())
}

func TestOneOfManyGetsTheLock(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var all sync.WaitGroup
	held := make(chan *datadir.Folder, 8)
	for range cap(held) {
		all.Go(func() {
			if f, err := datadir.Lock(dir); err == nil {
				held <- f
			}
		})
	}
	all.Wait()
	require.Len(t, held, 1)
	require.NoError(t, (<-held).Release())
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	root := t.TempDir()

	t.Run("removes what Lock created", func(t *testing.T) {
		t.Parallel()
		created := filepath.Join(root, "a", "b")
		f, err := datadir.Lock(created)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(created, "half"), nil, 0o600))
		require.NoError(t, f.Discard())
		require.NoDirExists(t, filepath.Join(root, "a"))
	})
	t.Run("keeps a folder that was there", func(t *testing.T) {
		t.Parallel()
		present := filepath.Join(root, "present")
		require.NoError(t, os.Mkdir(present, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(present, "whole"), nil, 0o600))
		f, err := datadir.Lock(present)
		require.NoError(t, err)
		require.NoError(t, f.Discard())
		require.FileExists(t, filepath.Join(present, "whole"))
		require.False(t, datadir.Held(present))
	})
}

func TestLockRefuses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, tc := range map[string]struct{ dir, says string }{
		"ErrFileInItsPlace":  {file, "cannot be used because a file is in its place: choose another with --data DIR"},
		"ErrFileAbove":       {filepath.Join(file, "below"), "cannot be used because a file is in its place: choose another with --data DIR"},
		"ErrNameTooLong":     {filepath.Join(root, "new", strings.Repeat("x", 300)), "cannot be used"},
		"ErrNoFolderIsNamed": {"", "choose one with --data DIR"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := datadir.Lock(tc.dir)
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), "\n")
			require.NoDirExists(t, filepath.Join(root, "new"))
		})
	}
}

func TestLockRefusesAnUnwritableFolder(t *testing.T) {
	t.Parallel()
	root, err := os.MkdirTemp("", "datadir")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	left := filepath.Join(root, "left")
	require.NoError(t, os.Mkdir(left, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(left, ".lock"), nil, 0o666))
	require.NoError(t, os.Chmod(filepath.Join(left, ".lock"), 0o666)) // whatever the umask
	require.NoError(t, os.Chmod(left, 0o555))
	require.NoError(t, os.Chmod(root, 0o555))
	t.Cleanup(func() { _ = os.Chmod(root, 0o755); _ = os.Chmod(left, 0o755) })

	for _, dir := range []string{root, filepath.Join(root, "new", "deep"), left} {
		err := asNobody(func() error { _, err := datadir.Lock(dir); return err })
		require.ErrorContains(t, err, "data folder "+dir+" cannot be written to (permission denied at ")
		require.ErrorContains(t, err, "choose another with --data DIR")
		require.NotContains(t, err.Error(), "\n")
	}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// asNobody calls f without root's right to write everywhere; where the tests do not run as root it just calls f.
func asNobody(f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread, and with it the changed user, ends with this goroutine
		if os.Getuid() == 0 {
			const nobody = 65534
			_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		}
		result <- f()
	}()
	return <-result
}
