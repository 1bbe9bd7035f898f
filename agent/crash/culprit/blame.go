package culprit

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// blame finds the owners of the lines of all regions, with one blame per file.
func (g *gathering) blame(ctx context.Context) error {
	var files []suspect.FileLines
	at := map[string]int{}
	for _, r := range g.regions {
		i, ok := at[r.path]
		if !ok {
			i = len(files)
			at[r.path] = i
			files = append(files, suspect.FileLines{Path: r.path})
		}
		files[i].Ranges = append(files[i].Ranges, gitext.LineRange{Start: r.Start, End: r.End})
	}
	for _, f := range files {
		slices.SortFunc(f.Ranges, func(a, b gitext.LineRange) int { return cmp.Compare(a.Start, b.Start) })
	}
	found, err := suspect.FindOwnersWith(ctx, g.repo, g.commit.OID, files, suspect.OwnerOptions{IgnoreRevs: g.ignored, NoKinds: true})
	if err != nil {
		return err
	}
	for _, r := range g.regions {
		for _, l := range found.Lines[at[r.path]] {
			if l.Line >= r.Start && l.Line <= r.End && !slices.Contains(g.ignored, l.Owner) {
				l.Kind = kindOf(r.path, l.Text)
				r.lines = append(r.lines, l)
			}
		}
	}
	g.notes = append(g.notes, found.Notes...)
	return nil
}

// kindOf returns the kind of a line from its beginning. It misses a comment that begins on
// another line and has no mark on this one. A lexer would find it, but kindOf takes no time.
func kindOf(file string, line []byte) source.LineKind {
	t := bytes.TrimSpace(line)
	switch {
	case len(t) == 0:
		return source.LineBlank
	case len(bytes.Trim(t, "{}()[];, \t")) == 0:
		return source.LineBrace
	case bytes.HasPrefix(t, []byte("//")),
		bytes.HasPrefix(t, []byte("/*")),
		bytes.HasPrefix(t, []byte("* ")),
		bytes.HasPrefix(t, []byte("*/")),
		bytes.Equal(t, []byte("*")):
		return source.LineComment
	case t[0] == '#' && hashComments(file), t[0] == ';' && source.IsLisp(file):
		return source.LineComment
	case source.IsImport(string(t[:min(len(t), 200)])):
		return source.LineImport
	}
	return source.LineCode
}

// hashComments reports whether # begins a comment in a file.
func hashComments(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".py", ".pyx", ".in", ".rb", ".sh", ".pl", ".pm", ".ex", ".exs", ".r", ".jl", ".tcl":
		return true
	}
	return false
}
