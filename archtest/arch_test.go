// Package archtest keeps the house in order: which package may import which, and what no package may do.
package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "idplatform"

// top stands above every floor: it may import what it likes, and nothing may import it.
const top = 100

// floors give each folder its floor; imports go down. A folder below a named one is on its floor unless it is
// named itself. A new folder at the top of the repository must be entered here.
var floors = map[string]int{
	"archtest":   top,
	"bench":      top,
	"e2e":        top,
	"cmd":        9,
	"app":        8,
	"api":        7,
	"web":        7,
	"workers":    7,
	"jobs":       6,
	"workflows":  5,
	"activities": 4,
	"pipeline":   4,
	"services":   4, // services/all.go, the list
	"services/*": 3, // the services themselves
	"platform":   3,
	"store":      3,
	"engines":    2,
	"catalog":    1,
	"config":     1,
	"database":   1,
	"matching":   1,
	"models":     0,
	"errs":       0,
	"client":     0, // beside the house; see only and upwards
}

// sideways are the imports that are allowed on one floor, with the reason.
var sideways = []struct{ from, to, why string }{
	{"activities", "pipeline", "an activity loads, calls the pipeline and is done"},
	{"activities", "services", "an activity can need the list of services"},
	{"pipeline", "services", "the pipeline runs the services of the list"},
	{"platform", "store", "what all services share keeps its rows there"},
	{"platform", "platform", "what all services share is built of smaller parts of the same"},
	{"services/*", "platform", "that is what it is shared for"},
	{"api", "web", "the API serves the pages"},
}

// upwards are the imports that are allowed against the stairs, with the reason.
var upwards = []struct{ from, to, why string }{
	{"client", "platform/wire", "client and server sign and encrypt by the same code"},
}

// never are the imports that are refused whatever the floors say, with the reason. A name without a dot is one
// of our folders, another a module's path.
var never = []struct {
	from string
	to   []string
	why  string
}{
	{"api", []string{"store", "services", "services/*"}, "the API serves what the catalog describes and knows no service"},
	{"workflows", []string{"store", "services", "services/*", "engines", "platform", "pipeline", "database"}, "a workflow is deterministic and holds ids only; it names activities, which do the work"},
	{"services", []string{"github.com/gin-gonic", "gorm.io", "go.temporal.io"}, "a service is a rule, whatever serves it, stores it or repeats it"},
	{"services/*", []string{"github.com/gin-gonic", "gorm.io", "go.temporal.io", "store", "services/*"}, "a service is a rule, whatever serves it, stores it or repeats it, and knows no sibling"},
	{"platform", []string{"github.com/gin-gonic", "go.temporal.io"}, "what all services share is used with and without HTTP and Temporal"},
	{"pipeline", []string{"github.com/gin-gonic", "go.temporal.io"}, "one way through for every mode, so it knows none"},
	{"jobs", []string{"github.com/gin-gonic"}, "jobs are submitted by more than HTTP"},
	{"activities", []string{"github.com/gin-gonic"}, "an activity has no request"},
	{"workflows", []string{"github.com/gin-gonic", "gorm.io"}, "a workflow has no side effects"},
	{"store", []string{"github.com/gin-gonic", "go.temporal.io", "services", "services/*"}, "rows know nothing of what is done with them"},
	{"engines", []string{"github.com/gin-gonic", "go.temporal.io", "services", "services/*"}, "an engine is what stands behind a service"},
	{"models", []string{"gorm.io/gorm", "github.com/gin-gonic", "go.temporal.io"}, "models are plain"},
}

// only are the folders that may import nothing of ours but what is listed.
var only = map[string][]string{
	"cmd/platform": {"app", "config", "client"},
	"client":       {"platform/wire"},
	"models":       {"models"},
}

// timeless folders get the time given: what they decide they decide again from the same facts, and a workflow
// must when it is replayed.
var timeless = []string{"services", "pipeline", "workflows", "catalog", "matching", "models", "errs"}

// meaningless are names of folders that say nothing about what is in them.
var meaningless = []string{"utils", "util", "common", "helpers", "helper", "misc", "shared", "manager", "managers", "base", "core"}

// file is a parsed Go file.
type file struct {
	path string // such as api/server.go
	test bool
	ast  *ast.File
	set  *token.FileSet
}

// pkg is the file's folder, such as engines/registry.
func (f file) pkg() string { return filepath.ToSlash(filepath.Dir(f.path)) }

