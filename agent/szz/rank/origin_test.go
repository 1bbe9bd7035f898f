package rank

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// caseOf reads a fix as the ranker does.
func (h *history) caseOf(fix gitext.OID) *Case {
	h.T.Helper()
	k, err := study(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}))
	if err != nil {
		h.T.Fatal(err)
	}
	return k
}

// checkShares reports an error unless the shares of a kind are those wanted.
func checkShares(t *testing.T, k *Case, s candidate.ShareKind, want map[gitext.OID]float64) {
	t.Helper()
	for _, c := range k.list {
		if got := k.shares[s][c.OID]; math.Abs(got-want[c.OID]) > 1e-9 {
			t.Errorf("%q has %.3f, want %.3f", c.Commit.Subject(), got, want[c.OID])
		}
	}
	for oid := range want {
		if k.pool.ByOID[oid] == nil {
			t.Errorf("%s is no candidate", oid.Short())
		}
	}
}

// body wraps a statement in a function that never changes.
func body(statement string) gittest.Files {
	return gittest.Files{"p.c": "int mean(int *all, int count)\n{\n\tint sum = total(all, count);\n" + statement + "}\n"}
}

// Words count for the commit that wrote them, not for a later rewrite of the line, even
// if only signs differ and if the line was moved.
func TestOrigins(t *testing.T) {
	for _, tc := range []struct {
		name                string
		first, second, then string
		want                map[string]float64
	}{
		{"a rewritten line", "\treturn divide(sum, count);\n", "\treturn rounded(divide(sum, count));\n",
			"\treturn rounded(safely(sum, count));\n", map[string]float64{"first": 1}},
		{"the rewriter's own word", "\treturn divide(sum, count);\n", "\treturn rounded(divide(sum, count));\n",
			"\treturn divide(sum, count);\n", map[string]float64{"second": 1}},
		{"signs alone", "\treturn sum < count;\n", "\treturn sum < count || never;\n",
			"\treturn sum <= count || never;\n", map[string]float64{"first": 1}},
		{"a moved line", "\tlog_entry(divide(sum, count));\n\tstart();\n\twait();\n\treturn sum;\n",
			"\tstart();\n\twait();\n\tlog_entry(divide(sum, count));\n\treturn sum;\n",
			"\tstart();\n\twait();\n\tlog_entry(safely(sum, count));\n\treturn sum;\n", map[string]float64{"first": 1}},
		{"a line unlike what it replaced", "\tdivide(a); b(); c(); d(); e(); f(); g(); h();\n\treturn sum;\n",
			"\treturn divide(sum, count);\n", "\treturn safely(sum, count);\n", map[string]float64{"second": 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHistory(t)
			h.Commit("start", body("\tbegin();\n"))
			oids := map[string]gitext.OID{"first": h.Commit("first", body(tc.first)), "second": h.Commit("second", body(tc.second))}
			k := h.caseOf(h.Commit("fix", body(tc.then)))
			want := map[gitext.OID]float64{}
			for name, share := range tc.want {
				want[oids[name]] = share
			}
			checkShares(t, k, candidate.ShareOrigin, want)
		})
	}
}

// Words are followed through several rewrites, up to the bound.
func TestOriginsThroughRewrites(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", body("\tbegin();\n"))
	line, first := "\treturn divide(sum, count, how, why);\n", gitext.OID("")
	for i, word := range []string{"how", "one", "two", "three", "four", "five"} {
		oid := h.Commit(word, body(strings.Replace(line, "how", word, 1)))
		if i == 0 || i == 2 { // three steps back from the newest are followed
			first = oid
		}
	}
	k := h.caseOf(h.Commit("fix", body("\treturn safely(sum, count, five, why);\n")))
	checkShares(t, k, candidate.ShareOrigin, map[gitext.OID]float64{first: 1})
}

// The line beside an insertion that has the words of the added lines leads to the commit
// that wrote the code guarded by an added check.
func TestRelatedOrigin(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", body("\tbegin();\n"))
	uses := h.Commit("use it", body("\tbegin();\n\tdivide(sum, divisor);\n\treturn sum;\n"))
	h.Commit("rewrite", body("\tbegin();\n\trounded(divide(sum, divisor));\n\treturn sum;\n"))
	k := h.caseOf(h.Commit("fix", body("\tbegin();\n\tif (!divisor)\n\t\tfail();\n\trounded(divide(sum, divisor));\n\treturn sum;\n")))
	checkShares(t, k, candidate.ShareRelatedOrigin, map[gitext.OID]float64{uses: 1})
}

