// Package devtemporaltest gives tests the real Temporal dev server.
package devtemporaltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Binary returns the path of the temporal CLI: the one named by PLATFORM_TEMPORAL, else bin/temporal at the root of the
// repository, else the one on PATH. Without any, the test fails: it does not skip, for a green run must mean that it ran.
func Binary(t testing.TB) string {
	t.Helper()
	if named := os.Getenv("PLATFORM_TEMPORAL"); named != "" {
		if _, err := os.Stat(named); err != nil {
			t.Fatalf("PLATFORM_TEMPORAL names no file (%v): run `make build` and leave the variable empty, or name the temporal CLI", err)
		}
		return named
	}
	if built := filepath.Join(root(t), "bin", "temporal"); isFile(built) {
		return built
	}
	if onPath, err := exec.LookPath("temporal"); err == nil {
		return onPath
	}
	t.Fatal("the Temporal server is missing: run `make build`, which puts it at bin/temporal, or name one in PLATFORM_TEMPORAL")
	return ""
}

// root is the folder of go.mod; go test runs each package's tests in that package's folder.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !isFile(filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
