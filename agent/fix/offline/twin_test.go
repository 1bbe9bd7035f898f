package offline

import (
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/fix/generate"
	"git-agent/gitext"
)

// A fix of valibot adds a clause in partialCheck.ts and in its asynchronous copy partialCheckAsync.ts. With one
// of the two, fewer tests fail: then both are tried.
func TestChangeIsMadeInCopies(t *testing.T) {
	t.Parallel()
	const one = "check() {\n  if (\n    isPartiallyTyped(dataset) &&\n    test()\n  ) add()\n}\n"
	const other = "async check() {\n    if (\n      isPartiallyTyped(dataset) &&\n      await test()\n    ) add()\n}\n"
	file := func(p, text string) gitext.Overlay {
		return gitext.Overlay{Path: p, Mode: 0o100644, Content: []byte(text)}
	}
	in := &Input{Problem: fix.Problem{Tree: fix.Tree{Over: []gitext.Overlay{
		file("a.ts", one), file("b.ts", other), file("c.py", other), file("d.ts", "check()\n"),
	}}}, Localization: &fix.Localization{Locations: []fix.Location{{Path: "d.ts"}, {Path: "c.py"}, {Path: "b.ts"}}}}
	for _, c := range []struct {
		name, content string
		seen          effect
		want          string // of b.ts, "" for no candidate
	}{
		{"a clause", "check() {\n  if (\n    (dataset.typed || isPartiallyTyped(dataset)) &&\n    test()\n  ) add()\n}\n", fewer,
			"async check() {\n    if (\n      (dataset.typed || isPartiallyTyped(dataset)) &&\n      await test()\n    ) add()\n}\n"},
		{"no effect", "check() {\n  if (\n    isTyped(dataset) &&\n    test()\n  ) add()\n}\n", none, ""},
		{"a line that b.ts lacks", "check() {\n  if (\n    isPartiallyTyped(dataset) &&\n    !test()\n  ) add()\n}\n", fewer, ""},
		{"an inserted line", "check() {\n  if (\n    dataset.typed ||\n    isPartiallyTyped(dataset) &&\n    test()\n  ) add()\n}\n", changed,
			"async check() {\n    if (\n      dataset.typed ||\n      isPartiallyTyped(dataset) &&\n      await test()\n    ) add()\n}\n"},
	} {
		s := &search{in: in, whole: t.Context(), order: newOrder(), seen: map[string]bool{}}
		s.note(&waiting{Candidate: generate.Candidate{Files: []gitext.Overlay{file("a.ts", c.content)}, Origin: "adds a clause"}}, c.seen)
		var got []string
		for _, w := range s.window {
			for _, f := range w.Files {
				if f.Path == "b.ts" {
					got = append(got, string(f.Content))
				}
				if f.Path == "a.ts" && string(f.Content) != c.content {
					t.Errorf("%s: the candidate has another change of a.ts: %q", c.name, f.Content)
				}
			}
			if w.Origin != "adds a clause, at two places" || len(w.Files) != 2 {
				t.Errorf("%s: %+v", c.name, w.Candidate)
			}
		}
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || got[0] != c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Lines that stand everywhere are no copies, and neither is a change at many places.
func TestChangeOfCommonLinesHasNoCopies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after string }{
		{"f()\n}\n\ng()\n}\n", "f()\n}}\n\ng()\n}\n"},
		{"return nothing\nreturn nothing\nreturn nothing\nreturn nothing\nreturn nothing\nreturn nothing\n",
			"return something\nreturn nothing\nreturn nothing\nreturn nothing\nreturn nothing\nreturn nothing\n"},
		{"first(thing)\n", "first(thing)\nsecond(thing)\n"},
	} {
		tree := fix.Tree{Over: []gitext.Overlay{{Path: "a.go", Mode: 0o100644, Content: []byte(c.before)}}}
		s := &search{in: &Input{Problem: fix.Problem{Tree: tree}}, whole: t.Context(), order: newOrder(), seen: map[string]bool{}}
		s.note(&waiting{Candidate: generate.Candidate{Files: []gitext.Overlay{{Path: "a.go", Mode: 0o100644, Content: []byte(c.after)}}}}, fewer)
		if len(s.window) > 0 {
			t.Errorf("%q: %q", c.before, s.window[0].Files[0].Content)
		}
	}
}

// In a program with the same bug in two copies, "replaces the operator < by <=" in one and "replaces the operator
// += by =" in the other pass the tests, too. The same change at both places is likelier.
func TestChangeAtCopiesIsLikelierThanTwoChanges(t *testing.T) {
	t.Parallel()
	const text = "first(thing)\nx < y && y > 0\n"
	file := func(p, text string) gitext.Overlay {
		return gitext.Overlay{Path: p, Mode: 0o100644, Content: []byte(text)}
	}
	in := &Input{Problem: fix.Problem{Tree: fix.Tree{Over: []gitext.Overlay{file("a.go", text), file("b.go", text)}}},
		Localization: &fix.Localization{Locations: []fix.Location{{Path: "a.go"}, {Path: "b.go"}}}}
	s := &search{in: in, whole: t.Context(), order: newOrder(), seen: map[string]bool{}}
	change := generate.Candidate{Files: []gitext.Overlay{file("a.go", "first(thing)\nx <= y && y > 0\n")}, Origin: "this", Prior: 0.2}
	s.put(generate.Candidate{Files: []gitext.Overlay{file("b.go", "first(that)\nx < y && y > 0\n")}, Origin: "other", Prior: 0.6}, 1)
	s.note(&waiting{Candidate: change}, fewer)
	var order []string
	for _, w := range s.promising() {
		if len(w.Files) == 2 {
			order = append(order, w.Origin)
		}
	}
	if len(order) != 2 || order[0] != "this, at two places" {
		t.Errorf("%q", order)
	}
}
