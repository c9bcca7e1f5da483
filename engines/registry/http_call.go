package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/hashicorp/go-retryablehttp"
)

// ask sends a JSON request and reads a JSON answer into answer, which check then judges. Nonsense counts as a
// failure of the register, for the circuit breaker too.
func (h *HTTP) ask(ctx context.Context, path string, request, answer any, check func() error) error {
	_, err := h.call(ctx, http.MethodPost, path, request, func(c Content) error {
		if media, _, err := mime.ParseMediaType(c.Type); err != nil || media != "application/json" {
			return errors.New("an answer that is not JSON")
		}
		if err := json.Unmarshal(c.Bytes, answer); err != nil {
			return errors.New("an answer that does not have the documented shape") // the cause would quote values
		}
		return check()
	})
	return err
}

// call makes one call behind the circuit breaker; accept judges a successful answer.
func (h *HTTP) call(ctx context.Context, method, path string, request any, accept func(Content) error) (Content, error) {
	content, err := h.breaker.Execute(func() (Content, error) {
		content, err := h.send(ctx, method, path, request)
		if err == nil {
			err = accept(content)
		}
		return content, err
	})
	switch {
	case err == nil, errors.Is(err, ErrNoFile), errors.Is(err, ErrUnknownCursor):
		return content, err
	}
	return Content{}, unreachable(ctx, path, err)
}

func (h *HTTP) send(ctx context.Context, method, path string, request any) (Content, error) {
	var body []byte
	if request != nil {
		var err error
		if body, err = json.Marshal(request); err != nil {
			return Content{}, err
		}
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, method, h.base+path, body)
	if err != nil {
		return Content{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return Content{}, err
	}
	defer resp.Body.Close()
	return h.read(resp)
}

func (h *HTTP) read(resp *http.Response) (Content, error) {
	content := Content{Type: resp.Header.Get("Content-Type")}
	var err error
	if content.Bytes, err = io.ReadAll(io.LimitReader(resp.Body, h.maxAnswer+1)); err != nil {
		return Content{}, fmt.Errorf("read the answer: %w", err)
	}
	if int64(len(content.Bytes)) > h.maxAnswer {
		return Content{}, fmt.Errorf("an answer of more than %d bytes", h.maxAnswer)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return content, nil
	}
	return Content{}, refusal(resp.StatusCode, content.Bytes)
}

// The error codes that mean something to this adapter. A bare status does not: a 404 without the code is as
// likely a wrong base URL.
const (
	codeNoFile        = "no_such_file"
	codeUnknownCursor = "unknown_cursor"
)

func refusal(status int, body []byte) error {
	var told struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	// A body that is no JSON leaves the code empty, which is the answer for it.
	_ = json.Unmarshal(bytes.TrimSpace(body), &told)
	switch {
	case status == http.StatusNotFound && told.Error.Code == codeNoFile:
		return ErrNoFile
	case status == http.StatusBadRequest && told.Error.Code == codeUnknownCursor:
		return ErrUnknownCursor
	}
	return fmt.Errorf("the register answered with status %d", status)
}

func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }
