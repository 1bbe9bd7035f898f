package gittool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// functionParams are the parameters of git_log_function.
type functionParams struct {
	Path     string `json:"path" arg:"required"`
	Function string `json:"function"`
	Start    int    `json:"start" arg:"min=0"`
	End      int    `json:"end" arg:"min=0"`
	Commit   string `json:"commit"`
	Since    string `json:"since"`
	Until    string `json:"until"`
	Max      int    `json:"max" arg:"min=1,max=100"`
	Page     int    `json:"page" arg:"min=0"`
}

// FunctionLog is the answer of git_log_function.
type FunctionLog struct {
	Path     string        `json:"path"`
	Function string        `json:"function,omitempty"`
	Start    int           `json:"start,omitempty"`
	End      int           `json:"end,omitempty"`
	Commit   string        `json:"commit"`
	Hits     []FunctionHit `json:"hits"` // newest first
	More     bool          `json:"more,omitempty"`
	Missing  string        `json:"missing,omitempty"` // an object that this clone lacks, at the end of the search
	Gap      *Gap          `json:"gap,omitempty"`     // the place of Missing
	Layout   bool          `json:"layout,omitempty"`  // git's pattern did not find the function; Start and End are its lines at Commit by the layout of the file
}

// FunctionHit is a commit that changed the function, and its changes.
type FunctionHit struct {
	Commit  Commit `json:"commit"`
	Path    string `json:"path"` // the file's name after the commit
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Hunks   []Hunk `json:"hunks"`
	Created bool   `json:"created,omitempty"` // the commit created the function
}

func newFunctionLog(b *scopedRepo) (agent.Tool, error) {
	t := gitTool[functionParams, FunctionLog]{
		deed:     agent.DeedBlame,
		version:  5,
		defaults: functionParams{Max: 20},
		page:     func(p *functionParams) int { n := p.Page; p.Page = 0; return n },
		prepare:  prepareFunctionLog,
		look:     lookFunctionLog,
		render:   (*FunctionLog).render,
	}
	return t.described("git_log_function", b)
}

func prepareFunctionLog(ctx context.Context, b *scopedRepo, p *functionParams) error {
	p.Function = strings.TrimSpace(p.Function)
	switch {
	case p.Function == "" && p.Start == 0:
		return refusef("give function, or start and end")
	case p.Function != "" && (p.Start != 0 || p.End != 0):
		return refusef("give function, or start and end, not both")
	case strings.ContainsAny(p.Function, "\n\r"):
		return refusef("the name of a function stands on one line")
	}
	if _, _, err := b.span(p.Since, p.Until); err != nil {
		return err
	}
	oid, text, err := b.openFile(ctx, &p.Commit, &p.Path)
	if err != nil {
		return err
	}
	if p.Function != "" {
		p.Function = declaredName(p.Function)
		if !bytes.Contains(text, []byte(bareName(p.Function))) {
			return refusef("%q does not occur in %s at %s; %s finds where it is", p.Function, p.Path, oid.Short(), b.opt.search())
		}
		return nil
	}
	p.Start, p.End, err = b.clip(p.Path, oid, p.Start, p.End, source.CountLines(text))
	return err
}

// declaredName extracts the name from other forms that models write: "foo()", "static int
// foo(struct x *y)", "Class::foo".
func declaredName(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, '('); i > 0 {
		s = s[:i]
	}
	if fields := strings.Fields(s); len(fields) > 0 {
		s = fields[len(fields)-1]
	}
	return strings.TrimLeft(s, "*&")
}

// bareName removes qualifiers such as "Class::", "obj->", "Class." and
// "Class#". Only C++ definitions have them, and not always.
func bareName(s string) string {
	for _, separator := range []string{"::", "->", ".", "#"} {
		if i := strings.LastIndex(s, separator); i >= 0 && i+len(separator) < len(s) {
			s = s[i+len(separator):]
		}
	}
	return strings.TrimLeft(s, "*&")
}

func lookFunctionLog(ctx context.Context, b *scopedRepo, p functionParams) (*FunctionLog, error) {
	v := &FunctionLog{Path: p.Path, Function: p.Function, Start: p.Start, End: p.End, Commit: p.Commit, Hits: []FunctionHit{}}
	since, until, err := b.span(p.Since, p.Until)
	if err != nil {
		return nil, err
	}
	opt := gitext.LogLOptions{Tip: gitext.OID(p.Commit), Path: p.Path, Start: p.Start, End: p.End,
		Since: since, Until: until, Max: p.Max + 1, Patch: true}
	entries, err := b.functionEntries(ctx, &opt, p.Function)
	if v.Layout = p.Function != "" && opt.Function == ""; v.Layout {
		v.Start, v.End = opt.Start, opt.End
	}
	walk := gitext.LogOptions{Tip: opt.Tip, Since: since, Until: until}
	if gitext.Unreadable(err) && len(entries) > 0 {
		v.Missing = missingObject(err)
		v.Gap = b.gapAt(ctx, walk, v.Missing)
	} else if err != nil {
		return nil, b.ended(ctx, err, walk, p.Path)
	}
	if len(entries) > p.Max {
		entries, v.More = entries[:p.Max], true
	}
	if len(entries) == 0 {
		return v, nil
	}
	var oids []gitext.OID
	for _, e := range entries {
		oids = append(oids, e.OID)
	}
	commits, err := b.repo.Commits(ctx, oids)
	if err != nil {
		return nil, err
	}
	for i, c := range commits {
		hit := b.functionHit(c, entries[i].Patch)
		hit.Created = p.Function != "" && hit.creates(bareName(p.Function))
		v.Hits = append(v.Hits, hit)
		if hit.Created { // git would continue with unrelated earlier lines
			v.More = false
			break
		}
	}
	return v, nil
}

