package mcpcmd

import (
	"slices"
	"testing"
)

// A client has no option -v: answers about yaml-cpp, minify, plug and psr7 named it, and --at, beside the
// parameters of the tools. Code that is shown stays as it is.
func TestTextForClients(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"3 commits could not be judged (-v shows all); at 1f0c7d2b9a44": "3 commits could not be judged; at 1f0c7d2b9a44",
		"give the commit that crashed with --at if it is another one":   "give the commit that crashed as at if it is another one",
		"give the commit before it with --at=7ccc8410^":                 "give the commit before it as at=7ccc8410^",
		"if it fails for want of one, --network lets it use it":         "if it fails for want of one, git agent bisect --network lets it use it",
		"note: --network lets the command download what it lacks":       "note: git agent bisect --network lets the command download what it lacks",
		"      list.go:9  fmt.Print(\"and 2 more, with -v\")\n":         "      list.go:9  fmt.Print(\"and 2 more, with -v\")\n",
	} {
		if got := clientText(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
	notes := []string{"this variant traces no line; try --algorithm rank"}
	if got := clientNotes(notes); !slices.Equal(got, []string{"this variant traces no line; try algorithm rank"}) || notes[0] == got[0] {
		t.Errorf("notes: %q of %q", got, notes)
	}
	if got := clientNotes([]string{}); got == nil {
		t.Error("no notes are null")
	}
}
