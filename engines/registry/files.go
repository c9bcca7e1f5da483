package registry

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"idplatform/engines/registry/internal/specimen"
	"idplatform/models"
)

// Media types of the register's files. Biometric records have no registered type of their own; the block's
// format says which they are.
const (
	pictureType  = "image/png"
	portraitType = "image/jpeg"
	templateType = "application/octet-stream"
)

// References have the form register/<platform id>/<what>, where what is documents/<type>, selfie,
// fingerprints/<finger> or iris/<eye>.
const refRoot = "register/"

func documentRef(platformID string, kind models.IdentifierType) string {
	return refRoot + platformID + "/documents/" + string(kind)
}
func selfieRef(platformID string) string { return refRoot + platformID + "/selfie" }
func fingerprintRef(platformID, finger string) string {
	return refRoot + platformID + "/fingerprints/" + finger
}
func irisRef(platformID, eye string) string { return refRoot + platformID + "/iris/" + eye }

// fileBlocks are the blocks that refer to files.
const fileBlocks = DocumentsPrimary | DocumentsAll | Selfies | Fingerprints | Irises

// Open implements Register. The embedded register keeps no files: it makes each anew from the record that
// refers to it, the same every time for as long as the record stays.
func (s *SQL) Open(ctx context.Context, ref string) (Content, error) {
	platformID, _, ok := strings.Cut(strings.TrimPrefix(ref, refRoot), "/")
	if !ok || !strings.HasPrefix(ref, refRoot) {
		return Content{}, ErrNoFile
	}
	found, err := s.People(ctx, []models.Identifier{{Type: models.PlatformID, Value: platformID}}, fileBlocks)
	if err != nil {
		return Content{}, err
	}
	if found[0] == nil {
		return Content{}, ErrNoFile
	}
	content, err := found[0].file(ref)
	if err != nil {
		return Content{}, fmt.Errorf("make a file of the register: %w", err)
	}
	return content, nil
}

// file makes the file that a reference on this person's record names; ErrNoFile where none does.
func (p *Person) file(ref string) (Content, error) {
	seed := p.seed()
	female := p.Gender == models.Female
	for _, d := range p.papers() {
		if d.Image.Ref == ref {
			bytes, err := p.card(d, seed, female).PNG()
			return Content{pictureType, bytes}, err
		}
	}
	if p.Selfie != nil && p.Selfie.File.Ref == ref {
		bytes, err := specimen.Portrait(seed, female)
		return Content{portraitType, bytes}, err
	}
	for _, f := range p.Fingerprints {
		if f.File.Ref == ref {
			return Content{templateType, specimen.Fingerprint(seed, f.Finger)}, nil
		}
	}
	for _, i := range p.Iris {
		if i.File.Ref == ref {
			bytes, err := specimen.Iris(seed, i.Eye, p.CreatedAt.Time)
			return Content{templateType, bytes}, err
		}
	}
	return Content{}, ErrNoFile
}

// papers are all documents, the primary first.
func (p *Person) papers() []Document {
	if p.Documents.Primary == nil {
		return p.Documents.Others
	}
	return append([]Document{*p.Documents.Primary}, p.Documents.Others...)
}

// seed is what a person's drawn files come from.
func (p *Person) seed() uint64 {
	h := fnv.New64a()
	h.Write([]byte(p.PlatformID))
	return h.Sum64()
}

// cardTitles are the headings of the pictures, and with their place the tint.
var cardTitles = []struct {
	kind  models.IdentifierType
	title string
}{
	{models.NationalID, "Carte d'identite nationale"}, {models.Passport, "Passeport"},
	{models.Ceni, "Carte d'electeur"}, {models.DrivingLicence, "Permis de conduire"},
}

func (p *Person) card(d Document, seed uint64, female bool) specimen.Card {
	card := specimen.Card{
		Title: string(d.Type), Authority: plain(d.IssuingAuthority), Number: d.Number, Seed: seed, Female: female,
		Surname: plain(strings.TrimPrefix(p.FullName, p.FirstName+" ")), Given: plain(p.FirstName),
		Born: p.DateOfBirth.String(), Sex: "M", Issued: d.IssuedAt.String(),
	}
	if female {
		card.Sex = "F"
	}
	if d.ExpiresAt != nil {
		card.Expires = d.ExpiresAt.String()
	}
	for hue, t := range cardTitles {
		if t.kind == d.Type {
			card.Title, card.Hue = t.title, hue
		}
	}
	return card
}
