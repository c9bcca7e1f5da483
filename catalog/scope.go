package catalog

// Tier says how closely a scope is guarded: sensitive and biometric ones need enhanced due diligence.
type Tier string

// The tiers of scopes.
const (
	TierBasic     Tier = "basic"
	TierStandard  Tier = "standard"
	TierSensitive Tier = "sensitive"
	TierBiometric Tier = "biometric"
)

// Scope selects one block of data.
type Scope struct {
	Name string
	Tier Tier
}

// Family is a set of scopes that belong together: Basic is always applied to a resolved identity and needs
// no grant; Additional are granted, in the order in which results list them.
type Family struct {
	Basic      string
	Additional []Scope
}

// KYC are the scopes of citizens (specification, Scopes).
var KYC = &Family{
	Basic: "kyc.basic",
	Additional: []Scope{
		{"kyc.documents.primary", TierStandard},
		{"kyc.documents.all", TierStandard},
		{"kyc.addresses", TierStandard},
		{"kyc.emails", TierStandard},
		{"kyc.phone_numbers", TierStandard},
		{"kyc.professions", TierStandard},
		{"kyc.place_of_birth", TierStandard},
		{"kyc.marital_status", TierStandard},
		{"kyc.languages", TierStandard},
		{"kyc.religion", TierSensitive},
		{"kyc.ethnicity", TierSensitive},
		{"kyc.biometrics.selfie", TierBiometric},
		{"kyc.biometrics.fingerprint", TierBiometric},
		{"kyc.biometrics.iris", TierBiometric},
	},
}

// KYB are the scopes of businesses (specification, KYB scopes).
var KYB = &Family{
	Basic: "kyb.basic",
	Additional: []Scope{
		{"kyb.addresses", TierStandard},
		{"kyb.contacts", TierStandard},
		{"kyb.activities", TierStandard},
		{"kyb.officers", TierStandard},
		{"kyb.beneficial_owners", TierStandard},
		{"kyb.shareholders", TierStandard},
		{"kyb.licenses", TierStandard},
		{"kyb.documents", TierStandard},
		{"kyb.financials", TierStandard},
	},
}

// AllScopes lists the additional scopes of every family: what can be granted.
func AllScopes() []Scope {
	return append(append([]Scope{}, KYC.Additional...), KYB.Additional...)
}

// Names lists the additional scopes' names in their order.
func (f *Family) Names() []string {
	names := make([]string, len(f.Additional))
	for i, s := range f.Additional {
		names[i] = s.Name
	}
	return names
}
