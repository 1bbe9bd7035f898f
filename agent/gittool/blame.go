package gittool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/condense"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxFileBytes is the size of the largest file that tools read.
const maxFileBytes = 16 << 20

// blameParams are the parameters of git_blame.
type blameParams struct {
	Path        string `json:"path" arg:"required"`
	Start       int    `json:"start" arg:"min=0"`
	End         int    `json:"end" arg:"min=0"`
	Commit      string `json:"commit"`
	IgnoreSpace bool   `json:"ignore_space"`
	Moves       string `json:"moves" arg:"enum=none|file|files"`
	Page        int    `json:"page" arg:"min=0"`
}

// Blame is the answer of git_blame.
type Blame struct {
	Path    string      `json:"path"`
	Commit  string      `json:"commit"` // the commit at which the file was blamed
	Start   int         `json:"start"`
	End     int         `json:"end"`
	Total   int         `json:"total"` // lines in the file
	Lines   []BlameLine `json:"lines"`
	Commits []Commit    `json:"commits"` // newest first
}

// BlameLine is one line and its last change.
type BlameLine struct {
	Line     int    `json:"line"`
	Commit   string `json:"commit"`
	Path     string `json:"path"` // the file's name in Commit
	OrigLine int    `json:"orig_line"`
	Text     string `json:"text"`
}

func newBlame(b *scopedRepo) (agent.Tool, error) {
	t := gitTool[blameParams, Blame]{
		deed:     agent.DeedBlame,
		version:  1,
		defaults: blameParams{IgnoreSpace: true, Moves: "none"},
		page:     func(p *blameParams) int { n := p.Page; p.Page = 0; return n },
		prepare:  prepareBlame,
		look:     lookBlame,
		render:   (*Blame).render,
	}
	return t.described("git_blame", b)
}

func prepareBlame(ctx context.Context, b *scopedRepo, p *blameParams) error {
	oid, text, err := b.openFile(ctx, &p.Commit, &p.Path)
	if err != nil {
		return err
	}
	p.Start, p.End, err = b.clip(p.Path, oid, p.Start, p.End, source.CountLines(text))
	return err
}

// openFile replaces the commit and path parameters of a call with their resolved forms,
// and reads the file.
func (b *scopedRepo) openFile(ctx context.Context, commit, path *string) (oid gitext.OID, text []byte, err error) {
	if oid, err = b.resolve(ctx, commit); err != nil {
		return "", nil, err
	}
	if *path, err = b.locateFile(ctx, oid, *path); err != nil {
		return "", nil, err
	}
	text, err = b.text(ctx, oid, *path)
	return oid, text, err
}

// text reads a file and refuses one that is binary, too large or made for secrets.
func (b *scopedRepo) text(ctx context.Context, oid gitext.OID, path string) ([]byte, error) {
	if err := b.refuseRedacted(path); err != nil {
		return nil, err
	}
	data, err := b.repo.BlobAt(ctx, oid, path, maxFileBytes)
	var large *gitext.TooLargeError
	if errors.As(err, &large) {
		return nil, refusef("%q is larger than %d MiB at %s and is not read", path, maxFileBytes>>20, oid.Short())
	}
	if err != nil {
		return nil, err
	}
	if isBinary(data) {
		return nil, refusef("%q is a binary file at %s; it has no lines", path, oid.Short())
	}
	return data, nil
}

// isBinary applies git's rule: a NUL in the first 8000 bytes.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// clip limits a range to the lines of a file, and adds a note if it changed the range.
func (b *scopedRepo) clip(path string, oid gitext.OID, start, end, total int) (int, int, error) {
	switch {
	case total == 0:
		return 0, 0, refusef("%q is empty at %s", path, oid.Short())
	case start > total:
		return 0, 0, refusef("%q has only %s at %s; start is %d, and may be 1 to %d", path, agent.Plural(total, "line"), oid.Short(), start, total)
	case end > 0 && start > end:
		return 0, 0, refusef("start (%d) is behind end (%d)", start, end)
	}
	if end > total {
		b.notef("%q ends at line %d", path, total)
	}
	if end == 0 || end > total {
		end = total
	}
	return max(start, 1), end, nil
}

func lookBlame(ctx context.Context, b *scopedRepo, p blameParams) (*Blame, error) {
	opt := gitext.BlameOptions{IgnoreSpace: p.IgnoreSpace, Moves: p.Moves != "none"}
	if p.Moves == "files" {
		opt.Copies = 1
	}
	opt.Ranges = []gitext.LineRange{{Start: p.Start, End: p.End}}
	oid := gitext.OID(p.Commit)
	lines, err := b.repo.Blame(ctx, oid, p.Path, opt)
	if err != nil {
		return nil, err
	}
	text, err := b.text(ctx, oid, p.Path)
	if err != nil {
		return nil, err
	}
	v := &Blame{Path: agent.Clean(p.Path), Commit: p.Commit, Start: p.Start, End: p.End, Total: source.CountLines(text)}
	var oids []gitext.OID
	for _, l := range lines {
		oids = append(oids, l.Commit)
		v.Lines = append(v.Lines, BlameLine{Line: l.Line, Commit: string(l.Commit), Path: agent.Clean(l.Path), OrigLine: l.OrigLine,
			Text: line(b.scope.Redact.apply(string(l.Text)))})
	}
	v.Commits, err = b.commits(ctx, oids)
	return v, err
}

