package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// module is the path of this module; every import of ours begins with it.
const module = "git-agent/"

// storeys lists our packages from the ground up. Outside of tests, a package imports only
// packages of lower storeys, and its own rooms below it in the tree.
var storeys = [][]string{
	{"prompts", "man", "agent/stat", "cmd/train/heldout", "gitext/commitmsg", "gitext/disk", "gitext/pattern", "gitext/quote"},
	{"cache/place", "agent/sandbox", "agent/secret", "agent/shard", "agent/source"},
	{"cache", "agent/model", "gitext/gitdir"},
	{"gitext/gitcmd", "agent/htmlpage"},
	{"gitext/gitconfig"},
	{"gitext", "gitext/usercmd"},
	{"agent", "agent/backfill", "agent/lineindex", "cmd/git-agent/ui", "cmd/git-agent/schema"},
	{"agent/condense", "agent/release", "agent/session", "agent/suspect", "agent/symbol", "agent/trace", "agent/trial"},
	// Questions and answers, and code for all verbs.
	{"agent/szz", "agent/crash", "agent/bisect", "agent/eval", "agent/gittool"},
	// Reading: a fix, a report, a failing test.
	{"agent/fix", "agent/fix/edit", "agent/crash/address", "agent/crash/hana", "agent/crash/locate", "agent/szz/candidate", "agent/szz/classic", "agent/szz/fixlike"},
	{"agent/szz/rank", "agent/szz/risk", "agent/crash/culprit", "agent/crash/format", "agent/crash/rank", "agent/fix/coverage", "agent/fix/deliver", "agent/fix/generate", "agent/fix/history"},
	{"agent/szz/offline", "agent/crash/offline", "agent/crash/crashtool", "agent/crash/input", "agent/fix/localize", "agent/fix/testrun"},
	{"agent/fix/testcmd"},
	{"agent/fix/fixtool", "agent/fix/offline", "agent/fix/validate", "agent/bisect/engine", "agent/szz/verify"},
	// A model at work, and the engines that choose between it and the offline ones.
	{"agent/szz/investigate", "agent/crash/investigate", "agent/fix/investigate"},
	{"agent/szz/engine", "agent/crash/engine", "agent/fix/engine"},
	{"agent/eval/szz", "agent/eval/crash", "agent/eval/fix", "agent/eval/bisect", "cmd/git-agent/render"},
	{"cmd/git-agent/store", "cmd/git-agent/clients"},
	{"cmd/train/material", "cmd/git-agent/doctor", "cmd/git-agent/mcpcmd"},
	{"cmd/train/szztrain", "cmd/train/crashtrain", "cmd/train/fixtrain"},
	// The command line.
	{"cmd/git-agent/app", "cmd/train/bisecttrain"},
	{"cmd/git-agent/szzcmd"},
	{"cmd/git-agent/verbs"},
	{"cmd/git-agent/evalcmd", "cmd/git-agent/tracecmd"},
	{"cmd/git-agent", "cmd/git-agent/scorecard", "cmd/train"},
}

// forTests are packages that only tests import.
var forTests = []string{"gitext/gittest", "agent/model/modeltest", "agent/crash/hana/hanatest", "agent/szz/szztest", "cmd/git-agent/pagetest"}

// verbRooms are independent of each other, except for the imports in between.
var verbRooms = []string{"agent/szz", "agent/crash", "agent/fix"}

// between lists the imports of one verb from another. A failing run of fix may print a crash, and
// fix may start from the report of a crash. bisect and szz read the output of tests as fix does.
var between = map[string][]string{
	"agent/bisect/engine": {"agent/fix", "agent/fix/coverage", "agent/fix/testrun", "agent/fix/testrun/testlog", "agent/fix/testcmd"},
	"agent/szz/verify":    {"agent/fix/testrun", "agent/fix/testrun/testlog"},
	"agent/eval/bisect":   {"agent/fix/testrun", "agent/fix/testcmd"},

	"agent/fix":      {"agent/crash", "agent/crash/format", "agent/crash/locate", "agent/crash/crashtool"},
	"agent/eval/fix": {"agent/crash", "agent/crash/format", "agent/crash/engine"},
}

