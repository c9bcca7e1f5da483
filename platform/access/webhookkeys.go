package access

import (
	"context"
	"fmt"

	"idplatform/models"
)

// WebhookKeys are the encryption keys under which an application's webhooks are signed: first the one that
// counts, then, during a rotation, the others that are valid. A new key counts from its first use by a
// verified request, or from the end of the overlap; until then the old one does.
func (d *Directory) WebhookKeys(ctx context.Context, app models.ApplicationID, now models.Timestamp) ([][]byte, error) {
	pairs, err := d.applications.KeyPairs(ctx, app) // the newest first
	if err != nil {
		return nil, fmt.Errorf("read key pairs: %w", err)
	}
	var keys [][]byte
	counts, decided := 0, false
	for _, p := range pairs {
		if !p.Valid(now) {
			continue
		}
		pair, err := d.unseal(p.ID, p.Sealed)
		if err != nil {
			return nil, err
		}
		keys = append(keys, pair.EncryptionKey)
		if !decided { // the newest used one, or else the oldest
			counts, decided = len(keys)-1, p.Used()
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("the application %s has no valid key pair", app)
	}
	keys[0], keys[counts] = keys[counts], keys[0]
	return keys, nil
}
