package registry

import "math/bits"

// Blocks is a set of additional KYC blocks, one bit for each scope beyond kyc.basic (specification, Scopes).
type Blocks uint32

// The additional blocks, in the specification's order.
const (
	DocumentsPrimary Blocks = 1 << iota
	DocumentsAll
	Addresses
	Emails
	PhoneNumbers
	Professions
	PlaceOfBirths
	MaritalStatuses
	Languages
	Religion
	Ethnicity
	Selfies
	Fingerprints
	Irises

	// AllBlocks wants everything.
	AllBlocks Blocks = 1<<iota - 1
)

// blockScopes names the scope of each bit, lowest bit first. The names travel to an operator's register.
var blockScopes = [...]string{
	"kyc.documents.primary", "kyc.documents.all", "kyc.addresses", "kyc.emails", "kyc.phone_numbers",
	"kyc.professions", "kyc.place_of_birth", "kyc.marital_status", "kyc.languages", "kyc.religion",
	"kyc.ethnicity", "kyc.biometrics.selfie", "kyc.biometrics.fingerprint", "kyc.biometrics.iris",
}

var blocksByScope = func() map[string]Blocks {
	m := make(map[string]Blocks, len(blockScopes))
	for i, scope := range blockScopes {
		m[scope] = 1 << i
	}
	return m
}()

// BlocksOf is the set of blocks behind the scopes; scopes without a block (kyc.basic) add nothing.
func BlocksOf(scopes ...string) Blocks {
	var b Blocks
	for _, scope := range scopes {
		b |= blocksByScope[scope]
	}
	return b
}

// Scopes are the scopes of the blocks in the set, in the specification's order.
func (b Blocks) Scopes() []string {
	scopes := make([]string, 0, bits.OnesCount32(uint32(b&AllBlocks)))
	for i, scope := range blockScopes {
		if b&(1<<i) != 0 {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// Has reports whether any block of o is in the set.
func (b Blocks) Has(o Blocks) bool { return b&o != 0 }
