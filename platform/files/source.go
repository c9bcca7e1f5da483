package files

import (
	"context"
	"errors"
	"strings"

	"idplatform/engines/registry"
	"idplatform/errs"
)

// Content is a file: its media type and its bytes.
type Content = registry.Content

// Source opens what a reference names. A reference to nothing fails with ErrNoFile (or the register's), a
// source that gives no answer with ErrUnreachable (or the register's). The register is a Source, and so is Store.
type Source interface {
	Open(ctx context.Context, ref string) (Content, error)
}

// What a Source fails with.
var (
	// ErrNoFile: no file has this reference.
	ErrNoFile = errors.New("there is no such file")
	// ErrUnreachable: the source gave no usable answer; the same call may succeed later.
	ErrUnreachable = errors.New("the file store is unreachable")
)

const (
	registerRoot = "register/"
	// maxRef keeps URLs within what every client takes.
	maxRef = 1024
)

// errReference carries no reference: logs hold nothing that identifies a person.
var errReference = errors.New("a stored result holds a file reference that is empty, too long or has a NUL")

// usable reports whether a reference can be put into a token.
func usable(ref string) bool {
	return ref != "" && len(ref) <= maxRef && strings.IndexByte(ref, 0) < 0
}

// errGone is the one answer for every URL that leads nowhere; why it does is not told.
var errGone = errs.Newf(errs.NotFound, "There is no such file, or its URL has ended; read the result again for a new one.")

// open reads a file from the source that its reference belongs to. It fails with errs.NotFound,
// errs.RegistryUnavailable or errs.InternalError.
func (f *Files) open(ctx context.Context, ref string) (Content, error) {
	source := f.store
	if strings.HasPrefix(ref, registerRoot) {
		source = f.register
	}
	if source == nil {
		return Content{}, errGone
	}
	content, err := source.Open(ctx, ref)
	switch {
	case err == nil:
		return content, nil
	case errors.Is(err, ErrNoFile), errors.Is(err, registry.ErrNoFile):
		return Content{}, errGone
	case errors.Is(err, ErrUnreachable), errors.Is(err, registry.ErrUnreachable):
		return Content{}, errs.New(errs.RegistryUnavailable).Because(err)
	default:
		return Content{}, errs.From(err)
	}
}
