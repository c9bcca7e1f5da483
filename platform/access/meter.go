package access

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"idplatform/models"
	"idplatform/store"
)

// An AES-GCM key under random IVs must not encrypt more than 2^32 messages (NIST SP 800-38D, 8.3).
const (
	messagesWarned  = 1 << 31
	messagesAllowed = 1 << 32
	messagesBlock   = 1 << 16
)

// ErrKeyWornOut says that an encryption key has encrypted all the messages it may; the pair must be rotated.
var ErrKeyWornOut = errors.New("the encryption key is worn out: rotate the application's key pair")

// Meter counts the messages encrypted under each encryption key. Counts are set aside in the database in
// blocks before they are used, so that no instance and no crash can lose any.
type Meter struct {
	applications store.Applications
	log          *slog.Logger
	blocks       sync.Map // key pair id → *block
}

type block struct {
	left atomic.Int64
	mu   sync.Mutex
}

// NewMeter counts in the store's key pairs.
func NewMeter(applications store.Applications, log *slog.Logger) *Meter {
	return &Meter{applications: applications, log: log}
}

// Spend counts n messages of a key, or fails with ErrKeyWornOut.
func (m *Meter) Spend(ctx context.Context, app models.ApplicationID, pair *Pair, n int64) error {
	entry, ok := m.blocks.Load(pair.ID)
	if !ok {
		entry, _ = m.blocks.LoadOrStore(pair.ID, &block{})
	}
	b := entry.(*block)
	if b.left.Add(-n) >= 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left.Load() >= 0 { // another call has refilled it, and that covers this one
		return nil
	}
	before, err := m.applications.ReserveMessages(ctx, app, pair.ID, messagesBlock)
	if err != nil {
		return err
	}
	if before+messagesBlock > messagesAllowed {
		return ErrKeyWornOut
	}
	if before >= messagesWarned {
		m.log.Warn("an encryption key has sealed over half of the messages it may; rotate the key pair",
			"application", string(app), "key_pair", pair.ID, "messages", before)
	}
	b.left.Add(messagesBlock)
	return nil
}
