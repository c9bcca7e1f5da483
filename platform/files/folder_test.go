package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/platform/files"
)

func folderPlace(t *testing.T) place {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "here")
	store, err := files.NewStore(t.Context(), newVault(t), "file://"+dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	file := func(ref string) string { return filepath.Join(dir, ref+".sealed") }
	return place{
		Store: store,
		lies: func(ref string) []byte {
			sealed, _ := os.ReadFile(file(ref))
			return sealed
		},
		move: func(from, to string) { require.NoError(t, os.Rename(file(from), file(to))) },
		set:  func(ref string, sealed []byte) { require.NoError(t, os.WriteFile(file(ref), sealed, 0o600)) },
	}
}

func TestFolderIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	store, err := files.NewStore(t.Context(), newVault(t), "file://"+dir)
	require.NoError(t, err)
	defer store.Close()
	place{Store: store}.put(t, evidenceRef, "image/png", "x")
	var found []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		if !entry.IsDir() {
			found = append(found, entry.Name())
		}
		return nil
	}))
	require.Equal(t, []string{"0.sealed"}, found, "one file, nothing beside it")
}

func TestFolderIsNotLeftByLinks(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "evidence")))
	store, err := files.NewStore(t.Context(), newVault(t), "file://"+dir)
	require.NoError(t, err)
	defer store.Close()
	require.ErrorContains(t, store.Put(t.Context(), "evidence/x", "image/png", strings.NewReader("x")), "escapes")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestStoreURLs(t *testing.T) {
	t.Parallel()
	taken := filepath.Join(t.TempDir(), "taken")
	require.NoError(t, os.WriteFile(taken, nil, 0o600))
	for name, test := range map[string]struct{ url, want string }{
		"ErrEmpty":      {"", "file:///"},
		"ErrNoScheme":   {"/var/lib/files", "file:///"},
		"ErrScheme":     {"ftp://x/y", `"ftp"`},
		"ErrTwoSlashes": {"file://data/files", "three slashes"},
		"ErrNoPath":     {"file://", "three slashes"},
		"ErrQuery":      {"file:///tmp/x?mode=0777", "nothing after"},
		"ErrUnreadable": {"file:///%zz", "cannot be read"},
		"ErrNotAFolder": {"file://" + taken, "not a directory"},
		"ErrNoBucket":   {"s3:///x", "s3://bucket"},
		"ErrSecret":     {"s3://key:secret@bucket", "environment"},
		"ErrOption":     {"s3://bucket?end_point=x", `"end_point"`},
		"ErrEndpoint":   {"s3://bucket?endpoint=s3.example.cd", "scheme and host"},
		"ErrPath":       {"s3://bucket?endpoint=https://s3.example.cd/x", "scheme and host"},
		"ErrBucketName": {"s3://B?endpoint=https://s3.example.cd", "ucket"},
	} {
		_, err := files.NewStore(t.Context(), newVault(t), test.url)
		require.ErrorContains(t, err, test.want, name)
		require.NotContains(t, err.Error(), "secret", name)
	}
}
