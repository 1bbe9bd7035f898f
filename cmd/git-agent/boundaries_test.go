package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path of this module; every import of ours begins with it.
const module = "git-agent/"

// rooms says which of our packages a package may import, by the longest
// prefix that names it. Imports point one way.
var rooms = map[string][]string{
	"cmd/git-agent":              {"cmd/git-agent/layout", "cmd/git-agent/terminal", "cmd/git-agent/datadir", "cmd/git-agent/doctor", "cmd/git-agent/cachecmd", "cmd/git-agent/indexcmd", "cmd/git-agent/mcpcmd", "cmd/git-agent/runstore", "cmd/git-agent/render", "cmd/git-agent/flagtable", "agent", "agent/backfill", "agent/gittool", "agent/session", "agent/model", "agent/model/modeltest", "agent/secret", "agent/mcp", "agent/suspect", "agent/trial", "agent/szz", "agent/szz/engine", "agent/szz/investigate", "agent/szz/rank", "agent/szz/verify", "agent/crash", "agent/crash/engine", "agent/crash/investigate", "agent/crash/hana", "agent/crash/input", "agent/crash/group", "agent/crash/rank", "agent/fix", "agent/fix/engine", "agent/fix/deliver", "agent/fix/testrun", "agent/eval", "agent/eval/szz", "agent/eval/crash", "agent/eval/fix", "agent/sandbox", "agent/shard", "agent/symbol", "agent/trace", "gitext", "gitext/visible", "cache", "cache/place", "man", "gitext/gitcmd", "gitext/gitconfig", "gitext/openfile", "gitext/quote"},
	"cmd/git-agent/scorecard":    {"agent", "agent/", "gitext", "gitext/", "cache", "cache/"}, // attacks the built program; tests only
	"cmd/git-agent/layout":       {"gitext", "gitext/visible", "gitext/quote"},
	"cmd/git-agent/terminal":     {"gitext/usercmd", "gitext/visible"}, // knows no verb
	"cmd/git-agent/cachecmd":     {"cmd/git-agent/datadir", "cmd/git-agent/layout", "cmd/git-agent/render", "agent", "agent/session", "cache", "cache/place", "gitext"},
	"cmd/git-agent/indexcmd":     {"cmd/git-agent/datadir", "cmd/git-agent/layout", "cmd/git-agent/render", "agent", "agent/lineindex", "agent/session", "cache", "gitext"},
	"cmd/git-agent/mcpcmd":       {"agent", "agent/crash", "agent/crash/engine", "agent/crash/format", "agent/fix", "agent/fix/engine", "agent/gittool", "agent/mcp", "agent/secret", "agent/suspect", "agent/szz", "agent/szz/investigate", "agent/szz/engine", "cache", "cmd/git-agent/layout", "cmd/git-agent/render", "gitext", "prompts"},
	"cmd/git-agent/runstore":     {"agent/session", "agent/trace", "cache", "cache/place", "cmd/git-agent/datadir", "gitext", "gitext/openfile"},
	"cmd/git-agent/datadir":      {"agent/lineindex", "agent/session", "cache", "cache/place", "gitext", "gitext/gitconfig", "gitext/gittest"},
	"cmd/git-agent/doctor":       {"cmd/git-agent/datadir", "cmd/git-agent/layout", "cmd/git-agent/render", "cmd/git-agent/terminal", "agent", "agent/lineindex", "agent/fix", "agent/fix/deliver", "agent/model", "agent/sandbox", "agent/session", "agent/source", "cache", "cache/place", "gitext", "gitext/gitcmd", "gitext/gittest", "gitext/gitconfig", "gitext/openfile", "gitext/quote", "gitext/tempdir"},
	"cmd/git-agent/flagtable":    {"cmd/git-agent/layout", "gitext", "gitext/quote"},
	"cmd/git-agent/render":       {"cmd/git-agent/layout", "agent", "agent/model", "agent/szz", "agent/szz/", "agent/crash", "agent/crash/group", "agent/fix", "agent/suspect", "agent/trace", "cache", "gitext", "gitext/visible"},
	"cmd/heldout":                {},
	"cmd/szz-train":              {"cmd/heldout", "cmd/git-agent/datadir", "agent/fix", "agent/fix/testrun", "agent/source", "agent/suspect", "agent/sandbox", "agent/trial", "agent/szz", "agent/szz/", "agent/stat", "agent/eval", "agent/eval/szz", "gitext", "gitext/gittest", "gitext/quote"}, // makes the ranker's model
	"cmd/crash-train":            {"cmd/heldout", "agent/crash", "agent/crash/", "agent/stat", "agent/source", "agent/eval", "agent/eval/crash", "gitext", "gitext/gittest"},                                                                                                                       // makes the choice model of crash
	"cmd/fix-train":              {"cmd/heldout", "agent/fix", "agent/fix/", "agent/crash", "agent/crash/format", "agent/eval", "agent/eval/fix", "agent/sandbox", "agent/source", "agent/stat", "agent/trial", "gitext"},                                                                          // makes the choice model of fix
	"agent":                      {"agent/model", "agent/model/modeltest", "agent/secret", "gitext", "gitext/visible", "cache", "prompts"},
	"agent/condense":             {"agent"},
	"agent/gittool":              {"agent", "agent/condense", "agent/secret", "cache", "gitext", "prompts", "gitext/gitcmd", "gitext/commitmsg", "agent/source", "gitext/gittest"},
	"agent/model":                {"agent/secret", "gitext/pattern", "gitext/visible", "agent/model/modeltest"}, // package agent stands on it; the other is for tests
	"agent/secret":               {"gitext/pattern"},
	"agent/":                     {"agent", "agent/", "gitext", "gitext/", "cache", "prompts"},
	"agent/trace":                {"agent", "agent/gittool", "agent/model", "cache", "gitext", "gitext/visible"}, // knows no verb; the tools are for tests
	"agent/source":               {"gitext/pattern"},
	"agent/stat":                 {},
	"agent/session":              {"agent", "agent/model", "agent/stat", "agent/secret", "cache", "gitext", "gitext/gitconfig", "gitext/usercmd"},
	"agent/lineindex":            {"agent/source", "cache", "gitext", "gitext/gittest"},
	"agent/backfill":             {"gitext", "gitext/gitcmd", "gitext/gittest"},
	"agent/szz/engine":           {"agent", "agent/backfill", "agent/szz/szztest", "gitext/gittest", "agent/session", "agent/secret", "agent/model", "agent/trace", "agent/szz", "agent/szz/offline", "agent/szz/fixlike", "agent/szz/investigate", "agent/szz/verify", "cache", "gitext", "gitext/visible", "gitext/gitcmd"},
	"agent/shard":                {"gitext/openfile"},                                                                                                                                              // knows no verb
	"agent/eval":                 {"agent", "agent/source", "agent/model", "agent/session", "agent/shard", "agent/stat", "cache", "gitext", "gitext/visible", "gitext/openfile", "gitext/gittest"}, // knows no task
	"agent/eval/szz":             {"gitext/gittest", "agent", "agent/eval", "agent/stat", "agent/szz", "agent/szz/", "cache", "gitext", "gitext/gitcmd", "gitext/visible"},
	"agent/eval/crash":           {"agent", "agent/eval", "agent/stat", "agent/source", "agent/crash", "agent/crash/engine", "agent/crash/investigate", "agent/crash/format", "agent/session", "cache", "gitext", "gitext/gittest"},
	"agent/suspect":              {"agent", "agent/source", "gitext", "gitext/gittest"},
	"agent/trial":                {"agent", "agent/sandbox", "gitext", "gitext/gittest", "gitext/openfile"},
	"agent/szz":                  {"agent", "agent/model", "agent/session", "agent/source", "agent/suspect", "gitext", "gitext/gittest", "gitext/gitcmd", "gitext/commitmsg"},
	"agent/szz/szztest":          {"agent/szz", "gitext", "gitext/gittest"}, // for tests
	"agent/szz/candidate":        {"agent/szz", "agent/suspect", "agent/source", "gitext"},
	"agent/szz/classic":          {"agent/szz", "agent/suspect", "agent/szz/szztest", "agent/source", "gitext", "gitext/gittest", "gitext/quote"},
	"agent/szz/rank":             {"agent", "agent/szz", "agent/suspect", "agent/szz/szztest", "agent/szz/candidate", "agent/szz/rank/", "agent/source", "agent/stat", "gitext", "gitext/gittest", "gitext/quote"},
	"agent/szz/fixlike":          {"agent/szz", "agent/suspect", "agent/source", "agent/stat", "gitext"},
	"agent/szz/offline":          {"agent/szz", "agent/szz/rank", "agent/szz/classic", "agent/szz/fixlike", "gitext"},
	"agent/szz/investigate":      {"agent", "agent/gittool", "agent/session", "agent/model", "agent/szz", "agent/suspect", "agent/szz/szztest", "agent/szz/candidate", "agent/szz/rank", "agent/source", "agent/stat", "gitext", "gitext/gittest", "prompts", "gitext/commitmsg"},
	"agent/szz/verify":           {"agent", "agent/sandbox", "agent/trial", "agent/suspect", "agent/szz", "agent/szz/szztest", "agent/source", "gitext", "gitext/gittest", "gitext/openfile"},
	"agent/symbol":               {"agent/sandbox", "agent/source", "agent/symbol/lsp", "agent/symbol/lsp/lsptest", "gitext", "gitext/gittest", "gitext/openfile"},
	"agent/symbol/symboltool":    {"agent", "agent/source", "agent/symbol"},
	"agent/symbol/lsp":           {"agent/sandbox", "agent/symbol/lsp/lsptest"},
	"agent/crash":                {"agent", "agent/session", "agent/suspect", "gitext"},
	"agent/crash/hana":           {"agent/crash", "agent/crash/hana/hanatest", "agent/source"},
	"agent/crash/format":         {"agent/crash", "agent/crash/hana", "agent/crash/hana/hanatest", "agent/source"},
	"agent/crash/locate":         {"agent/crash", "agent/source", "agent/symbol", "gitext", "gitext/gittest"},
	"agent/crash/rank":           {"agent", "agent/crash", "agent/crash/locate", "agent/source", "agent/stat", "agent/symbol", "gitext", "gitext/gittest"},
	"agent/crash/culprit":        {"agent", "agent/crash", "agent/crash/locate", "agent/source", "agent/stat", "agent/suspect", "agent/symbol", "gitext", "gitext/gittest", "gitext/quote"},
	"agent/crash/crashtool":      {"agent", "agent/crash/rank", "agent/symbol/symboltool", "agent/secret", "gitext/openfile", "agent/gittool", "agent/crash", "agent/crash/hana", "agent/crash/locate", "agent/source", "agent/symbol", "gitext", "gitext/gittest", "prompts", "agent/crash/format", "agent/crash/hana/hanatest", "gitext/visible"},
	"agent/crash/investigate":    {"agent", "agent/gittool", "agent/session", "agent/model", "agent/suspect", "agent/crash", "agent/crash/crashtool", "agent/crash/locate", "agent/source", "agent/stat", "agent/symbol", "gitext", "gitext/gittest", "prompts", "agent/secret", "agent/crash/culprit", "agent/crash/format", "agent/crash/rank", "gitext/visible"},
	"agent/crash/engine":         {"agent/source", "agent", "agent/backfill", "agent/session", "agent/secret", "agent/model", "agent/trace", "agent/crash", "agent/crash/culprit", "agent/crash/format", "agent/crash/investigate", "agent/crash/locate", "agent/crash/rank", "agent/symbol", "cache", "gitext", "gitext/gittest", "agent/model/modeltest", "agent/crash/group"},
	"agent/crash/group":          {"agent/crash", "agent/crash/format", "agent/crash/locate", "agent/crash/rank", "agent/source"}, // formats are for tests
	"agent/crash/input":          {"agent/crash", "agent/crash/format", "agent/sandbox", "gitext/openfile", "gitext/quote", "gitext/tempdir", "gitext/visible"},
	"agent/fix":                  {"agent", "agent/crash", "agent/suspect", "gitext"},
	"agent/fix/testrun":          {"agent", "agent/crash", "agent/crash/format", "agent/crash/locate", "agent/fix", "agent/sandbox", "agent/source", "agent/trial", "gitext", "gitext/gittest"},
	"agent/fix/coverage":         {"agent", "agent/fix", "agent/sandbox", "agent/source", "agent/trial", "gitext", "gitext/gittest"},
	"agent/fix/localize":         {"agent", "agent/crash", "agent/crash/format", "agent/crash/locate", "agent/fix", "agent/fix/coverage", "agent/fix/testrun", "agent/sandbox", "agent/source", "agent/stat", "agent/suspect", "agent/symbol", "agent/trial", "gitext", "gitext/gittest"},
	"agent/fix/history":          {"agent", "agent/condense", "agent/fix", "agent/secret", "agent/source", "agent/suspect", "gitext", "gitext/gittest"},
	"agent/fix/edit":             {"agent"},
	"agent/fix/fixtool":          {"agent", "agent/crash", "agent/crash/crashtool", "agent/symbol/symboltool", "agent/condense", "agent/fix", "agent/fix/edit", "agent/fix/testrun", "agent/gittool", "agent/sandbox", "agent/secret", "agent/source", "agent/symbol", "agent/trial", "gitext", "gitext/gittest", "gitext/visible", "prompts"},
	"agent/fix/generate":         {"agent", "agent/fix", "agent/fix/history", "agent/source", "agent/suspect", "gitext", "gitext/gittest", "agent/fix/generate/mutate", "agent/fix/generate/scope"},
	"agent/fix/generate/scope":   {"agent/fix/generate/mutate", "gitext/openfile"},
	"agent/fix/validate":         {"agent", "agent/fix", "agent/fix/testrun", "agent/sandbox", "agent/source", "agent/trial", "gitext", "gitext/gittest"},
	"agent/fix/offline":          {"agent", "agent/fix", "agent/fix/", "agent/sandbox", "agent/source", "agent/suspect", "agent/trial", "gitext", "gitext/gittest"},
	"agent/fix/offline/schemata": {"agent/fix", "agent/fix/generate", "agent/fix/generate/mutate", "agent/source", "gitext"},
	"agent/fix/deliver":          {"agent/fix", "gitext", "gitext/gitdir", "gitext/commitmsg", "gitext/gittest", "gitext/quote", "gitext/tempdir"},
	"agent/fix/investigate":      {"agent", "agent/crash/crashtool", "agent/model", "agent/model/modeltest", "agent/session", "agent/fix", "agent/fix/", "agent/gittool", "agent/sandbox", "agent/secret", "agent/source", "agent/suspect", "agent/symbol", "agent/trial", "gitext", "gitext/gittest", "gitext/visible", "prompts", "agent/crash"},
	"agent/fix/engine":           {"agent", "agent/backfill", "gitext/gitcmd", "agent/crash/format", "agent/model", "agent/model/modeltest", "agent/session", "agent/trace", "agent/crash", "agent/fix", "agent/fix/", "agent/sandbox", "agent/secret", "agent/symbol", "agent/trial", "cache", "gitext", "gitext/gittest", "agent/source", "gitext/quote"},
	"agent/eval/fix":             {"agent", "agent/crash", "agent/crash/engine", "agent/crash/format", "agent/eval", "agent/stat", "agent/source", "agent/fix", "agent/fix/", "agent/sandbox", "agent/trial", "cache", "gitext", "gitext/gittest"},
	"gitext":                     {"gitext/"},
	"gitext/gitcmd":              {"gitext/gitdir"},
	"gitext/gitconfig":           {"gitext/gitcmd"},
	"gitext/gitdir":              {"gitext/openfile", "gitext/quote"},
	"gitext/shadow":              {"gitext/gitdir"},
	"gitext/tempdir":             {},
	"gitext/usercmd":             {"gitext/gitcmd", "gitext/gitconfig", "gitext/gittest"},
	"gitext/quote":               {"gitext/visible"},
	"gitext/commitmsg":           {},
	"gitext/openfile":            {},
	"gitext/visible":             {},
	"gitext/pattern":             {},
	"gitext/gittest":             {"gitext"}, // for tests
	"cache":                      {"cache/"},
	"prompts":                    {},
	"man":                        {},
}