// creates reports whether a commit created the function: its name is in added lines only,
// and few of its lines existed before. If only the heading changes, that is a rename.
func (h FunctionHit) creates(name string) bool {
	const mostKept = 0.25 // of the lines with letters or digits
	kept, fresh, named := 0, 0, false
	for _, hunk := range h.Hunks {
		for _, l := range hunk.Lines {
			holds := strings.Contains(l, name)
			if holds && l[0] != '+' {
				return false
			}
			named = named || holds
			switch {
			case !hasWord(l[1:]):
			case l[0] == '+':
				fresh++
			case l[0] == ' ':
				kept++
			}
		}
	}
	return named && float64(kept) <= mostKept*float64(kept+fresh)
}

func (b *scopedRepo) functionHit(c gitext.Commit, patch []byte) FunctionHit {
	hit := FunctionHit{Commit: b.commit(c), Hunks: b.scope.Redact.hunks(parseHunks(patch))}
	hit.Commit.Message = b.body(c.Message)
	for _, h := range hit.Hunks {
		added, deleted := h.counts()
		hit.Added, hit.Deleted = hit.Added+added, hit.Deleted+deleted
	}
	for line := range bytes.Lines(patch) {
		if name, ok := bytes.CutPrefix(line, []byte("+++ b/")); ok {
			hit.Path = agent.CleanLine(strings.TrimRight(string(name), "\t\r\n"))
			break
		}
	}
	if redacted(hit.Path) {
		hit.Hunks = nil
	}
	return hit
}

// functionEntries returns the history of a function. For a type it follows the whole
// body. Otherwise it searches for the qualified name, then for the bare name as a whole
// word, then for the bare name as any part of a function's heading. git matches the
// expression against the lines that its pattern for the language takes for headings, and
// uses the first match. If nothing matches, as for methods within a class,
// functionEntries follows the lines of the function by the layout of the file. It stores
// the followed lines in opt.
func (b *scopedRepo) functionEntries(ctx context.Context, opt *gitext.LogLOptions, name string) ([]gitext.LogLEntry, error) {
	if name == "" {
		return collectLog(b.repo.LogL(ctx, *opt))
	}
	text, err := b.text(ctx, opt.Tip, opt.Path)
	if err != nil {
		return nil, err
	}
	var git *gitcmd.Error
	bare := bareName(name)
	if start, end, ok := typeBody(bare, text); ok {
		body := *opt
		body.Start, body.End = start, end
		opt.Function = bare
		return collectLog(b.repo.LogL(ctx, body))
	}
	for _, form := range []string{wholeWord(name), wholeWord(bare), quoteBRE(bare)} {
		opt.Function = form
		entries, err := collectLog(b.repo.LogL(ctx, *opt))
		if err == nil || !errors.As(err, &git) || gitext.Unreadable(err) || ctx.Err() != nil {
			return entries, err
		}
	}
	if e, ok := functionLines(opt.Path, text, bare); ok {
		opt.Function, opt.Start, opt.End = "", e.Start, e.End
		return collectLog(b.repo.LogL(ctx, *opt))
	}
	return nil, refusef("no function %q was recognised in %s at %s; the name stands in %s. Give start and end instead",
		name, opt.Path, opt.Tip.Short(), whereIs(bare, text))
}

// collectLog reads a log to its end, or up to an error.
func collectLog(log func(func(gitext.LogLEntry, error) bool)) ([]gitext.LogLEntry, error) {
	var out []gitext.LogLEntry
	for entry, err := range log {
		if err != nil {
			return out, err
		}
		out = append(out, entry)
	}
	return out, nil
}

// wholeWord returns a basic regular expression that matches a line with the word. It
// avoids extensions that some C libraries lack.
func wholeWord(name string) string {
	return `^\(.*[^A-Za-z0-9_]\)\{0,1\}` + quoteBRE(name) + `\([^A-Za-z0-9_].*\)\{0,1\}$`
}

// quoteBRE quotes the special characters of a basic regular expression, the form for -L
// :.
func quoteBRE(s string) string {
	return regexp.MustCompile(`[][\\.*^$]`).ReplaceAllString(s, `\$0`)
}

// whereIs lists the first lines that contain name.
func whereIs(name string, text []byte) string {
	var at []string
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if bytes.Contains(line, []byte(name)) {
			if len(at) == maxNear {
				at = append(at, "...")
				break
			}
			at = append(at, fmt.Sprintf("L%d (%s)", n, agent.Shorten(strings.TrimSpace(agent.CleanLine(strings.TrimSpace(string(line)))), 60)))
		}
	}
	return strings.Join(at, ", ")
}
