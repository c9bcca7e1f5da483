// Package vault seals what identifies a person before it is stored, and makes the blind indexes by which it
// can still be found.
//
// A sealed value is: version (1 byte, 1), number of the data key (4 bytes, big endian), IV (12 bytes),
// AES-256-GCM ciphertext and tag. The additional authenticated data is "table\nid" of the row, so that
// a value moved to another row does not open. Data keys are wrapped in the same way under the deployment's
// master key and renewed before random IVs wear one out.
package vault

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"idplatform/models"
)

// KeySize is the size in bytes of the master key and of data keys.
const KeySize = 32

// Renewal is the age at which a sealing key is followed by a new one: the 2^32 values that random IVs allow
// are 49,000 a second for 24 hours, from all instances together.
const Renewal = 24 * time.Hour

const (
	version    = 1
	headerSize = 5
	ivSize     = 12
	tableKeys  = "data_keys"
)

// ErrUnsealable says that a value is not what was sealed for this row, or its key is not known.
var ErrUnsealable = errors.New("the value cannot be unsealed")

// Keys keeps the wrapped data keys.
type Keys interface {
	List(ctx context.Context) ([]models.DataKey, error)
	// Add stores a key unless its number is taken.
	Add(ctx context.Context, key models.DataKey) error
}

// Vault seals and opens. It is safe for concurrent use.
type Vault struct {
	master cipher.AEAD
	keys   Keys

	mu      sync.RWMutex
	sealing map[uint32]cipher.AEAD
	newest  models.DataKey
	index   []byte
}

// Open loads the data keys, making those that are missing or due. A master key that does not unwrap them
// fails: it belongs to another deployment.
func Open(ctx context.Context, master []byte, keys Keys, now time.Time) (*Vault, error) {
	aead, err := newAEAD(master)
	if err != nil {
		return nil, err
	}
	v := &Vault{master: aead, keys: keys, sealing: map[uint32]cipher.AEAD{}}
	return v, v.Refresh(ctx, now)
}

// Refresh loads keys that other instances made and makes a new sealing key when the newest is older than
// Renewal. It is called at start and once an hour.
func (v *Vault) Refresh(ctx context.Context, now time.Time) error {
	if err := v.load(ctx); err != nil {
		return err
	}
	v.mu.RLock()
	due, highest, indexed := now.Sub(v.newest.CreatedAt.Time) > Renewal, v.newest.ID, v.index != nil
	v.mu.RUnlock()
	if indexed && !due {
		return nil
	}
	if !indexed {
		if err := v.add(ctx, 1, models.IndexKey, now); err != nil {
			return err
		}
		highest = max(highest, 1)
	}
	if due {
		if err := v.add(ctx, highest+1, models.SealingKey, now); err != nil {
			return err
		}
	}
	return v.load(ctx)
}

func (v *Vault) add(ctx context.Context, number uint32, use models.DataKeyUse, now time.Time) error {
	key := make([]byte, KeySize)
	_, _ = rand.Read(key) // crypto/rand does not fail
	return v.keys.Add(ctx, models.DataKey{
		ID: number, Use: use, CreatedAt: models.At(now),
		Wrapped: seal(v.master, 0, tableKeys, strconv.Itoa(int(number)), key),
	})
}

func (v *Vault) load(ctx context.Context) error {
	keys, err := v.keys.List(ctx)
	if err != nil {
		return fmt.Errorf("read data keys: %w", err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, k := range keys {
		if err := v.learn(k); err != nil {
			return err
		}
	}
	return nil
}

func (v *Vault) learn(k models.DataKey) error {
	if _, known := v.sealing[k.ID]; known || (k.Use == models.IndexKey && v.index != nil) {
		return nil
	}
	key, err := open(v.master, tableKeys, strconv.Itoa(int(k.ID)), k.Wrapped)
	if err != nil {
		return errors.New("the master key does not belong to this database: it unwraps none of its data keys")
	}
	if k.Use == models.IndexKey {
		v.index = key
		return nil
	}
	aead, err := newAEAD(key)
	if err != nil {
		return err
	}
	v.sealing[k.ID] = aead
	if k.ID > v.newest.ID {
		v.newest = k
	}
	return nil
}

// Seal encrypts a value of the row id of a table.
func (v *Vault) Seal(table, id string, plaintext []byte) []byte {
	v.mu.RLock()
	number, aead := v.newest.ID, v.sealing[v.newest.ID]
	v.mu.RUnlock()
	return seal(aead, number, table, id, plaintext)
}

// Open decrypts a value of the row id of a table. A value that was altered or moved is ErrUnsealable.
func (v *Vault) Open(ctx context.Context, table, id string, sealed []byte) ([]byte, error) {
	if len(sealed) < headerSize {
		return nil, ErrUnsealable
	}
	number := binary.BigEndian.Uint32(sealed[1:headerSize])
	aead := v.key(number)
	if aead == nil { // perhaps another instance has made a key since
		if err := v.load(ctx); err != nil {
			return nil, err
		}
		if aead = v.key(number); aead == nil {
			return nil, ErrUnsealable
		}
	}
	return open(aead, table, id, sealed)
}

func (v *Vault) key(number uint32) cipher.AEAD {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.sealing[number]
}

// Index is the blind index of a value: HMAC-SHA256 under a key of the deployment, over "field\nvalue".
func (v *Vault) Index(field, value string) []byte {
	v.mu.RLock()
	key := v.index
	v.mu.RUnlock()
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(field + "\n" + value))
	return mac.Sum(nil)
}

// SealCredential encrypts under the master key itself: for the few values that must open with nothing but
// it, the applications' key pairs.
func (v *Vault) SealCredential(table, id string, plaintext []byte) []byte {
	return seal(v.master, 0, table, id, plaintext)
}

// OpenCredential decrypts what SealCredential made.
func (v *Vault) OpenCredential(table, id string, sealed []byte) ([]byte, error) {
	return open(v.master, table, id, sealed)
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("a key has %d bytes, want %d", len(key), KeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func seal(aead cipher.AEAD, number uint32, table, id string, plaintext []byte) []byte {
	out := make([]byte, headerSize+ivSize, headerSize+ivSize+len(plaintext)+aead.Overhead())
	out[0] = version
	binary.BigEndian.PutUint32(out[1:], number)
	iv := out[headerSize : headerSize+ivSize]
	_, _ = rand.Read(iv) // crypto/rand does not fail
	return aead.Seal(out, iv, plaintext, []byte(table+"\n"+id))
}

func open(aead cipher.AEAD, table, id string, sealed []byte) ([]byte, error) {
	if len(sealed) < headerSize+ivSize || sealed[0] != version {
		return nil, ErrUnsealable
	}
	plaintext, err := aead.Open(nil, sealed[headerSize:headerSize+ivSize], sealed[headerSize+ivSize:], []byte(table+"\n"+id))
	if err != nil {
		return nil, ErrUnsealable
	}
	return plaintext, nil
}
