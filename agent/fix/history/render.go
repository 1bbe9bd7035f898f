package history

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// bytesPerToken is the estimate of a token's size.
const bytesPerToken = 4

// minShare is how many bytes a part of the text has at least; with fewer it is left out.
const minShare = 300

// Render writes the commits of a history for a prompt: what each is, which suspected
// lines it wrote, and a section for each heuristic. kinds may be empty; Auto stands for
// fl_diff, and None for no text.
//
// The text has at most tokens tokens, at 4 bytes each, but each commit has its heading
// even if that is more. The first commits get more room than the later ones. What is left out is said in the text, and in said, one clause for
// each cut. Hidden characters are escaped; secrets are the caller's to mask.
func Render(ctx context.Context, repo *gitext.Repo, h *fix.History, kinds []fix.Heuristic, tokens int) (text string, said []string, err error) {
	if h == nil || slices.Contains(kinds, None) {
		return "", nil, nil
	}
	var blocks []block
	room := tokens * bytesPerToken
	for _, entries := range byCommit(h.Blamed) {
		head, err := commitHead(ctx, repo, entries)
		if err != nil {
			return "", nil, err
		}
		sections, err := sectionsOf(ctx, repo, entries, kinds)
		if err != nil {
			return "", nil, err
		}
		room -= len(head) + 2
		blocks = append(blocks, block{head, sections, entries[0].Commit.OID.Short()})
	}
	var b strings.Builder
	for i, share := range allot(blocks, max(room, 0)) {
		b.WriteString(blocks[i].head)
		for j, s := range blocks[i].sections {
			if share[j] < min(minShare, s.size) {
				said = append(said, fmt.Sprintf("%s of %s: no room", s.kind, blocks[i].short))
				continue
			}
			w := s.write(share[j])
			b.WriteString("\n" + w.text + "\n")
			for _, cut := range w.said {
				said = append(said, fmt.Sprintf("%s of %s: %s", s.kind, blocks[i].short, cut))
			}
		}
		b.WriteString("\n")
	}
	for _, note := range h.Notes {
		b.WriteString("Note: " + agent.CleanLine(note) + "\n")
	}
	return strings.TrimRight(b.String(), "\n"), said, nil
}

// A block is the text of one commit.
type block struct {
	head     string
	sections []passage
	short    string
}

// A passage shows one heuristic.
type passage struct {
	kind  fix.Heuristic
	size  int // bytes if all is shown
	write func(room int) written
}

// byCommit groups the entries of a history by their commits.
func byCommit(all []fix.Blamed) [][]fix.Blamed {
	var out [][]fix.Blamed
	for _, b := range all {
		i := slices.IndexFunc(out, func(g []fix.Blamed) bool { return g[0].Commit.OID == b.Commit.OID })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], b)
	}
	return out
}

// allot divides room among the sections of all blocks. Sections ask for their size. If
// that is too much, those of the first commit have twice the weight of the second, three
// times that of the third, and so on; what one does not need goes to the others.
func allot(blocks []block, room int) [][]int {
	type claim struct{ block, section, size int }
	var open []claim
	share := make([][]int, len(blocks))
	for i, b := range blocks {
		share[i] = make([]int, len(b.sections))
		for j, s := range b.sections {
			open = append(open, claim{i, j, s.size})
		}
	}
	for len(open) > 0 {
		total := 0.0
		for _, c := range open {
			total += 1 / float64(1+c.block)
		}
		var rest []claim
		spent := 0
		for _, c := range open {
			if part := int(float64(room) / total / float64(1+c.block)); c.size <= part {
				share[c.block][c.section] = c.size
				spent += c.size
			} else {
				rest = append(rest, c)
			}
		}
		if len(rest) == len(open) {
			for _, c := range open {
				share[c.block][c.section] = int(float64(room) / total / float64(1+c.block))
			}
			break
		}
		room, open = room-spent, rest
	}
	return share
}

// sectionsOf prepares the sections of a commit.
func sectionsOf(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed, kinds []fix.Heuristic) ([]passage, error) {
	var out []passage
	for _, kind := range kinds {
		var made []passage
		var err error
		switch kind {
		case fix.FnAll:
			made, err = fnAllSection(ctx, repo, entries[0])
		case fix.FnPair:
			made, err = fnPairSections(ctx, repo, entries)
		case fix.FlDiff, Auto:
			made, err = flDiffSections(ctx, repo, entries)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, made...)
	}
	return out, nil
}

func flDiffSections(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) ([]passage, error) {
	var out []passage
	for _, b := range byFile(entries) {
		d, err := leanDiff(ctx, repo, b)
		if err != nil {
			return nil, err
		}
		out = append(out, passage{fix.FlDiff, diffSize(d) + 300, func(room int) written { return flDiffText(d, room) }})
	}
	return out, nil
}

// manyBytes is the size of a diff from which changes of white space are a burden.
const manyBytes = 6000

