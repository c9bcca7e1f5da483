// Package registry is the national register of citizens as the services see it: a small port (Register), an
// embedded register on SQLite or PostgreSQL with a synthetic population (OpenSQL, Populate), and an adapter
// for an operator's own register (NewHTTP; docs/registry-adapter.md says what the operator serves).
package registry

import (
	"context"
	"errors"

	"idplatform/models"
)

// Register finds citizens. Every method may be called from any number of goroutines.
//
// A register that cannot be reached, does not answer in time or answers nonsense fails with an error for
// which errors.Is(err, ErrUnreachable) holds. One whose caller gave up is not unreachable: there
// errors.Is(err, context.Canceled) holds instead.
type Register interface {
	// People finds citizens by identifier, any number in one round trip (of a few where there are very many).
	// Identifiers are in canonical form (models.Identifier.Normalize); any other value is borne by nobody. The
	// answer has the length and order of ids, nil where nobody bears the identifier; the same identifier may be
	// asked twice. blocks says which additional blocks are wanted, the others are left empty.
	People(ctx context.Context, ids []models.Identifier, blocks Blocks) ([]*Person, error)

	// Changes lists the citizens whose record changed after a cursor, the oldest change first, each once and
	// at most limit (1 to MaxChanges) of them. The empty cursor lists nobody: it asks where a new reader starts,
	// which is behind the last change. A cursor that the register never gave fails with ErrUnknownCursor.
	Changes(ctx context.Context, since Cursor, limit int) (Changes, error)

	// Open reads the file that a File refers to. A reference to no file of this register fails with ErrNoFile.
	Open(ctx context.Context, ref string) (Content, error)

	// Ping reports whether the register answers.
	Ping(ctx context.Context) error
}

// What a register fails with.
var (
	// ErrUnreachable: the register gave no usable answer; the same call may succeed later.
	ErrUnreachable = errors.New("the register of citizens is unreachable")
	// ErrNoFile: no file has this reference.
	ErrNoFile = errors.New("the register has no such file")
	// ErrUnknownCursor: the cursor is not one that Changes gave.
	ErrUnknownCursor = errors.New("the register gave no such cursor")
)

// MaxChanges bounds one page of Changes.
const MaxChanges = 10_000

// Cursor is a place in the order of changes: opaque, given by Changes, and valid for as long as the register
// lives. The empty cursor is that of a reader who has none yet.
type Cursor string

// Changes is one page of the record of changes.
type Changes struct {
	// PlatformIDs of the citizens that changed, COD-XXXX-XXXX-XXXX.
	PlatformIDs []string `json:"platform_ids"`
	// Next is the cursor to ask with after this page; never empty.
	Next Cursor `json:"next"`
	// More says that another page is there already.
	More bool `json:"more"`
}

// Content is a file of the register: a document's picture, a portrait, a biometric template.
type Content struct {
	// Type is a media type such as image/png.
	Type  string
	Bytes []byte
}
