package localize

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// These bound the files that are read.
const (
	maxFileBytes = 1 << 20 // of one file; larger ones are generated or data
	maxMeanLine  = 400     // mean bytes of a line; a file with more is not written by people
)

// A file is a file of the tree that may contain functions.
type file struct {
	path      string
	stem      string      // its name without ending, in lower case
	folder    string      // the name of its folder, in lower case
	crate     string      // the folder of its Cargo package, with a slash at its end; "" for the top, and outside of Rust
	place     string      // its folder without names of source and test folders, equal for tests and tested code
	oid       gitext.OID  // "" for content of an overlay
	content   []byte      // content of an overlay
	over      bool        // the file differs from the commit
	committed map[int]int // of a file that differs: the numbers at the commit of the lines that are in it
	present   map[int]int // the inverse
	test      bool
	aside     bool // an example, a benchmark, a fuzzer, or a program that the tests of a library do not run
	helper    bool // a helper of tests, not tested code
	read      bool
	unread    error // reason why the clone could not provide the file
	lines     [][]byte
	functions []source.Function
	unit      func(line int) bool // whether a line belongs to a unit test; nil if the file was not read
	generated bool                // generated, copied from elsewhere, or not a program
}

// files are the source files of a tree.
type files struct {
	repo    *gitext.Repo
	commit  gitext.OID
	all     map[string]*file // files of any kind
	paths   []string         // of source code that the project writes, sorted
	bytes   int              // bytes of the read files
	left    int              // number of source files that were not searched
	unread  int              // number of files that could not be read
	unknown map[string]int   // number of source files in languages whose functions are not known, by their ending
	others  []string         // submodules, which are other repositories
}

// filesOf lists the source files of a problem's tree, without reading them.
func filesOf(ctx context.Context, repo *gitext.Repo, p fix.Problem) (*files, error) {
	tree := p.Tree
	entries, err := repo.Tree(ctx, tree.Commit)
	if err != nil && (len(entries) == 0 || !gitext.Unreadable(err)) {
		return nil, err
	}
	fs := &files{repo: repo, commit: tree.Commit, all: map[string]*file{}, unknown: map[string]int{}}
	for _, e := range entries {
		if e.Submodule {
			fs.others = append(fs.others, e.Path)
		} else if e.Mode != linkMode {
			fs.all[e.Path] = &file{path: e.Path, oid: e.OID}
		}
	}
	for _, o := range tree.Over {
		delete(fs.all, o.Path)
		if o.Mode != 0 && o.Mode != linkMode {
			fs.all[o.Path] = &file{path: o.Path, oid: o.OID, content: o.Content, over: true}
		}
	}
	for name, f := range fs.all {
		f.name()
		f.test, f.aside, f.helper = source.IsTestOf(name, p.Test), aside().MatchString(name), helper().MatchString(name)
		f.generated = !isProgram(name) || source.IsVendored(name)
		switch ext := strings.ToLower(path.Ext(name)); {
		case !f.generated:
			fs.paths = append(fs.paths, name)
		case otherPrograms[ext]:
			fs.unknown[ext]++
		}
	}
	slices.Sort(fs.paths)
	fs.setCargoAside()
	fs.setCrates()
	return fs, nil
}

// cargoProgram matches the programs of a Cargo package: its build script and its binaries.
var cargoProgram = source.Lazy(`^(?:build\.rs|src/main\.rs|src/bin/.*\.rs)$`)

// setCargoAside sets aside the build script and the binaries of Cargo packages that have a
// library. The tests of a library run neither. Stacks, coverage and the user can still name
// them.
func (fs *files) setCargoAside() {
	for p := range fs.all {
		root, ok := strings.CutSuffix(p, "src/lib.rs")
		if !ok || fs.all[root+"Cargo.toml"] == nil {
			continue
		}
		for _, name := range fs.paths {
			if rest, ok := strings.CutPrefix(name, root); ok && cargoProgram().MatchString(rest) {
				fs.all[name].aside = true
			}
		}
	}
}

// setCrates sets the Cargo packages of Rust files.
func (fs *files) setCrates() {
	for _, p := range fs.paths {
		if path.Ext(p) != ".rs" {
			continue
		}
		dir := path.Dir(p)
		for dir != "." && fs.all[dir+"/Cargo.toml"] == nil {
			dir = path.Dir(dir)
		}
		fs.all[p].crate = strings.TrimPrefix(dir+"/", "./")
	}
}

// name sets the parts of a file's path.
func (f *file) name() {
	dir, base := path.Split(strings.ToLower(f.path))
	dir = strings.Trim(dir, "/")
	f.stem, f.folder = source.Stem(base), path.Base(dir)
	kept := slices.DeleteFunc(strings.Split(dir, "/"), func(part string) bool { return sides[part] })
	f.place = strings.Join(kept, "/")
}

