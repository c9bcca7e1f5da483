package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"idplatform/database"
	"idplatform/models"
	"idplatform/pipeline"
	"idplatform/platform/vault"
	"idplatform/platform/wire"
	"idplatform/store"
)

// writer is the bare limit of a call that cannot do without its cryptography and its rows: it verifies, opens,
// seals and writes as the platform does, through database/sql and in the same transactions, and asks nobody
// anything. It reads neither grants nor the register.
type writer struct {
	vault  *vault.Vault
	pool   *sql.DB
	nonce  *sql.Stmt
	result *sql.Stmt
	audit  *sql.Stmt
	sealed []byte // the key pair as the platform keeps it
	body   []byte // a result of the platform's size
	// retention is how many milliseconds results are kept.
	retention int64
}

const (
	writerApplication = "app_00000000000000000000000000"
	writerPair        = "kpr_00000000000000000000000000"
)

// newWriter serves the bare limit in the place; size is that of the plaintext result.
func newWriter(ctx context.Context, at *place, s *signer, size int) (*writer, error) {
	db, err := database.Open(ctx, database.Config{Driver: at.driver, DSN: at.dsn})
	if err != nil {
		return nil, err
	}
	at.onClose(db.Close)
	rows, err := store.New(ctx, db)
	if err != nil {
		return nil, err
	}
	w := &writer{body: []byte(strings.Repeat("x", size)), retention: pipeline.Retention.Milliseconds()}
	master := make([]byte, vault.KeySize)
	_, _ = rand.Read(master) // crypto/rand does not fail
	if w.vault, err = vault.Open(ctx, master, rows.DataKeys, time.Now()); err != nil {
		return nil, err
	}
	w.sealed = w.vault.SealCredential("key_pairs", writerPair, append(append([]byte{}, s.secret...), s.raw...))
	if w.pool, err = db.SQL(); err != nil {
		return nil, err
	}
	return w, w.prepare(ctx, at)
}

func (w *writer) prepare(ctx context.Context, at *place) (err error) {
	for _, p := range []struct {
		into *(*sql.Stmt)
		text string
	}{
		{&w.nonce, "INSERT INTO nonces (application_id, nonce, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"},
		{&w.result, "INSERT INTO results (id, application_id, service, body, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)"},
		{&w.audit, "INSERT INTO audit_entries (id, application_id, service, result_id, purpose, scopes, outcome, subject, created_at) " +
			"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"},
	} {
		if *p.into, err = w.pool.PrepareContext(ctx, p.text); err != nil {
			return err
		}
		at.onClose((*p.into).Close)
	}
	return nil
}

func (w *writer) handle(c *gin.Context) {
	iv, body, err := w.answer(c.Request)
	if err != nil {
		c.String(http.StatusInternalServerError, err.Error())
		return
	}
	c.Header(wire.HeaderIV, iv)
	c.Data(http.StatusOK, "application/json", body)
}

func (w *writer) answer(r *http.Request) (iv string, body []byte, err error) {
	ctx := context.WithoutCancel(r.Context()) // watching for its end would cost the drivers a goroutine a statement
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return "", nil, err
	}
	key, err := w.verify(r, sent)
	if err != nil {
		return "", nil, err
	}
	nonce := r.Header.Get(wire.HeaderNonce)
	spent, err := hex.DecodeString(strings.ReplaceAll(nonce, "-", ""))
	if err != nil {
		return "", nil, err
	}
	now := time.Now()
	if _, err := w.nonce.ExecContext(ctx, writerApplication, spent, now.Add(10*time.Minute).UnixMilli()); err != nil {
		return "", nil, err
	}
	aad := wire.RequestAAD(r.Header.Get(wire.HeaderTimestamp), nonce, r.Method, r.URL.Path)
	if _, err := key.Open(r.Header.Get(wire.HeaderIV), sent, aad); err != nil {
		return "", nil, err
	}
	if err := w.record(ctx, now); err != nil {
		return "", nil, err
	}
	iv, body = key.Seal(w.body, wire.ResponseAAD(nonce, http.StatusOK))
	return iv, body, nil
}

// verify checks the signature with the secret as it is kept, sealed.
func (w *writer) verify(r *http.Request, sent []byte) (*wire.Key, error) {
	secrets, err := w.vault.OpenCredential("key_pairs", writerPair, w.sealed)
	if err != nil {
		return nil, err
	}
	key, err := wire.NewKey(secrets[wire.SecretSize:])
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(sent)
	canonical := wire.CanonicalOf(r.Method, r.RequestURI, r.Header, hex.EncodeToString(sum[:]))
	if !wire.Verify(secrets[:wire.SecretSize], canonical, r.Header.Get(wire.HeaderSignature)) {
		return nil, errors.New("the signature does not match")
	}
	return key, nil
}

// record writes a result and its audit entry in one transaction.
func (w *writer) record(ctx context.Context, now time.Time) error {
	id, at := models.NewID("kyc_", now), now.UnixMilli()
	sealed, subject := w.vault.Seal("results", id, w.body), w.vault.Index("platform_id", "COD-0000-0000-0000")
	tx, err := w.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	_, err = tx.StmtContext(ctx, w.result).ExecContext(ctx, id, writerApplication, "kyc_validation", sealed, at, at+w.retention)
	if err != nil {
		return err
	}
	_, err = tx.StmtContext(ctx, w.audit).ExecContext(ctx, models.NewID("aud_", now), writerApplication, "kyc_validation", id,
		"customer_onboarding", "kyc.basic", "verified", subject, at)
	if err != nil {
		return err
	}
	return tx.Commit()
}