// confined says where else than everywhere an import may appear.
var confined = map[string][]string{
	"os/exec":                        {"gitext/gitcmd", "gitext/usercmd", "gitext/gittest", "agent/sandbox"},
	"database/sql":                   {"cache"},
	"modernc.org/sqlite":             {"cache"},
	"github.com/openai/openai-go/v3": {"agent/model"},

	"github.com/modelcontextprotocol/go-sdk/mcp": {"agent/mcp"},
}

// goFile is one source file of the module.
type goFile struct {
	path    string // relative to the top, with slashes
	pkg     string // its directory
	test    bool
	lines   int
	imports []string
	doc     bool
	longest string // "name: n lines" of a function that is too long, or ""
}

// What a reader can hold in mind.
const (
	maxFileLines     = 600
	maxFunctionLines = 80
)

// top is the module's directory.
const top = "../.."

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	walkTree(t, func(path string, data []byte) {
		if !strings.HasSuffix(path, ".go") || strings.Contains(path, "/testdata/") {
			return
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		g := goFile{path: path, pkg: filepath.ToSlash(filepath.Dir(path)), test: strings.HasSuffix(path, "_test.go")}
		g.lines = strings.Count(string(data), "\n")
		g.doc = f.Doc != nil && !g.test
		for _, d := range f.Decls {
			n := set.Position(d.End()).Line - set.Position(d.Pos()).Line + 1
			if fn, ok := d.(*ast.FuncDecl); ok && n > maxFunctionLines && !g.test {
				g.longest = fmt.Sprintf("%s: %d lines", fn.Name.Name, n)
			}
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			g.imports = append(g.imports, name)
		}
		files = append(files, g)
	})
	if len(files) == 0 {
		t.Fatal("no Go files found")
	}
	return files
}

