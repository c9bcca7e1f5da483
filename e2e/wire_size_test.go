package e2e_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/config"
	"idplatform/e2e/e2etest"
)

const singleLimit = 12 << 20

func length(body []byte) string { return strconv.Itoa(len(body)) }

func chunked(body []byte, size int) []byte {
	var out bytes.Buffer
	for len(body) > 0 {
		n := min(size, len(body))
		fmt.Fprintf(&out, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	out.WriteString("0\r\n\r\n")
	return out.Bytes()
}

// endless is chunks of a body that does not end; it counts the bytes that were taken.
type endless struct {
	head  io.Reader
	taken atomic.Int64
}

var chunk = []byte("10000\r\n" + strings.Repeat("x", 1<<16) + "\r\n")

func (e *endless) Read(p []byte) (int, error) {
	if n, err := e.head.Read(p); err == nil {
		return n, nil
	}
	e.taken.Add(int64(len(chunk)))
	e.head = bytes.NewReader(chunk)
	return e.head.Read(p)
}

// A body over the limit is refused by its announced length before any of it is sent, and without a length as soon as the
// limit is passed; neither is kept.
func TestWire_PayloadTooLarge(t *testing.T) {
	t.Parallel()
	spool := t.TempDir()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Change: func(c *config.Config) { c.API.SpoolDir = spool }})
	app := p.NewApplication()
	t.Run("ByContentLength", func(t *testing.T) {
		for _, announced := range []string{strconv.Itoa(singleLimit + 1), "1099511627776", "9223372036854775807"} {
			request := signed(t, app)
			request.Body = nil
			answer, err := p.Connect("").SendRaw(request, request.Head("Content-Length: "+announced+"\r\n"))
			require.NoError(t, err)
			requireRefused(t, answer, http.StatusRequestEntityTooLarge, "payload_too_large", false)
			require.Equal(t, "close", answer.First("Connection"), "the rest of the body is not read")
		}
	})
	t.Run("WhileReading", func(t *testing.T) {
		request := signed(t, app)
		body := &endless{head: bytes.NewReader(request.Head("Transfer-Encoding: chunked\r\n"))}
		answer, err := p.Connect("").Stream(request, body)
		require.NoError(t, err)
		requireRefused(t, answer, http.StatusRequestEntityTooLarge, "payload_too_large", false)
		require.Less(t, body.taken.Load(), int64(singleLimit+16<<20), "what is in the sockets' buffers and no more")
	})
	t.Run("HeadersBeforeSize", func(t *testing.T) {
		request := signed(t, app).Set("X-Platform-Timestamp", "1")
		request.Body = nil
		answer, err := p.Connect("").SendRaw(request, request.Head("Content-Length: 1099511627776\r\n"))
		require.NoError(t, err)
		unauthenticated(t, answer, "timestamp_out_of_window")
	})
	left, err := os.ReadDir(spool)
	require.NoError(t, err)
	require.Empty(t, left, "spooled bodies are gone")
}

// Bodies about the size from which they are spooled, and of the largest size, arrive whole.
func TestWire_LargeBodies(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	for _, size := range []int{1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20, singleLimit} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			// Spaces after the object fill the plaintext up, so that the body on the wire has the size to within base64.
			request := app.Request(http.MethodPost, validations, nil)
			plain := text(t, kyc(0, nil))
			request.Plain = append(plain, bytes.Repeat([]byte(" "), (size-len(`{"ciphertext":""}`))/4*3-16-len(plain)-2)...)
			request.Seal()
			request.Body = append(request.Body, bytes.Repeat([]byte(" "), size-len(request.Body))...)
			require.Len(t, request.Body, size)
			request.Sign()
			answer := p.Send(request)
			require.Equal(t, 200, answer.Status, "%.200s", answer.Body)

			request.Nonce = ""
			request.Body[size/2] ^= 1
			unauthenticated(t, p.Send(request), "invalid_signature")
		})
	}
	t.Run("UnsignedIsHashedAllTheSame", func(t *testing.T) {
		request := signed(t, app)
		request.Body = bytes.Repeat([]byte{0}, 2<<20)
		problem := unauthenticated(t, p.Send(request), "invalid_signature")
		hash := (*problem.CanonicalString)[strings.LastIndexByte(*problem.CanonicalString, '\n')+1:]
		_, err := hex.DecodeString(hash)
		require.NoError(t, err)
		require.Equal(t, request.Canonical(), *problem.CanonicalString)
	})
}

// A body that ends before its length, or is framed wrong, is the sender's fault and answered as such.
func TestWire_TruncatedBodies(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	for name, sent := range map[string]int{"Small": 10, "Spooled": 2 << 20} {
		t.Run(name, func(t *testing.T) {
			request := signed(t, app)
			connection := p.Connect("")
			head := request.Head("Content-Length: " + strconv.Itoa(sent*2) + "\r\n")
			require.NoError(t, connection.Write(append(head, bytes.Repeat([]byte("x"), sent)...)))
			require.NoError(t, connection.CloseWrite())
			answer, err := connection.Read(request)
			require.NoError(t, err)
			problem := requireRefused(t, answer, http.StatusBadRequest, "invalid_request", false)
			require.Equal(t, "body", problem.Fields[0].Field)
		})
	}
	for name, framed := range map[string]string{"ChunkSizeIsNoNumber": "zz\r\nabc\r\n0\r\n\r\n", "ChunkShorterThanSaid": "3\r\nabcdef\r\n0\r\n\r\n", "ChunkSizeHuge": "ffffffffffffffffff\r\nabc\r\n"} {
		t.Run(name, func(t *testing.T) {
			request := signed(t, app)
			connection := p.Connect("")
			answer, err := connection.SendRaw(request, append(request.Head("Transfer-Encoding: chunked\r\n"), framed...))
			require.NoError(t, err)
			requireRefused(t, answer, http.StatusBadRequest, "invalid_request", false)
		})
	}
}

// Senders who dawdle, with the key id of another even, do not keep a request of normal size waiting.
func TestWire_SlowSenders(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	for i := range 40 {
		request := signed(t, app)
		connection := p.Connect("")
		part := make([]byte, 100+i%2*(1<<20))
		require.NoError(t, connection.Write(append(request.Head("Content-Length: 4000000\r\n"), part...)))
	}
	start := time.Now()
	require.Equal(t, 200, p.Send(signed(t, app)).Status)
	require.Less(t, time.Since(start), 5*time.Second)
}
