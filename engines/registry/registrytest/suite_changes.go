package registrytest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/models"
)

// listsChanges may run beside tests that change nothing, on a register that it alone changes.
func listsChanges(t *testing.T, r Register) {
	ctx := t.Context()
	start, err := r.Changes(ctx, "", 10)
	require.NoError(t, err)
	require.Empty(t, start.PlatformIDs)
	require.NotEmpty(t, start.Next)
	require.False(t, start.More)

	// The same records again are changes as well; the other tests see what they saw.
	a, b, c := registry.SyntheticCitizen(201), registry.SyntheticCitizen(202), registry.SyntheticCitizen(203)
	require.NoError(t, r.Save(ctx, a, b))
	require.NoError(t, r.Save(ctx, c))
	require.NoError(t, r.Save(ctx, a))

	first, err := r.Changes(ctx, start.Next, 2)
	require.NoError(t, err)
	require.Equal(t, []string{b.Person.PlatformID, c.Person.PlatformID}, first.PlatformIDs)
	require.True(t, first.More)
	rest, err := r.Changes(ctx, first.Next, 2)
	require.NoError(t, err)
	require.Equal(t, []string{a.Person.PlatformID}, rest.PlatformIDs, "changed twice, listed once, where it changed last")
	require.False(t, rest.More)
	end, err := r.Changes(ctx, rest.Next, registry.MaxChanges)
	require.NoError(t, err)
	require.Empty(t, end.PlatformIDs)
	require.Equal(t, rest.Next, end.Next)

	newcomer(t, r, end.Next)
}

// newcomer enters a citizen that no population has.
func newcomer(t *testing.T, r Register, since registry.Cursor) {
	record := registry.SyntheticCitizen(204)
	record.Person.PlatformID = "COD-ZZZZ-0000-0001"
	record.Person.FullName = "Tab\tBackslash\\n Ligne\nO'Neil \"É\" 漢字"
	record.Person.Religion = "a\tb\\tc\nd\\"
	record.Identifiers = []models.Identifier{{Type: models.PlatformID, Value: record.Person.PlatformID}}
	require.NoError(t, r.Save(t.Context(), record))
	require.Equal(t, &record.Person, one(t, r, record.Identifiers[0], registry.AllBlocks))
	page, err := r.Changes(t.Context(), since, 1)
	require.NoError(t, err)
	require.Equal(t, []string{record.Person.PlatformID}, page.PlatformIDs)
}

func refusesForeignCursors(t *testing.T, r Register) {
	for _, cursor := range []registry.Cursor{"never given", "-1", "99999999999", "1 OR 1=1", "007", "+1", "'"} {
		_, err := r.Changes(t.Context(), cursor, 10)
		require.ErrorIs(t, err, registry.ErrUnknownCursor, cursor)
	}
	for _, limit := range []int{0, -1, registry.MaxChanges + 1} {
		_, err := r.Changes(t.Context(), "", limit)
		require.Error(t, err, limit)
	}
}

func opensEveryFile(t *testing.T, r Register) {
	p := one(t, r, passport(0), registry.AllBlocks)
	files := filesOf(p)
	require.Len(t, files, 4+1+4+2)
	for _, file := range files {
		content, err := r.Open(t.Context(), file.Ref)
		require.NoError(t, err, file.Ref)
		require.Equal(t, file.ContentType, content.Type)
		require.NotEmpty(t, content.Bytes)
		again, err := r.Open(t.Context(), file.Ref)
		require.NoError(t, err)
		require.Equal(t, content, again, "the same at every read")
	}
}

func filesOf(p *registry.Person) []registry.File {
	files := []registry.File{p.Documents.Primary.Image, p.Selfie.File}
	for _, d := range p.Documents.Others {
		files = append(files, d.Image)
	}
	for _, f := range p.Fingerprints {
		files = append(files, f.File)
	}
	for _, i := range p.Iris {
		files = append(files, i.File)
	}
	return files
}

func knowsNoOtherFiles(t *testing.T, r Register) {
	known := registry.SyntheticCitizen(0).Person.Selfie.File.Ref
	refs := []string{
		"", "/", "register/", "register//selfie", "register/../../etc/passwd", known + "/", known + "\x00", "/" + known,
		strings.ToUpper(known), strings.TrimPrefix(known, "register/"), "register/" + platformID(1) + "/selfie",
		"register/COD-ZZZZ-9999-9999/selfie", "register/' OR 1=1 --/selfie", "register/" + platformID(0) + "/iris/third",
		strings.Repeat("register/", 10_000),
	}
	require.False(t, slices.Contains(refs, known))
	for _, ref := range refs {
		_, err := r.Open(t.Context(), ref)
		require.ErrorIs(t, err, registry.ErrNoFile, ref)
	}
}
