package files_test

import (
	"strings"
	"testing"

	"idplatform/catalog"
)

// BenchmarkShow is what showing a result adds to a call: with nine files by URL, and with none.
func BenchmarkShow(b *testing.B) {
	f := newFiles(b, nil)
	one := `{"type":"passport","image":` + stored(b, catalog.SignedURL, "image/png", "register/COD-1A2B-3C4D-5E6F/documents/passport") + `},`
	for name, result := range map[string]string{
		"nine files": "[" + strings.Repeat(one, 8) + strings.TrimSuffix(one, ",") + "]",
		"no files":   "[" + strings.Repeat(`{"type":"residential","province":"Kinshasa"},`, 50) + "{}]",
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(result)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Show(b.Context(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkResolve(b *testing.B) {
	f := newFiles(b, nil)
	token := f.token(b, selfieRef)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Resolve(token); err != nil {
			b.Fatal(err)
		}
	}
}
