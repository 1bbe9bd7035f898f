package rank

import (
	"math"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/agent/suspect"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// features lists the inputs of the ranker's model. Their order is part of the model
// file: train again after any change other than an addition at the end.
var features = []feature{
	// the lines of the fix that the candidate owns
	{"deleted_share", "owns deleted lines", share(candidate.ShareDeleted)},
	{"deleted_top", "owns most deleted lines", top(candidate.ShareDeleted)},
	{"trivial_share", "owns deleted blank, comment or brace lines", share(candidate.ShareTrivial)},
	{"token_share", "wrote the deleted names", share(candidate.ShareTokens)},
	{"run_share", "owns a part of the changes", share(candidate.ShareChanges)},
	{"context_share", "owns lines around the changes", share(candidate.ShareContext)},
	{"context_top", "owns most lines around the changes", top(candidate.ShareContext)},
	{"insertion_share", "owns lines around insertions", share(candidate.ShareInsertion)},
	{"function_share", "owns lines of the changed functions", share(candidate.ShareFunction)},
	{"function_top", "owns most of the changed functions", top(candidate.ShareFunction)},
	{"related_share", "owns neighbours that use the added names", share(candidate.ShareRelated)},
	{"related_top", "owns most neighbours that use the added names", top(candidate.ShareRelated)},
	{"second_share", "owned the lines before they were rewritten", share(candidate.ShareSecond)},
	{"cosmetic_share", "only moved or re-indented the deleted lines", share(candidate.ShareCosmetic)},
	{"from_deleted", "owns a deleted line", foundBy(candidate.FromDeleted)},
	{"from_context", "owns a line near a change", foundBy(candidate.FromContext)},
	{"from_function", "owns a line of a changed function", foundBy(candidate.FromFunction)},
	{"from_history", "changed a fixed file", foundBy(candidate.FromHistory)},
	{"names_share", "owns lines elsewhere that use rare names of the fix", share(candidate.ShareNames)},
	{"from_names", "uses a rare name of the fix elsewhere", foundBy(candidate.FromNames)},
	{"from_second", "owned a line before it was rewritten", foundBy(candidate.FromSecond)},
	{"from_recent", "recent elsewhere, reads like the fix", func(_ *Case, c *candidate.Candidate) float64 {
		return stat.Flag(c.Sources&^(candidate.FromBeside|candidate.FromIndex) == candidate.FromRecent)
	}},

	// the age of the candidate
	{"log_age", "age at the fix", func(k *Case, c *candidate.Candidate) float64 { return math.Log1p(k.ageDays(c)) }},
	{"age_rank", "among the newest candidates", func(k *Case, c *candidate.Candidate) float64 { return reciprocal(k.ageRank[c.OID]) }},
	{"age_quantile", "older than the other candidates", func(k *Case, c *candidate.Candidate) float64 {
		return float64(k.ageRank[c.OID]) / float64(max(1, len(k.list)-1))
	}},
	{"newest_owner", "newest owner of deleted lines", func(k *Case, c *candidate.Candidate) float64 {
		return stat.Flag(len(k.owners) > 0 && k.owners[0] == c.OID)
	}},
	{"oldest_owner", "oldest owner of deleted lines", func(k *Case, c *candidate.Candidate) float64 {
		return stat.Flag(len(k.owners) > 0 && k.owners[len(k.owners)-1] == c.OID)
	}},
	{"owner_rank", "among the newest owners", func(k *Case, c *candidate.Candidate) float64 { return reciprocal(slices.Index(k.owners, c.OID)) }},
	{"history_rank", "among the last changes of the files", func(_ *Case, c *candidate.Candidate) float64 { return reciprocal(c.Position) }},
	{"recent_rank", "among the repository's last commits", func(_ *Case, c *candidate.Candidate) float64 { return reciprocal(c.Recent) }},
	{"log_distance", "commits between it and the fix", func(k *Case, c *candidate.Candidate) float64 { return math.Log1p(k.distance(c)) }},

	// the place of the candidate among the owners of lines, as in the classic variants
	{"code_rank", "among the newest owners of deleted code", closenessToFirst(byAge, codeOwners)},
	{"code_oldest", "oldest owner of deleted code", isOldest(codeOwners)},
	{"code_size_rank", "among the largest owners of deleted code", closenessToFirst(bySize, codeOwners)},
	{"near_rank", "among the newest owners of deleted or neighbouring lines", closenessToFirst(byAge, nearOwners)},
	{"function_age_rank", "among the newest owners of the changed functions", closenessToFirst(byAge, functionOwners)},
	{"log_deleted", "deleted lines that it owns", func(k *Case, c *candidate.Candidate) float64 { return math.Log1p(k.owned[c.OID]) }},
	{"gone_share", "much of what it added is deleted", func(k *Case, c *candidate.Candidate) float64 {
		return k.owned[c.OID] / float64(max(1, c.Diff.NAdded))
	}},
	{"token_top", "wrote most of the deleted names", top(candidate.ShareTokens)},
	{"insertion_top", "owns most lines around insertions", top(candidate.ShareInsertion)},
	{"second_top", "owned most lines before they were rewritten", top(candidate.ShareSecond)},

	// the changes of the candidate, compared with the fix
	{"restores", "removed what the fix adds", func(k *Case, c *candidate.Candidate) float64 {
		return k.weighed.fresh.Overlap(c.Diff.Removed.Minus(c.Diff.Added))
	}},
	{"restores_line", "removed lines that the fix adds", func(k *Case, c *candidate.Candidate) float64 {
		return shareOf(common(k.addKeys, c.Diff.RemovedLines), len(k.addKeys))
	}},
	{"undone", "added what the fix removes", func(k *Case, c *candidate.Candidate) float64 {
		return k.weighed.gone.Overlap(c.Diff.Added.Minus(c.Diff.Removed))
	}},
	{"undone_line", "added lines that the fix removes", func(k *Case, c *candidate.Candidate) float64 {
		return shareOf(common(k.DelKeys, c.Diff.AddedLines), len(k.DelKeys))
	}},
	{
		"undone_best",
		"added a rare name that the fix removes",
		func(k *Case, c *candidate.Candidate) float64 { return k.Code.Best(k.Gone, c.Diff.Added) },
	},
	{"touched", "added names that the fix touches", func(k *Case, c *candidate.Candidate) float64 { return k.weighed.removed.Overlap(c.Diff.Added) }},
	{"uses_added", "added names that the fix adds", func(k *Case, c *candidate.Candidate) float64 { return k.weighed.fresh.Overlap(c.Diff.Added) }},
	{"uses_added_best", "added a rare name that the fix adds", func(k *Case, c *candidate.Candidate) float64 {
		return k.Code.Best(k.Fresh, c.Diff.Added.Minus(c.Diff.Removed))
	}},
	{
		"around_added",
		"added names around the changes",
		func(k *Case, c *candidate.Candidate) float64 { return k.weighed.around.Overlap(c.Diff.Added) },
	},
	{"message_diff", "the fix's message names what it changed", func(k *Case, c *candidate.Candidate) float64 {
		return k.Code.Overlap(k.said, source.Unite(c.Diff.Added, c.Diff.Removed))
	}},
	{
		"message_words",
		"the messages share words",
		func(k *Case, c *candidate.Candidate) float64 { return k.prose.Overlap(k.message, k.words[c.OID]) },
	},
	{
		"message_best",
		"the messages share a rare word",
		func(k *Case, c *candidate.Candidate) float64 { return k.prose.Best(k.message, k.words[c.OID]) },
	},
	{"subject_words", "its subject is about what the fix is about", func(k *Case, c *candidate.Candidate) float64 {
		s := source.Bag{}
		s.AddWords(c.Commit.Subject())
		return k.prose.Overlap(s, k.message)
	}},

	// the effect of the candidate on the words of the fix
	{"origin_share", "wrote words that the fix takes out, even if others rewrote the lines since", share(candidate.ShareOrigin)},
	{"origin_top", "wrote most words that the fix takes out", top(candidate.ShareOrigin)},
	{"origin_rank", "among the newest writers of what the fix takes out", closenessToFirst(byAge, originOwners)},
	{"origin_oldest", "oldest writer of what the fix takes out", isOldest(originOwners)},
	{"related_origin", "wrote neighbouring words that the added lines repeat", share(candidate.ShareRelatedOrigin)},
	{"related_origin_top", "wrote most neighbouring words that the added lines repeat", top(candidate.ShareRelatedOrigin)},
	{"gone_newest", "last to bring names that the fix takes out", share(candidate.ShareGoneNewest)},
	{"gone_first", "first to bring names that the fix takes out", share(candidate.ShareGoneFirst)},
	{"fresh_newest", "last to bring names that the fix adds", share(candidate.ShareFreshNewest)},
	{"fresh_first", "first to bring names that the fix adds", share(candidate.ShareFreshFirst)},
	{"restorer", "last to take out names that the fix adds", share(candidate.ShareRestorer)},
	{"restored_lines", "last to take out lines that the fix adds", share(candidate.ShareRestoredLines)},
	{"said_newest", "last to bring names of the fix's message", share(candidate.ShareSaid)},
	{"inside_newest", "last to bring the fix's names into the function", share(candidate.ShareInside)},

	// the changes of the candidate inside the functions that the fix changes
	{
		"same_function",
		"changed the same function",
		func(k *Case, c *candidate.Candidate) float64 { return math.Log1p(float64(k.inside[c.OID].hunks)) },
	},
	{
		"function_rank",
		"among the last to change the function",
		func(k *Case, c *candidate.Candidate) float64 { return reciprocal(k.inside[c.OID].rank) },
	},
	{"inside_touched", "added in the function names that the fix touches", func(k *Case, c *candidate.Candidate) float64 {
		return k.weighed.touched.Overlap(k.inside[c.OID].in)
	}},
	{"inside_restores", "removed from the function what the fix adds", func(k *Case, c *candidate.Candidate) float64 {
		w := k.inside[c.OID]
		return k.weighed.fresh.Overlap(w.out.Minus(w.in))
	}},
	{
		"inside_around",
		"added in the function names around the changes",
		func(k *Case, c *candidate.Candidate) float64 { return k.weighed.around.Overlap(k.inside[c.OID].in) },
	},
	{"creates_function", "wrote the heading of the function", func(k *Case, c *candidate.Candidate) float64 {
		n := 0
		for name := range k.Set.Functions {
			if c.Diff.Added[source.LastName(name)] > c.Diff.Removed[source.LastName(name)] {
				n++
			}
		}
		return shareOf(n, len(k.Set.Functions))
	}},
	{"same_subsystem", "its subject names the same subsystem", func(k *Case, c *candidate.Candidate) float64 {
		s := subsystem(gitext.Commit{Message: k.fc.Prose}.Subject())
		return stat.Flag(s != "" && s == subsystem(c.Commit.Subject()))
	}},

	// the closeness of the candidate to the changed lines
	{"nearest", "owns a line close to a change", func(k *Case, c *candidate.Candidate) float64 { return k.nearest[c.OID] }},
	{"hunk_likeness", "one of its changes is like the fix's", func(k *Case, c *candidate.Candidate) float64 {
		return k.likeness(c, func(h *candidate.DiffHunk) source.Bag { return h.In })
	}},
	{"out_likeness", "took out lines like the fix's", func(k *Case, c *candidate.Candidate) float64 {
		return k.likeness(c, func(h *candidate.DiffHunk) source.Bag { return h.Out })
	}},
	{"focus", "did little else than what the fix touches", func(k *Case, c *candidate.Candidate) float64 {
		return k.Code.Overlap(c.Diff.Added, k.weighed.shown)
	}},
	{"message_names", "its message names what the fix changes", func(k *Case, c *candidate.Candidate) float64 {
		return k.Code.Overlap(candidate.CodeWords(c.Commit.Message), k.weighed.changed)
	}},
	{"series", "one of a series of commits", func(k *Case, c *candidate.Candidate) float64 { return math.Log1p(float64(k.series[c.OID])) }},

	// signs that the candidate was made together with the fix
	{"log_minutes", "minutes before the fix", func(k *Case, c *candidate.Candidate) float64 { return math.Log1p(60 * 24 * k.ageDays(c)) }},
	{"log_written", "hours between the writing of both", func(k *Case, c *candidate.Candidate) float64 {
		return math.Log1p(math.Abs(k.fc.Commit.Author.Time.Sub(c.Commit.Author.Time).Hours()))
	}},
	{"in_streak", "in the fix author's run of commits up to the fix", func(k *Case, c *candidate.Candidate) float64 {
		return stat.Flag(c.Recent >= 0 && c.Recent < k.streak)
	}},
	{"same_ticket", "its message names a ticket that the fix's names", func(k *Case, c *candidate.Candidate) float64 {
		return stat.Flag(sharesTicket(k.tickets, c.Commit.Message))
	}},

	// the kind of the candidate
	{"log_files", "files that it changes", func(_ *Case, c *candidate.Candidate) float64 { return math.Log1p(float64(c.Files)) }},
	{"many_files", "changes more than 20 files", func(_ *Case, c *candidate.Candidate) float64 { return stat.Flag(c.Files > 20) }},
	{"log_added", "lines it adds to the fixed files", func(_ *Case, c *candidate.Candidate) float64 { return math.Log1p(float64(c.Diff.NAdded)) }},
	{
		"log_removed",
		"lines it removes from the fixed files",
		func(_ *Case, c *candidate.Candidate) float64 { return math.Log1p(float64(c.Diff.NRemoved)) },
	},
	{"shrinks", "removes more than it adds", func(_ *Case, c *candidate.Candidate) float64 { return stat.Flag(c.Diff.NRemoved > c.Diff.NAdded) }},
	{"creates", "creates a fixed file", func(_ *Case, c *candidate.Candidate) float64 { return stat.Flag(c.Diff.Creates) }},
	{"path_share", "changed many of the fixed files", func(k *Case, c *candidate.Candidate) float64 {
		n := 0
		for _, p := range c.Diff.Paths {
			n += int(stat.Flag(k.FixPath[p]))
		}
		return shareOf(min(n, len(k.Set.Files)), len(k.Set.Files))
	}},
	{"all_paths", "changed the rarer files of the fix, tests and new ones included", func(k *Case, c *candidate.Candidate) float64 {
		return k.weighed.paths.Overlap(source.PathSet(c.Paths))
	}},
	{"companions", "changed the tests or other files that go with the fix", func(k *Case, c *candidate.Candidate) float64 {
		return k.weighed.companions.Overlap(source.PathSet(c.Paths))
	}},
	{"path_words", "its paths share words with the fix's message", func(k *Case, c *candidate.Candidate) float64 {
		return k.prose.Overlap(k.message, source.WordsOfPaths(c.Paths))
	}},
	{"merge", "a merge", func(_ *Case, c *candidate.Candidate) float64 { return stat.Flag(len(c.Commit.Parents) > 1) }},
	{"same_author", "by the author of the fix", func(k *Case, c *candidate.Candidate) float64 {
		return stat.Flag(k.fc.Fix != "" && SamePerson(c.Commit.Author, k.fc.Commit.Author))
	}},
	{"says_refactor", "its subject says refactoring", says(suspect.SaysRefactor)},
	{"says_fix", "its subject says fix", says(saysFix)},
	{"says_new", "its subject says something new", says(saysNew)},
	{"says_change", "its subject says change", says(saysChange)},
	{"says_revert", "its subject says revert", says(saysRevert)},
	{"says_docs", "its subject says documents or release", says(saysDocs)},

	// the kind of fix; these features are the same for all candidates, and the trees
	// combine them with others.
	{"fix_deletes", "the fix deletes lines", func(k *Case, _ *candidate.Candidate) float64 { return math.Log1p(float64(k.nDel)) }},
	{"fix_owners", "how many own deleted lines", func(k *Case, _ *candidate.Candidate) float64 { return math.Log1p(float64(len(k.owners))) }},
	{"fix_candidates", "how many candidates there are", func(k *Case, _ *candidate.Candidate) float64 { return math.Log1p(float64(len(k.list))) }},
	{"fix_files", "files that the fix changes", func(k *Case, _ *candidate.Candidate) float64 { return math.Log1p(float64(len(k.Set.Files))) }},
	{"fix_adds", "lines that the fix adds", func(k *Case, _ *candidate.Candidate) float64 { return math.Log1p(float64(len(k.addKeys))) }},
	{"fix_regress", "the fix's message speaks of a regression", fixSays(ofRegression)},
	{"fix_old", "the fix's message speaks of an old omission", fixSays(ofOmission)},
	{"fix_build", "the fix's message speaks of a build or test", fixSays(ofBuild)},
	{"fix_newest_age", "age of the newest candidate", func(k *Case, _ *candidate.Candidate) float64 { return k.newest }},
	{"fix_pace", "how fast the repository grows", func(k *Case, _ *candidate.Candidate) float64 { return math.Log1p(k.pool.Pace) }},
	{
		"fix_streak",
		"how many commits its author made right before",
		func(k *Case, _ *candidate.Candidate) float64 { return math.Log1p(float64(k.streak)) },
	},
	{"fix_near", "how many own neighbouring lines", func(k *Case, _ *candidate.Candidate) float64 {
		return math.Log1p(float64(len(k.ownerRanks[nearOwners][byAge])))
	}},
	{"fix_owner_age", "age of the newest owner of deleted lines", func(k *Case, _ *candidate.Candidate) float64 {
		if len(k.owners) == 0 {
			return -1
		}
		return math.Log1p(k.ageDays(k.pool.ByOID[k.owners[0]]))
	}},

	// the lines of build and data files that the candidate owns, if the fix changes them beside source
	{"beside_share", "owns lines that the fix removes from build or data files", share(candidate.ShareBeside)},

	// common review and application of the candidate and the fix
	{"applied_together", "applied by another committer within an hour of the fix", func(k *Case, c *candidate.Candidate) float64 {
		return stat.Flag(k.appliedTogether(c))
	}},
}

// vector computes all features of a candidate.
func (k *Case) vector(c *candidate.Candidate) []float64 {
	x := make([]float64, len(features))
	for i, f := range features {
		x[i] = f.get(k, c)
	}
	return x
}
