// Command report reads the output of `go test -json` and prints it for people: a line a package, what failed
// with its output, and last a line that counts the tests. It fails when a test failed or was skipped, when a
// package did not build, and when there was no test.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// event is one of `go doc test2json`.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

type report struct {
	w                       io.Writer
	output                  map[string][]string // of tests and packages that have not ended yet
	passed, failed, skipped int
	broken                  bool // something failed that is no test
}

func main() {
	r := report{w: os.Stdout, output: map[string][]string{}}
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	fmt.Fprintf(r.w, "%d passed, %d failed", r.passed, r.failed)
	if r.skipped > 0 {
		fmt.Fprintf(r.w, ", %d skipped", r.skipped)
	}
	fmt.Fprintln(r.w)
	if r.failed+r.skipped > 0 || r.broken || r.passed == 0 {
		os.Exit(1)
	}
}

func (r *report) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		var e event
		switch {
		case strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &e) == nil && e.Action != "":
			r.take(e)
		case line != "": // make and the compiler speak too
			fmt.Fprint(r.w, line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.w, e.Output)
	case "build-fail":
		r.broken = true
	case "output":
		r.output[key] = append(r.output[key], e.Output)
	case "pass", "skip", "fail":
		r.end(e, r.output[key])
		delete(r.output, key)
	}
}

// end counts a test, and prints what there is to say of it or of a package.
func (r *report) end(e event, output []string) {
	switch {
	case e.Test == "":
		if e.Action == "fail" {
			r.broken = true
			r.flush(e.Package)
		}
		if e.Action == "fail" || len(output) == 0 {
			fmt.Fprint(r.w, strings.Join(output, ""))
			return
		}
		if last := output[len(output)-1]; !strings.Contains(last, "[no test files]") {
			fmt.Fprint(r.w, last)
		}
	case e.Action == "pass":
		r.passed++
	case e.Action == "skip":
		r.skipped++
		fmt.Fprintf(r.w, "skipped: %s %s\n%s", e.Package, e.Test, strings.Join(output, ""))
	default:
		r.failed++
		fmt.Fprint(r.w, strings.Join(output, ""))
	}
}

// flush tells of the tests that a package's early end, such as a panic, cut off: they failed.
func (r *report) flush(pkg string) {
	for _, key := range slices.Sorted(maps.Keys(r.output)) {
		if test, ok := strings.CutPrefix(key, pkg+" "); ok && test != "" {
			r.failed++
			fmt.Fprint(r.w, strings.Join(r.output[key], ""))
			delete(r.output, key)
		}
	}
}
