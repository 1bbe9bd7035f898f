package verify

import (
	"testing"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// ownedAnswer verifies an answer with one suspect and the commit that wrote most of the removed code.
func ownedAnswer(t *testing.T, h *history, fix, first, owner gitext.OID, opt Options) *szz.Answer {
	t.Helper()
	repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: h.Dir, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	fc, err := szz.NewContext(t.Context(), repo, fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		t.Fatal(err)
	}
	v := &szz.Answer{Fix: fc.Fix, Parent: fc.Parent}
	var listed []szz.Suspect
	for i, oid := range []gitext.OID{first, owner} {
		commit, err := repo.Commit(t.Context(), oid)
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, szz.Suspect{Suspect: suspect.Suspect{
			Commit: commit, Probability: []float64{0.5, 0.25}[i], Reason: "ranked", Evidence: []suspect.Evidence{{}}}})
	}
	v.Suspects, v.Owner = listed[:1], &listed[1]
	opt.Command, opt.Sandbox, opt.Scratch = runTests, "none", t.TempDir()
	if err := Suspects(t.Context(), repo, fc, v, opt); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVerifyTriesTheOwnerOfTheRemovedLines(t *testing.T) {
	// The commit that wrote most of the removed code is printed beside the suspects. It is tried after them, and
	// becomes one if the command confirms it: before, --bisect listed it twice.
	t.Parallel()
	h, c, fix := chain(t, "good", "good", "bad", "bad", "bad")
	for _, bisect := range []bool{false, true} {
		v := ownedAnswer(t, h, fix, c[3], c[2], Options{Bisect: bisect})
		wantStatuses(t, v, nil, "c2 confirmed, c3 refuted")
		if v.Owner != nil || v.Suspects[0].Probability < provedProbability || v.Suspects[0].Reason != "ranked; confirmed by running the command" {
			t.Errorf("owner %v, first %+v", v.Owner, v.Suspects[0])
		}
	}
	v := ownedAnswer(t, h, fix, c[4], c[3], Options{})
	wantStatuses(t, v, nil, "c4 refuted")
	if v.Owner == nil || v.Owner.Confirmation == nil || v.Owner.Confirmation.Status != suspect.Refuted || v.Owner.Probability >= 0.25 {
		t.Errorf("owner %+v", v.Owner)
	}
	v = ownedAnswer(t, h, fix, c[2], c[3], Options{})
	wantStatuses(t, v, nil, "c2 confirmed")
	if v.Owner == nil || v.Owner.Confirmation != nil || v.Owner.Probability >= 0.25 || v.Owner.Prior != 0.25 {
		t.Errorf("owner beside a confirmed suspect %+v", v.Owner)
	}
}
