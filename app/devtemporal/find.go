package devtemporal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// The oldest server that has what the platform's workflows need (fair task queues, Update-with-Start, worker versions).
const minMajor, minMinor = 1, 29

const howToBuild = "run `make build`, which puts it at bin/temporal"

// Find returns the path of the temporal CLI: the one beside this executable, else the first on PATH if its server is at
// least 1.29. The error is one sentence that says what to do.
func Find() (string, error) {
	executable, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program's own folder: %w", err)
	}
	return find(filepath.Dir(executable), os.Getenv("PATH"))
}

func find(beside, path string) (string, error) {
	own := filepath.Join(beside, "temporal")
	if checkBinary(own) == nil {
		return own, nil
	}
	for _, dir := range filepath.SplitList(path) {
		candidate := filepath.Join(dir, "temporal")
		if !filepath.IsAbs(candidate) || checkBinary(candidate) != nil {
			continue
		}
		return candidate, checkVersion(candidate)
	}
	return "", fmt.Errorf("the Temporal server is missing: there is no temporal in %s nor on PATH; %s", beside, howToBuild)
}

func checkBinary(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the Temporal server is missing: there is no file %s; %s", path, howToBuild)
	case err != nil:
		return fmt.Errorf("the Temporal server cannot be read: %w; %s", err, howToBuild)
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("the Temporal server %s is not an executable file; %s", path, howToBuild)
	}
	return nil
}

// The CLI prints: temporal version 1.5.1 (Server 1.29.1, UI 2.42.1).
var serverVersion = regexp.MustCompile(`Server (\d+)\.(\d+)`)

func checkVersion(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	printed, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return fmt.Errorf("the Temporal server %s on PATH does not tell its version (%w); %s", path, err, howToBuild)
	}
	found := serverVersion.FindSubmatch(printed)
	if found == nil {
		return fmt.Errorf("the Temporal server %s on PATH does not tell its version; %s", path, howToBuild)
	}
	major, _ := strconv.Atoi(string(found[1]))
	minor, _ := strconv.Atoi(string(found[2]))
	if major > minMajor || major == minMajor && minor >= minMinor {
		return nil
	}
	return fmt.Errorf("the Temporal server %s on PATH is %d.%d, and at least %d.%d is needed; %s",
		path, major, minor, minMajor, minMinor, howToBuild)
}
