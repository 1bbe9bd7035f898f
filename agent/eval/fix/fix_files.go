package fixeval

import (
	"slices"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
)

// paths returns the source files that the fix changes.
func (t *truth) paths() (list []string) {
	for _, c := range t.changes {
		if !slices.Contains(list, c.path) {
			list = append(list, c.path)
		}
	}
	return list
}

// fixFiles returns a table of the number of the fix's files that single trajectories edit, and of
// how much of the context they explored (Code Researcher, table 2 and figure 2).
func fixFiles(res *eval.Results, algorithm string) []eval.Table {
	var rows []eval.Tally
	for _, o := range res.Outcomes[algorithm] {
		if row, ok := o.Row.(scoreRow); ok && o.Evaluated && len(row.trajectories) > 0 {
			rows = append(rows, row.edits())
		}
	}
	if len(rows) == 0 {
		return nil
	}
	t := eval.Table{Name: "fix_files", Title: "files of the fix, by trajectories", Columns: []eval.Column{
		{Name: "mean_files", Title: "edited", Decimals: 2}, {Name: "recall", Title: "recall", Decimals: 3},
		{Name: "all", Title: "all", Decimals: 3}, {Name: "any", Title: "any", Decimals: 3}, {Name: "none", Title: "none", Decimals: 3},
		{Name: "files_read", Title: "files read", Decimals: 1}, {Name: "commits_read", Title: "commits read", Decimals: 1},
	}}
	t.Rows = []eval.TableRow{{Name: "mean", Values: eval.Means(rows)}}
	t.Note = "recall: share of the files of the fix that a trajectory edits; all, any, none: share of the trajectories that edit all of them, some but not all, and none; one without a patch edits none. " +
		"files read, commits read: those whose text the calls of all trajectories of a case asked for, beside what the first message shows; what a shell shows is not known"
	return []eval.Table{t}
}

// edits returns the means over the trajectories of a case for fixFiles.
func (row scoreRow) edits() eval.Tally {
	t := make(eval.Tally, 7)
	share := 1 / float64(len(row.trajectories))
	for _, tr := range row.trajectories {
		t[0] += share * float64(tr.Edited)
		t[1] += share * float64(tr.Found) / float64(max(1, tr.Of))
		all, none := tr.Found > 0 && tr.Found == tr.Of, tr.Found == 0
		t[2] += share * float64(stat.Count(all))
		t[3] += share * float64(stat.Count(!all && !none))
		t[4] += share * float64(stat.Count(none))
	}
	t[5], t[6] = float64(row.read), float64(row.readCommits)
	return t
}
