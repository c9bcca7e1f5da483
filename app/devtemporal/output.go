package devtemporal

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

const (
	keptLines   = 20
	longestLine = 1000 // bytes
)

// output passes the child's output on and remembers its last lines. Write never fails: a child whose output nobody takes
// would die of SIGPIPE.
type output struct {
	to io.Writer // may be nil

	mu      sync.Mutex
	lines   []string
	partial []byte
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.to != nil {
		_, _ = o.to.Write(p)
	}
	rest := p
	for {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		o.partial = append(o.partial, line[:min(len(line), longestLine-len(o.partial))]...)
		if !whole {
			return len(p), nil
		}
		o.keep(string(o.partial))
		o.partial, rest = o.partial[:0], after
	}
}

func (o *output) keep(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	o.lines = append(o.lines, line)
	if len(o.lines) > keptLines {
		o.lines = o.lines[1:]
	}
}

// last returns the last lines, each indented, for the end of an error message.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := o.lines
	if len(o.partial) > 0 {
		lines = append(lines[:len(lines):len(lines)], string(o.partial))
	}
	if len(lines) == 0 {
		return "it printed nothing"
	}
	return "its last lines were:\n  " + strings.Join(lines, "\n  ")
}

// forget drops the lines of a child that has been replaced.
func (o *output) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines, o.partial = nil, nil
}
