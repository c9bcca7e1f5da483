package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"os"
	"time"

	"idplatform/errs"
)

// Size limits of bodies on the wire.
const (
	singleLimit = 12 << 20
	batchLimit  = 64 << 20
	// memoryLimit is how much of a body is held in memory before its signature is known to be good, and all that a
	// stranger is given.
	memoryLimit = 1 << 20
	// firstBuffer is what is set aside for a body at first. What a request announces is not set aside: announcing
	// costs its sender nothing.
	firstBuffer = 16 << 10
	// spoolTime bounds how long a large body may take to arrive, so that a slow sender does not hold a place.
	spoolTime = 2 * time.Minute
)

// clockMargin is kept on top of the window a nonce must be remembered for.
const clockMargin = 30 * time.Second

var errTooLarge = errs.New(errs.PayloadTooLarge)

// body is a request body as sent: in memory, or from memoryLimit on in a file.
type body struct {
	memory []byte
	file   *os.File
	source io.Reader
	hash   hash.Hash
	// more tells that there is more than memory holds.
	more bool
}

// empty reports whether nothing was sent.
func (b *body) empty() bool { return b.file == nil && len(b.memory) == 0 }

// sum is the hash of what has been read.
func (b *body) sum() string { return hex.EncodeToString(b.hash.Sum(nil)) }

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

// close deletes the file.
func (b *body) close() {
	if b.file != nil {
		_ = b.file.Close() // it has no name any more; closing deletes it
	}
}

// begin reads a body of at most limit bytes as far as it is held in memory.
func begin(w http.ResponseWriter, r *http.Request, limit int64) (*body, error) {
	if r.ContentLength > limit {
		return nil, errTooLarge
	}
	b := &body{hash: sha256.New()}
	b.source = io.TeeReader(arriving{http.MaxBytesReader(w, r.Body, limit)}, b.hash)
	head := bytes.NewBuffer(make([]byte, 0, firstBuffer))
	n, err := io.Copy(head, io.LimitReader(b.source, memoryLimit+1)) // one byte more tells whether there is more
	if err != nil {
		return nil, readFault(err)
	}
	b.memory, b.more = head.Bytes(), n > memoryLimit
	return b, nil
}

// spool reads the rest of a body into a file without a name.
func (b *body) spool(w http.ResponseWriter, dir string) (err error) {
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(spoolTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if b.file, err = os.CreateTemp(dir, "body-*"); err != nil {
		return err
	}
	if err := os.Remove(b.file.Name()); err != nil {
		return err
	}
	if _, err = io.Copy(b.file, b.source); err != nil {
		return readFault(err)
	}
	return nil
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