// rangeRoom is the room for a requested range, in characters. About 200 lines fit with
// all their code, without repeated hashes. If the range is too long, its end is cut, not
// lines in between.
const rangeRoom = 12000

// blameLevels limits the code at each level: the width of lines (0 is all), and the
// number of lines in each group of neighbouring lines from one commit.
var blameLevels = []struct {
	width, lines int
	once         bool // a group names its commit on its first line only
	missing      string
}{
	{missing: ""},
	{width: maxLineRunes, once: true, missing: "common indentation left out, a commit stands before the first of its lines only"},
	{width: 60, missing: "indentation and the ends of long lines left out"},
	{width: 36, missing: "indentation and the ends of lines left out"},
	{width: 60, lines: 6, missing: "at most 6 lines of each run of lines from one commit"},
	{width: 60, lines: 3, missing: "at most 3 lines of each run of lines from one commit"},
	{width: 60, lines: 1, missing: "only the first line of each run of lines from one commit"},
	{lines: -1, missing: "code left out"},
}

// render renders the blame. Each level shows less of the code; the last one only lists
// the lines of each commit.
func (v *Blame) render(detail int) condense.Layout {
	if detail == condense.Plain {
		return condense.Layout{Blocks: v.plain()}
	}
	out := condense.Layout{
		Head:   fmt.Sprintf("%s at %s, lines %d-%d of %d", v.Path, short(v.Commit), v.Start, v.End, v.Total),
		Legend: v.legend(), Unit: "runs of lines",
	}
	if v.isRange() {
		out.Narrow = "give a shorter range"
		if detail != condense.Full {
			out.Room = rangeRoom
		}
		if detail > 1 {
			return v.firstPart(out)
		}
	}
	if detail == len(blameLevels) {
		out.Blocks, out.Legend, out.Unit = v.byCommit(), nil, "commits"
		out.Missing, out.Last = "code left out, lines by commit", true
		return out
	}
	out.Missing, out.Blocks = blameLevels[detail].missing, v.atLevel(detail)
	return out
}

// atLevel renders the lines with the amount of code of a level.
func (v *Blame) atLevel(detail int) []condense.Block {
	level, hash := blameLevels[detail], v.hashes()
	width, indent := maxLineRunes, 0
	if level.width > 0 {
		width, indent = level.width, v.indent()
	}
	var out []condense.Block
	for _, group := range v.groups() {
		out = append(out, renderGroup(group, level.lines, level.once, hash[group[0].Commit], func(code string) string {
			if indent == 0 && level.width == 0 {
				return agent.Shorten(code, width)
			}
			return clip(strings.TrimRight(code[min(indent, len(code)):], " \t"), width)
		})...)
	}
	return out
}

// firstPart shows as many lines from the start of a long range as fit, and names the
// commits of the other lines.
func (v *Blame) firstPart(out condense.Layout) condense.Layout {
	lines := v.atLevel(1)
	with := func(n int) condense.Layout {
		part, rest := out, *v
		rest.Lines = rest.Lines[n:]
		part.Blocks = append(slices.Clip(lines[:n]), rest.spans()...)
		part.Room -= condense.NoteRoom
		return part
	}
	n := sort.Search(len(lines), func(n int) bool { part := with(n + 1); return !condense.Fits(part, part.Blocks, nil) })
	out.Blocks, out.Unit, out.Last = with(n).Blocks, "lines", true
	next := v.Start + n
	out.Missing = fmt.Sprintf("%s; the code from L%d on", blameLevels[1].missing, next)
	out.Narrow = fmt.Sprintf("give start=%d and end=%d", next, v.End)
	return out
}

// spans lists the first groups of lines without their code.
func (v *Blame) spans() []condense.Block {
	const most = 20
	hash := v.hashes()
	var out []condense.Block
	for i, group := range v.groups() {
		if i == most {
			return append(out, condense.Block{Text: fmt.Sprintf("... runs of lines from L%d on left out", group[0].Line)})
		}
		out = append(out, renderGroup(group, -1, false, hash[group[0].Commit], nil)...)
	}
	return out
}

// isRange reports whether the call asked for only a part of the file.
func (v *Blame) isRange() bool { return v.Start > 1 || v.End < v.Total }

