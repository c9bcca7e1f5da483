// Package access knows who calls and what they may do: organisations, applications, their credentials and
// the three layers of grants (the organisation subscribes, the application selects, the request narrows).
package access

import (
	"slices"

	"idplatform/catalog"
	"idplatform/models"
	"idplatform/platform/wire"
)

// Caller is an application as one call sees it: read in one query, valid for that call.
type Caller struct {
	ApplicationID models.ApplicationID
	Name          string
	KeyID         string

	services   models.Words
	scopes     models.Words
	purposes   models.Words
	production models.Words
	orgService models.Words
	orgScopes  models.Words
	pairs      []Pair
}

// Pair is an API secret with its encryption key, ready for use.
type Pair struct {
	ID     string
	Secret []byte
	// EncryptionKey are the 32 bytes themselves, for webhook signatures; Key is the same made ready.
	EncryptionKey []byte
	Key           *wire.Key
}

// Verify finds the key pair whose secret made the signature. Every pair is tried, so that the time taken
// does not tell which.
func (c *Caller) Verify(canonical wire.Canonical, signature string) (*Pair, bool) {
	var found *Pair
	for i := range c.pairs {
		if wire.Verify(c.pairs[i].Secret, canonical, signature) {
			found = &c.pairs[i]
		}
	}
	return found, found != nil
}

// ServiceEnabled reports whether organisation and application both have the service.
func (c *Caller) ServiceEnabled(service string) bool {
	return c.orgService.Has(service) && c.services.Has(service)
}

// ProductionApproved reports whether the service is approved for production use.
func (c *Caller) ProductionApproved(service string) bool { return c.production.Has(service) }

// PurposeApproved reports whether the purpose is approved for the application.
func (c *Caller) PurposeApproved(p models.Purpose) bool { return c.purposes.Has(string(p)) }

// Scopes are the additional scopes of a family that are granted, in the family's order.
func (c *Caller) Scopes(family *catalog.Family) []string {
	if family == nil {
		return nil
	}
	granted := make([]string, 0, len(family.Additional))
	for _, s := range family.Additional {
		if c.scopes.Has(s.Name) && c.orgScopes.Has(s.Name) {
			granted = append(granted, s.Name)
		}
	}
	return granted
}

// NarrowScopes are the scopes that a request asks for: the granted ones when it names none, else those it
// names, in the family's order. When one is not granted ok is false and the first such is given back as refused.
func (c *Caller) NarrowScopes(family *catalog.Family, requested *[]string) (applied []string, refused string, ok bool) {
	granted := c.Scopes(family)
	if family == nil || requested == nil {
		return granted, "", true
	}
	for _, name := range *requested {
		if name != family.Basic && !slices.Contains(granted, name) {
			return nil, name, false
		}
	}
	applied = make([]string, 0, len(*requested))
	for _, name := range granted {
		if slices.Contains(*requested, name) {
			applied = append(applied, name)
		}
	}
	return applied, "", true
}
