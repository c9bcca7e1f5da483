package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"idplatform/platform/wire"
)

// aimOfCryptography bounds what each of signing, encryption and their reverses may take for a body of 1 KiB.
const aimOfCryptography = 25 * time.Microsecond

// printCryptography times what the wire asks of a call, with hashing of the body where the signature covers it.
func printCryptography(_ context.Context, w io.Writer, s settings) error {
	secret, keyBytes, plaintext := make([]byte, wire.SecretSize), make([]byte, wire.SecretSize), make([]byte, 1<<10)
	for _, b := range [][]byte{secret, keyBytes, plaintext} {
		_, _ = rand.Read(b) // crypto/rand does not fail
	}
	key, err := wire.NewKey(keyBytes)
	if err != nil {
		return err
	}
	aad := wire.RequestAAD("1767225600", uuid.NewString(), http.MethodPost, kycPath)
	iv, body := key.Seal(plaintext, aad)
	header := http.Header{}
	for name, value := range map[string]string{wire.HeaderTimestamp: "1767225600", wire.HeaderNonce: uuid.NewString(), wire.HeaderIV: iv} {
		header.Set(name, value)
	}
	canonical := func() wire.Canonical {
		sum := sha256.Sum256(body)
		return wire.CanonicalOf(http.MethodPost, kycPath, header, hex.EncodeToString(sum[:]))
	}
	signature := wire.Sign(secret, canonical())
	steps := []struct {
		name string
		do   func() bool
	}{
		{"sign", func() bool { return wire.Sign(secret, canonical()) == signature }},
		{"verify", func() bool { return wire.Verify(secret, canonical(), signature) }},
		{"encrypt", func() bool { _, sealed := key.Seal(plaintext, aad); return len(sealed) == len(body) }},
		{"decrypt", func() bool {
			opened, err := key.Open(iv, body, aad)
			return err == nil && len(opened) == len(plaintext)
		}},
	}
	fmt.Fprint(w, "\n## Cryptography of a call with a body of 1 KiB\n\n| step | time | aim |\n|---|---|---|\n")
	var names []string
	var total time.Duration
	for _, step := range steps {
		took, err := timed(step.do, s)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		total += took
		names = append(names, step.name)
		fmt.Fprintf(w, "| %s | %s | |\n", step.name, took)
	}
	fmt.Fprintf(w, "| %s | %s | < %s: %s |\n", strings.Join(names, " + "), total, aimOfCryptography, verdict(total < aimOfCryptography))
	return nil
}

// timed is the median over rounds of the mean time of a step.
func timed(do func() bool, s settings) (time.Duration, error) {
	const calls = 5_000
	means := make([]time.Duration, max(5, s.rounds))
	for i := range means {
		start := time.Now()
		for range calls {
			if !do() {
				return 0, errors.New("gave the wrong answer")
			}
		}
		means[i] = time.Since(start) / calls
	}
	slices.Sort(means)
	return means[len(means)/2], nil
}
