package eval

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"git-agent/agent"
)

// These limits shorten long lists in text. JSON and HTML have all entries.
const (
	maxListed = 20 // lines of one list
	maxRows   = 25 // strata of one dimension, the largest first
)

// WriteText writes the report as text. It removes control characters that come
// from case files, git or a server, so that they cannot control the terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if len(r.Algorithms) > 0 {
		r.textHead(&b)
		r.textOverall(&b)
		r.textRepeats(&b)
	}
	r.textEffort(&b)
	r.textTables(&b)
	r.textCalibration(&b)
	r.textFit(&b)
	r.textComparisons(&b)
	r.textConfigurations(&b)
	r.textStrata(&b)
	r.textLists(&b)
	_, err := io.WriteString(w, agent.Clean(b.String()))
	return err
}

func (r *Report) textHead(b *strings.Builder) {
	fmt.Fprintf(b, "%s, run %s: %s, %d evaluated, %d skipped%s\n",
		r.Task, r.Run, agent.Plural(r.Cases, "case"), r.Evaluated, len(r.Skipped), r.hints())
	if r.Only != "" {
		fmt.Fprintf(b, "only %s\n", r.Only)
	}
	for _, a := range r.Algorithms {
		if builds := a.otherBuilds(r.Version); builds != "" {
			fmt.Fprintf(b, "%s: answers of build %s\n", a.Name, builds)
		}
	}
	if r.SampledFrom > 0 {
		fmt.Fprintf(b, "a fixed sample: %d of %d cases\n", r.Cases, r.SampledFrom)
	}
	if r.Shard != "" {
		fmt.Fprintf(b, "only shard %s of the cases\n", r.Shard)
	}
	if r.Unfinished > 0 {
		fmt.Fprintf(b, "unfinished: %s not reached\n", agent.Plural(r.Unfinished, "case"))
	}
	for _, f := range r.Files {
		fmt.Fprintf(b, "%s: %s", f.Path, agent.Plural(f.Cases, "case"))
		if f.Duplicates > 0 {
			fmt.Fprintf(b, ", %d of them in an earlier file too", f.Duplicates)
		}
		b.WriteByte('\n')
	}
}

// hints describes, after semicolons, the use of hints in messages and of an index. It returns ""
// for a task whose engines read no messages that name the answer.
func (r *Report) hints() string {
	if !r.sheet.Annotated {
		return ""
	}
	text := "; hints in messages removed"
	if r.Annotations {
		text = "; hints in messages left in"
	}
	if r.Index {
		text += "; ranked with an index of changed lines"
	}
	return text
}

// otherBuilds lists the builds that answered. It returns "" for this build alone.
func (a Algorithm) otherBuilds(this string) string {
	if len(a.Versions) == 0 || len(a.Versions) == 1 && a.Versions[0] == this {
		return ""
	}
	return strings.Join(a.Versions, ", ")
}

func (r *Report) textOverall(b *strings.Builder) {
	head := append([]string{"algorithm"}, r.sheet.titles(inTable)...)
	head = append(head, "empty", "failed")
	if r.asked() {
		head = append(head, "fallback")
	}
	t := newTable(append(head, "cases", "s/case")...)
	for _, a := range r.Algorithms {
		o := a.Overall
		line := append([]string{a.Name}, o.cells(inTable)...)
		line = append(line, fmt.Sprint(o.Empty), fmt.Sprint(o.Failed))
		if r.asked() {
			line = append(line, o.fallbacks())
		}
		t.add(append(line, fmt.Sprint(o.Cases), secondsOrDash(o.Seconds))...)
	}
	b.WriteByte('\n')
	t.write(b)
}

// asked reports whether an algorithm asked a model. Tables then show how often the offline engine
// answered instead.
func (r *Report) asked() bool {
	return slices.ContainsFunc(r.Algorithms, func(a Algorithm) bool { return a.Overall.Asked > 0 })
}

