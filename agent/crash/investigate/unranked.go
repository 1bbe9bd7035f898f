package investigate

import (
	"context"

	"git-agent/agent/crash"
	"git-agent/agent/crash/culprit"
	"git-agent/agent/crash/rank"
	"git-agent/gitext"
)

// unranked returns the view for a model that must not see the ranking: the files in the order of
// the stacks, without reasons and probabilities, and the suspects that result if the files are
// weighted in that order.
func (d *investigation) unranked(ctx context.Context) (*crash.Answer, error) {
	plain, err := rank.Rank(ctx, d.repo, d.offline.Commit, d.q.Report, rank.Baseline1)
	if err != nil {
		return nil, err
	}
	plain.Since = d.offline.Since
	if d.sees.NoChanges {
		return plain, nil
	}
	found, err := culprit.Find(
		ctx,
		d.repo,
		plain.Commit,
		d.q.Report,
		plain.Files,
		culprit.Options{Since: plain.Since, Until: plain.Until, Max: Suspects},
	)
	if gitext.Unreadable(err) {
		return plain, nil
	}
	if err != nil {
		return nil, err
	}
	plain.Suspects = found.Suspects
	return plain, nil
}

// filesOf returns the files of the answer: the files that the runs name, with the offline
// engine's data, and then its other files. Without augmentation there are no other files, and
// without a ranking no data of the offline engine.
func (d *investigation) filesOf(votes map[string]*crash.Vote, order []string) []crash.File {
	known := d.offline.Files
	if d.sees.NoRanking {
		known = d.shown.Files
	}
	files := merge(known, votes, order, d.probability)
	if d.sees.NoAugmentation {
		return files[:len(order)]
	}
	return files
}
