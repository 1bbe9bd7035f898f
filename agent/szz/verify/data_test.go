package verify

import (
	"bytes"
	"slices"
	"testing"

	"git-agent/gitext"
)

func TestAddTo(t *testing.T) {
	t.Parallel()
	hunk := func(after int, lines ...string) gitext.Hunk {
		h := gitext.Hunk{OldStart: after}
		for _, l := range lines {
			h.Lines = append(h.Lines, gitext.PatchLine{Op: '+', Text: []byte(l)})
		}
		return h
	}
	for name, c := range map[string]struct {
		path, before string
		added        []gitext.Hunk
		own, want    string // want is "" if the cases have no place
	}{
		"the version before the fix":    {"cases.txt", "a\na\na\n", []gitext.Hunk{hunk(1, "new")}, "a\na\na\n", "a\nnew\na\na\n"},
		"at the end, with fewer cases":  {"cases.txt", "1\n=\n2\n=\n3\n=\n", []gitext.Hunk{hunk(6, "4", "=")}, "1\n=\n", "1\n=\n4\n=\n"},
		"behind a line without its end": {"cases.txt", "1\n2\n", []gitext.Hunk{hunk(2, "3")}, "1", "1\n3\n"},
		"two places":                    {"cases.txt", "a\nb\nc\nd\ne\nf\ng\nh\n", []gitext.Hunk{hunk(2, "x"), hunk(6, "y")}, "0\na\nb\nc\nd\ne\nf\ng\nh\n9\n", "0\na\nb\nx\nc\nd\ne\nf\ny\ng\nh\n9\n"},
		"no place":                      {"cases.txt", "a\nb\nc\nd\n", []gitext.Hunk{hunk(2, "x")}, "a\nc\n", ""},
		"two likely places":             {"cases.txt", "a\nb\nc\nd\n", []gitext.Hunk{hunk(2, "x")}, "a\nb\nc\nd\na\nb\nc\nd\n", ""},
		"what closes a file":            {"cases.json", "[\n1\n]\n", []gitext.Hunk{hunk(3, "[2]")}, "[\n0\n]\n", ""},
	} {
		cases := addedCases{path: c.path, lines: slices.Collect(bytes.Lines([]byte(c.before))), added: c.added}
		if got, ok := cases.addTo([]byte(c.own)); ok != (c.want != "") || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, c.want)
		}
	}
}