// renderGroup renders keep lines of a group: all for 0, none for -1.
func renderGroup(group []BlameLine, keep int, once bool, hash string, code func(string) string) []condense.Block {
	refs := []string{group[0].Commit}
	if keep < 0 {
		return []condense.Block{{Text: span(group) + ": " + hash, Refs: refs}}
	}
	var out []condense.Block
	for i, l := range group {
		if keep > 0 && i == keep && len(group) > keep+1 {
			rest := fmt.Sprintf("%s: %s | ... (%d more)", span(group[i:]), hash, len(group)-keep)
			return append(out, condense.Block{Text: rest, Refs: refs})
		}
		if once && i > 0 {
			out = append(out, condense.Block{Text: strings.TrimRight(fmt.Sprintf("L%d: | %s", l.Line, code(l.Text)), " "), Refs: refs})
			continue
		}
		out = append(out, condense.Block{Text: strings.TrimRight(fmt.Sprintf("L%d: %s | %s", l.Line, hash, code(l.Text)), " "), Refs: refs})
	}
	return out
}

// indent returns the number of blanks or tabs at the beginning of all lines.
func (v *Blame) indent() int {
	common, first := -1, ""
	for _, l := range v.Lines {
		rest := strings.TrimLeft(l.Text, " \t")
		if rest == "" {
			continue
		}
		space := l.Text[:len(l.Text)-len(rest)]
		if common < 0 {
			common, first = len(space), space
		}
		n := 0
		for n < min(common, len(space)) && space[n] == first[n] {
			n++
		}
		common = n
	}
	return max(common, 0)
}

// groups returns the groups of neighbouring lines from one commit.
func (v *Blame) groups() [][]BlameLine {
	var groups [][]BlameLine
	from := 0
	for i := range v.Lines {
		if i+1 == len(v.Lines) || v.Lines[i+1].Commit != v.Lines[from].Commit {
			groups = append(groups, v.Lines[from:i+1])
			from = i + 1
		}
	}
	return groups
}

// byCommit renders one block for each commit: the commit and the ranges of its lines.
func (v *Blame) byCommit() []condense.Block {
	const most = 6
	spans, lines := map[string][]string{}, map[string]int{}
	for _, group := range v.groups() {
		oid := group[0].Commit
		lines[oid] += len(group)
		spans[oid] = append(spans[oid], span(group))
	}
	var out []condense.Block
	for _, c := range v.withOldNames() {
		at := spans[c.OID]
		text := fmt.Sprintf("%s\n  %d line(s): %s", c.line(), lines[c.OID], strings.Join(at[:min(most, len(at))], ", "))
		if len(at) > most {
			text += fmt.Sprintf(", ... (%d more runs)", len(at)-most)
		}
		out = append(out, condense.Block{Text: text})
	}
	return out
}

// span names the lines of a group.
func span(group []BlameLine) string {
	if len(group) == 1 {
		return fmt.Sprintf("L%d", group[0].Line)
	}
	return fmt.Sprintf("L%d-L%d", group[0].Line, group[len(group)-1].Line)
}

// hashes abbreviates the commits to eight digits, or more if two of them begin alike: the
// hash on every line takes most of blame's tokens.
func (v *Blame) hashes() map[string]string {
	const shortest = 8
	out := map[string]string{}
	for n := shortest; ; n += 4 {
		taken := map[string]bool{}
		for _, c := range v.Commits {
			out[c.OID] = c.OID[:min(n, len(c.OID))]
			taken[out[c.OID]] = true
		}
		if len(taken) == len(v.Commits) {
			return out
		}
	}
}

// withOldNames returns the commits, each with the file's name in that commit if the name
// was different. Looking further back needs that name.
func (v *Blame) withOldNames() []Commit {
	name := map[string]string{}
	for _, l := range v.Lines {
		if l.Path != v.Path {
			name[l.Commit] = l.Path
		}
	}
	var out []Commit
	for _, c := range v.Commits {
		if was := name[c.OID]; was != "" {
			c.Note = strings.TrimPrefix(c.Note+"; ", "; ") + fmt.Sprintf("file was %s", was)
		}
		out = append(out, c)
	}
	return out
}

// legend explains the commits.
func (v *Blame) legend() []condense.Reference {
	var out []condense.Reference
	for _, c := range v.withOldNames() {
		out = append(out, condense.Reference{Commit: c.OID, Line: c.line()})
	}
	return out
}

// plain renders the lines like git blame.
func (v *Blame) plain() []condense.Block {
	byOID := map[string]Commit{}
	for _, c := range v.Commits {
		byOID[c.OID] = c
	}
	var out []condense.Block
	for _, l := range v.Lines {
		c := byOID[l.Commit]
		out = append(out, condense.Block{Text: fmt.Sprintf("%s %s (%s %s %d) %s", short(l.Commit), l.Path, c.Author,
			c.Date.Format(time.DateTime+" -0700"), l.Line, agent.Shorten(l.Text, plainLineRunes))})
	}
	return out
}
