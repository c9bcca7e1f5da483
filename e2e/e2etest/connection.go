package e2etest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// Conn is a connection to a platform over which requests go exactly as they are.
type Conn struct {
	platform *Platform
	local    *net.TCPAddr
	conn     net.Conn
	reader   *bufio.Reader
}

// answerTime bounds how long an answer may take.
const answerTime = 30 * time.Second

// Connect makes a connection, from an address of this machine (such as 127.0.0.7) unless that is empty.
func (p *Platform) Connect(from string) *Conn {
	c := &Conn{platform: p}
	if from != "" {
		c.local = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	p.t.Cleanup(c.Close)
	return c
}

// Close closes the connection.
func (c *Conn) Close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// Send sends a request over a connection of its own.
func (p *Platform) Send(r *Request) *Answer {
	p.t.Helper()
	c := p.Connect("")
	defer c.Close()
	answer, err := c.Send(r)
	require.NoError(p.t, err)
	return answer
}

// Send sends a request with its body whole and reads the answer.
func (c *Conn) Send(r *Request) (*Answer, error) {
	var framing string
	if len(r.Body) > 0 && r.Get("Transfer-Encoding") == "" && r.Get("Content-Length") == "" {
		framing = "Content-Length: " + strconv.Itoa(len(r.Body)) + "\r\n"
	}
	return c.SendRaw(r, append(r.Head(framing), r.Body...))
}

// Head is the request's line and headers as they go over the wire.
func (r *Request) Head(framing string) []byte {
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\n", r.Method, r.Target)
	for _, line := range r.Header {
		fmt.Fprintf(&head, "%s: %s\r\n", line.Name, line.Value)
	}
	head.WriteString(framing + "\r\n")
	return head.Bytes()
}

// SendRaw sends bytes and reads the answer as that to r.
func (c *Conn) SendRaw(r *Request, wire []byte) (*Answer, error) {
	return c.Stream(r, bytes.NewReader(wire))
}

// Stream sends what it reads and reads the answer as that to r. An answer may come before all is sent.
func (c *Conn) Stream(r *Request, wire io.Reader) (*Answer, error) {
	if err := c.dial(); err != nil {
		return nil, err
	}
	sent := make(chan struct{})
	conn := c.conn
	go func() {
		defer close(sent)
		_, _ = io.Copy(conn, wire) // a server may answer and hang up before it has read everything
	}()
	answer, err := c.Read(r)
	if err != nil || strings.EqualFold(answer.First("Connection"), "close") {
		c.Close()
	}
	<-sent
	return answer, err
}

func (c *Conn) dial() (err error) {
	if c.conn != nil {
		return nil
	}
	dialer := net.Dialer{Timeout: answerTime}
	if c.local != nil {
		dialer.LocalAddr = c.local
	}
	if c.conn, err = dialer.DialContext(c.platform.t.Context(), "tcp", strings.TrimPrefix(c.platform.URL, "http://")); err != nil {
		return err
	}
	c.reader = bufio.NewReader(c.conn)
	return nil
}

// Write sends a part of a request.
func (c *Conn) Write(part []byte) error {
	if err := c.dial(); err != nil {
		return err
	}
	_, err := c.conn.Write(part)
	return err
}

// Read reads an answer as that to r, and holds the exchange against the OpenAPI document.
func (c *Conn) Read(r *Request) (*Answer, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(answerTime)); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(c.reader, &http.Request{Method: r.Method})
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.Close {
		response.Header.Set("Connection", "close") // ReadResponse takes it away
	}
	answer, err := opened(r, response.StatusCode, response.Header, raw)
	if err == nil && r.Method != http.MethodHead {
		c.platform.document.exchange(c.platform.t, exchange{method: r.Method, target: r.Target, request: r.Plain, answer: answer})
	}
	return answer, err
}

func opened(r *Request, status int, header http.Header, raw []byte) (*Answer, error) {
	answer := &Answer{Status: status, Header: header, Raw: raw, Body: raw}
	if iv := header.Get("X-Platform-IV"); iv != "" && r.Method != http.MethodHead {
		plain, err := openBody(r.Key, iv, raw, responseAAD(r.Nonce, status))
		if err != nil {
			return nil, fmt.Errorf("the answer (%d) does not open: %w", status, err)
		}
		answer.Body, answer.Encrypted = plain, true
	}
	return answer, nil
}

// CloseWrite says that nothing more will be sent.
func (c *Conn) CloseWrite() error {
	if half, ok := c.conn.(*net.TCPConn); ok {
		return half.CloseWrite()
	}
	return nil
}
