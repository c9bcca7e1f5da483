package files_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/engines/registry"
	"idplatform/errs"
	"idplatform/platform/files"
)

func TestShowGivesURLAndEnd(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	text, err := f.Show(t.Context(), []byte(stored(t, catalog.SignedURL, "image/jpeg", selfieRef)))
	require.NoError(t, err)
	require.Regexp(t, `^\{"content_type":"image/jpeg","url":"https://identity\.example\.cd/files/[A-Za-z0-9_-]{135}",`+
		`"expires_at":"2026-11-20T09:35:00\.123Z"\}$`, string(text))
	require.NotContains(t, string(text), "COD-")
}

func TestShowSignsAnewEachTime(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	first, second := f.sign(t, selfieRef), f.sign(t, selfieRef)
	require.NotEqual(t, first.URL, second.URL)
	f.clock.Set(start.Add(time.Minute))
	require.Equal(t, time.Minute, f.sign(t, selfieRef).ExpiresAt.Sub(first.ExpiresAt.Time))
}

func TestShowGivesContentUnderBase64(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	text, err := f.Show(t.Context(), []byte(`[`+stored(t, catalog.Base64, "image/jpeg", selfieRef)+`,`+
		stored(t, catalog.Base64, "application/pdf", evidenceRef)+`]`))
	require.NoError(t, err)
	require.JSONEq(t, fmt.Sprintf(`[{"content_type":"image/jpeg","data":%q},{"content_type":"application/pdf","data":%q}]`,
		base64.StdEncoding.EncodeToString(selfie.Bytes), base64.StdEncoding.EncodeToString(evidence.Bytes)), string(text))
}

func TestShowFillsAWholeCitizen(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	result := everything(t, catalog.SignedURL)
	count := bytes.Count(result, []byte(`"$file":`))
	require.GreaterOrEqual(t, count, 6)
	text, err := f.Show(t.Context(), result)
	require.NoError(t, err)
	require.True(t, json.Valid(text))
	require.NotContains(t, string(text), "$file")
	require.Equal(t, count, bytes.Count(text, []byte(`"expires_at":"2026-11-20T09:35:00.123Z"}`)))
	require.Equal(t, count, bytes.Count(text, []byte(publicURL+files.Path)))
}

func TestShowFillsManyFilesOfManyItems(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	item := everything(t, catalog.SignedURL)
	batch := append([]byte(`{"data":[`), bytes.Repeat(append(bytes.Clone(item), ','), 99)...)
	batch = append(append(batch, item...), `]}`...)
	text, err := f.Show(t.Context(), batch)
	require.NoError(t, err)
	require.True(t, json.Valid(text))
	require.NotContains(t, string(text), "$file")
	require.Equal(t, bytes.Count(batch, []byte(`"$file":`)), bytes.Count(text, []byte(publicURL+files.Path)))
}

func TestShowKeepsTheReferenceExact(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	for _, ref := range []string{
		`register/a "quoted" \ name`, "register/<é>&\u2028", "register/two words", "register/", "x",
		"register/" + strings.Repeat("y", 1015), strings.Repeat("z", 64), strings.Repeat("z", 65),
	} {
		got, err := f.Resolve(f.token(t, ref))
		require.NoError(t, err, ref)
		require.Equal(t, ref, got)
	}
}

func TestShowLeavesStringsAlone(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	hostile := []string{
		`$file`, `"$file":"base64 ` + selfieRef + `"`, `{"content_type":"image/png","$file":"base64 ` + selfieRef + `"}`,
		`\`, `\"$file":"`, `\\"$file": "base64 x`, `","$file":"base64 ` + selfieRef, `a\`, "\u2028\"$file\":", `x"$file`,
	}
	for _, text := range hostile {
		inside, err := json.Marshal(map[string]any{text: text, "values": []string{"$file", text, "$file"}, "before": text})
		require.NoError(t, err)
		if text != "$file" {
			same, err := f.Show(t.Context(), inside)
			require.NoError(t, err, text)
			require.Equal(t, string(inside), string(same), "no string is taken for a member")
		}
		beside := fmt.Sprintf(`{"reference":%s,"file":%s,"after":%s}`, quoted(t, text), stored(t, catalog.Base64, "image/jpeg", selfieRef), quoted(t, text))
		full, err := f.Show(t.Context(), []byte(beside))
		require.NoError(t, err, text)
		var got struct {
			Reference, After string
			File             shown
		}
		require.NoError(t, json.Unmarshal(full, &got))
		require.Equal(t, text, got.Reference)
		require.Equal(t, text, got.After)
		require.Equal(t, base64.StdEncoding.EncodeToString(selfie.Bytes), *got.File.Data)
	}
}

