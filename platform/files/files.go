// Package files shows the files that results refer to: documents, portraits, biometric records, evidence.
//
// A stored result holds references only. Whenever it is shown (Files.Show), each reference becomes either
// a URL that is signed anew and ends after five minutes, or the content in base64. The URL's token is
// authenticated encryption (token.go), so that it tells neither whose file it is nor which, and any changed
// character makes it a token of nothing. Files.Handler answers such URLs.
//
// References that begin with "register/" belong to the register of citizens, all others to the platform's own
// Store, a folder or a bucket in which everything is sealed.
package files

import (
	"encoding/json"
	"strings"
	"time"

	"idplatform/platform/vault"
)

// Lifetime is how long a URL is valid unless configured (specification, Limits).
const Lifetime = 5 * time.Minute

// Path is where Handler is mounted below the public URL; the token follows.
const Path = "/files/"

// Config is what Files need.
type Config struct {
	// Vault gives the key of the URLs.
	Vault *vault.Vault
	// PublicURL is where callers reach the API, such as https://identity.example.cd.
	PublicURL string
	// Lifetime of a URL; 0 is five minutes.
	Lifetime time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Register opens references that begin with "register/", Store all others.
	Register, Store Source
}

// Files shows and serves files. It is safe for concurrent use.
type Files struct {
	signer          *signer
	urlStart        []byte // the member url up to the token
	lifetime        time.Duration
	now             func() time.Time
	register, store Source
}

// New makes Files.
func New(cfg Config) *Files {
	if cfg.Lifetime == 0 {
		cfg.Lifetime = Lifetime
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	quoted, _ := json.Marshal(strings.TrimRight(cfg.PublicURL, "/") + Path) // a string has no faults
	return &Files{
		signer:   newSigner(cfg.Vault.Index("files", "url signing key")),
		urlStart: append([]byte(`"url":`), quoted[:len(quoted)-1]...),
		lifetime: cfg.Lifetime, now: cfg.Now, register: cfg.Register, store: cfg.Store,
	}
}
