package files_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/platform/files"
)

const s3Key = "a-key-of-the-tests"

// s3 is the little of Amazon's protocol that the store speaks: one bucket, "platform".
type s3 struct {
	mu      sync.Mutex
	objects map[string][]byte
	away    bool // answers 503 to everything
	denied  bool // answers 403 to everything
}

func (s *s3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, _ := io.ReadAll(r.Body)
	sum := sha256.Sum256(body)
	switch {
	case s.away:
		fault(w, http.StatusServiceUnavailable, "ServiceUnavailable")
	case s.denied, !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="+s3Key+"/"):
		fault(w, http.StatusForbidden, "AccessDenied")
	case bucket != "platform":
		fault(w, http.StatusNotFound, "NoSuchBucket")
	case key == "":
		w.WriteHeader(http.StatusOK)
	case r.Method == http.MethodPut && r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]):
		fault(w, http.StatusBadRequest, "XAmzContentSHA256Mismatch")
	case r.Method == http.MethodPut:
		s.objects[key] = body
		w.Header().Set("ETag", `"x"`)
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case s.objects[key] == nil:
		fault(w, http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", start.Format(http.TimeFormat))
		w.Header().Set("Content-Length", strconv.Itoa(len(s.objects[key])))
		_, _ = w.Write(s.objects[key])
	}
}

func fault(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
}

// newS3 gives a bucket and its URL below a prefix.
func newS3(t *testing.T) (*s3, string) {
	t.Helper()
	s := &s3{objects: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, "s3://platform/files?endpoint=" + server.URL
}

func bucketPlace(t *testing.T) place {
	t.Helper()
	s, url := newS3(t)
	store, err := files.NewStore(t.Context(), newVault(t), url)
	require.NoError(t, err)
	return place{
		Store: store,
		lies:  func(ref string) []byte { return s.objects["files/"+ref] },
		move:  func(from, to string) { s.objects["files/"+to] = s.objects["files/"+from] },
		set:   func(ref string, sealed []byte) { s.objects["files/"+ref] = sealed },
	}
}

func TestBucketThatIsNotThere(t *testing.T) {
	t.Parallel()
	_, url := newS3(t)
	_, err := files.NewStore(t.Context(), newVault(t), strings.Replace(url, "platform", "another", 1))
	require.ErrorContains(t, err, "there is no such bucket")
}

func TestBucketThatIsAway(t *testing.T) {
	t.Parallel()
	s, url := newS3(t)
	store, err := files.NewStore(t.Context(), newVault(t), url)
	require.NoError(t, err)
	set := func(away, denied bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.away, s.denied = away, denied
	}
	everyOperation := func(ctx context.Context) []error {
		_, opened := store.Open(ctx, "a")
		return []error{opened, store.Put(ctx, "a", "text/plain", strings.NewReader("x")), store.Delete(ctx, "a")}
	}
	set(true, false)
	for _, err := range everyOperation(t.Context()) {
		require.ErrorIs(t, err, files.ErrUnreachable)
	}
	set(false, true)
	for _, err := range everyOperation(t.Context()) {
		require.ErrorContains(t, err, "AccessDenied")
		require.NotErrorIs(t, err, files.ErrUnreachable, "waiting does not help")
	}
	set(false, false)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range everyOperation(gone) {
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestBucketBehindADeadAddress(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := files.NewStore(t.Context(), newVault(t), "s3://platform?region=local&endpoint="+server.URL)
	require.ErrorContains(t, err, "bucket platform at 127.0.0.1")
}
