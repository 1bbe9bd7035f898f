package symbol

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// The limits of one lookup.
const (
	maxUses     = 20_000  // lines with the name
	maxUseFile  = 4 << 20 // bytes of the file of the use
	maxTextFile = 8 << 20 // bytes of a file from which one line is read
)

// A lookup is the state of the search for one name.
type lookup struct {
	*Finder
	query
	at      Place
	uses    []gitext.GrepMatch
	lines   [][]byte // of the file of the use, nil if it was not read
	found   Found
	hasType bool     // a type of the name is among the definitions
	owner   []string // words of the type whose member the name is
	local   bool     // the first definition is local
	ran     bool     // ctags read the files with the name
	weak    bool     // the definitions only look like variables, which may be local elsewhere
}

// search finds the lines with the name. If a name has very many uses, search finds only the first
// ones and those near the place.
func (l *lookup) search(ctx context.Context) error {
	opt := gitext.GrepOptions{Pattern: l.name, Fixed: true, Word: true, Max: maxUses, Width: maxText}
	if err := l.grep(ctx, opt); err != nil || len(l.uses) < maxUses {
		return err
	}
	l.note("%q is on more than %d lines; not all of them were looked at", l.name, maxUses)
	if dir := path.Dir(l.at.Path); dir != "." {
		opt.Paths = []string{dir}
		return l.grep(ctx, opt)
	}
	return nil
}

// grep adds lines to the uses. It notes files that cannot be read.
func (l *lookup) grep(ctx context.Context, opt gitext.GrepOptions) error {
	uses, err := l.repo.Grep(ctx, l.commit, opt)
	if err != nil {
		if !gitext.Unreadable(err) {
			return err
		}
		l.note("not all files were searched: %s", gitext.WhyUnread(err))
	}
	l.uses = append(l.uses, uses...)
	slices.SortStableFunc(l.uses, compareUses)
	l.uses = slices.CompactFunc(l.uses, func(a, b gitext.GrepMatch) bool { return compareUses(a, b) == 0 })
	return nil
}

func compareUses(a, b gitext.GrepMatch) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line)
}

// findUse reads the file of the place and finds the nearest use in it.
func (l *lookup) findUse(ctx context.Context) error {
	if l.at.Path == "" {
		return nil
	}
	blob, err := l.repo.BlobAt(ctx, l.commit, l.at.Path, maxUseFile)
	switch {
	case errors.Is(err, gitext.ErrNotExist):
		l.note("%q is not a file of the commit", l.at.Path)
		l.at = Place{}
		return nil
	case gitext.Unreadable(err):
		l.note("%q was not read: %s", l.at.Path, gitext.WhyUnread(err))
		return nil
	case err != nil:
		return err
	}
	l.lines = bytes.Split(blob, []byte("\n"))
	best := 0
	for i, line := range l.lines {
		if source.WordIndex(string(line), l.name) >= 0 && (best == 0 || distance(i+1, l.at.Line) < distance(best, l.at.Line)) {
			best = i + 1
			if l.at.Line <= best {
				break
			}
		}
	}
	if best > 0 {
		l.found.Used = Place{Path: l.at.Path, Line: best}
		if l.form == anyForm {
			l.form = formOf(string(l.lines[best-1]), l.name)
		}
	}
	return nil
}

func distance(a, b int) int { return max(a-b, b-a) }

// lineOf returns the text of a line of the commit, or "" if it cannot be read.
func (l *lookup) lineOf(ctx context.Context, p string, line int) string {
	i, ok := slices.BinarySearchFunc(l.uses, gitext.GrepMatch{Path: p, Line: line}, compareUses)
	text := []byte(nil)
	if ok {
		text = l.uses[i].Text
	}
	if p == l.at.Path && line >= 1 && line <= len(l.lines) {
		text = l.lines[line-1]
	}
	if len(text) == 0 {
		blob, err := l.repo.BlobAt(ctx, l.commit, p, maxTextFile)
		if err != nil {
			return ""
		}
		text = lineIn(blob, line)
	}
	return strings.TrimRight(string(text[:min(len(text), maxText)]), " \t\r")
}

// maxText limits the text of a definition, in bytes.
const maxText = 1000

// lineIn returns a line of a blob. Lines count from 1.
func lineIn(blob []byte, line int) []byte {
	for ; line > 1; line-- {
		_, rest, ok := bytes.Cut(blob, []byte("\n"))
		if !ok {
			return nil
		}
		blob = rest
	}
	text, _, _ := bytes.Cut(blob, []byte("\n"))
	return text
}

// families maps extensions to groups of languages that share definitions.
var families = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	for family, extensions := range map[string]string{
		"c":      ".c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .inc .ipp .tcc .tpp .def .m .mm .cu .cuh .y .l .ypp .lpp .re .s .asm",
		"java":   ".java .kt .kts .scala .groovy .clj",
		"script": ".js .ts .mjs .cjs .jsx .tsx .vue .coffee",
		"go":     ".go",
		"python": ".py .pyx .pxd .pxi .pyi",
		"rust":   ".rs",
		"ruby":   ".rb .rake",
		"perl":   ".pl .pm .xs",
		"php":    ".php .phtml",
		"net":    ".cs .vb .fs",
		"shell":  ".sh .bash .zsh .ebuild .eclass",
		"other":  ".swift .d .dart .lua .tcl .erl .hrl .ex .exs .ml .mli .hs .lisp .el .scm .vala .pas .f .f90 .f95 .f03 .ada .adb .ads .vim .r .jl .v .sv .vhd .vhdl .proto .sql .thrift .zig .nim .cob .bas .awk .m4",
	} {
		for _, ext := range strings.Fields(extensions) {
			known[ext] = family
		}
	}
	return known
})

// familyOf returns the family of a file's language, or "" if it is unknown.
func familyOf(p string) string {
	return families()[strings.ToLower(path.Ext(strings.TrimSuffix(p, ".in")))]
}

// isSource reports whether a file can define names.
func isSource(p string) bool {
	return familyOf(p) != "" || path.Ext(p) == "" && source.FileKindOf(p) != source.OtherFile
}