func quoted(t testing.TB, text string) string {
	t.Helper()
	out, err := json.Marshal(text)
	require.NoError(t, err)
	return string(out)
}

func TestShowTakesAnySpacing(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	text, err := f.Show(t.Context(), []byte("{ \"$file\" \n:\t\"base64 "+selfieRef+"\" , \"content_type\" : \"image/jpeg\" }"))
	require.NoError(t, err)
	require.JSONEq(t, `{"content_type":"image/jpeg","data":"`+base64.StdEncoding.EncodeToString(selfie.Bytes)+`"}`, string(text))
}

func TestShowCostsNothingWithoutFiles(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	result := []byte(`{"id":"kyc_01","result":"verified","reference":"the $file of 7"}`)
	same, err := f.Show(t.Context(), result)
	require.NoError(t, err)
	require.Same(t, &result[0], &same[0])
}

// It runs alone: other tests' allocations would count.
func TestShowAllocatesNothingWithoutFiles(t *testing.T) { //nolint:paralleltest // AllocsPerRun
	f := newFiles(t, nil)
	result := bytes.Repeat([]byte(`{"id":"kyc_01"}`), 100)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = f.Show(t.Context(), result) }))
}

func TestShowRefusesWhatNoServiceStores(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	for name, result := range map[string]string{
		"ErrNumber":       `{"$file":5}`,
		"ErrObject":       `{"$file":{"ref":"register/x"}}`,
		"ErrNoDelivery":   `{"$file":"register/x"}`,
		"ErrDelivery":     `{"$file":"by_post register/x"}`,
		"ErrEmpty":        `{"$file":""}`,
		"ErrNoReference":  `{"$file":"signed_url "}`,
		"ErrNUL":          `{"$file":"signed_url register/x\u0000"}`,
		"ErrLong":         `{"$file":"signed_url register/` + strings.Repeat("x", 1016) + `"}`,
		"ErrUnterminated": `{"$file":"signed_url register/x`,
		"ErrCutEscape":    `{"$file":"signed_url register/x\`,
		"ErrEscape":       `{"$file":"signed_url register/\x"}`,
		"ErrCut":          `{"$file":`,
	} {
		_, err := f.Show(t.Context(), []byte(result))
		require.ErrorIs(t, err, errs.New(errs.InternalError), name)
		require.NotContains(t, err.Error(), "register/x", "the log must not learn the reference")
	}
}

func TestShowWithoutTheContent(t *testing.T) {
	t.Parallel()
	result := []byte(stored(t, catalog.Base64, "image/jpeg", selfieRef))
	for name, test := range map[string]struct {
		register files.Source
		want     error
	}{
		"ErrRegistryUnavailable": {source{err: fmt.Errorf("lookup: %w", registry.ErrUnreachable)}, errs.New(errs.RegistryUnavailable)},
		"ErrStoreUnavailable":    {source{err: files.ErrUnreachable}, errs.New(errs.RegistryUnavailable)},
		"ErrInternal":            {source{err: errors.New("disk on fire")}, errs.New(errs.InternalError)},
	} {
		_, err := newFiles(t, func(c *files.Config) { c.Register = test.register }).Show(t.Context(), result)
		require.ErrorIs(t, err, test.want, name)
	}

	text, err := newFiles(t, nil).Show(t.Context(), []byte(stored(t, catalog.Base64, "image/png", "register/gone")))
	require.NoError(t, err, "the rest of the result still has to be shown")
	require.Equal(t, `{"content_type":"image/png","data":""}`, string(text))
}

func TestShowReadsFewFilesAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		f := newFiles(t, func(c *files.Config) {
			c.Register = source{files: map[string]files.Content{selfieRef: selfie}, onOpen: func() {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Second)
				running.Add(-1)
			}}
		})
		one := stored(t, catalog.Base64, "image/jpeg", selfieRef)
		before := time.Now()
		_, err := f.Show(t.Context(), []byte("["+strings.Repeat(one+",", 19)+one+"]"))
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, time.Since(before), "twenty files, eight at a time")
		require.LessOrEqual(t, most.Load(), int64(8))
	})
}

func TestShowStopsWithItsCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := newFiles(t, func(c *files.Config) { c.Register = waiting{} })
	_, err := f.Show(ctx, []byte(stored(t, catalog.Base64, "image/jpeg", selfieRef)))
	require.ErrorIs(t, err, context.Canceled)
}

// waiting answers only when its caller gives up.
type waiting struct{}

func (waiting) Open(ctx context.Context, _ string) (files.Content, error) {
	<-ctx.Done()
	return files.Content{}, errors.Join(registry.ErrUnreachable, ctx.Err())
}
