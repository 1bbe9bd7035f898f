package locate

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Limits on the search for the functions of C that programs in Go call.
const (
	maxCgo      = 20      // functions
	maxCgoLines = 4000    // lines with their names
	maxCgoFile  = 2 << 20 // bytes of a file in Go
	maxCgoWidth = 1000    // bytes of a line
)

// cgoSources are the extensions of files that cgo compiles, or that such files include.
var cgoSources = map[string]bool{
	".c": true, ".h": true, ".cc": true, ".cpp": true, ".cxx": true, ".hh": true, ".hpp": true, ".hxx": true, ".m": true, ".mm": true, ".inc": true,
}

// OfCgo reports whether a frame is of the function in Go by which a program calls one of C. Its file is
// made when the program is built.
func OfCgo(f crash.Frame) bool {
	return strings.HasPrefix(f.Function, "C.") && (strings.Contains(f.Symbol, "._Cfunc_") || strings.Contains(f.Symbol, "._C2func_"))
}

// mapCgo maps the calls of functions in C to the only file of the commit that defines the function: a
// source or a header in C, or a comment before the import of "C" in a file in Go. Functions that no
// file or several define are those of a library, or belong to other programs.
func mapCgo(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) error {
	names, frames := cgoCalls(report)
	if len(names) == 0 {
		return nil
	}
	defined, err := symbol.Find(ctx, repo, commit, names)
	if err != nil && !gitext.Unreadable(err) {
		return err
	}
	inGo, err := preambles(ctx, repo, commit, names)
	if err != nil && !gitext.Unreadable(err) {
		return err
	}
	for _, name := range names {
		list := slices.DeleteFunc(slices.Clone(defined[name]), func(d symbol.Definition) bool {
			return d.Kind != symbol.Function || !cgoSources[strings.ToLower(path.Ext(d.Path))]
		})
		list = append(list, inGo[name]...)
		if len(list) == 0 || slices.ContainsFunc(list, func(d symbol.Definition) bool { return d.Path != list[0].Path }) {
			continue
		}
		for _, f := range frames[name] {
			f.Path, f.Rule, f.DefinedAt = list[0].Path, string(RuleSymbol), list[0].Line
			f.Moved = f.Line > 0 // which is a line of the generated file
		}
	}
	return err
}

// cgoCalls returns the names of the functions in C that frames without a file call, and these frames.
func cgoCalls(report *crash.Report) (names []string, frames map[string][]*crash.Frame) {
	frames = map[string][]*crash.Frame{}
	for i := range report.Stacks {
		for j := range report.Stacks[i].Frames {
			f := &report.Stacks[i].Frames[j]
			if f.Path != "" || !OfCgo(*f) {
				continue
			}
			name := symbol.Last(f.Function)
			if !symbol.IsIdentifier(name) || Foreign(crash.Frame{Function: name}) || frames[name] == nil && len(names) == maxCgo {
				continue
			}
			if frames[name] == nil {
				names = append(names, name)
			}
			frames[name] = append(frames[name], f)
		}
	}
	return names, frames
}

// importsC is the line that ends a preamble.
var importsC = source.Lazy(`(?m)^import[ \t]+"C"`)

// preambles returns the definitions of functions in C that stand before the import of "C" in files
// in Go, by name.
func preambles(ctx context.Context, repo *gitext.Repo, commit gitext.OID, names []string) (map[string][]symbol.Definition, error) {
	alternatives := strings.Join(names, "|") // which are identifiers
	matches, err := repo.Grep(ctx, commit, gitext.GrepOptions{Pattern: alternatives, Word: true, Max: maxCgoLines, Width: maxCgoWidth})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	heading := regexp.MustCompile(`^(?://)?[ \t]*(?:[A-Za-z_]\w*[ \t*]+)+(` + alternatives + `)[ \t]*\([^;]*$|` +
		`^(?://)?[ \t]*(?:[A-Za-z_]\w*[ \t*]+)+(` + alternatives + `)[ \t]*\([^;]*\)[ \t]*\{`)
	found, ends := map[string][]symbol.Definition{}, map[string]int{} // ends by path: the line of the import, or 0
	for _, m := range matches {
		h := heading.FindSubmatch(m.Text)
		if path.Ext(m.Path) != ".go" || h == nil || bytes.HasPrefix(m.Text, []byte("func ")) {
			continue
		}
		end, known := ends[m.Path]
		if !known {
			if text, failed := repo.BlobAt(ctx, commit, m.Path, maxCgoFile); failed == nil {
				if at := importsC().FindIndex(text); at != nil {
					end = 1 + bytes.Count(text[:at[0]], []byte("\n"))
				}
			}
			ends[m.Path] = end
		}
		if name := string(h[1]) + string(h[2]); m.Line < end {
			found[name] = append(found[name], symbol.Definition{Path: m.Path, Line: m.Line, Text: string(m.Text), Kind: symbol.Function})
		}
	}
	return found, err
}
