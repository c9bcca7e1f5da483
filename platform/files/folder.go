package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
)

// suffix ends the names of files; references have no dots, so that no folder is ever called so.
const suffix = ".sealed"

// folder keeps sealed values below a folder, readable by their owner alone. Nothing leads out of it, links
// included.
type folder struct{ root *os.Root }

func openFolder(u *url.URL) (*folder, error) {
	if u.Host != "" || u.User != nil || !path.IsAbs(u.Path) || u.RawQuery != "" {
		return nil, errors.New("give a folder as file:///var/lib/platform/files: three slashes, and nothing after the path")
	}
	if err := os.MkdirAll(u.Path, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(u.Path)
	if err != nil {
		return nil, err
	}
	return &folder{root}, nil
}

// put writes beside the place and renames, so that a crash leaves the old file or the new one.
func (f *folder) put(_ context.Context, key string, sealed []byte) error {
	dir, name := path.Dir(key), key+suffix
	if err := f.root.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	draft := ".draft-" + rand.Text()
	if err := f.write(draft, sealed); err != nil {
		return errors.Join(err, f.root.Remove(draft))
	}
	if err := f.root.Rename(draft, name); err != nil {
		return errors.Join(err, f.root.Remove(draft))
	}
	return f.sync(dir)
}

func (f *folder) write(name string, sealed []byte) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = file.Write(sealed); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// sync makes a rename last.
func (f *folder) sync(dir string) error {
	opened, err := f.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

func (f *folder) get(_ context.Context, key string) ([]byte, error) {
	file, err := f.root.Open(key + suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoFile
	}
	if err != nil {
		return nil, fmt.Errorf("read a stored file: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(file, sealedMax))
}

func (f *folder) remove(_ context.Context, key string) error {
	if err := f.root.Remove(key + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (f *folder) close() error { return f.root.Close() }
