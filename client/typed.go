package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// The typed calls of a service are one line each on these: see kyc.go.

// get reads the resource of an id.
func get[Res any](ctx context.Context, c *Client, path, id string) (*Res, error) {
	target, err := resource(path, id)
	if err != nil {
		return nil, err
	}
	return ask[Res](ctx, c, http.MethodGet, target, nil)
}

// post sends a request for an answer at once.
func post[Res any](ctx context.Context, c *Client, path string, request any, opts []CallOption) (*Res, error) {
	if callSettingsOf(opts).async {
		return nil, errors.New("this call answers at once: use its asynchronous form instead of Async")
	}
	body, err := encode(request)
	if err != nil {
		return nil, err
	}
	return ask[Res](ctx, c, http.MethodPost, path, body, opts...)
}

// submit sends a request for a job or a batch.
func submit[Res any](ctx context.Context, c *Client, path string, request any, opts []CallOption) (*Res, error) {
	body, err := encode(request)
	if err != nil {
		return nil, err
	}
	return ask[Res](ctx, c, http.MethodPost, path, body, append(opts[:len(opts):len(opts)], Async())...)
}

func ask[Res any](ctx context.Context, c *Client, method, target string, body []byte, opts ...CallOption) (*Res, error) {
	resp, err := c.Do(ctx, method, target, body, opts...)
	if err != nil {
		return nil, err
	}
	return Decode[Res](resp.Body)
}

// Decode reads a JSON object of the platform: an answer's body, or the result of a job or of a batch's item,
// as in Decode[KYCValidation](job.Result). Members that the type does not know are ignored. It fails where there is
// none, such as the result of a job that is pending.
func Decode[T any](data []byte) (*T, error) {
	if len(data) == 0 || string(data) == "null" {
		return nil, errors.New("there is no result to read")
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, fmt.Errorf("the answer is not the expected JSON: %w", err)
	}
	return &value, nil
}

func encode(request any) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write the request as JSON: %w", err)
	}
	return body, nil
}

// resource is the path of one object. An empty id would name the collection instead.
func resource(path, id string) (string, error) {
	if id == "" {
		return "", errors.New("the id is empty")
	}
	return path + "/" + url.PathEscape(id), nil
}
