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

// A feature's text says how much of it a candidate has, and not only what it is about: most
// features are shares, likenesses and places.
func TestWording(t *testing.T) {
	t.Parallel()
	byName := map[string]*feature{}
	for i := range features {
		byName[features[i].name] = &features[i]
	}
	for name := range slight {
		if byName[name] == nil {
			t.Errorf("there is no feature %s", name)
		}
	}
	for _, c := range []struct {
		name          string
		value, weight float64
		want          string
	}{
		{"age_quantile", 0, 0.5, "not older than the other candidates"},
		{"age_quantile", 0.026, 0.47, "newer than most other candidates"},
		{"age_quantile", 0.5, -0.49, "older than half of the other candidates"},
		{"age_quantile", 0.824, -1.2, "older than most other candidates"},
		{"age_quantile", 1, -0.34, "older than the other candidates"},
		{"hunk_likeness", 0.017, -0.56, "none of its changes is much like the fix's"},
		{"hunk_likeness", 0.56, 0.62, "one of its changes is like the fix's"},
		{"hunk_likeness", 0, -0.43, "none of its changes is like the fix's"},
		{"message_words", 0.039, -0.39, "the messages share few words"},
		{"message_best", 2.766, -0.26, "the messages share no very rare word"},
		{"message_best", 5.747, -0.38, "the messages share a rare word"},
		{"recent_rank", 0.006, -0.35, "not among the repository's last commits"},
		{"recent_rank", 0.071, 1.28, "among the repository's last commits"},
		{"says_fix", 1, -0.2, "its subject says fix"},
	} {
		if got := wording(byName[c.name], c.value, c.weight); got != c.want {
			t.Errorf("%s %v %+v: %q, want %q", c.name, c.value, c.weight, got, c.want)
		}
	}
}
