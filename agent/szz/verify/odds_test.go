package verify

import (
	"math"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// verdictOf returns an answer whose suspects are called a, b and so on.
func answerOf(probabilities ...float64) *szz.Answer {
	v := &szz.Answer{}
	for i, p := range probabilities {
		v.Suspects = append(v.Suspects, szz.Suspect{Suspect: suspect.Suspect{
			Commit: gitext.Commit{OID: gitext.OID("abcdef"[i : i+1])}, Probability: p,
		}})
	}
	return v
}

func order(v *szz.Answer) (names string) {
	for _, s := range v.Suspects {
		names += string(s.Commit.OID)
	}
	return names
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestConfirmationIsEvidence(t *testing.T) {
	// A confirmed suspect at 10 % passes an untried one at 83 %, whose probability falls
	// to its part of the rest. Both keep their earlier probabilities in Prior. It is as
	// probable as a commit that a bisection proved.
	t.Parallel()
	v := answerOf(0.83, 0.1)
	judge(v, 1, found(suspect.Confirmed, ""))
	sortSuspects(v)
	want := provedProbability
	if b := v.Suspects[0]; order(v) != "ba" || !near(b.Probability, want) || b.Prior != 0.1 {
		t.Errorf("order %s, first %v, before %v; want %v", order(v), b.Probability, b.Prior, want)
	}
	if a := v.Suspects[1]; !near(a.Probability, 0.83*(1-want)/0.9) || a.Prior != 0.83 {
		t.Errorf("the other one: %v, before %v", a.Probability, a.Prior)
	}
}

func TestConfirmationOfAProbableSuspect(t *testing.T) {
	// A suspect that the ranking trusts becomes more probable than a proof alone makes it.
	t.Parallel()
	v := answerOf(0.6)
	judge(v, 0, found(suspect.Confirmed, ""))
	odds := 0.6 / 0.4 * ratios[suspect.Confirmed]
	if p := v.Suspects[0].Probability; !near(p, odds/(1+odds)) || p <= provedProbability {
		t.Errorf("probability %v", p)
	}
}

func TestRefutationIsEvidence(t *testing.T) {
	// A refuted suspect at 83 % stays above one at 2 %, and falls below one at 75 %. The
	// others keep their probabilities, without a Prior.
	t.Parallel()
	v := answerOf(0.83, 0.75, 0.02)
	judge(v, 0, found(suspect.Refuted, ""))
	sortSuspects(v)
	odds := 0.83 / 0.17 * ratios[suspect.Refuted]
	if a := v.Suspects[1]; order(v) != "bac" || !near(a.Probability, odds/(1+odds)) || a.Prior != 0.83 {
		t.Errorf("order %s, the refuted one has %v, before %v", order(v), a.Probability, a.Prior)
	}
	if b := v.Suspects[0]; b.Probability != 0.75 || b.Prior != 0 {
		t.Errorf("the other one: %+v", b)
	}
}

func TestUnclearIsNoEvidence(t *testing.T) {
	// If the command cannot tell, nothing changes, and there is no earlier probability.
	t.Parallel()
	v := answerOf(0.3, 0.2)
	judge(v, 0, found(suspect.Unclear, ""))
	if a := v.Suspects[0]; a.Probability != 0.3 || a.Prior != 0 || a.Confirmation.Status != suspect.Unclear {
		t.Errorf("%+v", a)
	}
}

func TestEvidenceWithoutProbabilities(t *testing.T) {
	// The classic variants estimate no probability, and get none from a command. Their
	// suspects are in the order confirmed, unclear, refuted. One that is certain stays so.
	t.Parallel()
	v := answerOf(0, 0, 0)
	judge(v, 0, found(suspect.Refuted, ""))
	judge(v, 1, found(suspect.Unclear, ""))
	judge(v, 2, found(suspect.Confirmed, ""))
	sortSuspects(v)
	for _, s := range v.Suspects {
		if s.Probability != 0 || s.Prior != 0 {
			t.Errorf("%s has %v, before %v", s.Commit.OID, s.Probability, s.Prior)
		}
	}
	if order(v) != "cba" {
		t.Errorf("order %s", order(v))
	}
	v = answerOf(1)
	judge(v, 0, found(suspect.Refuted, ""))
	if v.Suspects[0].Probability != 1 {
		t.Errorf("a certain one has %v", v.Suspects[0].Probability)
	}
}

func TestBisectedCommitHasAProbability(t *testing.T) {
	// A commit that a bisection found and the ranking did not name comes before suspects
	// that the command does not support, unless the ranking estimates nothing.
	t.Parallel()
	v := answerOf(0.6, 0)
	judgeUnranked(v, found(suspect.Confirmed, ""))
	sortSuspects(v)
	if order(v) != "ba" || v.Suspects[0].Probability != provedProbability || !near(v.Suspects[1].Probability, 0.6*(1-provedProbability)) {
		t.Errorf("order %s: %+v", order(v), v.Suspects)
	}
	v = answerOf(0, 0)
	judgeUnranked(v, found(suspect.Confirmed, ""))
	if v.Suspects[1].Probability != 0 {
		t.Errorf("%v without any estimate", v.Suspects[1].Probability)
	}
}
