package devtemporal

import (
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// child is one run of the dev server.
type child struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended and been reaped
	err    error         // set before exited closes; nil for exit status 0
}

func startChild(binary string, args []string, out io.Writer) (*child, error) {
	cmd := exec.Command(binary, args...)
	cmd.Env = environment()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{
		// Its own group: Ctrl-C and a kill of the parent's group must not end it before the workers have drained.
		Setpgid: true,
		// SIGKILL and not SIGTERM: nobody would be left to insist if a polite stop hung. With the write-ahead log a killed
		// process loses no commit.
		Pdeathsig: syscall.SIGKILL,
	}
	c := &child{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The kernel sends Pdeathsig when the thread that forked ends, not the process. So this goroutine keeps its thread
		// for the child's whole life, and as it never unlocks it, the thread ends with the goroutine and nothing else uses it.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		c.err = cmd.Wait()
		close(c.exited)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start the Temporal server %s: %w; %s", binary, err, howToBuild)
	}
	return c, nil
}

// ended says how the process ended; only to be called once exited is closed.
func (c *child) ended() string {
	if c.err == nil {
		return "exit status 0"
	}
	return c.err.Error()
}

// stop ends the process: SIGTERM, on which the server stops in good order, then after grace, or as soon as hurry closes,
// SIGKILL. It returns when the process is gone; an error says that it had to be killed.
func (c *child) stop(grace time.Duration, hurry <-chan struct{}) error {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // fails only when it has ended already
	timer := time.NewTimer(grace)
	defer timer.Stop()
	start := time.Now()
	select {
	case <-c.exited:
		return nil
	case <-timer.C:
	case <-hurry:
	}
	_ = c.cmd.Process.Kill()
	<-c.exited
	return fmt.Errorf("the Temporal server did not stop within %s of being asked and was killed", time.Since(start).Round(time.Millisecond))
}
