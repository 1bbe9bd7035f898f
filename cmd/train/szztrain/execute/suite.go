package execute

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// A suite has the commands and files for running a fix's tests at any commit.
type suite struct {
	repo     *gitext.Repo
	project  string // owner/name
	fix      candidateFix
	language string
	build    string // "" if command also builds
	command  string
	control  string // builds the code without its tests; "" if there is no such command

	module  string   // the directory of go.mod or Cargo.toml
	made    []byte   // Go: go.mod of a fix that is older than modules
	folders []string // Go: the directories of the tests
	alone   bool     // the tests run without the other tests of their files
	laid    []gitext.Overlay
	minimal map[string][]byte // Go: replacements for the test files of folders, if alone
	modules map[string][]byte // Rust: the test modules of source files
	given   bool              // the commands are the user's
}

// suiteLanguages maps extensions of source files to languages.
var suiteLanguages = map[string]string{
	".go":   "Go",
	".py":   "Python",
	".js":   "JavaScript",
	".mjs":  "JavaScript",
	".cjs":  "JavaScript",
	".ts":   "TypeScript",
	".rs":   "Rust",
	".c":    "C",
	".h":    "C",
	".java": "Java",
}

// suiteOf returns the suite of a fix. The error is a *noCase if its tests cannot be run.
func suiteOf(ctx context.Context, m *miner, f candidateFix) (suite, error) {
	s := suite{repo: m.repo, project: m.name, fix: f, laid: overlaysOf(f)}
	for _, p := range f.sources {
		if s.language == "" {
			s.language = suiteLanguages[path.Ext(p)]
		}
	}
	switch s.language {
	case "":
		return s, none("no test command is known for %s", f.sources[0])
	case m.bounds.given.language:
		s.forGiven(m.bounds.given)
		return s, nil
	case "Go":
		return s, s.forGo(ctx)
	case "Python":
		return s, s.forPython()
	case "JavaScript", "TypeScript":
		if known, err := s.forNode(ctx); known || err != nil {
			return s, err
		}
	case "Rust":
		return s, s.forRust(ctx)
	case "Java":
		return s, s.forJava()
	}
	proposals, err := testcmd.Propose(ctx, m.repo, fix.Tree{Commit: f.commit.OID}, f.tests[0])
	if err != nil {
		return s, err
	}
	if len(proposals) == 0 {
		return s, none("no test command is known")
	}
	s.build, s.command = proposals[0].Build, proposals[0].Test
	return s, nil
}

// commands are the user's commands for a repository with an unknown form of tests. The shell
// variable TESTS lists the test files of the fix, and ONLY the names of the tests that show the
// bug, one on each line; ONLY is empty until they are known.
type commands struct {
	language, build, test, control string
}

func (s *suite) forGiven(c commands) {
	var list []string
	for _, p := range s.fix.tests {
		if !strings.ContainsAny(p, " \t\n") {
			list = append(list, p)
		}
	}
	set := "TESTS=" + quote.Shell(strings.Join(list, " ")) + "; "
	s.given, s.command = true, set+c.test
	if c.build != "" {
		s.build = set + c.build
	}
	if c.control != "" {
		s.control = set + c.control
	}
}

// overlaysOf returns the test files of a fix, and removals of the files that it removes.
func overlaysOf(f candidateFix) []gitext.Overlay {
	var over []gitext.Overlay
	for _, c := range f.changes {
		if c.Status == 'D' || c.Status == 'R' {
			if source.FileKindOf(c.OldPath) == source.TestFile {
				over = append(over, gitext.Overlay{Path: c.OldPath})
			}
		}
		if c.Status != 'D' && !c.Submodule && source.IsTestPath(c.NewPath) {
			over = append(over, gitext.Overlay{Path: c.NewPath, Mode: c.NewMode, OID: c.NewOID})
		}
	}
	return over
}

// goRun begins each command of Go: no network, no C compiler, and no other version of Go.
const goRun = "CGO_ENABLED=0 GOFLAGS=-mod=mod GOPROXY=file://${GOMODCACHE:-$HOME/go/pkg/mod}/cache/download GOSUMDB=off GOTOOLCHAIN=local go "

func (s *suite) forGo(ctx context.Context) error {
	for _, p := range s.fix.tests {
		if strings.HasSuffix(p, "_test.go") && !slices.Contains(s.folders, path.Dir(p)) {
			s.folders = append(s.folders, path.Dir(p))
		}
	}
	if len(s.folders) == 0 {
		return none("no test file of Go is changed")
	}
	if err := s.findModule(ctx); err != nil {
		return err
	}
	for _, dir := range s.folders {
		if s.module != "." && dir != s.module && !strings.HasPrefix(dir, s.module+"/") {
			return none("the tests are in several modules")
		}
	}
	s.command = s.inModule() + goRun + "test -count=1 -vet=off -v" + s.packages()
	s.control = s.inModule() + goRun + "build" + s.packages()
	return nil
}

