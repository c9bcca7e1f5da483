// Package devtemporal finds, starts, supervises and stops a local Temporal dev server as a child process.
//
// The child never outlives the process that started it (the kernel kills it, even after kill -9 of the parent), and a
// Ctrl-C at the terminal does not reach it: it has its own process group, so that workers can drain before it is stopped.
// Linux only.
package devtemporal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// Retention is how long a closed workflow stays readable in the namespace. The dev server's own default is 24 hours.
const Retention = 168 * time.Hour

// Options say what to start. The zero value starts an in-memory server on free ports.
type Options struct {
	// Binary is the path of the temporal CLI. Empty: Find is asked.
	Binary string
	// DBFile is the SQLite file that keeps the workflows; its folder must exist. Empty: everything is in memory, and lost
	// when the child ends. Two servers must never share a file; the caller's lock on the data folder sees to that.
	DBFile string
	// IP is the address that Temporal and its UI listen on: 127.0.0.1 (also when empty) or 0.0.0.0.
	IP string
	// Port and UIPort are the gRPC and the UI port. 0: a free one, kept for the Server's life.
	Port, UIPort int
	// Namespace is created, or, where it exists already, brought to Retention. Empty: "default".
	Namespace string
	// SearchAttributes gives each attribute's type by name: Keyword, Text, Int, Double, Bool, Datetime or KeywordList.
	// Values of search attributes are in clear: never personal data.
	SearchAttributes map[string]string
	// Log takes the child's output. nil: only the last lines are kept, for error messages. Its write errors are ignored.
	Log io.Writer
	// Logger tells of restarts. nil: silence.
	Logger *slog.Logger

	limits limits
}

// limits are the times and counts of the supervision; tests shorten them.
type limits struct {
	ready      time.Duration // from the fork to readiness
	grace      time.Duration // from SIGTERM to SIGKILL
	firstDelay time.Duration // before the first restart; doubles with each further failure in the window
	maxDelay   time.Duration
	window     time.Duration // within which failures are counted
	failures   int           // in the window, at which supervision gives up
}

var defaultLimits = limits{
	ready:      30 * time.Second,
	grace:      5 * time.Second,
	firstDelay: 200 * time.Millisecond,
	maxDelay:   5 * time.Second,
	window:     time.Minute,
	failures:   10,
}

// resolved fills in what was left empty and refuses what cannot work.
func (o Options) resolved() (Options, error) {
	if o.limits == (limits{}) {
		o.limits = defaultLimits
	}
	if o.Namespace == "" {
		o.Namespace = "default"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	switch o.IP {
	case "", "localhost":
		o.IP = "127.0.0.1"
	case "127.0.0.1", "0.0.0.0":
	default:
		// The server's parts look for one another on 127.0.0.1 whatever address they are bound to.
		return o, fmt.Errorf("the Temporal dev server can listen on 127.0.0.1 or 0.0.0.0, not on %q", o.IP)
	}
	if o.DBFile != "" {
		file, err := filepath.Abs(o.DBFile)
		if err != nil {
			return o, fmt.Errorf("find Temporal's database %s: %w", o.DBFile, err)
		}
		o.DBFile = file
	}
	if _, err := o.attributeTypes(); err != nil {
		return o, err
	}
	var err error
	if o.Binary == "" {
		o.Binary, err = Find()
	} else {
		err = checkBinary(o.Binary)
	}
	return o, err
}

// Server is a running dev server. Its methods may be called from any goroutine.
type Server struct {
	opts   Options
	output *output

	ctx      context.Context // ends when Stop is called
	stop     context.CancelFunc
	hurry    chan struct{} // closed when Stop's own context ends: kill at once
	done     chan struct{} // closed when supervision has ended
	exited   chan error
	pid      atomic.Int64
	stopErr  error // set before done closes
	hurrying atomic.Bool
}

// Address is where a Temporal client connects: host:port, on loopback.
func (s *Server) Address() string { return loopback(s.opts.Port) }

// UIAddress is the URL of Temporal's UI, such as http://127.0.0.1:8233.
func (s *Server) UIAddress() string { return "http://" + loopback(s.opts.UIPort) }

// PID is the child's process id, 0 while none is running. It changes with each restart.
func (s *Server) PID() int { return int(s.pid.Load()) }

// Exited delivers one error when supervision gives up because the child keeps ending. It stays silent after Stop.
func (s *Server) Exited() <-chan error { return s.exited }

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
