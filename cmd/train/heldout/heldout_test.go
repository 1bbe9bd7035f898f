package heldout

import (
	"regexp"
	"strings"
	"testing"
)

// The list has the documented form.
func TestList(t *testing.T) {
	line := regexp.MustCompile(`^(szz|crash|fix) [0-9a-f]{64}\n$`)
	verbs := map[string]int{}
	for l := range strings.Lines(list) {
		if !line.MatchString(l) {
			t.Errorf("line %q", l)
		}
		verb, _, _ := strings.Cut(l, " ")
		verbs[verb]++
	}
	if len(verbs) != 3 {
		t.Errorf("verbs %v", verbs)
	}
}

// A repository is held out for its verbs in the list, with any owner and in any case of its name.
// The error names each such repository once.
func TestRefuse(t *testing.T) {
	own := func(s string) string { return s }
	if err := Refuse("crash", []string{"o/r", "facebook/buck2", "a/BUCK2", "facebook/buck2"}, own); err == nil || !strings.HasSuffix(err.Error(), "may use it: a/BUCK2, facebook/buck2; leave its cases out") || !strings.Contains(err.Error(), "held out for crash") {
		t.Errorf("%v", err)
	}
	if err := Refuse("szz", []string{"facebook/buck2", "o/r", "noslash", ""}, own); err != nil {
		t.Errorf("not held out for szz: %v", err)
	}
}
