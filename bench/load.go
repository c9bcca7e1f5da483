package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// round is what one round of load measured.
type round struct {
	rate     float64 // answers a second
	p50, p99 time.Duration
	size     int // bytes of the last answer's body
}

// load sends the requests, as they are, over conns connections until they are used up or the time is over.
// It is as light as can be, since it shares the machine with what it measures: requests are ready bytes, and
// of an answer only the status and the length are read.
func load(address string, requests [][]byte, conns int, duration time.Duration) (round, error) {
	callers := make([]*caller, conns)
	for i := range callers {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return round{}, err
		}
		defer func() { _ = conn.Close() }() // a load is over when its answers are read
		callers[i] = &caller{conn: conn, answers: bufio.NewReaderSize(conn, 16<<10), took: make([]time.Duration, 0, len(requests)/conns+16)}
	}
	var (
		next atomic.Int64
		all  sync.WaitGroup
	)
	start := time.Now()
	for _, c := range callers {
		all.Go(func() {
			for c.err == nil && time.Since(start) < duration {
				i := int(next.Add(1)) - 1
				if i >= len(requests) {
					return
				}
				c.call(requests[i])
			}
		})
	}
	all.Wait()
	return summary(callers, time.Since(start))
}

func summary(callers []*caller, elapsed time.Duration) (round, error) {
	var (
		took []time.Duration
		r    round
	)
	for _, c := range callers {
		if c.err != nil {
			return round{}, c.err
		}
		took = append(took, c.took...)
		r.size = max(r.size, c.size)
	}
	if len(took) == 0 {
		return round{}, errors.New("nothing was answered")
	}
	slices.Sort(took)
	r.rate = float64(len(took)) / elapsed.Seconds()
	r.p50, r.p99 = took[len(took)/2], took[len(took)*99/100]
	return r, nil
}

// caller is one connection.
type caller struct {
	conn    net.Conn
	answers *bufio.Reader
	took    []time.Duration
	size    int
	err     error
}

func (c *caller) call(request []byte) {
	start := time.Now()
	if _, c.err = c.conn.Write(request); c.err != nil {
		return
	}
	if c.size, c.err = readAnswer(c.answers); c.err == nil {
		c.took = append(c.took, time.Since(start))
	}
}

var contentLength = []byte("Content-Length: ")

// readAnswer reads one answer and gives the length of its body. Anything but 200 is an error.
func readAnswer(r *bufio.Reader) (int, error) {
	status, err := r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	ok := bytes.HasPrefix(status, []byte("HTTP/1.1 200"))
	words := string(bytes.TrimSpace(status))
	length := -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if value, found := bytes.CutPrefix(line, contentLength); found {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, errors.New("an answer has no Content-Length")
	}
	if !ok {
		body, _ := io.ReadAll(io.LimitReader(r, int64(min(length, 300))))
		return 0, fmt.Errorf("answered %s: %s", words, body)
	}
	_, err = r.Discard(length)
	return length, err
}
