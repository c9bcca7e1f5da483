package files_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/platform/files"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func TestTokenResolvesToItsReference(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	ref, err := f.Resolve(f.token(t, selfieRef))
	require.NoError(t, err)
	require.Equal(t, selfieRef, ref)
}

func TestTokenWithAnyChangeIsNoToken(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	for _, ref := range []string{selfieRef, evidenceRef, "register/" + strings.Repeat("long", 20)} {
		good := f.token(t, ref)
		refused := func(token string) {
			_, err := f.Resolve(token)
			require.ErrorIs(t, err, files.ErrNoFile, token)
		}
		for i := range good {
			for _, c := range alphabet + "=+/. \n\r\t%\x00é" {
				if byte(c) != good[i] || c > 127 {
					refused(good[:i] + string(c) + good[i+1:])
				}
				refused(good[:i] + string(c) + good[i:])
			}
			refused(good[:i])
			refused(good[:i] + good[i+1:])
			refused(good[i:] + good[:i] + "A")
		}
		for _, end := range []string{"=", "==", "\n", "\r\n", " ", "A", "AAAA", good} {
			refused(good + end)
		}
	}
}

func TestTokenEndsOnTime(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	file := f.sign(t, selfieRef)
	token := f.token(t, selfieRef)
	for _, test := range []struct {
		at time.Time
		ok bool
	}{
		{start, true},
		{file.ExpiresAt.Add(-time.Nanosecond), true},
		{file.ExpiresAt.Time, false},
		{file.ExpiresAt.Add(time.Millisecond), false},
		{file.ExpiresAt.Add(24 * time.Hour), false},
	} {
		f.clock.Set(test.at)
		_, err := f.Resolve(token)
		require.Equal(t, test.ok, err == nil, test.at)
	}
}

func TestTokenLivesAsLongAsConfigured(t *testing.T) {
	t.Parallel()
	f := newFiles(t, func(c *files.Config) { c.Lifetime = 90 * time.Second })
	require.Equal(t, "2026-11-20T09:31:30.123Z", f.sign(t, selfieRef).ExpiresAt.String())
}

func TestTokenOutlivesTheHourAndTheProcess(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	f.clock.Set(time.Date(2026, 11, 20, 9, 54, 59, 0, time.UTC))
	early := f.token(t, selfieRef) // ends before ten
	f.clock.Set(time.Date(2026, 11, 20, 9, 55, 30, 0, time.UTC))
	late := f.token(t, selfieRef) // ends after ten
	for _, instance := range []*files.Files{f.Files, files.New(f.cfg)} {
		for _, token := range []string{early, late} {
			ref, err := instance.Resolve(token)
			require.NoError(t, err)
			require.Equal(t, selfieRef, ref)
		}
	}
}

func TestTokenOfAnotherDeploymentIsNoToken(t *testing.T) {
	t.Parallel()
	token := newFiles(t, nil).token(t, selfieRef)
	_, err := newFiles(t, nil).Resolve(token)
	require.ErrorIs(t, err, files.ErrNoFile)
}

func TestTokensOfACitizenAreAllOfOneLength(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	person := registry.SyntheticCitizen(0).Person
	want := len(f.token(t, person.Selfie.File.Ref))
	for _, d := range person.Documents.Others {
		require.Len(t, f.token(t, d.Image.Ref), want)
	}
	for _, p := range person.Fingerprints {
		require.Len(t, f.token(t, p.File.Ref), want)
	}
}

func TestTokenThatIsNoneAtAll(t *testing.T) {
	t.Parallel()
	f := newFiles(t, nil)
	for _, token := range []string{"", "A", "AQ", selfieRef, strings.Repeat("A", 50), strings.Repeat("_", 135),
		strings.Repeat("A", 1_000_000), "../../etc/passwd", "AQ\x00"} {
		_, err := f.Resolve(token)
		require.ErrorIs(t, err, files.ErrNoFile)
	}
}
