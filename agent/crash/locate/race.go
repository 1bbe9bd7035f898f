package locate

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Limits on the declarations of racing fields.
const (
	maxRaces       = 3 // races of a report
	maxRacing      = 3 // declarations
	maxFieldHits   = 2000
	shortType      = 24   // lines of a declaration that is shown whole
	maxAround      = 12   // lines of a longer one
	maxTypeLines   = 2000 // lines that are searched for the heading of a type
	maxDeclaration = 4 << 20
)

// Racing returns the declarations of the fields that the racing lines of a report have in common:
//
//	Read at ... server.go:41     if s.conn == nil {
//	Previous write ... :77       s.conn = dial()
//
// Both have the field conn, which type Server declares. The type of the function's receiver is
// preferred, then a type in the same file, then one in the same folder.
func Racing(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) ([]crash.Declaration, error) {
	files := textsOf{ctx: ctx, repo: repo, commit: commit, known: map[string][][]byte{}}
	var out []crash.Declaration
	for _, frames := range races(report) {
		fields, err := racingFields(report, &files, frames)
		if err != nil {
			return out, err
		}
		for _, field := range fields {
			known := slices.ContainsFunc(out, func(d crash.Declaration) bool { return d.Field == field })
			if known || len(out) == maxRacing {
				continue
			}
			d, err := files.declare(field, frames)
			if err != nil {
				return out, err
			}
			if d != nil {
				out = append(out, *d)
			}
		}
	}
	return out, nil
}

// races returns the innermost frames in the repository of both accesses, for each data race.
func races(report *crash.Report) [][]crash.Frame {
	var out [][]crash.Frame
	for i, p := range report.Problems {
		if p.Kind != "data race" || len(out) == maxRaces {
			continue
		}
		var frames []crash.Frame
		for _, st := range report.Stacks {
			if st.Problem != i || st.Kind != crash.StackCrash && st.Kind != crash.StackAccess {
				continue
			}
			for _, f := range st.Frames {
				if line, _ := f.Place(); f.Path != "" && line > 0 {
					frames = append(frames, f)
					break
				}
			}
		}
		if len(frames) > 0 {
			out = append(out, frames)
		}
	}
	return out
}

// selected matches a field behind a dot or an arrow, and what follows it.
var selected = source.Lazy(`(?:\.|->)([A-Za-z_]\w*)(\s*\()?`)

// assigned matches the left side of an assignment:
//
//	fi, err = p.storage.ReadVersion(ctx)
var assigned = source.Lazy(`^(?:\s*(?:if|for|switch|case|return)\b[^=]*?[ (])?([^=!<>(]*?)\s*(?:[-+*/%&|^]|<<|>>|:)?=(?:[^=]|$)`)

// fieldsOf returns the fields that a text selects, without methods that it calls.
func fieldsOf(text []byte) []string {
	var fields []string
	for _, m := range selected().FindAllSubmatch(text, -1) {
		if name := string(m[1]); len(m[2]) == 0 && !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return fields
}

// writes reports whether a racing frame is the innermost one of the access that wrote.
func writes(report *crash.Report, f crash.Frame) bool {
	return slices.ContainsFunc(report.Stacks, func(s crash.Stack) bool {
		title := strings.ToLower(s.Title)
		return strings.Contains(title, "write") && len(s.Frames) > 0 && s.Frames[0].ReportLine == f.ReportLine
	})
}

// racingFields returns the fields that all racing lines have. If there is none, it returns those that
// the line of the write assigns: fi, err = p.storage.Read() assigns no field, whatever it reads. Of a
// single line it returns all fields.
func racingFields(report *crash.Report, files *textsOf, frames []crash.Frame) ([]string, error) {
	var common, set []string
	read := 0
	for _, f := range frames {
		lines, err := files.of(f.Path)
		if err != nil {
			return nil, err
		}
		line, _ := f.Place()
		if line > len(lines) {
			continue
		}
		fields := fieldsOf(lines[line-1])
		if m := assigned().FindSubmatch(lines[line-1]); m != nil && writes(report, f) {
			set = append(set, fieldsOf(m[1])...)
		}
		if read++; read == 1 {
			common = fields
		} else {
			common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(fields, name) })
		}
	}
	if len(common) == 0 {
		return set, nil
	}
	return common, nil
}

// textsOf reads the files of a commit once.
type textsOf struct {
	ctx    context.Context
	repo   *gitext.Repo
	commit gitext.OID
	known  map[string][][]byte
}

// of returns the lines of a file; a file that cannot be read has none.
func (t *textsOf) of(name string) ([][]byte, error) {
	if lines, ok := t.known[name]; ok {
		return lines, nil
	}
	text, err := t.repo.BlobAt(t.ctx, t.commit, name, maxDeclaration)
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	t.known[name] = source.SplitLines(text)
	return t.known[name], nil
}

// declare finds the declaration of a field near the racing frames, or nil.
func (t *textsOf) declare(field string, frames []crash.Frame) (*crash.Declaration, error) {
	dir := path.Dir(frames[0].Path)
	for _, paths := range [][]string{{dir}, nil} {
		if dir == "." && paths != nil {
			paths = nil
		}
		hits, err := t.repo.Grep(
			t.ctx,
			t.commit,
			gitext.GrepOptions{Pattern: field, Fixed: true, Word: true, Paths: paths, Max: maxFieldHits, Width: 300},
		)
		if err != nil && !gitext.Unreadable(err) {
			return nil, err
		}
		var best *crash.Declaration
		score := -1
		for _, h := range hits {
			if !sameLanguage(h.Path, frames[0].Path) || !declaresField(h.Path, h.Text, field) {
				continue
			}
			lines, err := t.of(h.Path)
			if err != nil {
				return nil, err
			}
			d, ok := declaration(h.Path, lines, h.Line, field)
			if n := nearness(d, frames); ok && n > score {
				best, score = d, n
			}
		}
		if best != nil {
			return best, nil
		}
	}
	return nil, nil
}

