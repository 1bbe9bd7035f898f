package rank

import (
	"context"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
)

// This file computes the shares of names. Blame knows only the owners of existing lines.
// A name also leads to the first and the last commit that brought it to the files of the
// fix, and to the last one that removed it. Each name of the fix counts for one
// candidate, by its rarity.

// voteNames computes the shares of the names and lines of the fix. It ends early with ctx.
func (k *Case) voteNames(ctx context.Context, byDate []*candidate.Candidate) {
	brought := func(c *candidate.Candidate, t string) bool { return c.Diff.Added[t] > c.Diff.Removed[t] }
	tookOut := func(c *candidate.Candidate, t string) bool { return c.Diff.Added[t] < c.Diff.Removed[t] }
	inside := func(c *candidate.Candidate, t string) bool { return k.inside[c.OID].in[t] > k.inside[c.OID].out[t] }
	k.voteNewest(ctx, candidate.ShareGoneNewest, k.Gone, byDate, brought)
	k.voteNewest(ctx, candidate.ShareFreshNewest, k.Fresh, byDate, brought)
	k.voteNewest(ctx, candidate.ShareRestorer, k.Fresh, byDate, tookOut)
	k.voteNewest(ctx, candidate.ShareSaid, k.said, byDate, brought)
	k.voteNewest(ctx, candidate.ShareInside, source.Unite(k.Gone, k.Fresh), byDate, inside)
	oldestFirst := make([]*candidate.Candidate, len(byDate))
	for i, c := range byDate {
		oldestFirst[len(byDate)-1-i] = c
	}
	k.voteNewest(ctx, candidate.ShareGoneFirst, k.Gone, oldestFirst, brought)
	k.voteNewest(ctx, candidate.ShareFreshFirst, k.Fresh, oldestFirst, brought)
	for line := range k.addKeys {
		for _, c := range byDate {
			if c.Diff.RemovedLines[line] && !c.Diff.AddedLines[line] {
				k.shares[candidate.ShareRestoredLines][c.OID]++
				break
			}
		}
	}
	for s := candidate.ShareGoneNewest; s <= candidate.ShareInside; s++ {
		normalise(k.shares[s])
	}
}

// voteNewest counts each name for the first candidate for which did is true.
func (k *Case) voteNewest(
	ctx context.Context,
	s candidate.ShareKind,
	names source.Bag,
	candidates []*candidate.Candidate,
	did func(*candidate.Candidate, string) bool,
) {
	for _, t := range source.SortedTokens(names) {
		if ctx.Err() != nil {
			return
		}
		for _, c := range candidates {
			if did(c, t) {
				k.shares[s][c.OID] += max(0, k.Code.Weight(t))
				break
			}
		}
	}
}

// readStreak counts the commits of the fix's author right before the fix, and collects
// the tickets that the fix names. Such commits may be in one series with the fix, and are
// culprits less often.
func (k *Case) readStreak() {
	if k.fc.Fix != "" {
		for k.streak < len(k.pool.Authors) && SamePerson(k.pool.Authors[k.streak], k.fc.Commit.Author) {
			k.streak++
		}
	}
	k.tickets = map[string]bool{}
	for _, t := range ticket().FindAllString(k.fc.Prose, -1) {
		k.tickets[t] = true
	}
}

// appliedTogether reports whether a person other than the author applied both the fix and
// a candidate of the same author within an hour, like a maintainer applying a series of
// patches. Authors repair a patch of a series in that patch, so the other patches of it
// are no culprits: of 153 such candidates in 645 fixes none was a culprit, where the
// trees alone expect nine. Among an author's own commits within the hour, as many are
// culprits as the trees expect.
func (k *Case) appliedTogether(c *candidate.Candidate) bool {
	fix, other := k.fc.Commit, c.Commit
	return k.fc.Fix != "" && k.ageDays(c) < 1.0/24 &&
		SamePerson(fix.Author, other.Author) && SamePerson(fix.Committer, other.Committer) && !SamePerson(fix.Author, fix.Committer)
}

// ticket matches the name of a report in many trackers, such as "JCR-1552".
var ticket = source.Lazy(`\b[A-Z][A-Z0-9]+-[0-9]+\b`)

func sharesTicket(tickets map[string]bool, message string) bool {
	if len(tickets) > 0 {
		for _, t := range ticket().FindAllString(message, -1) {
			if tickets[t] {
				return true
			}
		}
	}
	return false
}
