package devtemporal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
	"time"
)

// choosePorts checks the ports that were asked for and picks free ones for those left at 0. The error is one sentence that
// names the port, what wants it, and the flag that changes it.
func (o Options) choosePorts() (Options, error) {
	if o.Port != 0 && o.Port == o.UIPort {
		return o, fmt.Errorf("the Temporal server and its UI cannot share port %d: give them different ones with --temporal-port and --temporal-ui-port", o.Port)
	}
	if err := checkPort(o.IP, o.Port, "Temporal", "--temporal-port"); err != nil {
		return o, err
	}
	if err := checkPort(o.IP, o.UIPort, "Temporal's UI", "--temporal-ui-port"); err != nil {
		return o, err
	}
	var err error
	if o.Port == 0 {
		if o.Port, err = freePort(o.IP, o.UIPort); err != nil {
			return o, err
		}
	}
	if o.UIPort == 0 {
		o.UIPort, err = freePort(o.IP, o.Port)
	}
	return o, err
}

func checkPort(ip string, port int, who, flag string) error {
	if port == 0 {
		return nil
	}
	if port < 1 || port > 65535 {
		return fmt.Errorf("%d is no port for %s: give one from 1 to 65535 with %s", port, who, flag)
	}
	err := listens(ip, port)
	// The child of a parent killed a moment ago may still be on its way out.
	for range 10 {
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
		time.Sleep(50 * time.Millisecond)
		err = listens(ip, port)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("port %d, which %s wants, is in use by another program: stop it or choose another port with %s", port, who, flag)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("port %d, which %s wants, needs more rights than this user has: choose one above 1023 with %s", port, who, flag)
	}
	return fmt.Errorf("port %d, which %s wants, cannot be listened on (%w): choose another with %s", port, who, err, flag)
}

func listens(ip string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(ip, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

// Free ports are taken from below the range that Linux gives to outgoing connections (32768 and up), so that no connection,
// the readiness probe's own included, can sit on the port in the moment before the child listens or while it restarts.
const lowestFree, highestFree = 20000, 32000

func freePort(ip string, not int) (int, error) {
	for range 200 {
		port := lowestFree + rand.IntN(highestFree-lowestFree)
		if port != not && listens(ip, port) == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port was found on %s between %d and %d: choose some with --temporal-port and --temporal-ui-port", ip, lowestFree, highestFree)
}
