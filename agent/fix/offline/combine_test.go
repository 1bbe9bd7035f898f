package offline

import (
	"testing"

	"git-agent/agent/fix/generate"
	"git-agent/gitext"
)

// The title of a patch of inih said "reverts a hunk of the uncommitted changes, and reverts a hunk of the
// uncommitted changes": hunks of one commit are counted, and other changes stay.
func TestJoinedHunksOfACommitAreCounted(t *testing.T) {
	t.Parallel()
	const hunk = "reverts a hunk of the uncommitted changes"
	for _, c := range []struct{ a, b, want string }{
		{hunk, hunk, "reverts two hunks of the uncommitted changes"},
		{"reverts two hunks of 1a2b3c4d5e6f", "reverts a hunk of 1a2b3c4d5e6f", "reverts three hunks of 1a2b3c4d5e6f"},
		{"reverts a hunk of 1a2b3c4d5e6f, and negates a", "reverts a hunk of 1a2b3c4d5e6f", "reverts two hunks of 1a2b3c4d5e6f, and negates a"},
		{"reverts a hunk of 1a2b3c4d5e6f", "reverts a line of 1a2b3c4d5e6f", "reverts a hunk of 1a2b3c4d5e6f, and reverts a line of 1a2b3c4d5e6f"},
		{"reverts a hunk of 1a2b3c4d5e6f", "reverts a hunk of 6f5e4d3c2b1a", "reverts a hunk of 1a2b3c4d5e6f, and reverts a hunk of 6f5e4d3c2b1a"},
		{"removes a", "removes a", "removes a, and removes a"},
	} {
		if got := joinedOrigins(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %q", c.a, c.b, got)
		}
	}
	part := func(text string) generate.Candidate {
		return generate.Candidate{Origin: hunk, Files: []gitext.Overlay{{Path: "ini.c", Content: []byte(text)}}}
	}
	both, ok := joined([]byte("a\nb\nc\nd\n"), part("A\nb\nc\nd\n"), part("a\nb\nc\nD\n"))
	if !ok || both.Origin != "reverts two hunks of the uncommitted changes" || string(both.Files[0].Content) != "A\nb\nc\nD\n" {
		t.Errorf("%v %+v", ok, both)
	}
}
