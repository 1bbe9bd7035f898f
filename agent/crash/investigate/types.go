package investigate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/secret"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Limits on the declarations of the names at the failing lines.
const (
	maxTerms      = 3    // names
	maxTermText   = 1400 // characters of all
	shortTerm     = 24   // lines of a declaration that is shown whole
	aboveFailing  = 3    // lines before a frame's line in which constants are looked for
	framesOfTerms = 2    // innermost frames of the project whose constants are looked for
)

// Names at a failing line, and how the heading of its function declares their types.
var (
	constant = source.Lazy(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)
	owner    = source.Lazy(`\b([A-Za-z_]\w*)\s*(?:\.|->|\[)`)
	// C, C++, Java: const struct type *name
	typedBefore = `\b([A-Za-z_]\w*)(?:<[^()]*?>)?[\s*&]+%s\s*(?:[,)\[=]|$)`
	// Go: name *pkg.Type
	typedBehind = `\b%s(?:,\s*\w+)*\s+(?:\[\])?\*?(?:\w+\.)?([A-Z_a-z]\w*)`
	// Python, Rust, Kotlin, TypeScript: name: Type
	typedColon = `\b%s\??\s*:\s*&?(?:mut\s+)?(?:\w+(?:::|\.))*([A-Z]\w*)`
)

// plainTypes are types that no project declares.
var plainTypes = map[string]bool{
	"int": true, "char": true, "void": true, "string": true, "bool": true, "byte": true, "error": true, "any": true, "long": true, "short": true,
	"unsigned": true, "float": true, "double": true, "size_t": true, "const": true, "struct": true, "String": true, "Object": true, "List": true,
	"Map": true, "Context": true, "interface": true, "func": true, "map": true, "return": true, "new": true,
}

// termText shows the declarations of what the failing lines name and no excerpt shows: the types of
// the arguments that the failing line reaches into, and the constants at the innermost frames.
func (d *investigation) termText(ctx context.Context, code string) (string, error) {
	if d.sees.NoDefinitions || d.tools.Finder == nil {
		return "", nil
	}
	var b strings.Builder
	shown := 0
	err := d.eachTerm(ctx, func(name, of string, at symbol.Place) error {
		if shown == maxTerms || b.Len() > maxTermText {
			return nil
		}
		text, err := d.declarationOf(ctx, name, of, at, code)
		if text != "" && b.Len()+len(text) <= maxTermText {
			b.WriteString(text)
			shown++
		}
		return err
	})
	return b.String(), err
}

// A term is a name at a failing line that a reader may have to look up.
type term struct {
	name string
	of   string // the argument of that type, "" for a constant
}

// eachTerm calls take for the terms at the innermost frames of the project, each once.
func (d *investigation) eachTerm(ctx context.Context, take func(name, of string, at symbol.Place) error) error {
	first, ok := d.failingFrame()
	if !ok {
		return nil
	}
	known, frames := map[string]bool{}, 0
	for i, f := range d.q.Report.Stacks[first.Stack].Frames {
		if i < first.Frame || f.Path == "" || frames == framesOfTerms {
			continue
		}
		frames++
		lines, err := d.linesOf(ctx, f.Path)
		if err != nil {
			return err
		}
		site, ok := d.siteOf(crash.FrameRef{Stack: first.Stack, Frame: i}, lines)
		if !ok || site.At < 1 || site.At > len(lines) {
			continue
		}
		for _, t := range termsAt(f.Path, lines, site, i == first.Frame) {
			if known[t.name] || plainTypes[t.name] {
				continue
			}
			known[t.name] = true
			if err := take(t.name, t.of, symbol.Place{Path: f.Path, Line: site.At}); err != nil {
				return err
			}
		}
	}
	return nil
}

// termsAt returns the terms at the line of a frame: the types of the arguments that the line reaches
// into, if it is the innermost one, and the constants on it and on the lines above.
func termsAt(file string, lines [][]byte, site locate.Site, innermost bool) (terms []term) {
	if innermost && site.Function.End > 0 {
		heading := joined(lines, site.Function.Start, max(site.Function.Start, site.Function.Body))
		for _, m := range owner().FindAllStringSubmatch(string(lines[site.At-1]), -1) {
			if name := typeIn(file, heading, m[1]); name != "" {
				terms = append(terms, term{name, m[1]})
			}
		}
	}
	for _, name := range constant().FindAllString(joined(lines, max(1, site.Function.Start, site.At-aboveFailing), site.At), -1) {
		terms = append(terms, term{name: name})
	}
	return terms
}

func joined(lines [][]byte, first, last int) string {
	var b strings.Builder
	for _, l := range lines[max(first, 1)-1 : min(last, len(lines))] {
		b.Write(l)
		b.WriteByte(' ')
	}
	return b.String()
}

// typeIn returns the type that the heading of a function gives an argument, "" if it has none.
func typeIn(file, heading, argument string) string {
	form := typedBefore
	switch path.Ext(file) {
	case ".go":
		form = typedBehind
	case ".py", ".pyi", ".rs", ".kt", ".ts", ".tsx", ".swift", ".scala":
		form = typedColon
	}
	m := regexp.MustCompile(fmt.Sprintf(form, regexp.QuoteMeta(argument))).FindStringSubmatch(heading)
	if m == nil || m[1] == argument {
		return ""
	}
	return m[1]
}

// declarationOf renders the declaration of a type or a constant, "" if none is found or an excerpt
// shows it.
func (d *investigation) declarationOf(ctx context.Context, name, of string, at symbol.Place, code string) (string, error) {
	found, err := d.tools.Finder.Lookup(ctx, name, at)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, symbol.ErrNoName) || gitext.Unreadable(err):
		return "", nil
	case err != nil:
		return "", err
	}
	i := slices.IndexFunc(found.Definitions, func(def symbol.Definition) bool {
		local := def.Kind == symbol.Local || def.Kind == symbol.Parameter || def.Kind == symbol.Function
		return !local && !def.Declared && !source.IsTestPath(def.Path) && !secret.MustRedact(def.Path)
	})
	if i < 0 {
		return "", nil
	}
	def := found.Definitions[i]
	lines, err := d.linesOf(ctx, def.Path)
	if err != nil || def.Line < 1 || def.Line > len(lines) {
		return "", err
	}
	if shown := d.tools.Numbered(lines, def.Line, def.Line, 0); strings.Contains(code, shown[1:]) {
		return "", nil
	}
	what := name
	if of != "" {
		what = fmt.Sprintf("%s, the type of %s", name, of)
	}
	text := fmt.Sprintf("## %s, %s\n", agent.CleanLine(what), agent.CleanLine(def.Path))
	last := min(max(def.End, def.Line), len(lines))
	if last-def.Line >= shortTerm {
		return text + d.partsOf(lines, def.Line, last, at), nil
	}
	return text + d.tools.Numbered(lines, def.Line, last, 0), nil
}

// partsOf renders of a long declaration its first line, and the lines with names of the failing line.
func (d *investigation) partsOf(lines [][]byte, first, last int, at symbol.Place) string {
	text := d.tools.Numbered(lines, first, first, 0)
	const most = 8
	words := strings.FieldsFunc(string(d.texts[at.Path][at.Line-1]), source.NotIdent)
	shown := 0
	for n := first + 1; n <= last && shown < most; n++ {
		if slices.ContainsFunc(words, func(w string) bool {
			return len(w) > 2 && !source.IsKeyword(w) && source.WordIndex(string(lines[n-1]), w) >= 0
		}) {
			text += d.tools.Numbered(lines, n, n, 0)
			shown++
		}
	}
	return text
}