// findModule finds the directory of go.mod. A fix older than modules gets a go.mod with the
// module's name, without a version and without requirements, which are found in the cache.
func (s *suite) findModule(ctx context.Context) error {
	var err error
	s.module, err = s.above(ctx, s.fix.commit.OID, path.Join(s.folders[0], "go.mod"), "go.mod")
	if !errors.As(err, new(*noCase)) {
		return err
	}
	s.module = "."
	name := "github.com/" + s.project
	head, err := s.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	text, err := s.repo.BlobAt(ctx, head, "go.mod", 1<<20)
	if err = tolerable(err); err != nil {
		return err
	}
	if m := moduleLine().FindSubmatch(text); m != nil {
		name = string(m[1]) // code without go.mod imports itself without a version
	}
	s.made = []byte("module " + name + "\n\ngo 1.16\n")
	return nil
}

// moduleLine matches the name of a module, and the suffix of its version.
var moduleLine = source.Lazy(`(?m)^module\s+"?(\S+?)(/v\d+)?"?\s*(?://.*)?$`)

// moduleNameIn returns the name of the module of a go.mod file, "" if it has none.
func moduleNameIn(text []byte) string {
	if m := moduleLine().FindSubmatch(text); m != nil {
		return string(m[1]) + string(m[2])
	}
	return ""
}

// moduleName returns the name of the module at a commit, "" if there is none.
func (s *suite) moduleName(ctx context.Context, commit gitext.OID) (string, error) {
	text, err := s.repo.BlobAt(ctx, commit, path.Join(s.module, "go.mod"), 1<<20)
	return moduleNameIn(text), tolerable(err)
}

// above returns the directory of the nearest file called name above a path.
func (s *suite) above(ctx context.Context, commit gitext.OID, p, name string) (string, error) {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if entries, err := s.repo.Tree(ctx, commit, path.Join(dir, name)); err != nil || len(entries) > 0 {
			return dir, err
		}
		if dir == "." {
			return "", none("there is no %s", name)
		}
	}
}

// inModule changes to the directory of go.mod.
func (s *suite) inModule() string {
	if s.module == "." {
		return ""
	}
	return "cd " + quote.Shell(s.module) + " && "
}

// packages lists the packages of the tests for the Go command.
func (s *suite) packages() string {
	var list string
	for _, dir := range s.folders {
		rel := strings.TrimPrefix(strings.TrimPrefix(dir, s.module), "/")
		if s.module == "." {
			rel = dir
		}
		list += " " + quote.Shell("./"+strings.TrimPrefix(rel, "./"))
	}
	return strings.ReplaceAll(list, " ./.", " .")
}

func (s *suite) forPython() error {
	s.command = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:src:lib python3 -m pytest -q -rA -p no:cacheprovider -o addopts="
	n := 0
	for _, p := range s.fix.tests {
		if base := path.Base(p); strings.HasSuffix(base, ".py") && strings.Contains(base, "test") {
			s.command += " " + quote.Shell(p)
			n++
		}
	}
	if n == 0 {
		return none("no test file of Python is changed")
	}
	return nil
}

// narrow makes the suite run only these tests, and reports whether it can.
func (s *suite) narrow(tests []string) bool {
	if s.given {
		s.command = "ONLY=" + quote.Shell(strings.Join(tests, "\n")) + "; " + s.command
		return true
	}
	switch s.language {
	case "Go":
		return s.narrowGo(tests)
	case "Python":
		head, _, _ := strings.Cut(s.command, " -o addopts=")
		head += " -o addopts="
		for _, name := range tests {
			if !strings.Contains(name, "::") {
				return false
			}
			name, _, _ = strings.Cut(name, "[") // the order of a test's parameters may differ at other commits
			if word := " " + quote.Shell(name); !strings.Contains(head+" ", word+" ") {
				head += word
			}
		}
		s.command = head
		return true
	case "Rust":
		return s.narrowRust(tests)
	case "Java":
		return s.narrowJava(tests)
	}
	return false
}

// reduceFiles removes unwanted tests from the test files.
func (s *suite) reduceFiles(wanted []string) bool {
	form := testForms[s.language]
	s.laid = slices.Clone(s.laid)
	for i, o := range s.laid {
		if o.OID == "" || suiteLanguages[path.Ext(o.Path)] != s.language {
			continue
		}
		text, err := s.repo.Blob(context.Background(), o.OID, 8<<20)
		if err != nil {
			return false
		}
		s.laid[i] = gitext.Overlay{Path: o.Path, Mode: o.Mode, Content: reduced(text, form, wanted)}
	}
	s.alone = true
	return true
}

