package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"idplatform/errs"
)

// Size limits of bodies on the wire.
const (
	singleLimit = 12 << 20
	batchLimit  = 64 << 20
	// memoryLimit is how much of a body is held in memory before its signature is known to be good.
	memoryLimit = 1 << 20
	// spoolsPerKey bounds the large bodies of one key id at one address that are taken at the same time.
	spoolsPerKey = 4
	// spoolTime bounds how long a large body may take to arrive, so that a slow sender does not hold a place.
	spoolTime = 2 * time.Minute
)

// body is a request body as sent, with its hash: in memory, or spooled to a file.
type body struct {
	Hash    string
	memory  []byte
	file    *os.File
	release func()
}

// empty reports whether nothing was sent.
func (b *body) empty() bool { return b.file == nil && len(b.memory) == 0 }

// bytes is the whole body.
func (b *body) bytes() ([]byte, error) {
	if b.file == nil {
		return b.memory, nil
	}
	if _, err := b.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	rest, err := io.ReadAll(b.file)
	return append(b.memory, rest...), err
}

// close gives back the place and deletes the file.
func (b *body) close() {
	if b.file != nil {
		_ = b.file.Close() // it has no name any more; closing deletes it
	}
	if b.release != nil {
		b.release()
	}
}

// clockMargin is kept on top of the window a nonce must be remembered for.
const clockMargin = 30 * time.Second

var errTooLarge = errs.New(errs.PayloadTooLarge)

// readBody reads and hashes a body of at most limit bytes. What goes beyond memoryLimit is spooled to
// a file, a few at a time per place (see exchange.place).
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, place string, limit int64) (*body, error) {
	if r.ContentLength > limit {
		return nil, errTooLarge
	}
	hash := sha256.New()
	source := io.TeeReader(arriving{http.MaxBytesReader(w, r.Body, limit)}, hash)
	head := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 0), memoryLimit)+bytes.MinRead))
	n, err := io.Copy(head, io.LimitReader(source, memoryLimit))
	if err != nil {
		return nil, readFault(err)
	}
	b := &body{memory: head.Bytes()}
	if n == memoryLimit {
		if err := s.spool(w, r, b, place, source); err != nil {
			b.close()
			return nil, readFault(err)
		}
	}
	b.Hash = hex.EncodeToString(hash.Sum(nil))
	return b, nil
}

func (s *Server) spool(w http.ResponseWriter, r *http.Request, b *body, place string, source io.Reader) error {
	release, err := s.spools.enter(r.Context(), place)
	if err != nil {
		return err
	}
	b.release = release
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(spoolTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if b.file, err = os.CreateTemp(s.cfg.SpoolDir, "body-*"); err != nil {
		return err
	}
	if err := os.Remove(b.file.Name()); err != nil {
		return err
	}
	_, err = io.Copy(b.file, source)
	return err
}

// readFault words what can go wrong while a body arrives.
func readFault(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return errTooLarge
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.Canceled), errors.Is(err, os.ErrDeadlineExceeded):
		return errs.Invalid(errs.Field{Field: "body", Problem: "ended before its Content-Length"}).Because(err)
	case errors.As(err, new(arrivalError)):
		return errs.Invalid(errs.Field{Field: "body", Problem: "is not framed as HTTP wants it: check Transfer-Encoding"}).Because(err)
	}
	return errs.Internal(err)
}

// arriving tells what goes wrong on the sender's side from what goes wrong on ours.
type arriving struct{ from io.Reader }

// Read implements io.Reader.
func (a arriving) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = arrivalError{err}
	}
	return n, err
}

type arrivalError struct{ error }

// Unwrap gives what the connection said.
func (e arrivalError) Unwrap() error { return e.error }

// places lets a few at a time in for each key id.
type places struct {
	mu   sync.Mutex
	keys map[string]*place
}

type place struct {
	taken chan struct{}
	users int
}

func newPlaces() *places { return &places{keys: map[string]*place{}} }

func (p *places) enter(ctx context.Context, key string) (leave func(), err error) {
	p.mu.Lock()
	pl, ok := p.keys[key]
	if !ok {
		pl = &place{taken: make(chan struct{}, spoolsPerKey)}
		p.keys[key] = pl
	}
	pl.users++
	p.mu.Unlock()
	forget := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if pl.users--; pl.users == 0 {
			delete(p.keys, key)
		}
	}
	select {
	case pl.taken <- struct{}{}:
		return func() { <-pl.taken; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}
