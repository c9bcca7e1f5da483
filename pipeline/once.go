package pipeline

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/wire"
	"idplatform/store"
)

const (
	// IdempotencyWindow is how long an answer is kept under its key (specification, Limits).
	IdempotencyWindow = 24 * time.Hour
	// lockTime is when the lock of a request whose process died ends. workTime, after which a request under
	// a key is given up, is shorter, so that a lock never ends under a request that still runs.
	lockTime = 60 * time.Second
	workTime = 50 * time.Second

	tableIdempotency = "idempotency_keys"
	conflictWait     = "2s"
)

// Keep remembers the answer under the request's idempotency key, in the transaction of what it tells of. It
// does nothing for a request without a key.
type Keep func(ctx context.Context, answer Answer) error

// Once judges whether the caller may use the service at all, then runs work at most once for an idempotency
// key: a repeated request gets the answer that was kept, one that comes while the first still runs gets
// idempotency_conflict, another request under the key idempotency_key_reused. Successes and the service's
// own refusals (422) are kept; any other error frees the key.
func (p *Pipeline) Once(ctx context.Context, r Request, work func(context.Context, Keep) (Answer, error)) (Answer, error) {
	if err := p.Enter(r.Caller, r.Operation); err != nil {
		return Answer{}, err
	}
	if r.IdempotencyKey == "" {
		return work(ctx, func(context.Context, Answer) error { return nil })
	}
	claim, err := p.newClaim(r)
	if err != nil {
		return Answer{}, err
	}
	taken, err := claim.take(ctx)
	if err != nil {
		return Answer{}, err
	}
	if taken != nil {
		return claim.replay(ctx, taken)
	}
	return claim.run(ctx, work)
}

// claim is a request's hold on its idempotency key.
type claim struct {
	pipeline    *Pipeline
	app         models.ApplicationID
	key         []byte
	fingerprint []byte
	holder      string
}

func (p *Pipeline) newClaim(r Request) (*claim, error) {
	if !wire.IsUUID(r.IdempotencyKey) {
		return nil, errs.Invalid(errs.Field{Field: wire.HeaderIdempotencyKey, Problem: "must be a UUID"})
	}
	key, err := hex.DecodeString(strings.ReplaceAll(r.IdempotencyKey, "-", ""))
	if err != nil {
		return nil, errs.Internal(err)
	}
	return &claim{pipeline: p, app: r.Caller.ApplicationID, key: key, holder: r.ID,
		fingerprint: p.Vault.Index("idempotency", r.Line+"\n"+string(r.Body))}, nil
}

// sealID names the row to the vault.
func (c *claim) sealID() string { return string(c.app) + "/" + hex.EncodeToString(c.key) }

func (c *claim) take(ctx context.Context) (*models.IdempotencyKey, error) {
	now := c.pipeline.Now()
	return c.pipeline.Store.Idempotency.Claim(ctx, c.app, models.IdempotencyKey{
		Key: c.key, Fingerprint: c.fingerprint, Holder: c.holder,
		LockedUntil: models.At(now.Add(lockTime)), ExpiresAt: models.At(now.Add(c.pipeline.IdempotencyWindow)),
	}, models.At(now))
}

// run does the work and keeps or frees the key by how it ended.
func (c *claim) run(ctx context.Context, work func(context.Context, Keep) (Answer, error)) (Answer, error) {
	working, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()
	answer, err := work(working, func(ctx context.Context, a Answer) error {
		return c.keep(ctx, kept{Body: a.Body, Accepted: a.Accepted})
	})
	if err == nil && !answer.Unkept {
		return answer, nil
	}
	after := context.WithoutCancel(ctx) // the key is settled even when the caller has gone
	if err == nil {
		c.free(after)
		return answer, nil
	}
	if refusal := errs.From(err); refusal.Kind() == errs.KindUnprocessable {
		if keepErr := c.keepRefusal(after, refusal); keepErr != nil {
			return Answer{}, errors.Join(err, keepErr)
		}
		return Answer{}, err
	}
	c.free(after)
	return Answer{}, err
}

// free gives the key back to be used anew.
func (c *claim) free(ctx context.Context) {
	if err := c.pipeline.Store.Idempotency.Release(ctx, c.app, c.key, c.holder); err != nil {
		c.pipeline.Log.Warn("an idempotency key was not freed; its lock ends by itself", "request_id", c.holder, "cause", err.Error())
	}
}

func (c *claim) keepRefusal(ctx context.Context, refusal *errs.Error) error {
	fields := maps.Clone(refusal.Context)
	if fields == nil {
		fields = map[string]any{}
	}
	fields["request_id"] = c.holder
	return c.pipeline.Store.Tx(ctx, func(ctx context.Context) error {
		return c.keep(ctx, kept{Refusal: &keptRefusal{Code: refusal.Code, Message: refusal.Message, Fields: refusal.Fields, Context: fields}})
	})
}

func (c *claim) keep(ctx context.Context, k kept) error {
	text, err := encode(k) // the body stays as it is, to the byte
	if err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	err = c.pipeline.Store.Idempotency.Answer(ctx, c.app, c.key, c.holder, c.pipeline.Vault.Seal(tableIdempotency, c.sealID(), text))
	if errors.Is(err, store.ErrNotFound) {
		return conflict()
	}
	return err
}

// replay answers with what was kept.
func (c *claim) replay(ctx context.Context, taken *models.IdempotencyKey) (Answer, error) {
	if string(taken.Fingerprint) != string(c.fingerprint) {
		return Answer{}, errs.New(errs.IdempotencyKeyReused)
	}
	if taken.Answer == nil {
		return Answer{}, conflict()
	}
	text, err := c.pipeline.Vault.Open(ctx, tableIdempotency, c.sealID(), taken.Answer)
	if err != nil {
		return Answer{}, err
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return Answer{}, fmt.Errorf("read a kept answer: %w", err)
	}
	if k.Refusal != nil {
		refusal := &errs.Error{Code: k.Refusal.Code, Message: k.Refusal.Message, Fields: k.Refusal.Fields, Context: k.Refusal.Context}
		return Answer{Replayed: true}, refusal
	}
	return Answer{Body: k.Body, Accepted: k.Accepted, Replayed: true}, nil
}

func conflict() error {
	return errs.New(errs.IdempotencyConflict).With("retry_after", conflictWait)
}
