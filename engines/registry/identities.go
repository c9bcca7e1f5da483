package registry

import (
	"slices"

	"idplatform/models"
)

// TestIdentity is an entry of the list of identities with which a caller can try every outcome.
type TestIdentity struct {
	Kind             IdentityKind        `json:"kind"`
	Identifiers      []models.Identifier `json:"identifiers"`
	Name             string              `json:"name"`
	DateOfBirth      *models.Date        `json:"date_of_birth,omitempty"`
	RegistrationDate *models.Date        `json:"registration_date,omitempty"`
	PhoneNumber      string              `json:"phone_number,omitempty"`
	SelfieURL        string              `json:"selfie_url,omitempty"`
	FaceOutcomes     []FaceOutcome       `json:"face_outcomes,omitempty"`
	Traits           []Trait             `json:"traits"`
}

// FaceOutcome is a picture to try and what comes of it.
type FaceOutcome struct {
	Expect string `json:"expect"`
	URL    string `json:"url"`
}

// IdentityKind says what a test identity is.
type IdentityKind string

// The kinds of test identities.
const (
	KindPerson   IdentityKind = "person"
	KindBusiness IdentityKind = "business"
	KindUnknown  IdentityKind = "unknown"
)

// Identities lists the test identities that the register of citizens brings about: the persons, which are the
// first citizens of every population, and one identity of kind unknown with a well-formed value of each
// identifier type that no register knows. It needs no database.
func Identities() []TestIdentity {
	all := make([]TestIdentity, 0, len(castTable)+1)
	for k, line := range castTable {
		citizen := SyntheticCitizen(k)
		identity := TestIdentity{
			Kind: KindPerson, Identifiers: citizen.Identifiers, Name: citizen.Person.FullName,
			DateOfBirth: &citizen.Person.DateOfBirth, Traits: slices.Clone(line.traits),
		}
		if numbers := citizen.Person.PhoneNumbers; len(numbers) > 0 {
			identity.PhoneNumber = numbers[0].Number
		}
		all = append(all, identity)
	}
	return append(all, TestIdentity{
		Kind: KindUnknown, Identifiers: unknownIdentifiers(), Name: "Inconnu au registre", Traits: []Trait{},
	})
}
