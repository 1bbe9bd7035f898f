package trace

import (
	"bytes"
	"strings"

	"git-agent/agent"
)

// guessOldFields fills in what a run does not say of itself because it was
// recorded before there were fields for it: what its tools do, what its verdict
// should rest on, and which calls found nothing or met their time limit. All of
// it is guessed from names and from the English of the tools of that time.
//
// A run that says what its tools do needs no guess. A run that an older build
// began and a newer one ended is an old one.
func (t *Trajectory) guessOldFields() {
	t.deeds = map[string]agent.Deed{}
	for i := range t.Turns {
		turn := &t.Turns[i]
		for j := range turn.Calls {
			c := &turn.Calls[j]
			tool, _ := c.Means()
			t.deeds[tool] = oldDeed(tool)
			if r := c.Result; r != nil {
				r.Nothing = r.Nothing || oldNothing(r.Text) && !r.Failed || r.Final && oldEmpty(r.Detail)
				r.TimedOut = r.TimedOut || r.Failed && strings.Contains(r.Text, oldTimeout)
			}
		}
		if s := turn.Said; s != nil {
			s.Nothing = s.Nothing || s.Final && oldEmpty(s.Detail)
		}
	}
	blamed := t.Opening != nil && strings.Contains(t.Opening.Prompt, oldBlame)
	if strings.HasPrefix(t.Run.Kind, "szz") && !blamed {
		t.needs = []agent.Deed{agent.DeedBlame}
	}
}

// The words of old runs; a test holds them against the tools and the prompt of
// today.
const (
	oldTimeout = "without an answer; to ask for less" // of a call that its time limit stopped
	oldBlame   = "the commit that wrote an old line"  // of a first prompt whose patch names who wrote the old lines
)

// oldNothing knows the words with which the tools said that they found nothing.
func oldNothing(text string) bool {
	return strings.Contains(text, ": no commits found\n") || strings.Contains(text, ": no lines found\n")
}

// oldEmpty is true for the value of a verdict that named no commit.
func oldEmpty(detail []byte) bool { return string(bytes.TrimSpace(detail)) == "[]" }

// oldDeed knows the git tools by name. Others said what they do in theirs, as
// in "edit_file" or "run_tests".
func oldDeed(tool string) agent.Deed {
	switch tool {
	case "git_show":
		return agent.DeedShow
	case "git_blame", "git_log_function":
		return agent.DeedBlame
	case "git_log_search", "git_grep":
		return agent.DeedSearch
	case "report":
		return agent.DeedVerdict
	}
	for _, word := range []struct {
		part string
		deed agent.Deed
	}{
		{"test", agent.DeedTest}, {"edit", agent.DeedEdit}, {"write", agent.DeedEdit}, {"patch", agent.DeedEdit}, {"search", agent.DeedSearch}, {"grep", agent.DeedSearch}, {"find", agent.DeedSearch},
		{"read", agent.DeedRead}, {"show", agent.DeedRead}, {"view", agent.DeedRead}, {"cat", agent.DeedRead}, {"list", agent.DeedRead},
	} {
		if strings.Contains(tool, word.part) {
			return word.deed
		}
	}
	return ""
}