// A commit may make a file out of two. Blame finds the more similar file among all files,
// and a patch of the fixed files the more similar one among these. Lines of the one are
// not looked for in the other, which may be shorter.
func TestOriginsOfTwoSources(t *testing.T) {
	h := newHistory(t)
	numbered := func(name string, n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("int %s_%d(int of_%s);\n", name, i, name)
		}
		return text
	}
	shared, own := numbered("shared", 30), numbered("own", 5)
	h.Commit("start", gittest.Files{"short.c": shared + "int sum(int value);\n", "long.c": numbered("long", 10) + shared + "int sum(int rate);\n"})
	joins := h.Commit("join", gittest.Files{"short.c": gittest.Gone, "long.c": gittest.Gone, "joined.c": shared + own + "int sum(int value, int rate);\n"})
	h.Commit("again", gittest.Files{"long.c": "int other(int value);\n"})
	k := h.caseOf(h.Commit("fix", gittest.Files{"joined.c": shared + own + "int sum(int amount, int share);\n", "long.c": "int other(int amount);\n"}))
	if k.pool.ByOID[joins] == nil || k.shares[candidate.ShareOrigin][joins] == 0 {
		t.Errorf("%s wrote nothing: %v", joins.Short(), k.shares[candidate.ShareOrigin])
	}
}

// Names count for the last and the first commit that brought them, and for the last that
// removed them, for any owner of the lines now.
func TestNameVotes(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", body("\tbegin();\n"))
	brings := h.Commit("bring it", body("\tclear_memory(all);\n\treturn sum;\n"))
	takes := h.Commit("tidy", body("\treturn sum;\n"))
	h.Commit("unrelated", gittest.Files{"p.c": body("\treturn sum;\n")["p.c"] + "\nint other(void)\n{\n\treturn 0;\n}\n"})
	k := h.caseOf(h.Commit("fix", gittest.Files{"p.c": body("\tclear_memory(all);\n\treturn sum;\n")["p.c"] + "\nint other(void)\n{\n\treturn 0;\n}\n"}))
	checkShares(t, k, candidate.ShareRestorer, map[gitext.OID]float64{takes: 1})
	checkShares(t, k, candidate.ShareRestoredLines, map[gitext.OID]float64{takes: 1})
	if k.shares[candidate.ShareFreshNewest][brings] == 0 || k.shares[candidate.ShareFreshFirst][brings] == 0 || k.shares[candidate.ShareFreshNewest][takes] > 0 {
		t.Errorf("newest %v, first %v", k.shares[candidate.ShareFreshNewest], k.shares[candidate.ShareFreshFirst])
	}
}

// Commits of the fix's author right before the fix are recognised, and so are tickets
// among words that look like them.
func TestStreakAndTickets(t *testing.T) {
	h := newHistory(t)
	h.Commit("start ABC-12", body("\tbegin();\n"))
	h.Git("commit", "-q", "--allow-empty", "--author=Other Person <o@x>", "-m", "between")
	mine := h.Commit("mine", body("\tmiddle();\n"))
	k := h.caseOf(h.Commit("fix for ABC-12 in UTF-8", body("\tend();\n")))
	for _, c := range k.list {
		if got, want := featureOf(t, k, c, "in_streak"), stat.Flag(c.OID == mine); got != want {
			t.Errorf("%q: in_streak %g, want %g", c.Commit.Subject(), got, want)
		}
		if got, want := featureOf(t, k, c, "same_ticket"), stat.Flag(strings.Contains(c.Commit.Message, "ABC-12")); got != want {
			t.Errorf("%q: same_ticket %g, want %g", c.Commit.Subject(), got, want)
		}
	}
	if k.streak != 1 {
		t.Errorf("streak %d, want 1", k.streak)
	}
}

func TestPairs(t *testing.T) {
	b := source.Bag{}
	b.AddPairs([]byte("\tif (i<=max_n) x();\r"))
	want := []string{"( )", "( i", ") ;", ") x", "< =", "= max_n", "i <", "if (", "max_n )", "x ("}
	if got := source.SortedTokens(b); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	long := source.Bag{}
	long.AddPairs([]byte(strings.Repeat("a b ", 2*source.MaxPairedLine)))
	if long["a b"] != source.MaxPairedLine/4 {
		t.Errorf("%d pairs of a long line", long["a b"])
	}
}
