package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"idplatform/models"
)

// Paths below the base URL. Whatever names a person travels in bodies, since URLs end up in logs.
const (
	pathLookup  = "/v1/citizens/lookup"
	pathChanges = "/v1/citizens/changes"
	pathFile    = "/v1/files/read"
	pathHealth  = "/v1/health"
)

// lookupMost is the largest number of identifiers in one request.
const lookupMost = 500

// lookupRequest asks for citizens; Scopes names the additional blocks that are wanted.
type lookupRequest struct {
	Identifiers []models.Identifier `json:"identifiers"`
	Scopes      []string            `json:"scopes"`
}

// lookupAnswer holds one entry for each identifier asked for, in order, null where nobody bears it.
type lookupAnswer struct {
	Citizens []*Person `json:"citizens"`
}

// People implements Register: one request for up to 500 identifiers.
func (h *HTTP) People(ctx context.Context, ids []models.Identifier, blocks Blocks) ([]*Person, error) {
	people := make([]*Person, 0, len(ids))
	for from := 0; from < len(ids); from += lookupMost {
		asked := ids[from:min(from+lookupMost, len(ids))]
		var answer lookupAnswer
		err := h.ask(ctx, pathLookup, lookupRequest{Identifiers: asked, Scopes: blocks.Scopes()}, &answer, func() error {
			return answer.check(asked, blocks)
		})
		if err != nil {
			return nil, err
		}
		people = append(people, answer.Citizens...)
	}
	return people, nil
}

// changesRequest asks for a page of the record of changes; an empty Since asks where a new reader starts.
type changesRequest struct {
	Since Cursor `json:"since"`
	Limit int    `json:"limit"`
}

// Changes implements Register.
func (h *HTTP) Changes(ctx context.Context, since Cursor, limit int) (Changes, error) {
	if limit < 1 || limit > MaxChanges {
		return Changes{}, fmt.Errorf("a page of changes holds 1 to %d, not %d", MaxChanges, limit)
	}
	var page Changes
	err := h.ask(ctx, pathChanges, changesRequest{Since: since, Limit: limit}, &page, func() error {
		return page.check(limit)
	})
	if err != nil {
		return Changes{}, err
	}
	return page, nil
}

// fileRequest asks for a file.
type fileRequest struct {
	Ref string `json:"ref"`
}

// Open implements Register.
func (h *HTTP) Open(ctx context.Context, ref string) (Content, error) {
	content, err := h.call(ctx, http.MethodPost, pathFile, fileRequest{Ref: ref}, func(c Content) error {
		if c.Type == "" || len(c.Bytes) == 0 {
			return errors.New("a file without content type or content")
		}
		return nil
	})
	if err != nil {
		return Content{}, err
	}
	return content, nil
}

// Ping implements Register.
func (h *HTTP) Ping(ctx context.Context) error {
	_, err := h.call(ctx, http.MethodGet, pathHealth, nil, func(Content) error { return nil })
	return err
}
