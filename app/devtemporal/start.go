package devtemporal

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// errPortLost is a child that ended because another program took one of its ports between choice and use.
var errPortLost = errors.New("a port was taken by another program in the meantime")

// Start starts the dev server and returns when it answers gRPC and accepts connections to its UI, its namespace keeps
// closed workflows for Retention, and its search attributes exist with the right types. That takes at most 30 s.
//
// ctx bounds the start alone; the server then runs until Stop. A child that ends by itself is started again on the same
// ports. After an error no process runs and no new file is left; the error is a sentence for the operator, where the child
// failed with the last lines of its log.
func Start(ctx context.Context, o Options) (*Server, error) {
	o, err := o.resolved()
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		s, err := start(ctx, o)
		// The inner services' ports are chosen by the child and can clash with another's that starts in the same moment.
		if !errors.Is(err, errPortLost) || attempt == 3 || ctx.Err() != nil {
			return s, err
		}
	}
}

func start(ctx context.Context, o Options) (*Server, error) {
	o, err := o.choosePorts()
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(o.DBFile)
	if err != nil {
		return nil, errors.Join(err, db.discard())
	}
	s := &Server{
		opts:   o,
		output: &output{to: o.Log},
		hurry:  make(chan struct{}),
		done:   make(chan struct{}),
		exited: make(chan error, 1),
	}
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	c, err := s.launch(ctx)
	if err == nil {
		if err = db.keep(); err != nil {
			_ = c.stop(o.limits.grace, ctx.Done())
		}
	}
	if err != nil {
		s.stop()
		return nil, errors.Join(err, db.discard())
	}
	go s.supervise(c)
	return s, nil
}

// launch starts a child and waits until it serves. After an error the child is gone.
func (s *Server) launch(ctx context.Context) (*child, error) {
	s.output.forget()
	c, err := startChild(s.opts.Binary, s.opts.arguments(), s.output)
	if err != nil {
		return nil, err
	}
	s.pid.Store(int64(c.cmd.Process.Pid))
	if err := s.bringUp(ctx, c); err != nil {
		_ = c.stop(s.opts.limits.grace, s.hurry)
		s.pid.Store(0)
		return nil, err
	}
	return c, nil
}

// bringUp waits until the child serves and sets up its namespace, for at most limits.ready.
func (s *Server) bringUp(caller context.Context, c *child) error {
	ctx, cancel := context.WithTimeout(caller, s.opts.limits.ready)
	defer cancel()
	go func() { // a dead child will never answer
		select {
		case <-c.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := s.prepare(ctx)
	select {
	case <-c.exited:
		last := s.output.last()
		err := fmt.Errorf("the Temporal server ended (%s) before it was ready; %s", c.ended(), last)
		if strings.Contains(last, "address already in use") {
			err = fmt.Errorf("%w: %w", errPortLost, err)
		}
		return err
	default:
	}
	switch {
	case err == nil:
		return nil
	case caller.Err() != nil:
		return fmt.Errorf("the start of Temporal was called off: %w", context.Cause(caller))
	case ctx.Err() != nil:
		return fmt.Errorf("the Temporal server was not ready within %s (%w); %s", s.opts.limits.ready, err, s.output.last())
	}
	return err
}