func (f file) at(pos token.Pos) string {
	return f.path + ":" + strconv.Itoa(f.set.Position(pos).Line)
}

// skipped are the folders at the top that hold no Go of ours.
var skipped = []string{".git", ".ci", ".github", ".build", "bin", "data", "node_modules", "testdata"}

func files(t *testing.T) (all []file) {
	t.Helper()
	const root = ".."
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && (slices.Contains(skipped, entry.Name()) || strings.HasPrefix(entry.Name(), "_")) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		all = append(all, file{path: filepath.ToSlash(relative), test: strings.HasSuffix(path, "_test.go"), ast: parsed, set: set})
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(all), 50, "the tree is read")
	return all
}

// place is the entry of the floors that a package belongs to, "" where there is none.
func place(pkg string) string {
	for name := pkg; name != "."; name = filepath.ToSlash(filepath.Dir(name)) {
		if _, ok := floors[name]; ok {
			if name == "services" && pkg != "services" {
				return "services/*"
			}
			return name
		}
	}
	return ""
}

// within reports whether a package is the named one or lies below it; "services/*" are the services without
// their list, and "services" the list alone.
func within(pkg, name string) bool {
	switch name {
	case "services":
		return pkg == "services"
	case "services/*":
		return strings.HasPrefix(pkg, "services/")
	}
	return pkg == name || strings.HasPrefix(pkg, name+"/")
}

// own gives the folder of an import of ours.
func own(path string) (string, bool) { return strings.CutPrefix(path, module+"/") }

// verdict says why a package must not import another, "" where it may.
func verdict(from, path string) string {
	to, ours := own(path)
	if from == to {
		return ""
	}
	if allowed, ok := only[from]; ok && ours && !slices.ContainsFunc(allowed, func(name string) bool { return within(to, name) }) {
		return "it may import only " + strings.Join(allowed, ", ")
	}
	for _, rule := range never {
		if !within(from, rule.from) {
			continue
		}
		for _, banned := range rule.to {
			if (ours && within(to, banned) && !sameService(from, to)) || (!ours && (path == banned || strings.HasPrefix(path, banned+"/"))) {
				return rule.why
			}
		}
	}
	if !ours {
		return ""
	}
	return stairs(from, to)
}

// stairs says whether an import goes down.
func stairs(from, to string) string {
	higher, lower := place(from), place(to)
	switch {
	case lower == "" || higher == "":
		return "a folder has no floor yet: enter it in archtest"
	case floors[higher] > floors[lower], higher == lower && higher != "services/*", sameService(from, to):
		return ""
	}
	for _, ok := range sideways {
		if within(from, ok.from) && within(to, ok.to) && floors[higher] == floors[lower] {
			return ""
		}
	}
	for _, ok := range upwards {
		if within(from, ok.from) && within(to, ok.to) {
			return ""
		}
	}
	return "imports go down, from floor " + strconv.Itoa(floors[higher]) + " to floor " + strconv.Itoa(floors[lower]) + " they do not"
}

// sameService reports whether two packages are parts of one service.
func sameService(from, to string) bool {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	return len(a) > 1 && len(b) > 1 && a[0] == "services" && b[0] == "services" && a[1] == b[1]
}

func TestImportsGoDown(t *testing.T) {
	t.Parallel()
	for _, f := range files(t) {
		// Tests may look at anything. Packages that tests use (storetest and the like) are code like any other.
		if f.test {
			continue
		}
		for _, spec := range f.ast.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if why := verdict(f.pkg(), path); why != "" {
				t.Errorf("%s: %s must not import %s: %s", f.at(spec.Pos()), f.pkg(), path, why)
			}
		}
	}
}

