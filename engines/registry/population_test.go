package registry_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/engines/registry"
	"idplatform/models"
)

func TestCitizensAreTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	encoder := json.NewEncoder(h)
	for k := range 3_000 {
		require.NoError(t, encoder.Encode(registry.SyntheticCitizen(k)))
	}
	// Changes with the generator and its data only; a population that was entered before keeps its citizens.
	require.Equal(t, "8ed077d3f942bf86900faa195c731d98d1e334535f6420eb6aed457a8b24d0e2", hex.EncodeToString(h.Sum(nil)))
}

func TestIdentifiersAreUniqueAndWellFormed(t *testing.T) {
	t.Parallel()
	const citizens = 200_000
	seen := make(map[models.Identifier]bool, citizens*5)
	for k := range citizens {
		// Near the end of the ranges as well as at their start.
		for _, id := range registry.SyntheticCitizen(k * (registry.MaxPopulation / citizens)).Identifiers {
			canonical, ok := id.Normalize()
			require.True(t, ok && canonical == id, id)
			require.False(t, seen[id], id)
			seen[id] = true
		}
	}
	for _, identity := range registry.Identities() {
		if identity.Kind == registry.KindUnknown {
			for _, id := range identity.Identifiers {
				require.False(t, seen[id], id)
			}
		}
	}
}

// The ranges of unknown identifiers are told by their first letters or digit, whatever the size.
func TestNoCitizenHasANumberOfTheEmptyRanges(t *testing.T) {
	t.Parallel()
	empty := map[models.IdentifierType]string{
		models.PlatformID: "COD-Z", models.Passport: "OZ", models.Ceni: "9", models.DrivingLicence: "PZ", models.NationalID: "CZ",
	}
	for k := 0; k < registry.MaxPopulation; k += 499 {
		for _, id := range registry.SyntheticCitizen(k).Identifiers {
			if strings.HasPrefix(id.Value, empty[id.Type]) {
				t.Fatalf("citizen %d has %v", k, id)
			}
		}
	}
	unknown := registry.Identities()[len(registry.Identities())-1]
	for _, id := range unknown.Identifiers[:5] {
		require.True(t, strings.HasPrefix(id.Value, empty[id.Type]), id)
	}
}

// mobileNumber is the numbering plan of the country's mobile networks, in E.164.
var mobileNumber = regexp.MustCompile(`^\+243(8[0-689]|9[017-9])[0-9]{7}$`)

func TestPhoneNumbersAreMobileNumbersOfTheirOperator(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	operators := map[string]string{} // by prefix
	for k := range 20_000 {
		for _, n := range registry.SyntheticCitizen(k).Person.PhoneNumbers {
			require.Regexp(t, mobileNumber, n.Number)
			require.False(t, seen[n.Number], n.Number)
			seen[n.Number] = true
			prefix := n.Number[4:6]
			if operators[prefix] == "" {
				operators[prefix] = n.Operator
			}
			require.Equal(t, operators[prefix], n.Operator)
		}
	}
	require.Subset(t, slices.Collect(maps.Values(operators)), []string{"Vodacom", "Airtel", "Orange", "Africell"})
}

