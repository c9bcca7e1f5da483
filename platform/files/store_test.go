package files_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"idplatform/platform/files"
	"idplatform/platform/vault"
)

// place is a store together with the bytes that really lie in it, by reference.
type place struct {
	*files.Store
	lies func(ref string) []byte // nil when nothing is there
	move func(from, to string)
	set  func(ref string, sealed []byte)
}

// TestStore is the contract of every place that files are kept in.
func TestStore(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) place{"Folder": folderPlace, "Bucket": bucketPlace} {
		for contract, check := range map[string]func(*testing.T, place){
			"GivesBackWhatWasPut": givesBack, "KeepsTheLastOfAReference": keepsTheLast, "ForgetsWhatIsDeleted": forgets,
			"KnowsNoOtherFiles": knowsNoOther, "RefusesHostileReferences": refusesHostile, "RefusesOddContent": refusesOdd,
			"HoldsNothingReadable": holdsNothingReadable, "OpensNothingMovedOrChanged": opensNothingMoved,
			"KeepsAReferenceBelowAnother": keepsBelow, "TakesManyAtOnce": takesMany,
		} {
			t.Run(name+"/"+contract, func(t *testing.T) {
				t.Parallel()
				check(t, open(t))
			})
		}
	}
}

func (p place) put(t *testing.T, ref, contentType, content string) {
	t.Helper()
	require.NoError(t, p.Put(t.Context(), ref, contentType, strings.NewReader(content)))
}

func (p place) has(t *testing.T, ref, contentType, content string) {
	t.Helper()
	got, err := p.Open(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, contentType, got.Type)
	require.Equal(t, content, string(got.Bytes))
}

func givesBack(t *testing.T, p place) {
	largest := strings.Repeat("x", files.MaxSize)
	for ref, content := range map[string]string{
		"a": "plain", evidenceRef: "first\nsecond\n", "empty": "", "nul": "\x00\xff", "large/one": largest,
		strings.Repeat("n", 128) + "/b": "a long name", "1/2/3/4/5/6/7/8": "deep",
	} {
		p.put(t, ref, "text/plain; charset=utf-8", content)
		p.has(t, ref, "text/plain; charset=utf-8", content)
	}
}

func keepsTheLast(t *testing.T, p place) {
	p.put(t, evidenceRef, "image/png", strings.Repeat("first", 100))
	p.put(t, evidenceRef, "image/jpeg", "second")
	p.has(t, evidenceRef, "image/jpeg", "second")
}

func forgets(t *testing.T, p place) {
	p.put(t, evidenceRef, "image/png", "x")
	for range 2 {
		require.NoError(t, p.Delete(t.Context(), evidenceRef))
		_, err := p.Open(t.Context(), evidenceRef)
		require.ErrorIs(t, err, files.ErrNoFile)
		require.Nil(t, p.lies(evidenceRef))
	}
}

func knowsNoOther(t *testing.T, p place) {
	p.put(t, evidenceRef, "image/png", "x")
	for _, ref := range []string{"evidence", "evidence/frd_01", "evidence/frd_01/1", "evidence/frd_01/0/0", "other/frd_01/0"} {
		_, err := p.Open(t.Context(), ref)
		require.ErrorIs(t, err, files.ErrNoFile, ref)
		require.NoError(t, p.Delete(t.Context(), ref))
	}
	p.has(t, evidenceRef, "image/png", "x")
}

func refusesHostile(t *testing.T, p place) {
	for _, ref := range []string{
		"", ".", "..", "../x", "a/../../x", "a/../b", "/etc/passwd", "/a", "a/", "a//b", "a\x00b", "a\nb", "a b", `a\b`, "a.b",
		".hidden", "~x", "é", "%2e%2e/x", "file:///x", "a?b", "a#b", selfieRef, "register", "register/x",
		strings.Repeat("n", 129), strings.Repeat("a/", 8) + "a", strings.Repeat("a", 1_000_000),
	} {
		require.ErrorIs(t, p.Put(t.Context(), ref, "text/plain", strings.NewReader("x")), files.ErrReference, ref)
		require.ErrorIs(t, p.Delete(t.Context(), ref), files.ErrReference, ref)
		_, err := p.Open(t.Context(), ref)
		require.ErrorIs(t, err, files.ErrNoFile, ref)
	}
}

func refusesOdd(t *testing.T, p place) {
	for _, contentType := range []string{"", "no type;;", "text/plain\nx", strings.Repeat("t", 200) + "/" + strings.Repeat("t", 200)} {
		require.ErrorIs(t, p.Put(t.Context(), "a", contentType, strings.NewReader("x")), files.ErrContentType, contentType)
	}
	endless := io.LimitReader(zeros{}, files.MaxSize+1)
	require.ErrorIs(t, p.Put(t.Context(), "a", "text/plain", endless), files.ErrTooLarge)
	broken := errors.New("the line broke")
	require.ErrorIs(t, p.Put(t.Context(), "a", "text/plain", iotest.ErrReader(broken)), broken)
	require.Nil(t, p.lies("a"), "nothing is kept of what was refused")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func holdsNothingReadable(t *testing.T, p place) {
	p.put(t, evidenceRef, "application/pdf", "COD-1A2B-3C4D-5E6F Kabongo")
	sealed := p.lies(evidenceRef)
	require.NotEmpty(t, sealed)
	for _, text := range []string{"Kabongo", "COD-", "application/pdf"} {
		require.NotContains(t, string(sealed), text)
	}
}

func opensNothingMoved(t *testing.T, p place) {
	p.put(t, evidenceRef, "image/png", "x")
	p.put(t, "evidence/frd_02/0", "image/png", "y")
	sealed := p.lies(evidenceRef)
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		p.set(evidenceRef, changed)
		_, err := p.Open(t.Context(), evidenceRef)
		require.ErrorIs(t, err, vault.ErrUnsealable, i)
	}
	for _, cut := range [][]byte{{}, sealed[:4], sealed[:len(sealed)-1], append(bytes.Clone(sealed), 0)} {
		p.set(evidenceRef, cut)
		_, err := p.Open(t.Context(), evidenceRef)
		require.ErrorIs(t, err, vault.ErrUnsealable)
	}
	p.move("evidence/frd_02/0", evidenceRef)
	_, err := p.Open(t.Context(), evidenceRef)
	require.ErrorIs(t, err, vault.ErrUnsealable)
	_, err = newFiles(t, func(c *files.Config) { c.Store = p.Store }).Show(t.Context(), []byte(`{"$file":"base64 `+evidenceRef+`"}`))
	require.ErrorIs(t, err, vault.ErrUnsealable)
}

func keepsBelow(t *testing.T, p place) {
	p.put(t, "a/b", "image/png", "below")
	p.put(t, "a", "image/png", "above")
	p.put(t, "a/b/c", "image/png", "deeper")
	p.has(t, "a", "image/png", "above")
	p.has(t, "a/b", "image/png", "below")
	p.has(t, "a/b/c", "image/png", "deeper")
}

func takesMany(t *testing.T, p place) {
	done := make(chan error, 16)
	for i := range cap(done) {
		go func() {
			done <- p.Put(t.Context(), evidenceRef, "image/png", strings.NewReader(strings.Repeat(string(rune('a'+i)), 10_000)))
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
	got, err := p.Open(t.Context(), evidenceRef)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat(string(got.Bytes[:1]), 10_000), string(got.Bytes), "one of them, whole")
}