// leanDiff returns a commit's diff of the faulty file. If it is long, and much of it is
// white space that has no meaning in the language, it is left out.
func leanDiff(ctx context.Context, repo *gitext.Repo, b fix.Blamed) (Diff, error) {
	d, err := FlDiff(ctx, repo, b, false)
	if err != nil || diffSize(d) < manyBytes || layout[strings.ToLower(path.Ext(b.Path))] {
		return d, err
	}
	lean, err := FlDiff(ctx, repo, b, true)
	if err != nil || len(lean.Hunks) == 0 || 4*diffSize(lean) > 3*diffSize(d) {
		return d, err
	}
	return lean, nil
}

// layout are the languages in which indentation has a meaning.
var layout = map[string]bool{".py": true, ".pyx": true, ".yml": true, ".yaml": true, ".mk": true, ".hs": true, ".fs": true, ".nim": true, ".coffee": true, ".haml": true, ".pug": true, ".sass": true, ".elm": true}

// byFile joins the entries of one commit that are about one file.
func byFile(entries []fix.Blamed) []fix.Blamed {
	var out []fix.Blamed
	for _, b := range entries {
		i := slices.IndexFunc(out, func(o fix.Blamed) bool { return o.Path == b.Path && o.Parent == b.Parent })
		if i < 0 {
			out = append(out, b)
			continue
		}
		out[i].OrigLine = append(slices.Clip(out[i].OrigLine), b.OrigLine...)
	}
	return out
}

func flDiffText(d Diff, room int) written {
	if len(d.Hunks) == 0 {
		return written{text: "fl_diff: the diff of " + agent.CleanLine(d.Path) + " cannot be read here."}
	}
	head := "fl_diff: what it changed in " + agent.CleanLine(d.Path)
	switch {
	case d.OldPath == "":
		head += ", which it created"
	case d.OldPath != d.Path:
		head += ", before " + agent.CleanLine(d.OldPath)
	}
	w := diffText(d, room-len(head)-120)
	w.text = head + withCuts(w.said) + "\n" + strings.TrimSuffix(fenced(w.text, "diff"), "\n")
	return w
}

func withCuts(said []string) string {
	if len(said) == 0 {
		return ":"
	}
	return " (" + strings.Join(said, "; ") + "):"
}

func fnPairSections(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) ([]passage, error) {
	type function struct {
		path  string
		start int
	}
	var out []passage
	seen := map[function]bool{}
	for _, b := range entries {
		p, err := FnPair(ctx, repo, b)
		if err != nil {
			return nil, err
		}
		if f := (function{p.After.Path, p.After.Start}); len(p.After.Lines) == 0 || seen[f] {
			continue
		} else {
			seen[f] = true
		}
		out = append(out, passage{fix.FnPair, pairSize(p), func(room int) written {
			w := pairText(p, b.OrigLine, room-60)
			w.text = "fn_pair: the function before and after it" + withCuts(w.said) + "\n" + w.text
			return w
		}})
	}
	return out, nil
}

func fnAllSection(ctx context.Context, repo *gitext.Repo, b fix.Blamed) ([]passage, error) {
	all, err := FnAll(ctx, repo, b)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	size := 260
	for _, f := range all {
		size += len(f.Path) + 4
		for _, n := range f.Names {
			size += len(n) + 3
		}
	}
	return []passage{{fix.FnAll, size, func(room int) written { return fnAllText(all, room) }}}, nil
}

// fnAllText writes the names of functions, those that the commit changed first and with
// a star.
func fnAllText(all []FileFunctions, room int) written {
	var b strings.Builder
	var said []string
	files, names := 0, 0
	for _, f := range all {
		list := starred(f)
		line := agent.CleanLine(f.Path) + ":"
		fits := 0
		for i, n := range list {
			if b.Len()+len(line)+len(n)+2 > room-220 && (files > 0 || i > 0) {
				break
			}
			line += " " + n + ","
			fits++
		}
		names += len(list) - fits
		if fits == 0 {
			files++
			continue
		}
		line = strings.TrimSuffix(line, ",")
		if fits < len(list) {
			line += fmt.Sprintf(" and %d more", len(list)-fits)
		}
		b.WriteString(line + "\n")
	}
	if names > 0 {
		cut := agent.Plural(names, "name") + " not shown"
		if files > 0 {
			cut += ", with " + agent.Plural(files, "whole file")
		}
		said = append(said, cut)
	}
	return written{"fn_all: the functions of the files that it changed, a star for those that it changed itself" + withCuts(said) + "\n" + strings.TrimSuffix(b.String(), "\n"), said}
}

func starred(f FileFunctions) []string {
	var first, rest []string
	for _, n := range f.Names {
		text := agent.CleanLine(agent.Shorten(n, 120))
		if slices.Contains(f.Changed, n) {
			first = append(first, text+"*")
		} else {
			rest = append(rest, text)
		}
	}
	return append(first, rest...)
}

