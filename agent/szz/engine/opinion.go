package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"git-agent/agent/szz"
	"git-agent/agent/szz/offline"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// opinionTime bounds the ranking beside an annotation. On 20 fixes of four large
// repositories the ranking took 1.8 s of CPU at the median and 6.7 s at most; the
// annotation took 0.09 s.
const opinionTime = 10 * time.Second

// leastOpinion is the least probability of the ranking's first suspect that is named
// against an annotation. Of 88 fixes with formal annotations, in repositories that the
// ranking was not trained on, 29 have a first suspect with this probability: in 27 of
// them it is the commit of the annotation, and in 2 another one. From 70 % on, it is
// another one in 5, from 50 % on in 12.
const leastOpinion = 0.8

// opine sets v.Opinion, and adds a note, if the ranking suspects another commit than the
// annotations of the answer v. It reads the fix without them. The answer omits an opinion
// that needs more time or missing parts of the clone.
func opine(ctx context.Context, repo *gitext.Repo, q szz.Question, v *szz.Answer) error {
	if repo.Shallow() {
		return nil
	}
	errLate := errors.New("the ranking took too long")
	timed, cancel := context.WithTimeoutCause(gitcmd.Uncounted(ctx), opinionTime, errLate)
	defer cancel()
	counted, unread := gitcmd.CountUnread(timed)
	found, err := opinion(counted, repo, q)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case timed.Err() != nil:
		v.Note("the ranking was not heard: it took more than %d seconds", int(opinionTime.Seconds()))
		return nil
	case err != nil || len(found.Suspects) == 0 || unread().Missing > 0:
		return nil // the annotation answers alone
	}
	s, merge, err := against(ctx, repo, v, found.Suspects)
	if err != nil || s == nil {
		return err
	}
	v.Opinion = s
	say := "the ranking, which does not read the names in the message, suspects another commit: %s (%q), %.0f%%"
	if merge != "" {
		say = "of what the merge " + merge.Short() + " brought, the ranking suspects %s (%q), %.0f%%"
	}
	v.Note(say, s.Commit.OID.Short(), s.Commit.Subject(), 100*min(s.Probability, 0.99))
	return nil
}

// leastBrought is the least probability of a commit that is named because a merge in the message brought it. Of ten culprits that
// came with a merge of several commits, the best ranked commit of the merge is the culprit in all seven that have 10 % or more.
const leastBrought = 0.1

// against returns the suspect of the ranking that is told beside the answer v: the first one, if it is probable and the message does
// not name it, else the best ranked one that a named merge brought. merge is the named merge that brought it, or "".
func against(ctx context.Context, repo *gitext.Repo, v *szz.Answer, ranked []szz.Suspect) (s *szz.Suspect, merge gitext.OID, err error) {
	for i := range ranked {
		r := &ranked[i]
		if r.Probability < leastBrought || slices.Contains(v.Candidates, r.Commit.OID) {
			break
		}
		if merge, err = broughtBy(ctx, repo, v.Suspects, r.Commit.OID); err != nil {
			return nil, "", err
		}
		if merge != "" || i == 0 && r.Probability >= leastOpinion {
			return r, merge, nil
		}
	}
	return nil, "", nil
}

// broughtBy returns the first named merge that brought a commit, which is no commit of its first
// parent's history. It returns "" if there is none.
func broughtBy(ctx context.Context, repo *gitext.Repo, named []szz.Suspect, commit gitext.OID) (gitext.OID, error) {
	for _, n := range named {
		if len(n.Commit.Parents) < 2 {
			continue
		}
		in, err := repo.IsAncestor(ctx, commit, n.Commit.OID)
		if err != nil {
			return "", err
		}
		before, err := repo.IsAncestor(ctx, commit, n.Commit.Parents[0])
		if err != nil {
			return "", err
		}
		if in && !before {
			return n.Commit.OID, nil
		}
	}
	return "", nil
}

// opinion answers as if the message named no culprit.
func opinion(ctx context.Context, repo *gitext.Repo, q szz.Question) (*szz.Answer, error) {
	q.Annotations = false
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return nil, err
	}
	const most = 5 // no more have leastBrought, or hardly
	return offline.Trace(ctx, repo, fc, szz.Algorithms[0], most)
}
