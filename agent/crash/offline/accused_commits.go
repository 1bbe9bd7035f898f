package offline

import (
	"context"
	"slices"
	"strings"

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
		oid, ok, err := accusedCommit(ctx, repo, answer.Commit, id)
		if err != nil {
			return nil, err
		}
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

// maxRequests bounds the commits whose messages have the number of a request, of which one may be of its changes.
const maxRequests = 64

// accusedCommit returns the commit that a report accuses by its id, or by the number of the pull request that brought it, as in
// "sqlc#2274": its subject ends with the number, or it is the merge.
func accusedCommit(ctx context.Context, repo *gitext.Repo, tip gitext.OID, said string) (gitext.OID, bool, error) {
	name, number, request := strings.Cut(said, "#")
	if !request {
		oid, ok := buildCommit(ctx, repo, said)
		return oid, ok, nil
	}
	if name != "" {
		names, err := namesOf(ctx, repo)
		if err != nil || !names.has(name) {
			return "", false, err
		}
	}
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: tip, Grep: "#" + number, Max: maxRequests}) {
		if gitext.Unreadable(err) {
			return "", false, nil
		}
		if err != nil {
			return "", false, err
		}
		if strings.HasSuffix(e.Subject, "(#"+number+")") || strings.HasPrefix(e.Subject, "Merge pull request #"+number+" ") {
			return e.OID, true, nil
		}
	}
	return "", false, nil
}
