package history

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Bounds of the search for the words of a failing test.
const (
	maxSearches   = 6               // searched texts
	searchTime    = 8 * time.Second // time of all searches
	tooFrequent   = 4               // a text in more lines is not informative
	maxFoundHunk  = 1200            // bytes of a shown hunk
	maxFoundPaths = 5               // searched files
	maxPerText    = 1               // shown commits for one text
	maxExamined   = 6               // newest commits for one text that are examined
)

// A Found is a commit that removed a text of a failing test from a file.
type Found struct {
	Text   string // the searched text
	Gone   bool   // no searched file contains the text now
	Commit gitext.Commit
	Path   string
	Hunk   gitext.Hunk // a hunk that changes a line with the text
}

// Search looks for the commit that removed a text of a failing test from one of some functions,
// such as the removal of a guard. It tries texts that are no longer in the files of the
// functions first, then the rarest ones, and ends at the first text with a result.
func Search(ctx context.Context, repo *gitext.Repo, tree fix.Tree, loc []fix.Location, texts []string) ([]Found, error) {
	var paths, names []string
	for _, l := range loc {
		if !slices.Contains(paths, l.Path) && len(paths) < maxFoundPaths {
			paths = append(paths, l.Path)
		}
		if l.Function != "" {
			names = append(names, source.LastName(l.Function))
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	s := searcher{repo: repo, tip: tree.Commit, paths: paths, names: names}
	var files [][]byte
	for _, p := range paths {
		text, err := textAt(ctx, repo, tree.Commit, p)
		if err != nil {
			return nil, err
		}
		files = append(files, text)
	}
	count := map[string]int{}
	for _, t := range texts {
		for _, f := range files {
			count[t] += bytes.Count(f, []byte(t))
		}
	}
	texts = rarest(texts, count)
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	for _, t := range texts {
		found, err := s.search(limited, t)
		if ctx.Err() != nil || err != nil && limited.Err() == nil {
			return nil, err
		}
		if limited.Err() != nil {
			return nil, nil // other searches would take too long
		}
		if len(found) > 0 {
			for i := range found {
				found[i].Gone = count[t] == 0
			}
			return found, nil
		}
	}
	return nil, nil
}

// rarest returns the texts to search for, the rarest first: most of the texts that are in no
// file, and some texts that are in few lines.
func rarest(texts []string, count map[string]int) []string {
	var gone, few []string
	for _, t := range texts {
		switch {
		case count[t] == 0:
			gone = append(gone, t)
		case count[t] <= tooFrequent:
			few = append(few, t)
		}
	}
	slices.SortStableFunc(few, func(a, b string) int { return count[a] - count[b] })
	few = few[:min(len(few), max(maxSearches/2, maxSearches-len(gone)))]
	return slices.Concat(gone[:min(len(gone), maxSearches-len(few))], few)
}

// A searcher searches the history of some files for texts removed from some functions.
type searcher struct {
	repo  *gitext.Repo
	tip   gitext.OID
	paths []string
	names []string // of the functions
}

// search looks for the newest commits that removed a text from one of the functions.
func (s *searcher) search(ctx context.Context, text string) ([]Found, error) {
	var out []Found
	opt := gitext.PickaxeOptions{Needle: text, LogOptions: gitext.LogOptions{Tip: s.tip, Paths: s.paths, Max: maxExamined, NoMerges: true}}
	for entry, err := range s.repo.LogS(ctx, opt) {
		if err != nil {
			if gitext.Unreadable(err) {
				err = nil
			}
			return out, err
		}
		commits, err := s.repo.Commits(ctx, []gitext.OID{entry.OID})
		if err != nil || len(commits) == 0 {
			return out, err
		}
		c := commits[0]
		if len(c.Parents) == 0 {
			continue // the first commit contains all text as new
		}
		patch, err := s.repo.Patch(
			ctx,
			c.Parents[0],
			c.OID,
			gitext.PatchOptions{Context: diffContext, Renames: true, Paths: s.paths, MaxBytes: maxFileBytes},
		)
		if err != nil {
			if gitext.Unreadable(err) {
				err = nil
			}
			return out, err
		}
		f, ok, err := s.foundIn(ctx, c.Parents[0], patch.Files, text)
		if err != nil {
			return out, err
		}
		if ok {
			f.Text, f.Commit = text, c
			if out = append(out, f); len(out) == maxPerText {
				break
			}
		}
	}
	return out, nil
}

// foundIn returns a commit's first hunk that removes a text from one of the functions, if the
// commit does not add the text elsewhere.
func (s *searcher) foundIn(ctx context.Context, parent gitext.OID, files []gitext.FileChange, text string) (Found, bool, error) {
	word := regexp.MustCompile(`(?:^|\W)` + regexp.QuoteMeta(text) + `(?:\W|$)`)
	var first Found
	more := 0 // additional lines with the text after the commit
	for _, file := range files {
		if file.Status == 'D' {
			continue // the file is there again, so the commit only moved it away
		}
		for _, h := range file.Hunks {
			for _, l := range h.Lines {
				switch {
				case l.Op == ' ' || !word.Match(l.Text) || commentLine().Match(l.Text):
					continue
				case l.Op == '+':
					more++
					continue
				}
				if more--; first.Path != "" || file.NewPath == "" {
					continue
				}
				within, err := s.within(ctx, parent, file.OldPath, l.Old)
				if err != nil {
					return Found{}, false, err
				}
				if within {
					first = Found{Path: file.NewPath, Hunk: h}
				}
			}
		}
	}
	return first, more < 0 && first.Path != "", nil
}

// within reports whether a line of a file at a commit is in one of the functions.
func (s *searcher) within(ctx context.Context, at gitext.OID, path string, line int) (bool, error) {
	text, err := textAt(ctx, s.repo, at, path)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(source.Functions(path, splitLines(text)), func(f source.Function) bool {
		return f.Start <= line && line <= f.End && slices.Contains(s.names, source.LastName(f.Name))
	}), nil
}

// commentLine matches the beginning of a comment line.
var commentLine = source.Lazy(`^\s*(?://|/?\*|#\s|--)`)

// RenderFound writes the results of Search for a prompt.
func RenderFound(found []Found) string {
	var b strings.Builder
	for _, f := range found {
		what := "which the failing test has"
		if f.Gone {
			what = "which the failing test has and the code has no more"
		}
		fmt.Fprintf(
			&b,
			"## %s, %s: %s\n",
			f.Commit.OID.Short(),
			f.Commit.Author.Time.UTC().Format("2006-01-02"),
			agent.CleanLine(agent.Shorten(f.Commit.Subject(), 200)),
		)
		fmt.Fprintf(&b, "It took %s out of %s, %s:\n```diff\n", shown([]byte(fmt.Sprintf("%q", f.Text))), agent.CleanLine(f.Path), what)
		writeHunk(&b, around(f.Hunk, f.Text))
		b.WriteString("```\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// around returns a hunk; a long hunk is cut to the lines around the first changed line with a
// text.
func around(h gitext.Hunk, text string) gitext.Hunk {
	if hunkSize(h) <= maxFoundHunk {
		return h
	}
	at := slices.IndexFunc(h.Lines, func(l gitext.PatchLine) bool { return l.Op == '-' && bytes.Contains(l.Text, []byte(text)) })
	part := h
	from, to := max(0, at), min(len(h.Lines), at+1)
	size := func() int { p := h; p.Lines = h.Lines[from:to]; return hunkSize(p) }
	for size() < maxFoundHunk && (from > 0 || to < len(h.Lines)) {
		from, to = max(0, from-1), min(len(h.Lines), to+1)
	}
	part.Lines = h.Lines[from:to]
	for _, l := range h.Lines[:from] {
		if l.Op != '+' {
			part.OldStart++
		}
		if l.Op != '-' {
			part.NewStart++
		}
	}
	part.OldLines, part.NewLines = 0, 0
	for _, l := range part.Lines {
		if l.Op != '+' {
			part.OldLines++
		}
		if l.Op != '-' {
			part.NewLines++
		}
	}
	return part
}
