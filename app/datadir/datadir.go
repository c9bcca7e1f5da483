// Package datadir guards a data folder against a second process that would use it at the same time.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	lockName = ".lock"

	// A lock that is held is tried for a moment: Held looks by taking it, and a process that was just killed needs some
	// milliseconds to go.
	tries    = 10
	tryEvery = 20 * time.Millisecond
)

// Folder is a data folder that this process holds alone. The kernel ends the hold with the process, however it ends.
type Folder struct {
	path    string
	lock    *os.File
	created []string // folders that did not exist before, outermost first
}

// Lock takes dir for this process alone, by an exclusive flock on dir/.lock, in which it writes its process id. A folder
// that is absent is created, open to its owner only (0700); one that exists keeps its mode.
//
// The error is one sentence for the operator: who holds the folder, or why it cannot be used, and what to do. After an
// error nothing that Lock created is left.
func Lock(dir string) (*Folder, error) {
	if dir == "" {
		return nil, errors.New("no data folder is named: choose one with --data DIR")
	}
	f := &Folder{path: filepath.Clean(dir)}
	if err := f.create(f.path); err != nil {
		f.removeCreated()
		return nil, explain(f.path, err)
	}
	if err := f.acquire(); err != nil {
		// Where another process was faster, the folder is in use and stays, whoever made it.
		if held := errHeld(""); !errors.As(err, &held) && len(f.created) > 0 {
			_ = os.Remove(f.lockPath())
			f.removeCreated()
		}
		return nil, explain(f.path, err)
	}
	return f, nil
}

// Release lets go of the folder. The lock's file stays: removing it could take it from under a process that waits for it.
func (f *Folder) Release() error {
	if err := errors.Join(f.lock.Truncate(0), f.lock.Close()); err != nil {
		return fmt.Errorf("release data folder %s: %w", f.path, err)
	}
	return nil
}

// Discard is Release for a first start that failed: where Lock created the folder, it is removed with all it holds.
func (f *Folder) Discard() error {
	if len(f.created) == 0 {
		return f.Release()
	}
	// While the lock is still held, so that nobody begins to use what is being removed.
	err := os.RemoveAll(f.path)
	f.removeCreated()
	if err != nil {
		err = fmt.Errorf("remove data folder %s again: %w", f.path, err)
	}
	return errors.Join(err, f.Release())
}

// Held reports whether some process, this one included, holds dir. False also where dir is absent or cannot be read.
func Held(dir string) bool {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

func (f *Folder) lockPath() string { return filepath.Join(f.path, lockName) }

// create makes the folder and its absent parents and remembers which of them it made.
func (f *Folder) create(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.create(filepath.Dir(dir)); err != nil {
		return err
	}
	err = os.Mkdir(dir, 0o700)
	switch {
	case err == nil:
		f.created = append(f.created, dir)
	case errors.Is(err, fs.ErrExist): // another process was faster
		err = nil
	}
	return err
}

// removeCreated removes the folders that create made, as far as they are empty.
func (f *Folder) removeCreated() {
	for i := len(f.created) - 1; i >= 0; i-- {
		_ = os.Remove(f.created[i])
	}
}

// errHeld says that another process holds the folder; its text is the holder, such as "by process 4711".
type errHeld string

func (e errHeld) Error() string { return string(e) }

func (f *Folder) acquire() error {
	for try := 1; ; try++ {
		err := f.tryLock()
		if held := errHeld(""); !errors.As(err, &held) || try == tries {
			return err
		}
		time.Sleep(tryEvery)
	}
}

func (f *Folder) tryLock() error {
	lock, err := os.OpenFile(f.lockPath(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := lockFile(lock, f.lockPath()); err != nil {
		_ = lock.Close()
		return err
	}
	f.lock = lock
	return nil
}

func lockFile(lock *os.File, path string) error {
	err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return holder(lock)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	// Another process may have discarded the folder between the opening and the locking of this file.
	mine, err := lock.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(mine, named) {
		return errHeld("by a process that is just ending")
	}
	// A lock's file left by an earlier run can be writable in a folder that no longer is.
	probe, err := os.CreateTemp(filepath.Dir(path), ".probe-*")
	if err != nil {
		return err
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name()), lock.Truncate(0)); err != nil {
		return err
	}
	_, err = lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func holder(lock *os.File) errHeld {
	content := make([]byte, 32)
	n, _ := lock.ReadAt(content, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(content[:n])))
	if err != nil {
		return "by another process"
	}
	return errHeld(fmt.Sprintf("by process %d", pid))
}

// explain turns a fault into the operator's sentence.
func explain(dir string, err error) error {
	var held errHeld
	var at *fs.PathError
	place := dir
	if errors.As(err, &at) {
		place = at.Path
	}
	switch {
	case errors.As(err, &held):
		return fmt.Errorf("data folder %s is in use %w: stop it, or choose another folder with --data DIR", dir, held)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("data folder %s cannot be used because a file is in its place: choose another with --data DIR (%w)", dir, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("data folder %s cannot be written to (%w at %s): give this user the right to, or choose another with --data DIR", dir, cause(err), place)
	}
	return fmt.Errorf("data folder %s cannot be used (%w): choose another with --data DIR", dir, err)
}

func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