func (s *suite) narrowGo(tests []string) bool {
	var tops []string
	for _, name := range tests {
		_, test, ok := strings.Cut(name, ":")
		if !ok {
			return false
		}
		top, _, _ := strings.Cut(test, "/")
		if !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	s.minimal = map[string][]byte{}
	for _, dir := range s.folders {
		files, err := s.testFiles(dir)
		if err != nil {
			return false
		}
		least := minimalGoTests(files, tops)
		if least == nil {
			return false
		}
		maps.Copy(s.minimal, least)
	}
	s.alone = true
	s.command = s.inModule() + goRun + "test -count=1 -vet=off -v -run " + quote.Shell("^("+strings.Join(tops, "|")+")$") + s.packages()
	return true
}

// testFiles reads the test files of a directory at the fix.
func (s *suite) testFiles(dir string) (map[string][]byte, error) {
	ctx := context.Background() // there are few files
	names, err := s.testNames(ctx, s.fix.commit.OID, dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = s.repo.BlobAt(ctx, s.fix.commit.OID, name, 8<<20); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// testNames lists the test files of a Go directory at a commit.
func (s *suite) testNames(ctx context.Context, commit gitext.OID, dir string) ([]string, error) {
	var paths []string
	if dir != "." {
		paths = []string{dir}
	}
	entries, err := s.repo.Tree(ctx, commit, paths...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if path.Dir(e.Path) == dir && strings.HasSuffix(e.Path, "_test.go") {
			names = append(names, e.Path)
		}
	}
	return names, nil
}

// over returns the files to write over a commit.
func (s *suite) over(ctx context.Context, commit gitext.OID) ([]gitext.Overlay, error) {
	over, err := s.manifests(ctx, commit)
	if err == nil && s.language == "Rust" {
		var modules []gitext.Overlay
		modules, err = s.overTestModules(ctx, commit)
		over = append(over, modules...)
	}
	if err != nil || !s.alone || s.language != "Go" {
		return append(over, s.laid...), err
	}
	for _, o := range s.laid {
		if !strings.HasSuffix(o.Path, "_test.go") {
			over = append(over, o)
		}
	}
	for _, dir := range s.folders {
		names, err := s.testNames(ctx, commit, dir)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if s.minimal[name] == nil {
				over = append(over, gitext.Overlay{Path: name})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.minimal)) {
		over = append(over, gitext.Overlay{Path: name, Mode: 0o100644, Content: s.minimal[name]})
	}
	return over, nil
}

// manifests returns the files that a commit needs besides the tests. For Go, these are go.mod and
// go.sum of the fix if the commit has none for this module.
func (s *suite) manifests(ctx context.Context, commit gitext.OID) ([]gitext.Overlay, error) {
	switch s.language {
	case "Go":
		return s.modulesOf(ctx, commit)
	case "Rust":
		return s.cargoFiles(ctx, commit)
	case "Java":
		return s.overJava(ctx, commit)
	}
	return nil, nil
}

// modulesOf returns go.mod and go.sum for a commit that lacks them, or whose module has another
// name: otherwise tests that import their module would run with a release from the cache.
func (s *suite) modulesOf(ctx context.Context, commit gitext.OID) ([]gitext.Overlay, error) {
	mod, sum := path.Join(s.module, "go.mod"), path.Join(s.module, "go.sum")
	name, err := s.moduleName(ctx, commit)
	if err != nil {
		return nil, err
	}
	if s.made != nil {
		if name == moduleNameIn(s.made) {
			return nil, nil
		}
		return []gitext.Overlay{{Path: mod, Mode: 0o100644, Content: s.made}}, nil
	}
	if now, err := s.moduleName(ctx, s.fix.commit.OID); err != nil || name == now {
		return nil, err
	}
	entries, err := s.repo.Tree(ctx, s.fix.commit.OID, mod, sum)
	if err != nil {
		return nil, err
	}
	var over []gitext.Overlay
	for _, e := range entries {
		over = append(over, gitext.Overlay{Path: e.Path, Mode: e.Mode, OID: e.OID})
	}
	return over, nil
}

// innermost returns the tests without those that are parents of others.
func innermost(tests []string) []string {
	return slices.DeleteFunc(slices.Clone(tests), func(name string) bool {
		return slices.ContainsFunc(tests, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
}

// tellingWords matches parts of lines in which tests describe a failure.
var tellingWords = source.Lazy(
	`(?i)error|panic:|panicked|exception|expect|actual|\bgot\b|\bwant|assert|mismatch|differ|_test\.go:\d+|^(?:left|right): |^E  `,
)

// numbers matches parts of a line that differ between runs.
var numbers = source.Lazy(`0x[0-9a-fA-F]+|_test\.go:\d+|\.rs:\d+:\d+|' \(\d+\) |@[0-9a-f]{4,8}\b|\b\d+(?:\.\d+)?m?s\b|line \d+|:\d+:`)

// telling returns the lines of an output in which tests describe a failure.
func (s *suite) telling(output []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(output) {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("--- ")) || bytes.HasPrefix(line, []byte("=== ")) || bytes.HasPrefix(line, []byte("FAILED ")) ||
			!tellingWords().Match(line) {
			continue
		}
		lines[string(numbers().ReplaceAll(line, []byte("#")))] = true
	}
	return lines
}