// commitHead describes a commit and what it wrote.
func commitHead(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) (string, error) {
	b := entries[0]
	var s strings.Builder
	fmt.Fprintf(&s, "## %s, %s, ", b.Commit.OID.Short(), b.Commit.Author.Time.UTC().Format("2006-01-02"))
	if b.Distance == 0 {
		s.WriteString("the newest commit")
	} else {
		s.WriteString(agent.Plural(b.Distance, "commit") + " ago")
	}
	s.WriteString(": " + agent.CleanLine(agent.Shorten(b.Commit.Subject(), 200)) + "\n")
	for _, line := range firstLines(b.Commit.Body()) {
		s.WriteString("    " + line + "\n")
	}
	for _, b := range entries {
		text, err := wrote(ctx, repo, b)
		if err != nil {
			return "", err
		}
		s.WriteString(text)
	}
	switch {
	case b.Root && len(b.Commit.Parents) == 0:
		s.WriteString("It is the first commit of the history, so it may say little about the bug.\n")
	case b.Root:
		fmt.Fprintf(&s, "It changed %s, so it may say little about the bug.\n", agent.Plural(b.Changed, "file"))
	default:
		s.WriteString(cochanged(entries))
	}
	return s.String(), nil
}

// trailer matches a line that names people or reviews.
var trailer = source.Lazy(`^(?i:(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested|helped|co-developed)-by|cc|change-id|reviewed-on|git-svn-id):`)

const (
	maxBodyLines = 6
	maxBodyLine  = 200
	maxCochanged = 6
)

// firstLines returns the first lines of a message's body that say something.
func firstLines(body string) []string {
	var out []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if line == "" || trailer().MatchString(line) {
			continue
		}
		if len(out) == maxBodyLines {
			return append(out, "[...]")
		}
		out = append(out, agent.Shorten(agent.CleanLine(line), maxBodyLine))
	}
	return out
}

// maxQuoted is how many suspected lines of a location are quoted.
const maxQuoted = 4

// wrote says which suspected lines of a location a commit wrote. It quotes a few.
func wrote(ctx context.Context, repo *gitext.Repo, b fix.Blamed) (string, error) {
	place := ""
	if b.Function != "" {
		place = " of " + agent.CleanLine(agent.Shorten(b.Function, 120))
	}
	place += " in " + agent.CleanLine(b.Path)
	if b.Nearby {
		place += ", the nearest code to a suspected place that has no history of its own"
	}
	if len(b.Lines) > maxQuoted {
		if !slices.Equal(b.Lines, b.OrigLine) {
			place = " (" + spans(b.OrigLine) + " in the commit)" + place
		}
		return "It wrote lines " + spans(b.Lines) + place + ".\n", nil
	}
	text, err := textAt(ctx, repo, b.Commit.OID, b.Path)
	if err != nil {
		return "", err
	}
	lines := splitLines(text)
	what := "It wrote these lines"
	if len(b.Lines) == 1 {
		what = "It wrote this line"
	}
	out := what + place + ":\n"
	for i, at := range b.Lines {
		quoted := ""
		if orig := b.OrigLine[i]; orig >= 1 && orig <= len(lines) {
			if i > 0 && !telltale(lines[orig-1]) {
				continue // a brace says nothing beside another line
			}
			quoted = agent.Shorten(agent.CleanLine(strings.TrimSpace(string(lines[orig-1]))), maxQuotedLine)
		}
		out += fmt.Sprintf("    %d: %s\n", at, quoted)
	}
	return out, nil
}

const maxQuotedLine = 160

// spans writes numbers as ranges: "3-5, 9". Of many ranges it writes the first ones.
func spans(lines []int) string {
	const most = 8
	sorted := slices.Sorted(slices.Values(lines))
	var out []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] <= sorted[j]+1 {
			j++
		}
		if len(out) == most {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(sorted)-i)
		}
		if sorted[j] > sorted[i] {
			out = append(out, fmt.Sprintf("%d-%d", sorted[i], sorted[j]))
		} else {
			out = append(out, fmt.Sprint(sorted[i]))
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}

// cochanged names the other files that a commit changed.
func cochanged(entries []fix.Blamed) string {
	b := entries[0]
	var names []string
	for _, f := range b.Files {
		if f != b.Path && len(names) < maxCochanged {
			names = append(names, agent.CleanLine(f))
		}
	}
	rest := b.Changed - 1 - len(names)
	switch {
	case len(names) == 0 && rest <= 0:
		return ""
	case len(names) == 0:
		return fmt.Sprintf("It also changed %s: tests, or no program code.\n", agent.Plural(rest, "file"))
	case rest > 0:
		names = append(names, agent.Plural(rest, "other file"))
	}
	return "It also changed " + enumerate(names) + ".\n"
}

func enumerate(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