// walkTree calls f for each file of the checkout but those below dot
// directories.
func walkTree(t *testing.T, f func(path string, data []byte)) {
	t.Helper()
	root := os.DirFS(top)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." && path != ".ci":
			return fs.SkipDir
		case !d.Type().IsRegular() || path == ".git": // .git is a file in a linked work tree
			return nil
		}
		data, err := fs.ReadFile(root, path)
		if err == nil {
			f(path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Imports point one way: cmd -> agent/* -> agent -> gitext, cache, prompts.
func TestImportsPointOneWay(t *testing.T) {
	for _, f := range goFiles(t) {
		allowed, room := allowedFor(f.pkg)
		if room == "" {
			t.Errorf("%s is in no room of the house", f.path)
			continue
		}
		for _, name := range f.imports {
			ours, ok := strings.CutPrefix(name, module)
			if ok && ours != f.pkg && !matches(ours, allowed) {
				t.Errorf("%s imports %s", f.path, ours)
			}
		}
	}
}

func allowedFor(pkg string) (allowed []string, room string) {
	for name, list := range rooms {
		if (pkg == name || strings.HasSuffix(name, "/") && strings.HasPrefix(pkg, name) || strings.HasPrefix(pkg, name+"/")) && len(name) > len(room) {
			allowed, room = list, name
		}
	}
	return allowed, room
}

// matches is true for an entry itself, and below an entry that ends in "/".
func matches(pkg string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		return pkg == entry || strings.HasSuffix(entry, "/") && strings.HasPrefix(pkg, entry)
	})
}

// Programs are started, and databases opened, in their own packages only.
func TestConfinedImports(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, name := range f.imports {
			places, ok := confined[name]
			if ok && !f.test && !slices.ContainsFunc(places, func(p string) bool { return f.pkg == p || strings.HasPrefix(f.pkg, p+"/") }) {
				t.Errorf("%s imports %s, which belongs to %s", f.path, name, strings.Join(places, ", "))
			}
		}
	}
}

// Only gitext and its rooms run git. Others examine its errors and count what
// could not be read.
func TestOnlyGitextRunsGit(t *testing.T) {
	named := regexp.MustCompile(`\bgitcmd\.\w+`)
	harmless := strings.Fields("gitcmd.Error gitcmd.Unread gitcmd.CountUnread gitcmd.Uncounted gitcmd.MemorySetting gitcmd.UserVersion")
	walkTree(t, func(path string, data []byte) {
		if !strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "gitext/") || filepath.Base(path) == "boundaries_test.go" {
			return
		}
		for _, found := range named.FindAllString(string(data), -1) {
			if !slices.Contains(harmless, found) {
				t.Errorf("%s has %s", path, found)
			}
		}
	})
}

func TestMainDefinesNoEngine(t *testing.T) {
	// The verbs parse, ask one engine and render. What reads a fix, holds a
	// conversation or records a run is in the rooms below agent.
	engines := regexp.MustCompile(`\b(agent\.Loop\{|szz\.NewContext\(|investigate\.Trace\(|rank\.Trace\(|verify\.Suspects\(|\.StartRun\()`)
	walkTree(t, func(path string, data []byte) {
		if filepath.ToSlash(filepath.Dir(path)) != "cmd/git-agent" || strings.HasSuffix(path, "_test.go") {
			return
		}
		if found := engines.Find(data); found != nil {
			t.Errorf("%s has %s", path, found)
		}
	})
}

// No regular expression is compiled when the program starts: git agent may run in a
// hook, and each process would pay for all of them.
func TestPatternsAreCompiledOnFirstUse(t *testing.T) {
	eager := regexp.MustCompile(`(?m)^(?:var |\t)\w+(?: [*.\w]+)? *= regexp\.MustCompile\(`)
	walkTree(t, func(path string, data []byte) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "cmd/szz-train/") {
			return
		}
		for _, found := range eager.FindAllString(string(data), -1) {
			t.Errorf("%s compiles a pattern at start: %s", path, strings.TrimSpace(found))
		}
	})
}

// Files and functions stay small, and no package is a drawer for the rest.
func TestFilesStaySmall(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.lines > maxFileLines {
			t.Errorf("%s has %d lines", f.path, f.lines)
		}
		if f.longest != "" {
			t.Errorf("%s has a long function, %s", f.path, f.longest)
		}
		switch filepath.Base(f.pkg) {
		case "utils", "util", "helpers", "common", "types", "models":
			t.Errorf("%s is in a package without a subject", f.path)
		}
	}
}

// Every package says what it promises.
func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		documented[f.pkg] = documented[f.pkg] || f.doc
		if f.test {
			delete(documented, "")
		}
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no documentation", pkg)
		}
	}
}

// The tree holds no path of somebody's machine, no binary and no unfinished
// business.
func TestTreeIsClean(t *testing.T) {
	machine := regexp.MustCompile(`(^|[^\w.$}>-])/(work|root|tmp|home/\w+|Users/\w+)/`)
	registry := regexp.MustCompile(`proxy\.gol` + `ang\.org|sum\.gol` + `ang\.org|registry\.np` + `mjs`)
	todo := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)
	walkTree(t, func(path string, data []byte) {
		text := strings.ReplaceAll(string(data), "/home/linux"+"brew/", "") // the same on all machines
		if strings.IndexByte(text, 0) >= 0 && !strings.Contains(path, "testdata/") {
			t.Errorf("%s is a binary file", path)
			return
		}
		for _, rule := range []*regexp.Regexp{machine, registry, todo} {
			if m := rule.FindString(text); m != "" && !strings.Contains(path, "testdata/") {
				t.Errorf("%s has %q", path, m)
			}
		}
	})
}

// CONTRIBUTING.md lists each package of the tree, and nothing that is not there.
func TestHouseIsTheTree(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, house, _ := strings.Cut(string(text), "## The house\n")
	house, _, _ = strings.Cut(house, "\n## ")
	listed := map[string]bool{}
	for line := range strings.Lines(house) {
		if strings.HasPrefix(line, "| `") {
			for _, m := range regexp.MustCompile("`([a-z][a-z/-]*)`").FindAllStringSubmatch(line, -1) {
				listed[m[1]] = true
			}
		}
	}
	there := map[string]bool{}
	for _, f := range goFiles(t) {
		there[f.pkg] = true
	}
	for pkg := range there {
		if !listed[pkg] {
			t.Errorf("the house in CONTRIBUTING.md has no %s", pkg)
		}
	}
	for name := range listed {
		if strings.Contains(name, "/") && !there[name] {
			t.Errorf("the house in CONTRIBUTING.md has %s, which is not there", name)
		}
	}
}

// The top level holds the rooms of the house and nothing else.
func TestTopLevel(t *testing.T) {
	known := strings.Fields("cmd gitext cache agent prompts man go.mod go.sum install.sh README.md CONTRIBUTING.md DESIGN.md SECURITY.md CHANGELOG.md AGENTS.md LICENSE")
	entries, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(known, e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}
