package symbol

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// A file may have a hundred thousand structures without a name, each with a member of the name,
// or as many types with one name. The number of definitions is bounded. A search that compares
// all with all would exceed the time limit of the tests.
func TestManyTagsOfOneName(t *testing.T) {
	t.Parallel()
	var members, types []tag
	for i := range 100_000 {
		scope := fmt.Sprintf("__anon%d", i)
		members = append(members,
			tag{name: scope, kind: "struct", line: i + 1, end: i + 1},
			tag{name: "x", kind: "member", scope: scope, line: i + 1})
		types = append(types, tag{name: "x", kind: "typedef", typed: fmt.Sprintf("struct:s%d", i), line: i + 1})
	}
	for name, tags := range map[string][]tag{"members": members, "types": types} {
		l := &lookup{Finder: &Finder{}, query: query{name: "x", full: "x"}}
		for range 20 {
			l.addTags("a.c", tags)
		}
		if len(l.found.Definitions) != 20*maxSameName || len(l.found.Notes) != 1 {
			t.Errorf("%s: %d definitions, notes %q", name, len(l.found.Definitions), l.found.Notes)
		}
	}
}

// If ctags times out repeatedly, the form of lines gives the answer.
func TestCtagsThatNeverEnds(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	f := finder(t, h, h.Commit("begin", project), Options{})
	needCtags(t, f)
	f.timeouts.Store(maxTimeouts)
	found := lookUp(t, f, "push", Place{})
	if !strings.HasPrefix(brief(found), "lib/queue.c:3-0 function") || !strings.Contains(strings.Join(found.Notes, "\n"), "ctags is no longer run") {
		t.Errorf("%s, notes %q", brief(found), found.Notes)
	}
}