// confined lists imports that only some packages may use.
var confined = map[string][]string{
	"os/exec":            {"gitext/gitcmd", "gitext/usercmd", "gitext/gittest", "agent/sandbox", "cmd/git-agent/pagetest"},
	"database/sql":       {"cache"},
	"modernc.org/sqlite": {"cache"},

	"github.com/modelcontextprotocol/go-sdk/mcp": {"cmd/git-agent/mcpcmd"},
	"github.com/google/jsonschema-go/jsonschema": {"cmd/git-agent/schema"},
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

// These are limits of a reader's memory.
const (
	maxFileLines     = 600
	maxFunctionLines = 80
	maxColumns       = 150 // of a line without its strings, with tabs of four columns
)

// top is the module's directory.
const top = "../.."

// goFiles returns the Go files of the checkout.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	files, err := readGoFiles()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// readGoFiles reads the Go files once: several tests look at them.
var readGoFiles = sync.OnceValues(func() ([]goFile, error) {
	var files []goFile
	var failed error
	err := eachFile(func(path string, data []byte) {
		if !strings.HasSuffix(path, ".go") || strings.Contains(path, "/testdata/") {
			return
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			failed = errors.Join(failed, err)
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
		failed = errors.Join(failed, errors.New("no Go files found"))
	}
	return files, errors.Join(err, failed)
})

// walkTree calls f for each file of the checkout except those below dot directories.
func walkTree(t *testing.T, f func(path string, data []byte)) {
	t.Helper()
	if err := eachFile(f); err != nil {
		t.Fatal(err)
	}
}

func eachFile(f func(path string, data []byte)) error {
	root := os.DirFS(top)
	return fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
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
}

// Imports point down, from cmd to gitext, cache and prompts.
func TestImportsPointDown(t *testing.T) {
	for _, f := range goFiles(t) {
		own, listed := storeyOf(f.pkg)
		if !listed {
			t.Errorf("%s is on no storey", f.path)
			continue
		}
		for _, name := range f.imports {
			theirs, ours := strings.CutPrefix(name, module)
			if !ours || f.test || slices.Contains(forTests, f.pkg) {
				continue
			}
			at, _ := storeyOf(theirs)
			if at >= own && !strings.HasPrefix(theirs, f.pkg+"/") && !siblings(f.pkg, theirs) || slices.Contains(forTests, theirs) {
				t.Errorf("%s imports %s, which is not below it", f.path, theirs)
			}
		}
	}
}

// siblings reports whether two packages are rooms of one listed package that are not listed
// themselves: Go prevents import cycles, and no other package imports them.
func siblings(a, b string) bool {
	return listedAs(a) == listedAs(b) && a != listedAs(a) && b != listedAs(b)
}

// storeyOf returns the storey of a package, and whether it has one.
func storeyOf(pkg string) (int, bool) {
	name := listedAs(pkg)
	for i, storey := range storeys {
		if slices.Contains(storey, name) {
			return i, true
		}
	}
	return 0, slices.Contains(forTests, pkg)
}

// listedAs returns the entry of storeys for a package: its own, or else that of its enclosing
// package.
func listedAs(pkg string) string {
	for name := pkg; name != "."; name = path.Dir(name) {
		for _, storey := range storeys {
			if slices.Contains(storey, name) {
				return name
			}
		}
	}
	return pkg
}

// No verb knows another one, and shared packages know no verb.
func TestVerbsAreIndependent(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || strings.HasPrefix(f.pkg, "cmd/") {
			continue
		}
		for _, name := range f.imports {
			theirs, _ := strings.CutPrefix(name, module)
			verb := verbOfRoom(theirs)
			if verb != "" && verb != verbOfRoom(f.pkg) && !mayTake(f.pkg, theirs) {
				t.Errorf("%s imports %s, a room of another verb", f.path, theirs)
			}
		}
	}
}

// mayTake reports whether between lets a package import a room of another verb.
func mayTake(pkg, theirs string) bool {
	for room, taken := range between {
		if (pkg == room || strings.HasPrefix(pkg, room+"/")) && slices.Contains(taken, theirs) {
			return true
		}
	}
	return false
}

// verbOfRoom returns the verb that a package belongs to, or "".
func verbOfRoom(pkg string) string {
	pkg = strings.Replace(pkg, "agent/eval/", "agent/", 1)
	for _, verb := range verbRooms {
		if pkg == verb || strings.HasPrefix(pkg, verb+"/") {
			return verb
		}
	}
	return ""
}

// An engine sends the texts of its own verb, so that a changed text of another verb leaves its
// cached answers valid. Shared texts are those of tools, whose hashes are in the tools'
// descriptions, and those of the loop.
func TestEnginesSendTheirOwnTexts(t *testing.T) {
	named := regexp.MustCompile(`prompts\.Get\("([a-z]+)/`)
	walkTree(t, func(file string, data []byte) {
		verb := verbOfRoom(path.Dir(file))
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || verb == "" {
			return
		}
		for _, found := range named.FindAllSubmatch(data, -1) {
			if room := string(found[1]); room != path.Base(verb) {
				t.Errorf("%s sends a text of %s", file, room)
			}
		}
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

// Only gitext and its rooms run git. Others examine its errors and count unread parts.
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

func TestCommandsDefineNoEngine(t *testing.T) {
	// The verbs parse, ask one engine and render. Code that reads a fix, holds a conversation or
	// records a run is below agent.
	engines := regexp.MustCompile(`\b(agent\.Loop\{|szz\.NewContext\(|investigate\.Trace\(|rank\.Trace\(|verify\.Suspects\(|\.StartRun\()`)
	walkTree(t, func(path string, data []byte) {
		if !strings.HasPrefix(filepath.ToSlash(path), "cmd/git-agent/") || strings.HasSuffix(path, "_test.go") {
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
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "cmd/train/") {
			return
		}
		for _, found := range eager.FindAllString(string(data), -1) {
			t.Errorf("%s compiles a pattern at start: %s", path, strings.TrimSpace(found))
		}
	})
}

// Files and functions stay small, and no package collects miscellaneous code.
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

// Lines fit a screen, but for texts and patterns, which are not cut, and tests, which are tables.
func TestLinesStayShort(t *testing.T) {
	walkTree(t, func(file string, data []byte) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			return
		}
		for i, line := range bytes.Split(withoutStrings(data), []byte("\n")) {
			if n := utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t")); n > maxColumns {
				t.Errorf("%s:%d has %d columns beside its strings", file, i+1, n)
			}
		}
	})
}

// withoutStrings returns the text of a Go file with the same lines and without its string literals.
func withoutStrings(text []byte) []byte {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	var out []byte
	from := 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return append(out, text[from:]...)
		}
		if tok == token.STRING {
			at := file.Offset(pos)
			out = append(out, text[from:at]...)
			out = append(out, strings.Repeat("\n", strings.Count(literal, "\n"))...)
			from = at + len(literal)
		}
	}
}

