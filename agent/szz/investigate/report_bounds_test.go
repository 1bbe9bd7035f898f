package investigate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// An answer that names thousands of commits is refused once. If the model insists, the
// commits with most confidence are taken.
func TestReportHasALength(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	bad := h.Commit("raise the limit", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 1000", 1)})
	fix := h.Commit("keep the limit low", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 12", 1)})
	many := make([]string, 500)
	for i := range many {
		many[i] = "deadbeef"
	}
	many[0] = string(bad)
	v, s := h.detect(fix, Options{}, accuse(many...), accuse(many...))
	if v.Agent.Fallback != "" || len(v.Suspects) != 1 || v.Suspects[0].Commit.OID != bad {
		t.Errorf("%s, report %+v", szztest.Subjects(v), v.Agent)
	}
	if text := s.last(2); !strings.Contains(text, "the report names 500 commits; name the 32 most probable at most") || len(text) > 4000 {
		t.Errorf("told %q", text)
	}
	v, s = h.detect(fix, Options{}, accuse(make([]string, 1500)...), accuse(strings.Repeat("a", 10_000)), accuse("c1"))
	if text := s.last(2); !strings.Contains(text, "bytes; at most 65536 are read") || len(text) > 4000 {
		t.Errorf("told %q", text)
	}
	if text := s.last(3); !strings.Contains(text, "the name of a commit has 10000 bytes") || len(v.Suspects) != 1 {
		t.Errorf("told %q", text)
	}
}

// After the time of a run is over, claims are accepted without a check.
func TestCheckEndsWithTheTime(t *testing.T) {
	t.Parallel()
	h, _, mover, fix := movedHistory(t)
	repo, fc := h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true})
	d, err := newInvestigation(t.Context(), repo, fc, Options{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	tool, err := newReportTool(d, map[gitext.OID]string{})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if objections, err := tool.check(over, []szz.Claim{{Commit: mover}}); len(objections) > 0 || err != nil {
		t.Errorf("objections %q, %v", objections, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := tool.check(stopped, []szz.Claim{{Commit: mover}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a user's stop was taken for the end of the time: %v", err)
	}
	if objections, err := tool.check(t.Context(), []szz.Claim{{Commit: mover}}); len(objections) != 1 || err != nil {
		t.Errorf("objections %q, %v", objections, err)
	}
}
