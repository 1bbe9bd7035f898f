package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// bytesPerToken is the estimate of a token's size.
const bytesPerToken = 4

// Render writes the commits of a history for a prompt: what each is, which suspected
// lines it wrote, and a section for each heuristic. kinds may be empty; Auto stands for
// fl_diff, and None for no text.
//
// The text has at most tokens tokens, at 4 bytes each, or little more: a commit always
// has its heading, and a diff its most relevant part. The first commits get more room
// than the later ones. What is left out is said in the text, and in said, one clause for
// each cut. Hidden characters are escaped; secrets are the caller's to mask.
func Render(ctx context.Context, repo *gitext.Repo, h *fix.History, kinds []fix.Heuristic, tokens int) (text string, said []string, err error) {
	if h == nil || slices.Contains(kinds, None) {
		return "", nil, nil
	}
	var blocks []block
	room := tokens * bytesPerToken
	for _, entries := range byCommit(h.Blamed) {
		head := commitHead(entries)
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
	sections []section
	short    string
}

// A section shows one heuristic.
type section struct {
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
func sectionsOf(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed, kinds []fix.Heuristic) ([]section, error) {
	var out []section
	for _, kind := range kinds {
		var made []section
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

func flDiffSections(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) ([]section, error) {
	var out []section
	for _, b := range byFile(entries) {
		d, err := FlDiff(ctx, repo, b, false)
		if err != nil {
			return nil, err
		}
		out = append(out, section{fix.FlDiff, diffSize(d) + 300, func(room int) written { return flDiffText(d, room) }})
	}
	return out, nil
}

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

func fnPairSections(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) ([]section, error) {
	var out []section
	for _, b := range entries {
		p, err := FnPair(ctx, repo, b)
		if err != nil {
			return nil, err
		}
		if len(p.After.Lines) == 0 {
			continue
		}
		out = append(out, section{fix.FnPair, pairSize(p), func(room int) written {
			w := pairText(p, b.OrigLine, room-60)
			w.text = "fn_pair: the function before and after it" + withCuts(w.said) + "\n" + w.text
			return w
		}})
	}
	return out, nil
}

func fnAllSection(ctx context.Context, repo *gitext.Repo, b fix.Blamed) ([]section, error) {
	all, err := FnAll(ctx, repo, b)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	size := 200
	for _, f := range all {
		size += len(f.Path) + 4
		for _, n := range f.Names {
			size += len(n) + 3
		}
	}
	return []section{{fix.FnAll, size, func(room int) written { return fnAllText(all, room) }}}, nil
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
			if b.Len()+len(line)+len(n)+2 > room-150 && (files > 0 || i > 0) {
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
func commitHead(entries []fix.Blamed) string {
	b := entries[0]
	var s strings.Builder
	fmt.Fprintf(&s, "## %s, %s", b.Commit.OID.Short(), b.Commit.Author.Time.UTC().Format("2006-01-02"))
	switch {
	case b.Distance == 0:
		s.WriteString(", the newest commit")
	default:
		fmt.Fprintf(&s, ", %s ago", agent.Plural(b.Distance, "commit"))
	}
	s.WriteString(": " + agent.CleanLine(agent.Shorten(b.Commit.Subject(), 200)) + "\n")
	for _, line := range firstLines(b.Commit.Body()) {
		s.WriteString("    " + line + "\n")
	}
	s.WriteString(wrote(entries))
	if b.Root {
		if len(b.Commit.Parents) == 0 {
			s.WriteString("It is the first commit of the history, so it may say little about the bug.\n")
		} else {
			fmt.Fprintf(&s, "It changed %s, so it may say little about the bug.\n", agent.Plural(b.Changed, "file"))
		}
		return s.String()
	}
	if others := cochanged(entries); others != "" {
		s.WriteString(others)
	}
	return s.String()
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

// wrote says which suspected lines a commit wrote.
func wrote(entries []fix.Blamed) string {
	var parts []string
	for _, b := range entries {
		what := "lines"
		if len(b.Lines) == 1 {
			what = "line"
		}
		part := what + " " + spans(b.Lines)
		if b.Function != "" {
			part += " of " + agent.CleanLine(agent.Shorten(b.Function, 120))
		}
		part += " in " + agent.CleanLine(b.Path)
		if !slices.Equal(b.Lines, b.OrigLine) {
			part += " (" + spans(b.OrigLine) + " in the commit)"
		}
		if b.Nearby {
			part += ", near the suspected place, whose own lines have no history"
		}
		parts = append(parts, part)
	}
	return "It wrote " + strings.Join(parts, "; ") + ".\n"
}

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
		return fmt.Sprintf("It also changed %s without program code or of tests.\n", agent.Plural(rest, "file"))
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
