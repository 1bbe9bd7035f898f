package eval

import (
	"fmt"
	"strings"
)

// textConfigurations writes the comparison of the configurations of one method: the cases that
// each gets right, and the costs of right and wrong answers.
func (r *Report) textConfigurations(b *strings.Builder) {
	if r.sheet.Configurations == nil {
		return
	}
	if r.Overlap != nil && r.Overlap.Cases > 0 {
		for _, t := range r.overlapTables() {
			b.WriteByte('\n')
			t.write(b)
		}
		if len(r.Overlap.Sets) > maxRows {
			fmt.Fprintf(b, "and %d more; --json has them all\n", len(r.Overlap.Sets)-maxRows)
		}
	}
	if r.Unions != nil {
		r.Unions.text(b)
	}
	if t := r.outcomeTable(); len(t.rows) > 1 {
		b.WriteByte('\n')
		t.write(b)
	}
	if r.EffortTests != nil {
		b.WriteByte('\n')
		r.effortTestTable().write(b)
		fmt.Fprintf(b, "%s\n", r.EffortTests.About())
	}
}

// overlapTables returns the table of each algorithm's right cases, and the table of sets.
func (r *Report) overlapTables() []*table {
	o, right := r.Overlap, r.sheet.Configurations.Right
	each := newTable(append([]string{right, "all"}, o.Strata...)...)
	for i, a := range o.Algorithms {
		each.add(a.Right.cells(a.Name)...)
		if i > 0 {
			each.add(a.NotByFirst.cells("  not by " + o.Algorithms[0].Name)...)
		}
		each.add(a.Only.cells("  by no other")...)
	}
	each.add(o.Any.cells("any of them")...)
	each.add(Counted{o.Cases, o.ByStratum}.cells("of")...)
	sets := newTable(append([]string{right + " by exactly", "all"}, o.Strata...)...)
	for _, s := range o.Sets[:min(maxRows, len(o.Sets))] {
		sets.add(s.cells(s.name())...)
	}
	return []*table{each, sets}
}

// cells returns the cells of a table's row.
func (c Counted) cells(name string) []string {
	row := []string{name, fmt.Sprint(c.All)}
	for _, n := range c.ByStratum {
		row = append(row, countOrDash(n))
	}
	return row
}

// name lists the algorithms of a set.
func (s Set) name() string {
	if len(s.Algorithms) == 0 {
		return "none"
	}
	return strings.Join(s.Algorithms, " & ")
}

// outcomeTable shows the effort by outcome: the median, and the mean in brackets.
func (r *Report) outcomeTable() *table {
	t := newTable("median (mean)", r.sheet.Asked+"s", "turns", "tokens", "US dollars", "seconds")
	for _, a := range r.Algorithms {
		for _, e := range a.ByOutcome {
			if e.Cases > 0 {
				t.add(append([]string{a.Name + ", " + r.sheet.outcome(e.Right)}, e.cells()...)...)
			}
		}
	}
	return t
}

func (s *Sheet) outcome(right bool) string {
	if right {
		return s.Configurations.Right
	}
	return s.Configurations.Wrong
}

func (e OutcomeEffort) cells() []string {
	show := func(s Spread, cases int, number string) string {
		if cases == 0 {
			return "-"
		}
		return fmt.Sprintf(number+" ("+number+")", s.Median, s.Mean)
	}
	timed := 0
	if e.Seconds.known() {
		timed = e.Cases
	}
	return []string{fmt.Sprint(e.Cases), show(e.Turns, e.Asked, "%.1f"), show(e.Tokens, e.Asked, "%.0f"),
		show(e.CostUSD, e.Priced, "%.4f"), show(e.Seconds, timed, "%.1f")}
}

// effortTestTable shows the median of each algorithm, and the p-value of its comparison
// with the first.
func (r *Report) effortTestTable() *table {
	t := r.EffortTests
	head := []string{fmt.Sprintf("median on %ss %s by all", r.sheet.Asked, r.sheet.Configurations.Right), r.sheet.Asked + "s", "Friedman p"}
	out := newTable(append(head, t.Algorithms...)...)
	for _, row := range t.Rows {
		out.add(append([]string{row.Stratum + ", " + row.Measure}, t.cells(row)...)...)
	}
	return out
}

func (t *EffortTests) cells(row EffortTest) []string {
	friedman := "-"
	if row.Friedman != nil {
		friedman = pValue(*row.Friedman)
	}
	cells := []string{fmt.Sprint(row.Cases), friedman}
	for i, median := range row.Medians {
		number := "%.1f"
		if median != 0 && median < 1 {
			number = "%.4f"
		}
		cell := fmt.Sprintf(number, median)
		if i > 0 && row.Wilcoxon[i-1] != nil {
			p := *row.Wilcoxon[i-1]
			cell += ", p " + pValue(p)
			if p < t.Threshold {
				cell += " *"
			}
		}
		cells = append(cells, cell)
	}
	return cells
}

// About names the tests behind the p-values.
func (t *EffortTests) About() string {
	if len(t.Algorithms) == 2 {
		return fmt.Sprintf("p: Wilcoxon's signed-rank test against %s, two-sided; *: below %.3g", t.Algorithms[0], t.Threshold)
	}
	return fmt.Sprintf(
		"p: Wilcoxon's signed-rank test against %s, two-sided, made where Friedman's test is below %.3g; *: below %.3g (Bonferroni, %d tests)",
		t.Algorithms[0],
		t.Level,
		t.Threshold,
		len(t.Algorithms)-1,
	)
}
