package devtemporal

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
)

// probeEvery is the pause between two probes of a server that is coming up.
const probeEvery = 25 * time.Millisecond

// prepare waits until the server answers and sets up the namespace. It ends with ctx.
func (s *Server) prepare(ctx context.Context) error {
	// TCP first: a gRPC connection that is refused once pauses for a second before it tries again.
	for _, address := range []string{loopback(s.opts.Port), loopback(s.opts.UIPort)} {
		if err := awaitListener(ctx, address); err != nil {
			return err
		}
	}
	c, err := client.NewLazyClient(client.Options{
		HostPort:  s.Address(),
		Namespace: s.opts.Namespace,
		Logger:    sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)), // its complaints about a server not yet up say nothing
	})
	if err != nil {
		return fmt.Errorf("connect to Temporal: %w", err)
	}
	defer c.Close()
	retention, err := s.awaitNamespace(ctx, c)
	if err != nil {
		return err
	}
	if retention != Retention {
		if err := s.setRetention(ctx, c); err != nil {
			return err
		}
	}
	return s.ensureSearchAttributes(ctx, c)
}

func awaitListener(ctx context.Context, address string) error {
	for {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			// A connection to a port of the range for outgoing ones can meet itself where nobody listens.
			itself := conn.LocalAddr().String() == conn.RemoteAddr().String()
			_ = conn.Close()
			if !itself {
				return nil
			}
		}
		if !pause(ctx) {
			return fmt.Errorf("nothing listens on %s", address)
		}
	}
}

// awaitNamespace returns the namespace's retention as soon as the server answers for it.
func (s *Server) awaitNamespace(ctx context.Context, c client.Client) (time.Duration, error) {
	for {
		attempt, cancel := context.WithTimeout(ctx, 2*time.Second)
		described, err := c.WorkflowService().DescribeNamespace(attempt, &workflowservice.DescribeNamespaceRequest{Namespace: s.opts.Namespace})
		cancel()
		if err == nil {
			return described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(), nil
		}
		if !pause(ctx) {
			return 0, fmt.Errorf("namespace %s does not answer: %w", s.opts.Namespace, err)
		}
	}
}

// pause reports false when ctx has ended.
func pause(ctx context.Context) bool {
	timer := time.NewTimer(probeEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
