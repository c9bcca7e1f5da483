package files

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"idplatform/errs"
)

// Fetch reads the file that a token names. It fails with errs.NotFound, the same for every token that leads
// nowhere, with errs.RegistryUnavailable, or with errs.InternalError.
func (f *Files) Fetch(ctx context.Context, token string) (Content, error) {
	ref, err := f.Resolve(token)
	if err != nil {
		return Content{}, errGone
	}
	return f.open(ctx, ref)
}

// Handler answers GET and HEAD of signed URLs; it is mounted at Path. What goes wrong is left to fail, which
// renders an error of package errs. The token stands in the path: keep the path out of logs.
func (f *Files) Handler(fail func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard(w.Header())
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			fail(w, r, errs.New(errs.MethodNotAllowed))
			return
		}
		content, err := f.Fetch(r.Context(), token(r))
		if err != nil {
			fail(w, r, err)
			return
		}
		write(w, r, content)
	})
}

// token is what follows Path exactly as it was sent, with a query if there is one: no other spelling of
// a URL is the URL.
func token(r *http.Request) string {
	sent := strings.TrimPrefix(r.URL.EscapedPath(), Path)
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		sent += "?" + r.URL.RawQuery
	}
	return sent
}

// guard keeps the answer out of caches, and the URL out of what a browser tells others.
func guard(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

func write(w http.ResponseWriter, r *http.Request, content Content) {
	h := w.Header()
	if _, _, err := mime.ParseMediaType(content.Type); err != nil {
		content.Type = "application/octet-stream"
	}
	h.Set("Content-Type", content.Type)
	h.Set("Content-Length", strconv.Itoa(len(content.Bytes)))
	h.Set("Content-Disposition", "inline")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content.Bytes) // a caller that went away needs no answer
	}
}
