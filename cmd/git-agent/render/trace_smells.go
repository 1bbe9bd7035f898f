package render

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"git-agent/agent"
	"git-agent/agent/trace"
)

// SmellTable returns a table with the number of runs for each smell, in columns
// for runs with and without an answer.
func SmellTable(runs []*trace.Trajectory) string {
	type count struct{ found, other int }
	counts := map[string]count{}
	var all count
	for _, t := range runs {
		add := func(c *count) {
			if t.Status() == "found" {
				c.found++
			} else {
				c.other++
			}
		}
		add(&all)
		seen := map[string]bool{}
		for _, f := range t.Smells() {
			if c := counts[f.Smell.Name]; !seen[f.Smell.Name] {
				add(&c)
				counts[f.Smell.Name], seen[f.Smell.Name] = c, true
			}
		}
	}
	width := 0
	for _, s := range trace.Smells {
		width = max(width, len(s.Name))
	}
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%-*s\tof %s\tof %d that found\tof %d others\t\n", width, "smell", agent.Plural(len(runs), "run"), all.found, all.other)
	for _, s := range trace.Smells {
		c := counts[s.Name]
		fmt.Fprintf(
			table,
			"%-*s\t%s\t%s\t%s\t\n",
			width,
			s.Name,
			share(c.found+c.other, len(runs)),
			share(c.found, all.found),
			share(c.other, all.other),
		)
	}
	table.Flush() // writing to memory does not fail
	return b.String()
}

// share returns a count and its percentage, such as "3 (25%)", or "-" if of is 0.
func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.0f%%)", n, 100*float64(n)/float64(of))
}
