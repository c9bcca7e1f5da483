package files_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/errs"
	"idplatform/platform/files"
)

// serve mounts the handler as the API does, with a plain rendering of errors.
func (f fixture) serve(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(files.Path, f.Handler(func(w http.ResponseWriter, _ *http.Request, err error) {
		statuses := map[errs.Kind]int{errs.KindNotFound: 404, errs.KindUnavailable: 502, errs.KindMethodNotAllowed: 405, errs.KindInternal: 500}
		e := errs.From(err)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(statuses[e.Kind()])
		_ = json.NewEncoder(w).Encode(map[string]string{"error": string(e.Code), "message": e.Message})
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func ask(t *testing.T, method, url string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, body
}

func TestURLGivesTheFile(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	at := f.serve(t).URL + files.Path
	for _, test := range []struct {
		ref  string
		want files.Content
	}{{selfieRef, selfie}, {evidenceRef, evidence}} {
		answer, body := ask(t, http.MethodGet, at+f.token(t, test.ref))
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Equal(t, test.want.Bytes, body)
		require.Equal(t, int64(len(body)), answer.ContentLength)
		for name, value := range map[string]string{
			"Content-Type": test.want.Type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
			"Content-Disposition": "inline", "Content-Security-Policy": "default-src 'none'; sandbox", "Referrer-Policy": "no-referrer",
		} {
			require.Equal(t, value, answer.Header.Get(name), name)
		}

		answer, body = ask(t, http.MethodHead, at+f.token(t, test.ref))
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Empty(t, body)
		require.Equal(t, int64(len(test.want.Bytes)), answer.ContentLength)
	}
}

func TestURLThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	at := f.serve(t).URL + files.Path
	good := f.token(t, selfieRef)
	missing, ended := f.token(t, "register/gone"), f.token(t, selfieRef)
	otherEnd := []byte(good)
	otherEnd[0] ^= 1
	var want []byte
	for name, path := range map[string]string{
		"ErrMissing": missing, "ErrStoreMissing": f.token(t, "evidence/gone"), "ErrChanged": string(otherEnd), "ErrEmpty": "",
		"ErrQuery": good + "?a=1", "ErrBareQuery": good + "?", "ErrSlash": good + "/", "ErrBelow": "x/" + good,
		"ErrSpelling": fmt.Sprintf("%%%02X", good[0]) + good[1:], "ErrNewline": good + "%0A", "ErrReference": selfieRef,
	} {
		answer, body := ask(t, http.MethodGet, at+path)
		require.Equal(t, http.StatusNotFound, answer.StatusCode, name)
		require.Equal(t, "no-store", answer.Header.Get("Cache-Control"), name)
		if want == nil {
			want = body
		}
		require.Equal(t, string(want), string(body), "the answer does not tell why: %s", name)
	}
	f.clock.Set(start.Add(files.Lifetime))
	answer, body := ask(t, http.MethodGet, at+ended)
	require.Equal(t, http.StatusNotFound, answer.StatusCode)
	require.Equal(t, string(want), string(body))
}

func TestURLIsOnlyRead(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	at := f.serve(t).URL + files.Path + f.token(t, selfieRef)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, "PROPFIND"} {
		answer, _ := ask(t, method, at)
		require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode, method)
		require.Equal(t, "GET, HEAD", answer.Header.Get("Allow"))
	}
}

func TestURLWhileTheSourceIsAway(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err    error
		status int
	}{{registry.ErrUnreachable, 502}, {files.ErrUnreachable, 502}, {errors.New("disk on fire"), 500}} {
		f := newFiles(t, func(c *files.Config) { c.Register = source{err: test.err} })
		answer, body := ask(t, http.MethodGet, f.serve(t).URL+files.Path+f.token(t, selfieRef))
		require.Equal(t, test.status, answer.StatusCode)
		require.NotContains(t, string(body), "fire")
	}
}

func TestURLWithoutAStore(t *testing.T) {
	t.Parallel()
	f := newFiles(t, func(c *files.Config) { c.Store = nil })
	_, err := f.Fetch(t.Context(), f.token(t, evidenceRef))
	require.ErrorIs(t, err, errs.New(errs.NotFound))
}

func TestURLOfAFileWithAnOddType(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{"", "nonsense;;", "image/png\r\nSet-Cookie: a=b"} {
		f := newFiles(t, func(c *files.Config) {
			c.Register = source{files: map[string]files.Content{selfieRef: {Type: odd, Bytes: []byte("<script>")}}}
		})
		answer, body := ask(t, http.MethodGet, f.serve(t).URL+files.Path+f.token(t, selfieRef))
		require.Equal(t, "application/octet-stream", answer.Header.Get("Content-Type"))
		require.Empty(t, answer.Header.Get("Set-Cookie"))
		require.True(t, bytes.Equal([]byte("<script>"), body))
	}
}

func TestManyCallersAtOnce(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	done := make(chan error, 16)
	for i := range cap(done) {
		go func() {
			var err error
			for k := range 200 {
				f.clock.Set(start.Add(time.Duration(i*k) * time.Minute)) // hours pass back and forth
				_, err = f.Show(t.Context(), []byte(`{"$file":"signed_url register/x"}`))
			}
			done <- err
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
}
