package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// These bound the list of commits that wrote a function.
const (
	maxWriters      = 6   // commits of the first function, the likeliest
	maxOtherWriters = 3   // commits of each other one
	maxWrittenLines = 400 // lines of one function
	maxWriterTitle  = 50  // characters of a subject
	maxWriterSpans  = 4   // ranges of lines of one commit
)

// Writers lists the last commits that wrote the lines of code of some functions, the newest first,
// each with its lines. The list may contain the commit of the faulty line even if this line is not
// known. Writers shows no diff.
func Writers(ctx context.Context, repo *gitext.Repo, tree fix.Tree, loc []fix.Location) (string, error) {
	ignored, err := suspect.IgnoredRevs(ctx, repo, tree.Commit)
	if err != nil {
		return "", err
	}
	f := &finder{repo: repo, tree: tree, ignored: ignored, files: map[string]*file{}, names: map[int]string{}}
	for i, l := range loc {
		l.Hot = nil
		l.Lines.End = min(l.Lines.End, l.Lines.Start+maxWrittenLines)
		if err := f.add(ctx, i, l); err != nil {
			return "", err
		}
	}
	found, err := f.owners(ctx, suspect.OwnerOptions{IgnoreRevs: ignored, NoKinds: true, Moves: true}, 0, func(*line) bool { return true })
	if err != nil {
		return "", err
	}
	for i := range f.lines {
		f.lines[i].owner = found[f.lines[i].place()]
	}
	all, err := f.candidates(ctx)
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return b.commit.Committer.Time.Compare(a.commit.Committer.Time) })
	var b strings.Builder
	for i, l := range loc {
		b.WriteString(writersOf(i, l, all))
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// writersOf lists the commits that wrote the lines of one function.
func writersOf(index int, l fix.Location, all []*candidate) string {
	var b strings.Builder
	shown, more, most := 0, 0, maxWriters
	if index > 0 {
		most = maxOtherWriters
	}
	for _, c := range all {
		var at []int
		for _, line := range c.lines {
			if line.location == index && line.kind == source.LineCode {
				at = append(at, line.at)
			}
		}
		switch {
		case len(at) == 0:
			continue
		case shown == most:
			more++
			continue
		case shown == 0:
			name := l.Function
			if name == "" {
				name = fmt.Sprintf("lines %d-%d", l.Lines.Start, l.Lines.End)
			}
			fmt.Fprintf(&b, "%s in %s:\n", agent.CleanLine(agent.Shorten(name, 120)), agent.CleanLine(l.Path))
		}
		shown++
		fmt.Fprintf(&b, "    %s %s: %s: %s\n", c.commit.OID.Short(), c.commit.Committer.Time.UTC().Format("2006-01-02"),
			agent.CleanLine(agent.Shorten(c.commit.Subject(), maxWriterTitle)), spansTo(at, maxWriterSpans))
	}
	if more > 0 {
		fmt.Fprintf(&b, "    and %s before\n", agent.Plural(more, "commit"))
	}
	return b.String()
}
