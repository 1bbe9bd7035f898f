package detect

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// This file finds the origins of names. A fix that adapts to something defined
// elsewhere names it: a header that it adds to a list, the new name of a function.
// The commit that wrote the lines elsewhere owns nothing near the fix, so blame and
// the ranking do not find it. For names that few other files use, the first prompt
// names the oldest commit whose lines with the name still stand. The history of a
// name (git log -S) would be exact, but takes half a minute where a grep and a few
// blames take one second.

// Bounds of the search.
const (
	maxOriginNames = 2
	maxOriginFiles = 3 // blamed for a name
	maxOriginLines = 8 // of a file
)

// A nameOrigin is the oldest standing line with a name, outside the fixed files.
type nameOrigin struct {
	name   string
	path   string
	line   int
	commit gitext.Commit
	files  int // how many use the name
}

// originText renders one line for each origin.
func (d *investigation) originText(ctx context.Context) (string, error) {
	origins, err := d.origins(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, o := range origins {
		who := d.commitLine(o.commit)
		if tag := d.names.of[o.commit.OID]; tag != "" {
			who = tag
		}
		more := ""
		if o.files > 1 {
			more = fmt.Sprintf(", the oldest in %d files", o.files)
		}
		fmt.Fprintf(&b, "%s at %s:%d%s: %s\n", agent.CleanLine(o.name), agent.CleanLine(o.path), o.line, more, who)
	}
	return b.String(), nil
}

// origins finds the origins of the names that the fix adds or takes away.
func (d *investigation) origins(ctx context.Context) ([]nameOrigin, error) {
	names := d.foreignNames()
	if len(names) == 0 {
		return nil, nil
	}
	hits, err := d.repo.Grep(ctx, d.fc.Parent, gitext.GrepOptions{Pattern: strings.Join(names, "|"), Word: true, Max: candidate.MaxGrepHits})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	found := d.rarestUses(names, hits)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i := range found {
		g.Go(func() error { return d.findOldest(gctx, &found[i]) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []nameOrigin
	for _, s := range found {
		if s.commit.OID != "" {
			out = append(out, s.nameOrigin)
		}
	}
	return out, nil
}

// foreignNames returns the names that the fix takes away, and those that it adds and
// that were not near, except for variables that it declares.
func (d *investigation) foreignNames() []string {
	var added strings.Builder
	for _, r := range d.k.Set.Changes {
		for _, l := range r.Added {
			added.Write(l.Text)
			added.WriteByte('\n')
		}
	}
	text := added.String()
	return slices.DeleteFunc(candidate.FixNames(d.fc, d.k.Set), func(name string) bool {
		if d.k.Gone[name] > 0 {
			return false
		}
		own := regexp.MustCompile(`(?m)^\s*(?:[\w:<>]+\s+)*[*&]*` + regexp.QuoteMeta(name) + `(?:\s+:?=\s|;)`)
		return d.k.Fresh[name] == 0 || d.k.Around[name] > 0 || own.MatchString(text)
	})
}

// A nameUse is a name with its lines outside the fixed files.
type nameUse struct {
	nameOrigin
	paths []string
	lines map[string][]gitext.LineRange
}

// rarestUses picks the names whose lines are blamed: those that the fewest other
// files use.
func (d *investigation) rarestUses(names []string, hits []gitext.GrepMatch) []nameUse {
	uses := map[string]*nameUse{}
	for _, n := range names {
		uses[n] = &nameUse{nameOrigin: nameOrigin{name: n}, lines: map[string][]gitext.LineRange{}}
	}
	for _, h := range hits {
		if d.k.FixPath[h.Path] || source.FileKindOf(h.Path) != source.SourceFile {
			continue
		}
		words := source.CodeWordsOf(h.Text)
		for n, u := range uses {
			if words[n] == 0 {
				continue
			}
			if u.lines[h.Path] == nil {
				u.paths = append(u.paths, h.Path)
			}
			if len(u.lines[h.Path]) < maxOriginLines {
				u.lines[h.Path] = append(u.lines[h.Path], gitext.LineRange{Start: h.Line, End: h.Line})
			}
		}
	}
	var out []nameUse
	for _, n := range names {
		if u := uses[n]; len(u.paths) > 0 && len(u.paths) <= candidate.MaxNameFiles {
			u.files = len(u.paths)
			out = append(out, *u)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].files < out[j].files })
	return out[:min(maxOriginNames, len(out))]
}

// findOldest blames the lines with a name and stores the oldest. It stores none
// where a line is older than a shallow clone. Files that this clone lacks are left
// out.
func (d *investigation) findOldest(ctx context.Context, s *nameUse) error {
	for _, path := range s.paths[:min(maxOriginFiles, len(s.paths))] {
		lines, err := d.repo.Blame(ctx, d.fc.Parent, path, gitext.BlameOptions{Ranges: s.lines[path], IgnoreSpace: true})
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, l := range lines {
			if l.Boundary {
				s.commit = gitext.Commit{}
				return nil
			}
			c, err := d.repo.Commit(ctx, l.Commit)
			if err != nil {
				return err
			}
			if s.commit.OID == "" || c.Committer.Time.Before(s.commit.Committer.Time) {
				s.commit, s.path, s.line = c, path, l.Line
			}
		}
	}
	return nil
}
