package rank

import (
	"strings"
	"testing"
)

// Each feature has a text for the candidates that lack it, which quotes nothing and
// negates once.
func TestAbsent(t *testing.T) {
	t.Parallel()
	for _, f := range features {
		if strings.HasPrefix(f.name, "fix_") {
			continue // no signal: the feature is the same for all candidates
		}
		got := absent(f.say)
		negations := 0
		for word := range strings.FieldsSeq(got) {
			if word == "no" || word == "not" || word == "none" {
				negations++
			}
		}
		if strings.HasPrefix(got, "not: ") || got == f.say || negations > 1 || strings.Contains(got, `"`) {
			t.Errorf("%s: %q becomes %q", f.name, f.say, got)
		}
	}
	for say, want := range map[string]string{
		"owns a line close to a change":        "owns no line close to a change",
		"its subject says fix":                 "its subject does not say fix",
		"one of its changes is like the fix's": "none of its changes is like the fix's",
		"older than the other candidates":      "not older than the other candidates",
		"files that it changes":                "no files that it changes",
		"minutes before the fix":               "committed no earlier than the fix",
		"owns a part of the changes":           "owns no part of the changes",
	} {
		if got := absent(say); got != want {
			t.Errorf("absent(%q) = %q, want %q", say, got, want)
		}
	}
}

// Common words, keywords, numbers and short words are no evidence; names are.
func TestTells(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"the": false, "The": false, "add": false, "before": false, "16": false, "px": false,
		"return": false, "github": false, "Jun": false, "Last": false, "Change": false, "remote_head": true, "xmalloc": true, "toUpperCase": true, "GO_VERSION": true} {
		if got := tells(word); got != want {
			t.Errorf("tells(%q) = %t", word, got)
		}
	}
}