// Every package comment states its promises.
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

// rule is what no file may have. The expression, which is slow on a whole tree, is applied only to
// files that have one of the words.
type rule struct {
	words []string
	*regexp.Regexp
}

func (r rule) find(data []byte) []byte {
	if !slices.ContainsFunc(r.words, func(w string) bool { return bytes.Contains(data, []byte(w)) }) {
		return nil
	}
	return r.Find(data)
}

// The tree has no path of a personal machine, no binary and no unfinished work. Files of testdata
// may name other people's homes, because reports do, but no place where our own programs run.
func TestTreeIsClean(t *testing.T) {
	ours := strings.Fields("work/ root/ tmp/") // the slash before them would be found here
	scratch := rule{ours, regexp.MustCompile(`(^|[^\w.$}>-])/(work|root|tmp)/`)}
	machine := rule{append(ours, "home/", "Users/"), regexp.MustCompile(`(^|[^\w.$}>-])/(work|root|tmp|home/\w+|Users/\w+)/`)}
	hosts := []string{"proxy.gol" + "ang.org", "sum.gol" + "ang.org", "registry.np" + "mjs"}
	registry := rule{hosts, regexp.MustCompile(regexp.QuoteMeta(hosts[0]) + "|" + regexp.QuoteMeta(hosts[1]) + "|" + regexp.QuoteMeta(hosts[2]))}
	marks := []string{"TO" + "DO", "FIX" + "ME", "X" + "XX"}
	unfinished := rule{marks, regexp.MustCompile(`\b(` + strings.Join(marks, "|") + `)\b`)}
	walkTree(t, func(path string, data []byte) {
		rules := []rule{machine, registry, unfinished}
		switch {
		case strings.Contains(path, "testdata/"):
			rules = []rule{scratch, registry}
			data = unpacked(t, path, data)
		case bytes.IndexByte(data, 0) >= 0:
			t.Errorf("%s is a binary file", path)
			return
		}
		data = bytes.ReplaceAll(data, []byte("/home/linux"+"brew/"), nil) // the same on all machines
		for _, r := range rules {
			if m := r.find(data); m != nil {
				t.Errorf("%s has %q", path, m)
			}
		}
	})
}

// unpacked returns what a file of testdata has when it is unpacked.
func unpacked(t *testing.T, path string, data []byte) []byte {
	t.Helper()
	if !strings.HasSuffix(path, ".gz") {
		return data
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(r)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

// CONTRIBUTING.md lists each package of the tree or an enclosing one, and no missing package.
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
		room := pkg
		for room != "." && (!listed[room] || room == "agent" && pkg != room) { // agent is no roof for its rooms
			room = path.Dir(room)
		}
		if room == "." {
			t.Errorf("the house in CONTRIBUTING.md has neither %s nor a room that it is in", pkg)
		}
	}
	for name := range listed {
		if strings.Contains(name, "/") && !there[name] {
			t.Errorf("the house in CONTRIBUTING.md has %s, which is not there", name)
		}
	}
}

// The top level has only the listed folders.
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
