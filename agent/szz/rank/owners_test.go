package rank

import (
	"math"
	"testing"
	"time"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// featureOf computes one feature by its name.
func featureOf(t *testing.T, k *Case, c *candidate.Candidate, name string) float64 {
	t.Helper()
	for _, f := range features {
		if f.name == name {
			return f.get(k, c)
		}
	}
	t.Fatalf("no feature %q", name)
	return 0
}

// A commit outside the newest ones does not count as one of the ten newest: -1/10 is 0 in
// Go, which once made it one.
func TestDistance(t *testing.T) {
	now := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	k := &Case{fc: &szz.FixContext{Date: now}, pool: &candidate.Pool{Recents: make([]source.Bag, 400), Pace: 0.5}}
	for _, tc := range []struct {
		name            string
		recent, days    int
		Trace, distance float64
	}{
		{"the newest", 0, 1, 1, 0},
		{"the tenth", 9, 5, 0.1, 9},
		{"old", -1, 300, 0, 600},
		{"old by a clock that is wrong", -1, 0, 0, 400},
		{"very old", -1, 80_000, 0, 160_000},
	} {
		c := &candidate.Candidate{Recent: tc.recent, Commit: gitext.Commit{Committer: gitext.Person{Time: now.AddDate(0, 0, -tc.days)}}}
		if got := featureOf(t, k, c, "recent_rank"); got != tc.Trace {
			t.Errorf("%s: recent_rank %g, want %g", tc.name, got, tc.Trace)
		}
		if got := featureOf(t, k, c, "log_distance"); math.Abs(got-math.Log1p(tc.distance)) > 1e-9 {
			t.Errorf("%s: %g commits away, want %g", tc.name, math.Expm1(got), tc.distance)
		}
	}
}

// Owners are ordered by their age and by their size. Merges and commits that only
// moved their lines are no owners of code.
func TestStanding(t *testing.T) {
	owner := func(oid gitext.OID, size int, sources candidate.SourceSet, parents ...gitext.OID) *candidate.Candidate {
		return &candidate.Candidate{OID: oid, Sources: sources, Commit: gitext.Commit{OID: oid, Parents: parents}, Diff: &candidate.CommitDiff{NAdded: size}}
	}
	near := owner("near", 1, candidate.FromContext, "p")
	moved := owner("moved", 3, candidate.FromDeleted, "p")
	merge := owner("merge", 9, candidate.FromDeleted, "p", "q")
	small := owner("small", 4, candidate.FromDeleted, "p")
	large := owner("large", 8, candidate.FromDeleted, "p")
	k := &Case{
		owned: map[gitext.OID]float64{"moved": 1, "merge": 1, "small": 2, "large": 1},
		moved: map[gitext.OID]float64{"moved": 1},
	}
	k.rankOwners([]*candidate.Candidate{near, moved, merge, small, large}) // newest first
	for _, tc := range []struct {
		c                                *candidate.Candidate
		code, oldest, size, near, remove float64
	}{
		{near, 0, 0, 0, 1, 0},
		{moved, 0, 0, 0, 0, 1. / 3},
		{merge, 0, 0, 0, 0, 1. / 9},
		{small, 1, 0, 1. / 2, 1. / 2, 2. / 4},
		{large, 1. / 2, 1, 1, 1. / 3, 1. / 8},
	} {
		for name, want := range map[string]float64{
			"code_rank": tc.code, "code_oldest": tc.oldest, "code_size_rank": tc.size, "near_rank": tc.near, "gone_share": tc.remove,
		} {
			if got := featureOf(t, k, tc.c, name); got != want {
				t.Errorf("%s of %s: %g, want %g", name, tc.c.OID, got, want)
			}
		}
	}
}

// A person is recognised by an address, or by a full name.
func TestSamePerson(t *testing.T) {
	a := gitext.Person{Name: "Ada Byron", Email: "ada@work"}
	for _, tc := range []struct {
		b    gitext.Person
		want bool
	}{
		{gitext.Person{Name: "A. B.", Email: "ada@work"}, true},
		{gitext.Person{Name: "ada byron", Email: "ada@home"}, true},
		{gitext.Person{Name: "Ada King", Email: "ada@home"}, false},
	} {
		if got := SamePerson(a, tc.b); got != tc.want {
			t.Errorf("%+v: %t", tc.b, got)
		}
	}
	if SamePerson(gitext.Person{Name: "root", Email: "root@a"}, gitext.Person{Name: "root", Email: "root@b"}) {
		t.Error("a first name tells nobody apart")
	}
}
