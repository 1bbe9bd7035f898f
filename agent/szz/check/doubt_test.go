package check

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// pastOf makes a history in which a commit adds a reader of frames, another one adds a clock, and
// others stand for the ordinary commits from which the use of words is told.
func pastOf(t *testing.T) (h *gittest.History, frames, clock gitext.OID) {
	t.Helper()
	h = gittest.New(t)
	for i := range 12 {
		h.Commit(fmt.Sprintf("doc: chapter %d", i), gittest.Files{"doc/chapters.txt": fmt.Sprintf("chapter %d\n", i)})
	}
	reader := "int read_frame(struct frame_reader *reader, size_t wanted)\n{\n\tsize_t length = reader->frame_length;\n\treturn copy_frame(reader, length);\n}\n"
	frames = h.Commit("net: read frames from the socket", gittest.Files{"net/frame.c": reader})
	clock = h.Commit("timer: add a monotonic clock", gittest.Files{"timer/clock.c": "long monotonic_clock(void)\n{\n\treturn ticks_since_boot() * NANOSECONDS_PER_TICK;\n}\n"})
	return h, frames, clock
}

// A trailer that names the commit that wrote the lines is not doubted; one that names another commit
// by its own subject is, and the finding says what is missing.
func TestDoubt(t *testing.T) {
	t.Parallel()
	h, frames, clock := pastOf(t)
	fixed := "int read_frame(struct frame_reader *reader, size_t wanted)\n{\n\tsize_t length = min(reader->frame_length, wanted);\n\treturn copy_frame(reader, length);\n}\n"
	subject := map[gitext.OID]string{frames: "net: read frames from the socket", clock: "timer: add a monotonic clock"}
	fix := func(named gitext.OID) gitext.Commit {
		h.Git("checkout", "-q", string(clock))
		oid := h.Commit(fmt.Sprintf("net: never copy more of a frame than wanted\n\nFixes: %s (\"%s\")", named[:12], subject[named]), gittest.Files{"net/frame.c": fixed})
		c, err := h.Open().Commit(t.Context(), oid)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	pair := func(named gitext.OID) *Pair {
		c, repo := fix(named), h.Open()
		pairs, err := (&Checker{Repo: repo}).Pairs(t.Context(), []gitext.Commit{c})
		if err != nil || pairs[c.OID] == nil {
			t.Fatalf("%v, %v", pairs, err)
		}
		return pairs[c.OID]
	}
	right, wrong := pair(frames), pair(clock)
	if f := right.Doubt(nil); f != nil {
		t.Errorf("the right trailer: %+v", f)
	}
	f := wrong.Doubt(nil)
	if f == nil || f.Problem != Doubted || !strings.Contains(f.Text, clock.Short()+" changes no file in a directory of the fix, wrote no line") {
		t.Fatalf("the wrong trailer: %+v", f)
	}
	ranked := []Candidate{{gitext.Commit{OID: frames, Message: "net: read frames from the socket"}, 0.9}}
	if f := right.Doubt(ranked); f != nil {
		t.Errorf("the right trailer, with the ranking: %+v", f)
	}
	if f := wrong.Doubt(ranked); f == nil || f.Write != Format(ranked[0].Commit) || !strings.Contains(f.Text, "the ranking suspects another commit, with 90%") {
		t.Errorf("the wrong trailer, with the ranking: %+v", f)
	}
	if f := (*Pair)(nil).Doubt(ranked); f != nil {
		t.Errorf("no pair: %+v", f)
	}
}

// What the ranking says is read by place: the named commit first, later or nowhere.
func TestRanked(t *testing.T) {
	list := []Candidate{{gitext.Commit{OID: "a"}, 0.7}, {gitext.Commit{OID: "b"}, 0.2}}
	at := func(named gitext.OID, name string) float64 {
		for i, n := range RankedNames {
			if n == name {
				return Ranked(3, named, list)[i]
			}
		}
		t.Fatal(name)
		return 0
	}
	if at("a", "lead") <= 0 || at("b", "lead") != 0 || at("c", "suspect") != 0 || at("b", "suspect") != 1 || at("a", "tie") != 3 ||
		!(at("a", "log_odds") > at("b", "log_odds") && at("b", "log_odds") > at("c", "log_odds")) || at("a", "log_place") >= at("b", "log_place") {
		t.Errorf("%v %v %v", Ranked(3, "a", list), Ranked(3, "b", list), Ranked(3, "c", list))
	}
}

// The model in the program has a weight for each feature, and no other.
func TestShipped(t *testing.T) {
	for _, m := range []struct {
		w     Weights
		names []string
	}{{Shipped().Tie, TieNames}, {Shipped().Ranked, RankedNames}} {
		if len(m.w.Features) != len(m.names) {
			t.Errorf("%d weights of %d features", len(m.w.Features), len(m.names))
		}
		for _, name := range m.names {
			if _, ok := m.w.Features[name]; !ok {
				t.Errorf("no weight of %s", name)
			}
		}
	}
}

func TestAreas(t *testing.T) {
	for _, tt := range []struct {
		a, b          string
		agree, differ float64
	}{
		{"net: x", "NET: y", 1, 0}, {"net/mlx5: x", "net/ice: y", 0.5, 0}, {"net: x", "lib: y", 0, 1}, {"fix x", "net: y", 0, 0},
	} {
		if agree, differ := areas(tt.a, tt.b); agree != tt.agree || differ != tt.differ {
			t.Errorf("%q, %q: %v %v", tt.a, tt.b, agree, differ)
		}
	}
}
