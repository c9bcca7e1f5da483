package identity

import (
	"slices"

	"idplatform/errs"
	"idplatform/models"
)

// NormalizePerson brings a citizen's identifier into canonical form. A type that does not name a person is
// unsupported_identifier_type, a value malformed for its type invalid_identifier.
func NormalizePerson(id *models.Identifier) error {
	return Normalize(id, models.PersonIdentifierTypes())
}

// Normalize is NormalizePerson for a service that takes the given types.
func Normalize(id *models.Identifier, accepted []models.IdentifierType) error {
	if !slices.Contains(accepted, id.Type) {
		return errs.New(errs.UnsupportedIdentifierType).With("accepted", accepted)
	}
	canonical, ok := id.Normalize()
	if !ok {
		return errs.New(errs.InvalidIdentifier).With("identifier_type", id.Type)
	}
	*id = canonical
	return nil
}
