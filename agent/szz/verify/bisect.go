package verify

import (
	"context"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// bisect finds the first failing commit and makes it a suspect. The runs until now, and the
// probabilities of the suspects, make its search shorter.
func (c *Check) bisect(ctx context.Context, v *szz.Answer) error {
	before := c.space.Runs()
	opt := bisect.Options{
		Try: c.try, Prior: suspicion(v), Known: c.runs(), Progress: c.opt.Progress,
	}
	found, err := bisect.Find(ctx, c.repo, bisect.Question{Tip: c.fc.Parent}, opt)
	if err != nil {
		return err
	}
	switch found.Status {
	case bisect.Apart:
		v.Note("bisection ended at %s: %d commits cannot be told apart, because the command says nothing at some of them",
			found.First.Short(), len(found.Candidates))
		return nil
	case bisect.Nothing, bisect.Stopped:
		return nil
	}
	took := c.space.Runs() - before
	commit, err := c.repo.Commit(ctx, found.First)
	if err != nil {
		return err
	}
	newer := c.newerName(commit)
	if found.Status == bisect.Always || newer != "" {
		result, err := c.confirm(ctx, commit)
		if err != nil {
			return err
		}
		if result.Status != suspect.Confirmed {
			v.Note("%s", unprovedNote(found, commit, newer))
			return nil
		}
	}
	if found.Status == bisect.Always {
		v.Note("the command fails as far back as the history goes: there was nothing to bisect")
	}
	if err := c.markFirstBad(ctx, v, found.First); err != nil {
		return err
	}
	if found.Status == bisect.Proved {
		v.Note("bisection took %s, after %s at suspects; halving the same %s takes about %d", agent.Plural(took, "run"),
			agent.Plural(before-baselineRuns, "run"), agent.Plural(found.Range, "commit"), found.Halvings)
	}
	return nil
}

// newerName returns a name that the tests use and that does not exist at a parent of the commit; "" if there
// is none.
func (c *Check) newerName(commit gitext.Commit) string {
	for _, p := range commit.Parents {
		if name := c.absent[p]; name != "" {
			return name
		}
	}
	return ""
}

// unprovedNote says where a bisection ended that proves no culprit: the failure may be older than what the
// command can judge. newer is the name that the tests use and that the oldest failing commit brought, or "".
func unprovedNote(found *bisect.Answer, oldest gitext.Commit, newer string) string {
	if newer != "" {
		return fmt.Sprintf("bisection ended at %s, %s: the command fails since then, and its tests use %s, which does not exist before; the bug may be older",
			oldest.OID.Short(), agent.Shorten(oldest.Subject(), maxNoted), newer)
	}
	note := "bisection ended: the command passes at no older commit that was tried"
	unjudged := slices.DeleteFunc(slices.Clone(found.Runs), func(r bisect.Run) bool { return r.Outcome != bisect.Unknown })
	if len(unjudged) > 0 {
		last := unjudged[len(unjudged)-1]
		note += fmt.Sprintf(", and %d of them could not be judged; at %s it %s", len(unjudged), last.Commit.Short(), last.How)
	}
	return note
}

// maxNoted bounds a subject in a note, in characters.
const maxNoted = 60

// try runs the command at a commit. Where the tests use what does not exist, the failure is not there
// yet: it began later.
func (c *Check) try(ctx context.Context, _ int, commit gitext.OID) (trial.Result, error) {
	res, err := c.run(ctx, commit)
	if c.absent[commit] != "" {
		res.Outcome = trial.Passes
	}
	return res, err
}

// baselineRuns is the number of runs before the suspects: one at the fix and one at its
// parent.
const baselineRuns = 2

// runs returns the runs until now in the form of a search.
func (c *Check) runs() []bisect.Run {
	var list []bisect.Run
	outcomes := map[trial.Outcome]bisect.Outcome{trial.Passes: bisect.Old, trial.Fails: bisect.New, trial.Unknown: bisect.Unknown}
	for _, oid := range c.order {
		outcome := outcomes[c.known[oid].Outcome]
		if c.absent[oid] != "" {
			outcome = bisect.Old
		}
		list = append(list, bisect.Run{Commit: oid, Outcome: outcome, How: c.known[oid].How})
	}
	return list
}

// suspicion returns the weights of commits by the probabilities of the suspects. Suspects
// without a probability share a half.
func suspicion(v *szz.Answer) func(context.Context, gitext.OID, []gitext.OID) ([]float64, error) {
	return func(_ context.Context, _ gitext.OID, commits []gitext.OID) ([]float64, error) {
		const unnamed = 0.5
		weights := make([]float64, len(commits))
		for i, oid := range commits {
			weights[i] = unnamed / float64(len(commits))
			for _, s := range v.Suspects {
				switch {
				case s.Commit.OID != oid:
				case s.Probability > 0:
					weights[i] += s.Probability
				default:
					weights[i] += unnamed / float64(len(v.Suspects))
				}
			}
			if v.Owner != nil && v.Owner.Commit.OID == oid {
				weights[i] += v.Owner.Probability
			}
		}
		return weights, nil
	}
}

// markFirstBad confirms the first failing commit, as a new suspect if the ranking did not
// name it.
func (c *Check) markFirstBad(ctx context.Context, v *szz.Answer, first gitext.OID) error {
	commit, err := c.repo.Commit(ctx, first)
	if err != nil {
		return err
	}
	// Its parents were mostly run already. A parent of a merge may not have been: it may
	// fail although it is an ancestor of a passing commit.
	result, err := c.confirm(ctx, commit)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(v.Suspects, func(s szz.Suspect) bool { return s.Commit.OID == first })
	if i < 0 && v.Owner != nil && v.Owner.Commit.OID == first {
		i = listOwner(v)
	}
	if i < 0 {
		v.Suspects = append(v.Suspects, szz.Suspect{Suspect: suspect.Suspect{
			Commit: commit, Reason: "found by bisection, not by the ranking",
			Evidence: []suspect.Evidence{{Text: commit.Subject(), Command: "git show " + string(first)}},
		}})
		judgeUnranked(v, result)
	} else if was := v.Suspects[i].Confirmation; was == nil || was.Status != result.Status { // else it counts already
		judge(v, i, result)
	}
	if !slices.Contains(v.Candidates, first) {
		v.Candidates = append(v.Candidates, first)
	}
	return nil
}
