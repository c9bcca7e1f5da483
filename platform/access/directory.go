package access

import (
	"context"
	"crypto/rand"
	"fmt"

	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/platform/wire"
	"idplatform/store"
)

const tableKeyPairs = "key_pairs"

// strangerPair is the id under which the stranger's key pair is sealed. No row has it.
const strangerPair = "kpr_stranger"

// Directory finds the callers.
type Directory struct {
	applications store.Applications
	vault        *vault.Vault
	dummy        []byte // the stranger's key pair, sealed like that of an application
}

// NewDirectory reads callers from the store and unseals their keys with the vault.
func NewDirectory(applications store.Applications, v *vault.Vault) *Directory {
	secrets := make([]byte, 2*wire.SecretSize)
	_, _ = rand.Read(secrets) // crypto/rand does not fail
	return &Directory{applications: applications, vault: v, dummy: v.SealCredential(tableKeyPairs, strangerPair, secrets)}
}

// Find reads the caller who bears a key id, in one indexed query. An unknown key gives a stranger: a caller
// whose secret nobody has and who may do nothing, so that both take the same way and the same time, the
// unsealing of a key pair included. What cannot be a key id is not looked for: PostgreSQL would refuse text that is
// not UTF-8.
func (d *Directory) Find(ctx context.Context, keyID string, now models.Timestamp) (*Caller, error) {
	if !wire.IsKeyID(keyID) {
		return d.stranger()
	}
	grants, err := d.applications.Grants(ctx, keyID, now)
	if err != nil {
		return nil, err
	}
	if len(grants) == 0 {
		return d.stranger()
	}
	g := grants[0]
	caller := &Caller{
		ApplicationID: g.ID, Name: g.Name, KeyID: g.KeyID,
		services: g.Services, scopes: g.Scopes, purposes: g.Purposes, production: g.ProductionServices,
		orgService: g.OrganisationServices, orgScopes: g.OrganisationScopes,
		pairs: make([]Pair, len(grants)),
	}
	for i, g := range grants {
		if caller.pairs[i], err = d.unseal(g.KeyPairID, g.KeyPairSealed); err != nil {
			return nil, err
		}
	}
	return caller, nil
}

func (d *Directory) stranger() (*Caller, error) {
	pair, err := d.unseal(strangerPair, d.dummy)
	if err != nil {
		return nil, err
	}
	return &Caller{pairs: []Pair{pair}}, nil
}

func (d *Directory) unseal(id string, sealed []byte) (Pair, error) {
	secrets, err := d.vault.OpenCredential(tableKeyPairs, id, sealed)
	if err != nil || len(secrets) != 2*wire.SecretSize {
		return Pair{}, fmt.Errorf("key pair %s: %w", id, vault.ErrUnsealable)
	}
	key, err := wire.NewKey(secrets[wire.SecretSize:])
	if err != nil {
		return Pair{}, err
	}
	return Pair{ID: id, Secret: secrets[:wire.SecretSize], EncryptionKey: secrets[wire.SecretSize:], Key: key}, nil
}
