package suspect

import (
	"fmt"
	"slices"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestFindWriters(t *testing.T) {
	// A commit that takes a function out of a file owns none of its lines, however often the function
	// is moved; one that copies it, moves it within the file, or writes lines beside it, owns what it wrote.
	t.Parallel()
	head := []string{"int configured;", "", "int capacity(void)", "{", "\treturn configured;", "}", ""}
	sum := []string{
		"long average_of_samples(const long *samples, long count)", "{", "\tlong total_of_samples = 0;",
		"\tfor (long i = 0; i < count; i++)", "\t\ttotal_of_samples += samples[i];", "\treturn total_of_samples / count;", "}",
	}
	checked := slices.Clone(sum)
	checked[5] = "\treturn count ? total_of_samples / count : 0;"
	h := gittest.New(t)
	h.Commit("write", gittest.Files{"b.c": "int b;\n", "a.c": gittest.Lines(append(head[:7:7], sum...)...)})
	h.Commit("check", gittest.Files{"a.c": gittest.Lines(append(head[:7:7], checked...)...)})
	h.Commit("split", gittest.Files{"a.c": gittest.Lines(head...), "stats.c": gittest.Lines(append([]string{"#include <math.h>"}, checked...)...)})
	move := h.Commit("move", gittest.Files{"stats.c": "#include <math.h>\n", "b.c": gittest.Lines(append([]string{"int b;"}, checked...)...)})
	copied := h.Commit("copy", gittest.Files{"b.c": gittest.Lines(append([]string{"int b;", "int c;"}, checked...)...), "c.c": gittest.Lines(checked...)})
	tip := h.Commit("turn", gittest.Files{"a.c": gittest.Lines(append([]string{head[2], head[3], head[4], head[5], head[6]}, head[:2]...)...)})

	for _, c := range []struct {
		rev  gitext.OID
		path string
		want []string
	}{
		{tip, "b.c", []string{
			"1 write", "2 copy", "3 write <- a.c:8", "4 write <- a.c:9", "5 write <- a.c:10", "6 write <- a.c:11", "7 write <- a.c:12", "8 check <- a.c:13", "9 write <- a.c:14",
		}},
		{copied, "c.c", []string{"1 copy", "2 copy", "3 copy", "4 copy", "5 copy", "6 copy", "7 copy"}},
		{tip, "a.c", []string{"1 write", "2 write", "3 write", "4 write", "5 write", "6 turn", "7 turn"}},
	} {
		repo := h.Open()
		found, err := FindOwners(t.Context(), repo, c.rev, []FileLines{{Path: c.path, Ranges: []gitext.LineRange{{Start: 1, End: 99}}}})
		if err != nil {
			t.Fatal(err)
		}
		var lines []*OwnedLine
		for i := range found.Lines[0] {
			lines = append(lines, &found.Lines[0][i])
		}
		if err := FindWriters(t.Context(), repo, lines); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			line := fmt.Sprintf("%d %s", l.Line, h.Git("log", "-1", "--format=%s", string(l.Owner)))
			if m := l.Move; m != nil {
				line += fmt.Sprintf(" <- %s:%d", m.Path, m.Line)
				if by := m.Left.Owner; h.Git("log", "-1", "--format=%s", string(by)) != "split" || h.Git("rev-parse", string(by)+"^") != string(m.From) {
					t.Errorf("%s: moved by %s", line, by)
				}
				if l.Blamed() != move {
					t.Errorf("%s: git blame names %s", line, l.Blamed().Short())
				}
				for _, by := range []gitext.OID{move, m.Left.Owner} {
					if left, ok := l.LeftBy(by); !ok || left.Owner != by || h.Git("blame", "-s", fmt.Sprintf("-L%d,+1", left.OrigLine), string(by), "--", left.Path) == "" {
						t.Errorf("%s, as %s left it: %+v", line, by.Short(), left)
					}
				}
			}
			got = append(got, line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.path, got, c.want)
		}
	}
}