// dir returns the folder of a file, "" for the top.
func (f *file) dir() string { return strings.TrimPrefix(path.Dir(f.path), ".") }

// sides are the names of folders for tests or tested code.
var sides = map[string]bool{
	"test": true, "tests": true, "__tests__": true, "spec": true, "specs": true, "main": true, "src": true, "lib": true, "source": true,
}

// linkMode is the mode of a symbolic link in a tree.
const linkMode = 0o120000

// get returns a file with its lines, or nil if the file does not exist. A file that cannot be
// read has no lines.
func (fs *files) get(ctx context.Context, p string) (*file, error) {
	f := fs.all[p]
	if f == nil || f.read {
		return f, nil
	}
	f.read = true
	text := f.content
	if f.oid != "" {
		var err error
		if text, err = fs.repo.Blob(ctx, f.oid, maxFileBytes); err != nil {
			fs.unread++
			if gitext.Unreadable(err) {
				f.unread = err
				return f, nil
			}
			return f, err
		}
	}
	fs.bytes += len(text)
	f.fill(text)
	return f, nil
}

// fill splits a file's text into lines and functions.
func (f *file) fill(text []byte) {
	if len(text) > maxFileBytes || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return
	}
	f.lines = bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	f.generated = f.generated || source.IsGenerated(text) || len(text)/len(f.lines) > maxMeanLine
	f.functions = source.Functions(f.path, f.lines)
	f.unit = source.UnitTests(f.path, f.lines)
}

// tests reports whether a line belongs to a test: that of a test file, or of a unit test within a
// source file.
func (f *file) tests(line int) bool { return f.test || f.unit != nil && f.unit(line) }

// withLines returns the read source files, in order.
func (fs *files) withLines() []*file {
	var out []*file
	for _, p := range fs.paths {
		if f := fs.all[p]; len(f.lines) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// functionAt returns the index of the function around a line, -1 if there is none.
func (f *file) functionAt(line int) int {
	i, ok := slices.BinarySearchFunc(f.functions, line, func(fn source.Function, line int) int {
		switch {
		case fn.End < line:
			return -1
		case fn.Start > line:
			return 1
		}
		return 0
	})
	if !ok {
		return -1
	}
	return i
}

// body returns the lines of a function.
func (f *file) body(i int) [][]byte { return f.lines[f.functions[i].Start-1 : f.functions[i].End] }

// aside matches the paths of programs beside the project that use it.
var aside = source.Lazy(
	`(?:^|/)[._]?(?:examples?|samples?|demos?|fuzz(?:ing|ers?)?|bench(?:marks?|es)?)/|(?:^|/)(?:tests?|bench(?:mark)?|example|demo)\.\w+$`,
)

// helper matches the paths of code outside of test folders that only tests use.
var helper = source.Lazy(`(?i)(?:^|/)(?:tests?|testing|spec)[_-]?(?:utils?|utilities|helpers?|support|lib|kit|ext)(?:/|\.\w+$)`)

// programs are the endings of files with functions.
var programs = func() map[string]bool {
	m := map[string]bool{}
	for _, ext := range strings.Fields(`.go .c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .inl .inc .ipp .m .mm .cu .java .kt .kts .scala .groovy
.cs .js .mjs .cjs .jsx .ts .tsx .py .pyx .rs .swift .php .rb .lua .dart .d .vala .pl .pm .zig .ex .exs .y .l`) {
		m[ext] = true
	}
	return m
}()

// otherPrograms are the endings of programs in which no functions are found.
var otherPrograms = source.WordSet(`.hs .lhs .ml .mli .mll .mly .fs .fsx .erl .clj .cljs .cljc .jl .r .nim .cr .f90 .f95 .f .tcl .el .vim .ps1
.sol .pas .adb .ads .lisp .scm .rkt .sv .vhd .elm .purs .coffee .jq .awk .cob .ahk .gleam .odin .v`)

// note says that most of the source is in a language whose functions are not known.
func (fs *files) note() string {
	most := ""
	for _, ext := range slices.Sorted(maps.Keys(fs.unknown)) {
		if fs.unknown[ext] > fs.unknown[most] {
			most = ext
		}
	}
	if fs.unknown[most] <= len(fs.paths) {
		return ""
	}
	return fmt.Sprintf("No function of the %d files in %s is listed: their language is not read.", fs.unknown[most], most)
}

func isProgram(p string) bool { return programs[strings.ToLower(path.Ext(p))] }
