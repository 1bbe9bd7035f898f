package rank

import (
	"slices"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// The phrases of a message are the words between those that vary.
func TestPhrases(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		`can't find source for backend "foo": didn't find backend called "foo"`: {
			"can't find source for backend", "can't find source for", "didn't find backend called",
		},
		"Attempting to overwrite an existing zip entry /srv/a.zip (3 bytes)": {
			"Attempting to overwrite an existing zip entry", "Attempting to overwrite an", "overwrite an existing zip",
		},
		"index out of range [5] with length 3": {"index out of range", "with length"},
		"cannot set max_open_files to 12":      {"cannot set max_open_files to", "max_open_files"},
		"nil":                                  nil,
		"/usr/bin/a: 12: not found in 0x12 bytes of it": {"not found in", "bytes of it"},
	} {
		var got []string
		for _, p := range phrasesOf(&crash.Report{Problems: []crash.Problem{{Kind: "panic", Message: message}}}) {
			got = append(got, p.text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

// A report without a frame in the repository gets the files with the texts of its message, and
// none for texts that many files have.
func TestQuotedFiles(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	files := gittest.Files{
		"fs/registry.go":      "x := 1\nreturn fmt.Errorf(\"didn't find backend called %q\", name)\n",
		"fs/registry_test.go": "want := \"didn't find backend called\"\n",
		"docs/faq.md":         "didn't find backend called\n",
		"a.go":                "// cannot be read now\n",
	}
	for _, dir := range []string{"b", "c", "d", "e", "f", "g", "h", "i"} {
		files[dir+"/x.go"] = "// cannot be read now\n"
	}
	head := h.Commit("one", files)
	report := &crash.Report{Problems: []crash.Problem{{Kind: "panic", Message: `didn't find backend called "foo": cannot be read now`}}}
	got, err := Rank(t.Context(), h.Open(), head, report, Ours)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != 1 || got.Files[0].Path != "fs/registry.go" || got.Files[0].Reasons[0] != `has "didn't find backend called" of the message in line 2` {
		t.Errorf("%+v", got.Files)
	}
}