func TestTheRulesRefuse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, to string
		ok       bool
	}{
		{"api", "pipeline", true}, {"api", "web", true}, {"api", "platform/wire", true}, {"api", "errs", true},
		{"api", "store", false}, {"api", "services", false}, {"api", "services/kyc", false}, {"api", "app", false}, {"api", "workers", false},
		{"workflows", "activities", true}, {"workflows", "models", true},
		{"workflows", "store", false}, {"workflows", "services/kyc", false}, {"workflows", "engines/registry", false}, {"workflows", "jobs", false},
		{"activities", "pipeline", true}, {"pipeline", "services", true}, {"pipeline", "activities", false}, {"services", "pipeline", false},
		{"pipeline", "store", true}, {"platform/access", "store", true}, {"store", "platform/access", false}, {"store", "services/kyc", false},
		{"services", "services/kyc", true}, {"services/kyc", "services", false}, {"services/kyc", "services/age", false},
		{"services/face", "services/face/gallery", true}, {"services/kyc", "platform/identity", true}, {"platform/identity", "services/kyc", false},
		{"services/kyc", "engines/registry", true}, {"engines/registry", "services/kyc", false}, {"services/kyc", "store", false},
		{"engines/registry", "database", true}, {"database", "models", true}, {"models", "errs", false}, {"catalog", "errs", true},
		{"client", "platform/wire", true}, {"client", "models", false}, {"client", "platform/access", false},
		{"cmd/platform", "app", true}, {"cmd/platform", "config", true}, {"cmd/platform", "client", true}, {"cmd/platform", "models", false},
		{"app", "workers", true}, {"workers", "app", false}, {"app", "newfolder", false}, {"newfolder", "models", false}, {"app", "archtest", false},
	} {
		require.Equal(t, tc.ok, verdict(tc.from, module+"/"+tc.to) == "", "%s imports %s", tc.from, tc.to)
	}
	for from, to := range map[string]string{
		"services/kyc": "github.com/gin-gonic/gin", "services/age": "gorm.io/gorm/clause", "services/face": "go.temporal.io/sdk/activity",
		"platform/access": "go.temporal.io/sdk/client", "pipeline": "github.com/gin-gonic/gin", "workflows": "gorm.io/gorm",
	} {
		require.NotEmpty(t, verdict(from, to), "%s imports %s", from, to)
	}
	require.Empty(t, verdict("api", "github.com/gin-gonic/gin"))
	require.Empty(t, verdict("store", "gorm.io/gorm"))
}

func TestEveryFolderHasAFloor(t *testing.T) {
	t.Parallel()
	for _, f := range files(t) {
		require.NotEmpty(t, place(f.pkg()), "%s: enter its folder in the floors of archtest", f.path)
		for folder := range strings.SplitSeq(f.pkg(), "/") {
			require.NotContains(t, meaningless, folder, "%s: a folder's name says what is in it", f.path)
		}
	}
}

// calls lists the calls of pkg.name in a file, by the name under which the file imports the package.
func (f file) calls(pkg, name string) (found []token.Pos) {
	local := pkg
	for _, spec := range f.ast.Imports {
		if spec.Path.Value == strconv.Quote(pkg) && spec.Name != nil {
			local = spec.Name.Name
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok && selector.Sel.Name == name {
			if ident, ok := selector.X.(*ast.Ident); ok && ident.Name == local {
				found = append(found, selector.Pos())
			}
		}
		return true
	})
	return found
}

func TestTimeIsGiven(t *testing.T) {
	t.Parallel()
	for _, f := range files(t) {
		if f.test || !slices.ContainsFunc(timeless, func(name string) bool { return f.pkg() == name || strings.HasPrefix(f.pkg(), name+"/") }) {
			continue
		}
		for _, name := range []string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker"} {
			for _, pos := range f.calls("time", name) {
				t.Errorf("%s: time.%s: the time is given to this package", f.at(pos), name)
			}
		}
	}
}

func TestNothingHappensOnImport(t *testing.T) {
	t.Parallel()
	for _, f := range files(t) {
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: no init functions: who needs something makes it", f.at(fn.Pos()))
			}
		}
		for _, spec := range f.ast.Imports {
			if spec.Name != nil && spec.Name.Name == "_" && spec.Path.Value != `"embed"` && !f.test {
				t.Errorf("%s: no imports for their side effects: %s", f.at(spec.Pos()), spec.Path.Value)
			}
		}
	}
}

func TestOnlyCommandsPrint(t *testing.T) {
	t.Parallel()
	for _, f := range files(t) {
		if f.test || within(f.pkg(), "cmd") || within(f.pkg(), "bench") {
			continue
		}
		for _, name := range []string{"Print", "Println", "Printf"} {
			for _, pos := range f.calls("fmt", name) {
				t.Errorf("%s: fmt.%s: a library logs, returns or writes to what it is given", f.at(pos), name)
			}
		}
	}
}

func TestCommandsAreShort(t *testing.T) {
	t.Parallel()
	const most = 60
	for _, f := range files(t) {
		if !within(f.pkg(), "cmd") || f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				lines := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line + 1
				require.LessOrEqual(t, lines, most, "%s: a command reads its flags and calls app or client", f.at(fn.Pos()))
			}
		}
	}
}