// sameLanguage reports whether a file may declare the types of another one: both are in Go, or in C
// or C++.
func sameLanguage(a, b string) bool {
	native := []string{".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc"}
	return path.Ext(a) == path.Ext(b) || slices.Contains(native, path.Ext(a)) && slices.Contains(native, path.Ext(b))
}

// nearness orders declarations of one field: in the type that a frame's function belongs to, in the
// file of a frame, in its folder, elsewhere.
func nearness(d *crash.Declaration, frames []crash.Frame) int {
	best := 0
	for _, f := range frames {
		for _, part := range strings.FieldsFunc(f.Function, func(r rune) bool { return strings.ContainsRune(".:()*", r) }) {
			if d != nil && part == d.Type {
				best = max(best, 3)
			}
		}
		switch {
		case d == nil:
		case f.Path == d.Path:
			best = max(best, 2)
		case path.Dir(f.Path) == path.Dir(d.Path):
			best = max(best, 1)
		}
	}
	return best
}

var (
	goField = source.Lazy(
		`^\s+(\w+(?:\s*,\s*\w+)*)\s+(?:\*|\[|map\b|chan\b|<-|func\b|struct\b|interface\b|[A-Za-z_][\w.]*(?:\[|\s|$|` + "`" + `|//))`,
	)
	cField = source.Lazy(
		`^\s+(?:[A-Za-z_][\w:]*(?:<[^;]*>)?[\s*&]+)+(\w+)(?:\s*\[[^\]]*\])*\s*(?::\s*\d+|=[^=;]*|\{[^;]*\})?\s*(?:GUARDED_BY\([^)]*\)\s*)?[;,]`,
	)
	noField = source.Lazy(`^\s*(?:return|goto|else|delete|throw|using|typedef|case|var|const|type|import|package|func)\b`)
)

// declaresField reports whether a line looks like the declaration of a field.
func declaresField(file string, line []byte, field string) bool {
	if noField().Match(line) {
		return false
	}
	pattern := cField
	if path.Ext(file) == ".go" {
		pattern = goField
	}
	m := pattern().FindSubmatch(line)
	if m == nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(string(m[1]), ","), func(name string) bool { return strings.TrimSpace(name) == field })
}

var (
	goType  = source.Lazy(`^\s*(?:type\s+)?(\w+)(?:\[[^\]]*\])?\s+struct\s*\{`)
	cType   = source.Lazy(`\b(?:struct|class|union)\b(?:\s+(?:alignas\([^)]*\)|__attribute__\(\([^)]*\)\)|[A-Z_]{4,}))*\s*(\w+)?[^;()]*$`)
	cName   = source.Lazy(`^\s*\}\s*(?:__attribute__\(\([^)]*\)\)\s*)?\**(\w+)\s*;`)
	between = source.Lazy(`^\s*(?:\{\s*$|(?:public|private|protected)\b[^;]*:\s*$|#|//|/\*|\*)`)
	isLock  = source.Lazy(`(?i)\b(?:sync\.|atomic\b)|mutex|lock\b|_lock|spinlock|rwlock`)
)

// declaration returns the declaration of the type around a line that looks like a field's. It
// returns false if the line is in no type.
func declaration(file string, lines [][]byte, line int, field string) (*crash.Declaration, bool) {
	heading := cType
	if path.Ext(file) == ".go" {
		heading = goType
	}
	first, name, ok := headingAbove(lines, line, heading())
	if !ok {
		return nil, false
	}
	last := line
	within := func(l []byte) bool {
		return source.IndentColumns(l) > source.IndentColumns(lines[first-1]) || !bytes.HasPrefix(bytes.TrimSpace(l), []byte("}"))
	}
	for last < len(lines) && last-line < maxTypeLines && within(lines[last-1]) {
		last++
	}
	if m := cName().FindSubmatch(lines[last-1]); m != nil && name == "" {
		name = string(m[1])
	}
	d := &crash.Declaration{Field: field, Type: name, Path: file, Line: line}
	for n := first; n <= last; n++ {
		text := string(bytes.TrimRight(lines[n-1], " \t\r"))
		whole := last-first < shortType
		beside := n == first || n == last || n == line || n == line-1 || isLock().MatchString(text)
		if whole || beside && len(d.Lines) < maxAround || n == line {
			d.Lines = append(d.Lines, crash.DeclarationLine{Line: n, Text: text})
		}
	}
	return d, true
}

// headingAbove returns the line above a field that begins its type, and the name of the type.
func headingAbove(lines [][]byte, line int, heading *regexp.Regexp) (first int, name string, ok bool) {
	depth := source.IndentColumns(lines[line-1])
	for n := line - 1; n >= 1 && line-n < maxTypeLines; n-- {
		text := lines[n-1]
		if len(bytes.TrimSpace(text)) == 0 || source.IndentColumns(text) >= depth || between().Match(text) {
			continue
		}
		m := heading.FindSubmatch(text)
		if m == nil {
			return 0, "", false
		}
		return n, cmp.Or(string(m[1]), ""), true
	}
	return 0, "", false
}
