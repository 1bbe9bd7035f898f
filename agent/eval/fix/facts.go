package fixeval

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// Facts describe a bug by its fix in the repository (HAFixAgent, section 3.2). They are computed;
// corresponding fields of a case file are only compared with them.
type Facts struct {
	// Category describes the size of the fix: SL, one line; SH, one hunk of several lines; SFMH,
	// several hunks of one file; MFMH, several files.
	Category string `json:"category"`
	// Blameable says that the fix changes or deletes a line of the base.
	Blameable bool `json:"blameable"`
	// BlameCommits is the number of commits that wrote these lines; -1 if the clone cannot tell.
	BlameCommits int `json:"blame_commits"`
}

// facts computes the facts of a bug from the fix's changes in the source files.
func (p *prepared) facts(ctx context.Context) (*Facts, error) {
	added := 0
	for _, f := range p.truth.files {
		diff, err := p.repo.DiffOverlays(ctx, p.judge.reader.dir, p.c.Base, nil, []gitext.Overlay{f})
		if err != nil {
			return nil, err
		}
		added += addedLines(diff)
	}
	f := &Facts{Category: categoryOf(p.truth.changes, added)}
	commits := map[gitext.OID]bool{}
	for path, ranges := range p.truth.changedLines() {
		f.Blameable = true
		lines, err := p.repo.Blame(ctx, p.c.Base, path, gitext.BlameOptions{Ranges: ranges})
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			f.BlameCommits = -1
			return f, nil
		}
		for _, l := range lines {
			commits[l.Commit] = true
		}
	}
	f.BlameCommits = len(commits)
	return f, nil
}

// changedLines returns the lines of the base that the fix changes or deletes, by file.
func (t *truth) changedLines() map[string][]gitext.LineRange {
	lines := map[string][]gitext.LineRange{}
	for _, c := range t.changes {
		if c.lines.Start > 0 && c.lines.End >= c.lines.Start {
			lines[c.path] = append(lines[c.path], c.lines)
		}
	}
	return lines
}

// addedLines counts the lines that a diff of one file adds.
func addedLines(diff []byte) int {
	n, within := 0, false
	for line := range bytes.Lines(diff) {
		_, heading := hunkStart(line)
		within = within || heading
		n += stat.Count(within && !heading && line[0] == '+')
	}
	return n
}

// categoryOf returns the category of a fix from its changes and its number of added lines.
func categoryOf(changes []change, added int) string {
	files := map[string]bool{}
	for _, c := range changes {
		files[c.path] = true
	}
	switch {
	case len(files) > 1:
		return "MFMH"
	case len(changes) > 1:
		return "SFMH"
	case len(changes) == 1 && added <= 1 && changes[0].lines.End <= changes[0].lines.Start:
		return "SL"
	}
	return "SH"
}

// facts returns the facts of a case from an answer, or from the case file if the answer has none.
func (c Case) facts(f *Facts) (category, blame string) {
	if f != nil {
		return f.Category, blameName(f.Blameable)
	}
	category = cmp.Or(c.Category, notStated)
	if c.Blameable == nil {
		return category, notStated
	}
	return category, blameName(*c.Blameable)
}

func blameName(able bool) string {
	if able {
		return "blameable"
	}
	return "blameless"
}

// contradictions returns the names of a case's fields that contradict the facts.
func (c Case) contradictions(f *Facts) []string {
	var list []string
	switch {
	case f == nil:
		return nil
	case c.Category != "" && c.Category != f.Category:
		list = append(list, "category")
	}
	if c.Blameable != nil && *c.Blameable != f.Blameable {
		list = append(list, "blameable")
	}
	return list
}

// Contradicted returns the number of cases with a field that the repository contradicts.
func Contradicted(res *eval.Results) int {
	return eval.Contradicted(res, func(row any) []string {
		of, _ := row.(scoreRow)
		return of.Contradicts
	})
}

// blameBands are the ranges for numbers of blame commits in a report.
var blameBands = []string{"none", "1", "2", "3 to 5", "more than 5"}

func blameBand(n int) string {
	switch {
	case n == 0:
		return blameBands[0]
	case n <= 2:
		return fmt.Sprint(n)
	case n <= 5:
		return blameBands[3]
	}
	return blameBands[4]
}

// blameTable returns the table of blame commits by category (HAFixAgent, RQ0). It describes the
// cases, so only the first algorithm has it.
func blameTable(res *eval.Results, algorithm string) []eval.Table {
	if len(res.Algorithms) == 0 || algorithm != res.Algorithms[0] {
		return nil
	}
	bugs := map[string]map[string]int{}
	for i := range res.Cases {
		row, ok := firstRow(res, i)
		if !ok || row.BlameCommits == nil || *row.BlameCommits < 0 {
			continue
		}
		band := blameBand(*row.BlameCommits)
		if bugs[band] == nil {
			bugs[band] = map[string]int{}
		}
		bugs[band][row.Category]++
		bugs[band]["all"]++
	}
	if len(bugs) == 0 {
		return nil
	}
	t := eval.Table{
		Name:  "blame_commits",
		Title: "commits to blame",
		Note:  "Number of bugs by the number of commits that the lines are from which the fix changes or deletes, with the true lines; none: the fix only adds lines.",
	}
	for _, name := range []string{"all", "SL", "SH", "SFMH", "MFMH"} {
		t.Columns = append(t.Columns, eval.Column{Name: name, Title: name})
	}
	for _, band := range blameBands {
		if bugs[band] == nil {
			continue
		}
		row := eval.TableRow{Name: band}
		for _, c := range t.Columns {
			row.Values = append(row.Values, stat.Estimate{Value: stat.Defined(float64(bugs[band][c.Name]))})
		}
		t.Rows = append(t.Rows, row)
	}
	return []eval.Table{t}
}

// firstRow returns the details of the first score of a case without a failure.
func firstRow(res *eval.Results, index int) (scoreRow, bool) {
	at := slices.IndexFunc(res.Algorithms, func(name string) bool {
		o := res.Outcomes[name][index]
		return o.Evaluated && !o.Failed
	})
	if at < 0 {
		return scoreRow{}, false
	}
	row, ok := res.Outcomes[res.Algorithms[at]][index].Row.(scoreRow)
	return row, ok
}
