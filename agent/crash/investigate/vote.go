package investigate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/culprit"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// elect adds up the votes of the runs: each run gives 1/|S| to each of its |S| files
// (AutoCrashFL, section 3.4). It returns the votes by path, and the paths with the highest score
// first. Equal scores are ordered by the positions in the runs' lists, then by the first mention.
func elect(runs []crash.Run) (votes map[string]*crash.Vote, order []string) {
	votes = map[string]*crash.Vote{}
	places := map[string]float64{}
	voters := 0
	for _, r := range runs {
		if r.HasClaim() {
			voters++
		}
		for i, f := range r.Claim.Files {
			v := votes[f.Path]
			if v == nil {
				v = &crash.Vote{}
				votes[f.Path], order = v, append(order, f.Path)
			}
			v.Runs++
			v.Score += 1 / float64(len(r.Claim.Files))
			places[f.Path] += 1 / float64(i+1)
			if f.Reason != "" && !slices.Contains(v.Explanations, f.Reason) {
				v.Explanations = append(v.Explanations, f.Reason)
			}
		}
	}
	for _, v := range votes {
		v.Of = voters
	}
	slices.SortStableFunc(order, func(a, b string) int {
		if d := votes[b].Score - votes[a].Score; d > 1e-9 || d < -1e-9 {
			return cmp.Compare(votes[b].Score, votes[a].Score)
		}
		return cmp.Compare(places[b], places[a])
	})
	return votes, order
}

// Elect returns the files that runs name, in the order of the votes, and the confidence in the
// first one: its score divided by the number of runs with a claim. A nil ballot means a run
// without a claim. Elect returns no files if no run names any.
func Elect(ballots [][]string) (order []string, confidence float64) {
	runs := make([]crash.Run, len(ballots))
	for i, paths := range ballots {
		if paths != nil && len(paths) == 0 {
			runs[i].Status = agent.StatusNothing
		}
		for _, path := range paths {
			runs[i].Claim.Files = append(runs[i].Claim.Files, crash.FileClaim{Path: path})
		}
	}
	votes, order := elect(runs)
	if len(order) > 0 {
		confidence = votes[order[0]].Score / float64(votes[order[0]].Of)
	}
	return order, confidence
}

// merge puts the files that the runs name before the others of the offline ranking. Each file
// keeps its data from the offline ranking.
func merge(
	offline []crash.File,
	votes map[string]*crash.Vote,
	order []string,
	probability func(v *crash.Vote, offline float64) float64,
) []crash.File {
	var files []crash.File
	for _, path := range order {
		f := crash.File{Path: path, Related: true}
		if i := slices.IndexFunc(offline, func(o crash.File) bool { return o.Path == path }); i >= 0 {
			f = offline[i]
		}
		v := votes[path]
		v.Offline, f.Vote = f.Probability, v
		f.Probability = probability(v, f.Probability)
		f.Reasons = append([]string{fmt.Sprintf("%d of %s it", v.Runs, investigations(v.Of))}, f.Reasons...)
		files = append(files, f)
	}
	for _, f := range offline {
		if votes[f.Path] == nil {
			f.Probability = probability(&crash.Vote{Of: votes[order[0]].Of}, f.Probability)
			files = append(files, f)
		}
	}
	for i := range files[1:] { // the order is by votes
		files[i+1].Probability = min(files[i+1].Probability, files[i].Probability)
	}
	return files
}

func investigations(n int) string {
	if n == 1 {
		return "1 investigation names"
	}
	return fmt.Sprintf("%d investigations name", n)
}

// suspects puts the commits that the runs name before the other suspects, ordered by the number
// of runs.
func (d *investigation) suspects(ctx context.Context, runs []crash.Run, files []crash.File) ([]suspect.Suspect, error) {
	type naming struct {
		claim crash.CommitClaim
		runs  int
	}
	var named []naming
	voters := 0
	for _, r := range runs {
		if r.HasClaim() {
			voters++
		}
		for _, c := range r.Claim.Commits {
			i := slices.IndexFunc(named, func(n naming) bool { return n.claim.Commit == c.Commit })
			if i < 0 {
				i = len(named)
				named = append(named, naming{claim: c})
			}
			named[i].runs++
		}
	}
	slices.SortStableFunc(named, func(a, b naming) int { return b.runs - a.runs })
	var list []suspect.Suspect
	for _, n := range named {
		s, err := d.suspect(ctx, n.claim)
		if err != nil {
			return nil, err
		}
		s.Evidence = append(
			s.Evidence,
			suspect.Evidence{Text: fmt.Sprintf("%d of %s it", n.runs, investigations(voters)), Command: "git show " + n.claim.Commit.Short()},
		)
		list = append(list, s)
	}
	if d.sees.NoAugmentation {
		return list[:min(len(list), d.q.Suspects)], nil
	}
	others, err := d.suspectsOf(ctx, files)
	if err != nil {
		return nil, err
	}
	for _, s := range others {
		if !slices.ContainsFunc(named, func(n naming) bool { return n.claim.Commit == s.Commit.OID }) {
			list = append(list, s)
		}
	}
	return list[:min(len(list), d.q.Suspects)], nil
}

// suspectsOf returns the suspects of the offline engine. If the runs put another file first, it
// finds suspects again for the files in the new order.
func (d *investigation) suspectsOf(ctx context.Context, files []crash.File) ([]suspect.Suspect, error) {
	if d.q.Suspects == 0 || len(d.offline.Files) == 0 || files[0].Path == d.offline.Files[0].Path || len(files[0].Frames) == 0 {
		return d.offline.Suspects, nil
	}
	weighed := slices.Clone(files)
	for i, f := range weighed {
		weighed[i].Score = f.Probability
	}
	found, err := culprit.Find(
		ctx,
		d.repo,
		d.offline.Commit,
		d.q.Report,
		weighed,
		culprit.Options{Since: d.q.Since, Until: d.offline.Until, Max: d.q.Suspects},
	)
	if gitext.Unreadable(err) {
		return d.offline.Suspects, nil
	}
	if err != nil {
		return nil, err
	}
	return found.Suspects, nil
}

// suspect returns the suspect that a run names, with the offline engine's data.
func (d *investigation) suspect(ctx context.Context, c crash.CommitClaim) (suspect.Suspect, error) {
	s := suspect.Suspect{}
	if i := slices.IndexFunc(d.offline.Suspects, func(o suspect.Suspect) bool { return o.Commit.OID == c.Commit }); i >= 0 {
		s = d.offline.Suspects[i]
		s.Evidence = slices.Clone(s.Evidence)
	} else {
		var err error
		if s.Commit, err = d.repo.Commit(ctx, c.Commit); gitext.Unreadable(err) {
			s.Commit.OID = c.Commit
		} else if err != nil {
			return s, err
		}
	}
	s.Reason = agent.CleanLine(cmp.Or(c.Reason, s.Reason, "named by the model without a reason"))
	return s, nil
}
