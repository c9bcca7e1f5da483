package files_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/platform/files"
)

// FuzzShow checks that a JSON text stays one, that no stored reference is left in it, that everything else is as
// before, and that nothing breaks on a text which is no JSON.
func FuzzShow(f *testing.F) {
	f.Add(everything(f, catalog.SignedURL))
	f.Add(everything(f, catalog.Base64))
	f.Add([]byte(`{"a":"\"$file\":\"","$file":"base64 ` + selfieRef + `"}`))
	f.Add([]byte(`["$file",{"x\"$file":"signed_url y"},{ "$file" : "signed_url \u0041\\" }]`))
	f.Add([]byte(`{"$file":5}`))
	f.Add([]byte(`"$file":"signed_url `))
	shows := newFiles(f, nil)
	f.Fuzz(func(t *testing.T, stored []byte) {
		before := bytes.Clone(stored)
		text, err := shows.Show(t.Context(), stored)
		require.Equal(t, before, stored, "the stored result is never written to")
		if err != nil || !json.Valid(stored) {
			return
		}
		require.True(t, json.Valid(text), "%s became %s", stored, text)
		if bytes.Contains(stored, []byte(`\u`)) {
			return // a name spelt so is nobody's stored reference, but reads like one below
		}
		var was, is any
		require.NoError(t, json.Unmarshal(stored, &was))
		require.NoError(t, json.Unmarshal(text, &is))
		if !named(was) {
			require.Equal(t, string(stored), string(text))
		}
		require.False(t, named(is), "%s became %s", stored, text)
	})
}

// named reports whether any object has a member $file.
func named(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for name, inside := range value {
			if name == "$file" || named(inside) {
				return true
			}
		}
	case []any:
		for _, inside := range value {
			if named(inside) {
				return true
			}
		}
	}
	return false
}

// FuzzResolve checks that nothing but what was signed resolves.
func FuzzResolve(f *testing.F) {
	shows := newFiles(f, nil)
	good := shows.token(f, selfieRef)
	f.Add(good)
	f.Add(good[1:])
	f.Add(good + "\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, token string) {
		ref, err := shows.Resolve(token)
		if token == good {
			require.NoError(t, err)
			require.Equal(t, selfieRef, ref)
			return
		}
		require.ErrorIs(t, err, files.ErrNoFile)
		require.Empty(t, ref)
	})
}
