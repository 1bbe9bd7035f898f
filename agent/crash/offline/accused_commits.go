package offline

import (
	"context"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// accusation is the reason to suspect a commit that the text of a report calls the cause.
const accusation = "The report calls it the cause"

// withAccused puts the commits that a report calls the cause before the other suspects: its writer
// has often bisected. Only commits in the history of the commit that crashed count. They have no
// probability, unless the other suspects contain them.
func withAccused(
	ctx context.Context,
	repo *gitext.Repo,
	answer *crash.Answer,
	accused []string,
	suspects []suspect.Suspect,
	most int,
) ([]suspect.Suspect, error) {
	var first []suspect.Suspect
	for _, id := range accused {
		oid, ok := buildCommit(ctx, repo, id)
		if !ok || slices.ContainsFunc(first, func(s suspect.Suspect) bool { return s.Commit.OID == oid }) {
			continue
		}
		before, err := repo.IsAncestor(ctx, oid, answer.Commit)
		if err != nil && !gitext.Unreadable(err) {
			return nil, err
		}
		if !before {
			continue
		}
		i := slices.IndexFunc(suspects, func(s suspect.Suspect) bool { return s.Commit.OID == oid })
		if i >= 0 {
			s := suspects[i]
			s.Reason = accusation + ". " + s.Reason
			first, suspects = append(first, s), slices.Delete(slices.Clone(suspects), i, i+1)
			continue
		}
		commit, err := repo.Commit(ctx, oid)
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		first = append(first, suspect.Suspect{Commit: commit, Reason: accusation})
	}
	suspects = append(first, suspects...)
	return suspects[:min(len(suspects), most)], nil
}
