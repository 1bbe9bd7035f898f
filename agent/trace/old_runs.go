package trace

import (
	"bytes"
	"strings"

	"git-agent/agent"
)

// guessOldFields fills in fields that older builds did not record: the deeds of the tools, the
// deeds that an answer needs, and the calls that found nothing or timed out. It guesses the
// values from the old tools' names and messages.
//
// It is called if the opening does not have the deeds of the tools. A run that an older build
// began and a newer one ended counts as old.
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

// These phrases occur in old runs. A test checks that the tools and the prompt still
// use them.
const (
	oldTimeout = "without an answer; to ask for less" // in the answer of a call that timed out
	oldBlame   = "the commit that wrote an old line"  // in a first prompt that names the commits of the old lines
)

// oldNothing reports whether a tool's answer means that the tool found nothing.
func oldNothing(text string) bool {
	return strings.Contains(text, ": no commits found\n") || strings.Contains(text, ": no lines found\n")
}

// oldEmpty reports whether the value of an answer names no commit.
func oldEmpty(detail []byte) bool { return string(bytes.TrimSpace(detail)) == "[]" }

// oldDeed guesses the deed of a tool from its name. The git tools are listed; other names contain
// a telling word, as in "edit_file" or "run_tests".
func oldDeed(tool string) agent.Deed {
	switch tool {
	case "git_show":
		return agent.DeedShow
	case "git_blame", "git_log_function":
		return agent.DeedBlame
	case "git_log_search", "git_grep":
		return agent.DeedSearch
	case "report":
		return agent.DeedAnswer
	}
	for _, word := range []struct {
		part string
		deed agent.Deed
	}{
		{"test", agent.DeedTest}, {"edit", agent.DeedEdit}, {"write", agent.DeedEdit}, {"patch", agent.DeedEdit},
		{"search", agent.DeedSearch}, {"grep", agent.DeedSearch}, {"find", agent.DeedSearch},
		{"read", agent.DeedRead}, {"show", agent.DeedRead}, {"view", agent.DeedRead}, {"cat", agent.DeedRead}, {"list", agent.DeedRead},
	} {
		if strings.Contains(tool, word.part) {
			return word.deed
		}
	}
	return ""
}