func TestRecordsAreConsistent(t *testing.T) {
	t.Parallel()
	provinces, peoples := map[string]bool{}, map[string]bool{}
	for k := range 20_000 {
		r := registry.SyntheticCitizen(k)
		p := &r.Person
		created := models.DateOf(p.CreatedAt.Time)
		require.True(t, p.DateOfBirth.Before(created), k)
		require.Equal(t, p.Certified, p.LevelOfAssurance != models.LOA2, k)
		require.False(t, p.Status == models.AccountDeleted && p.Certified, k)
		require.True(t, strings.HasPrefix(p.FullName, p.FirstName+" ") && strings.HasSuffix(p.FullName, " "+p.LastName), k)
		for _, d := range documentsOf(p) {
			require.Contains(t, r.Identifiers, models.Identifier{Type: d.Type, Value: d.Number}, k)
			require.True(t, p.DateOfBirth.Before(d.IssuedAt), k)
			if d.ExpiresAt != nil {
				require.Equal(t, d.Status == registry.DocumentExpired, d.ExpiresAt.Year < 2026, k)
				require.NotContains(t, []int{2026, 2027, 2028, 2029}, d.ExpiresAt.Year, "its status would grow wrong soon")
			}
		}
		if p.DateOfBirth.Year >= 2007 {
			require.Empty(t, p.Professions, k)
			require.Contains(t, []registry.MaritalStatus{"", registry.Single}, p.MaritalStatus, k)
			require.NotContains(t, documentTypes(p), models.Ceni)
		}
		for _, e := range p.Emails {
			domain := e.Address[strings.IndexByte(e.Address, '@')+1:]
			require.True(t, strings.HasPrefix(domain, "example.") || strings.HasSuffix(domain, ".example"), domain)
			require.Equal(t, strings.ToLower(e.Address), e.Address)
		}
		if p.PlaceOfBirth != nil {
			provinces[p.PlaceOfBirth.Province], peoples[p.Ethnicity] = true, true
		}
	}
	require.Len(t, provinces, 26)
	require.Greater(t, len(peoples), 25)
}

func documentsOf(p *registry.Person) []registry.Document {
	if p.Documents.Primary == nil {
		return nil
	}
	return append([]registry.Document{*p.Documents.Primary}, p.Documents.Others...)
}

func documentTypes(p *registry.Person) []models.IdentifierType {
	var types []models.IdentifierType
	for _, d := range documentsOf(p) {
		types = append(types, d.Type)
	}
	return types
}

func passportOf(k int) models.Identifier { return registry.SyntheticCitizen(k).Identifiers[1] }

func TestPopulateGrowsAndNeverChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "register.db")}
	r, db := openOn(t, cfg, 1)
	require.Equal(t, registry.ReservedCitizens, count(t, db, "register_citizens"), "the test identities are always there")
	before, err := r.Changes(ctx, "", 1)
	require.NoError(t, err)

	var told [][2]int
	require.NoError(t, r.Populate(ctx, 6_000, func(done, total int) { told = append(told, [2]int{done, total}) }))
	require.Equal(t, [][2]int{{2_756, 6_000}, {5_256, 6_000}, {6_000, 6_000}}, told)
	require.Equal(t, 6_000, count(t, db, "register_citizens"))
	require.Equal(t, 30_000, count(t, db, "register_identifiers"))

	for _, n := range []int{6_000, 3_000, 0, -1} {
		require.NoError(t, r.Populate(ctx, n, nil))
		require.Equal(t, 6_000, count(t, db, "register_citizens"))
	}
	for _, k := range []int{0, 255, 256, 2_756, 5_999} {
		people, err := r.People(ctx, []models.Identifier{passportOf(k)}, registry.AllBlocks)
		require.NoError(t, err)
		want := registry.SyntheticCitizen(k).Person
		require.Equal(t, &want, people[0])
	}
	after, err := r.Changes(ctx, "", 1)
	require.NoError(t, err)
	require.Equal(t, before, after, "who enters the population is no change")
	require.Error(t, r.Populate(ctx, registry.MaxPopulation+1, nil))
}

func TestPopulateBringsOldTestIdentitiesUpToDate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "register.db")}
	r, db := openOn(t, cfg, 1)
	start, err := r.Changes(ctx, "", 1)
	require.NoError(t, err)
	execute(t, db, "UPDATE register_citizens SET certified = FALSE, full_name = 'of an older release'",
		"UPDATE register_counters SET value = 1 WHERE name = 'identities'")

	require.NoError(t, r.Populate(ctx, 1, nil))
	people, err := r.People(ctx, []models.Identifier{passportOf(0)}, registry.AllBlocks)
	require.NoError(t, err)
	want := registry.SyntheticCitizen(0).Person
	require.Equal(t, &want, people[0])
	page, err := r.Changes(ctx, start.Next, registry.MaxChanges)
	require.NoError(t, err)
	require.Len(t, page.PlatformIDs, registry.ReservedCitizens)
}

func count(t *testing.T, db *database.DB, table string) int {
	t.Helper()
	var n int64
	require.NoError(t, db.Read(t.Context()).Table(table).Count(&n).Error)
	return int(n)
}