func (r *Report) textComparisons(b *strings.Builder) {
	if len(r.Comparisons) == 0 {
		return
	}
	t := newTable("comparison", r.sheet.main().Title, r.sheet.main().Title, "difference", "p", "only A right", "only B right", "McNemar p", "cases")
	for _, c := range r.Comparisons {
		t.add("A "+c.A+", B "+c.B, three(c.MainA), three(c.MainB), c.Diff.Signed(), pValue(c.DiffP),
			fmt.Sprint(c.ARight), fmt.Sprint(c.BRight), pValue(c.McNemarP), fmt.Sprint(c.Cases))
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	t.write(b)
	for _, c := range r.Comparisons {
		if c.OnlyA+c.OnlyB > 0 {
			fmt.Fprintf(b, "left out: %s only in %s, %s only in %s\n", agent.Plural(c.OnlyA, "case"), c.A, agent.Plural(c.OnlyB, "case"), c.B)
		}
	}
}

// textStrata writes the tables by dimension. It shows a single algorithm with intervals, and
// several algorithms side by side with two metrics each.
func (r *Report) textStrata(b *strings.Builder) {
	if len(r.Algorithms) == 0 {
		return
	}
	for i, d := range r.Algorithms[0].By {
		if len(d.Rows) == 0 || d.Dimension == "file" && len(d.Rows) == 1 {
			continue
		}
		b.WriteByte('\n')
		if len(r.firsts()) == 1 {
			r.textOne(b, d)
		} else {
			r.textSeveral(b, i)
		}
	}
}

func (r *Report) textOne(b *strings.Builder, d Breakdown) {
	t := newTable(append([]string{"by " + d.Dimension, "cases"}, r.sheet.titles(inBrief)...)...)
	for _, row := range d.Rows[:min(maxRows, len(d.Rows))] {
		t.add(append([]string{row.Name, fmt.Sprint(row.Cases)}, row.cells(inBrief)...)...)
	}
	t.write(b)
	textRest(b, d.Rows)
}

func (r *Report) textSeveral(b *strings.Builder, dimension int) {
	main, small, ceiling := r.sheet.at(r.sheet.Main), r.sheet.at(r.sheet.Small), r.sheet.at(r.sheet.Ceiling)
	head := []string{"by " + r.Algorithms[0].By[dimension].Dimension, "cases"}
	for _, a := range r.firsts() {
		head = append(head, a.Name+" "+r.sheet.Metrics[main].Title, r.sheet.Metrics[small].Title)
	}
	head = append(head, r.sheet.Metrics[ceiling].Title)
	t := newTable(head...)
	rows := r.Algorithms[0].By[dimension].Rows
	for _, row := range rows[:min(maxRows, len(rows))] {
		line := []string{row.Name, fmt.Sprint(row.Cases)}
		best := 0.0
		for _, a := range r.firsts() {
			other, ok := a.row(dimension, row.Name)
			if !ok {
				line = append(line, "-", "-")
				continue
			}
			best = max(best, value(other.Values[ceiling]))
			line = append(line, threeOrDash(other.Values[main].Value), threeOrDash(other.Values[small].Value))
		}
		t.add(append(line, three(best))...)
	}
	t.write(b)
	textRest(b, rows)
}

func textRest(b *strings.Builder, rows []Row) {
	if n := len(rows) - maxRows; n > 0 {
		fmt.Fprintf(b, "and %s with at most %s each; --json has them all\n", agent.Plural(n, "row"), agent.Plural(rows[maxRows].Cases, "case"))
	}
}

func (a Algorithm) row(dimension int, name string) (Row, bool) {
	for _, row := range a.By[dimension].Rows {
		if row.Name == name {
			return row, true
		}
	}
	return Row{}, false
}

func (r *Report) textLists(b *strings.Builder) {
	reasons := map[string][]string{}
	for _, s := range r.Skipped {
		reasons[s.Reason] = append(reasons[s.Reason], s.ID)
	}
	var lines []string
	for reason, ids := range reasons {
		lines = append(lines, fmt.Sprintf("%s: %s", reason, someOf(ids)))
	}
	slices.Sort(lines)
	list(b, "skipped, counted nowhere: "+agent.Plural(len(r.Skipped), "case"), lines)
	lines = nil
	for _, f := range r.Failed {
		first, _, _ := strings.Cut(f.Error, "\n")
		lines = append(lines, fmt.Sprintf("%s, %s: %s", f.ID, f.Algorithm, first))
	}
	list(b, "failed, counted as empty answers: "+agent.Plural(len(r.Failed), "prediction"), lines)
	lines = nil
	for _, p := range r.Partial {
		lines = append(lines, fmt.Sprintf("%s: %s", p.ID, strings.Join(p.Absent, ", ")))
	}
	list(b, r.sheet.Truth+" not in the repository, counted as missed: "+agent.Plural(len(r.Partial), "case"), lines)
}

func someOf(ids []string) string {
	if len(ids) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:3], ", "), len(ids)-3)
	}
	return strings.Join(ids, ", ")
}

func list(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for i, line := range lines {
		if i == maxListed {
			fmt.Fprintf(b, "  and %d more lines; --json has them all\n", len(lines)-i)
			return
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// inTable selects the metrics that have a column in tables. inBrief selects those
// that the tables of strata show too.
func inTable(m Metric) bool { return m.Title != "" }
func inBrief(m Metric) bool { return m.Brief }

// titles returns the column heads of the metrics that a table shows.
func (s *Sheet) titles(shown func(Metric) bool) []string {
	var list []string
	for _, m := range s.Metrics {
		if shown(m) {
			list = append(list, m.Title)
		}
	}
	return list
}

// cells formats the metrics that a table shows.
func (r Row) cells(shown func(Metric) bool) []string {
	var list []string
	for i, m := range r.sheet.Metrics {
		switch e := r.Values[i]; {
		case !shown(m):
		case m.Estimated || e.Value == nil:
			list = append(list, e.String())
		default:
			list = append(list, fmt.Sprintf("%.*f", m.Decimals, value(e)))
		}
	}
	return list
}

// three formats a number with three digits, and an undefined one as "-".
func three(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}

func threeOrDash(x *float64) string {
	if x == nil {
		return "-"
	}
	return three(*x)
}

// secondsOrDash formats a mean number of seconds, and an unknown one as "-".
func secondsOrDash(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.2f", x)
}

// pValue formats a p-value.
func pValue(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return three(p)
}

// table aligns the first column to the left and all others to the right.
type table struct{ rows [][]string }

func newTable(head ...string) *table { return &table{[][]string{head}} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// Head and Body return the rows of a table for the HTML page.
func (t *table) Head() []string   { return t.rows[0] }
func (t *table) Body() [][]string { return t.rows[1:] }

func (t *table) write(b *strings.Builder) {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		b.WriteByte('\n')
	}
}
