package symbol

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"git-agent/gitext/gittest"
)

// A file may have a hundred thousand structures without a name, each with a member of the
// name, or as many types of one name. Their definitions are found in time that grows with
// the tags, and are bounded.
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
		begin := time.Now()
		for range 20 {
			l.addTags("a.c", tags)
		}
		if took := time.Since(begin); took > 30*time.Second || len(l.found.Definitions) != 20*maxSameName || len(l.found.Notes) != 1 {
			t.Errorf("%s: %v, %d definitions, notes %q", name, took, len(l.found.Definitions), l.found.Notes)
		}
	}
}

// Where ctags did not end in time again and again, the look of lines is the answer.
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
