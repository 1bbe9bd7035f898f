package eval

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/stat"
)

// Effort summarizes a model's work on the cases of one algorithm, and its cost. The runs of a
// case are added up.
type Effort struct {
	Cases     int            `json:"cases"`     // cases in which a model was asked
	Fallbacks int            `json:"fallbacks"` // number of these cases that the offline engine answered in the end
	Status    map[string]int `json:"status"`    // number of conversations by how they ended
	Types     map[string]int `json:"types"`     // number of named answers by type
	Objected  int            `json:"objected"`  // cases in which the claim check questioned a claim
	Agreement *float64       `json:"agreement"` // mean share of the runs that name the first choice; null if no runs voted

	Turns       Spread `json:"turns"`
	Calls       Spread `json:"calls"`
	CachedCalls Spread `json:"calls_kept"`    // of these, calls whose answer was in the cache
	Prompt      Spread `json:"prompt_tokens"` // sent, cached tokens included
	Cached      Spread `json:"cached_tokens"` // of these, tokens that the server had cached
	Output      Spread `json:"output_tokens"`
	CostUSD     Spread `json:"cost_usd"`
	Seconds     Spread `json:"seconds"`

	Priced    int  `json:"priced"`              // cases whose cost is known; CostUSD covers only these
	Estimated bool `json:"estimated,omitempty"` // some token counts are estimates

	Tools  []ToolUse   `json:"tools"`            // most used first
	Faults []ToolFault `json:"faults,omitempty"` // calls without a result, the most used tool first
}

// Spread summarizes the values of a number over several cases.
type Spread struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Total  float64 `json:"total"`
}

// ToolUse counts the calls of a tool in each turn. ByTurn starts with the first turn (AgentSZZ,
// figure 4).
type ToolUse struct {
	Name   string `json:"name"`
	ByTurn []int  `json:"by_turn"`
	Total  int    `json:"total"`
}

// newEffort adds up the work behind outcomes. It returns nil if no model was asked.
func newEffort(outcomes []Outcome) *Effort {
	e := &Effort{Status: map[string]int{}, Types: map[string]int{}, Tools: []ToolUse{}}
	var turns, calls, kept, prompt, cached, output, cost, seconds, agreement []float64
	tools := map[string]*ToolUse{}
	for _, o := range outcomes {
		w := o.Work
		if w == nil {
			continue
		}
		e.Cases++
		e.Fallbacks += stat.Count(w.Fell())
		e.Objected += stat.Count(w.Objections > 0)
		e.Estimated = e.Estimated || w.Usage.Estimated
		for _, s := range w.Status {
			e.Status[s]++
		}
		for _, t := range w.Types {
			e.Types[t]++
		}
		turns, calls = append(turns, float64(w.Turns)), append(calls, float64(w.Calls))
		kept = append(kept, float64(w.CachedCalls))
		prompt, cached = append(prompt, float64(w.Usage.Prompt())), append(cached, float64(w.Usage.CacheRead))
		output, seconds = append(output, float64(w.Usage.Output)), appendKnown(seconds, o.Seconds)
		if w.Usage.CostUSD != nil {
			cost = append(cost, *w.Usage.CostUSD)
		}
		if len(w.Status) > 1 && len(o.Votes) > 0 {
			agreement = append(agreement, o.Votes[0].Agreement)
		}
		w.count(tools)
	}
	if e.Cases == 0 {
		return nil
	}
	e.Turns, e.Calls, e.CachedCalls, e.Prompt, e.Cached = spread(turns), spread(calls), spread(kept), spread(prompt), spread(cached)
	e.Output, e.CostUSD, e.Seconds, e.Priced = spread(output), spread(cost), spread(seconds), len(cost)
	if len(agreement) > 0 {
		e.Agreement = stat.Defined(spread(agreement).Mean)
	}
	e.rank(tools)
	e.addFaults(outcomes)
	return e
}

// count adds the tool calls of one case to tools.
func (w *Work) count(tools map[string]*ToolUse) {
	for turn, names := range w.Tools {
		for _, name := range names {
			t := tools[name]
			if t == nil {
				t = &ToolUse{Name: name}
				tools[name] = t
			}
			for len(t.ByTurn) <= turn {
				t.ByTurn = append(t.ByTurn, 0)
			}
			t.ByTurn[turn]++
			t.Total++
		}
	}
}

// rank stores the tools, most used first, and pads them to the same number of
// turns.
func (e *Effort) rank(tools map[string]*ToolUse) {
	turns := 0
	for _, t := range tools {
		turns = max(turns, len(t.ByTurn))
	}
	for _, t := range tools {
		t.ByTurn = append(t.ByTurn, make([]int, turns-len(t.ByTurn))...)
		e.Tools = append(e.Tools, *t)
	}
	slices.SortFunc(e.Tools, func(a, b ToolUse) int {
		if a.Total != b.Total {
			return b.Total - a.Total
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// known reports whether any value is known, for a number that is never 0.
func (s Spread) known() bool { return s.Total > 0 }

// appendKnown appends a value unless it is not known.
func appendKnown(values []float64, x float64) []float64 {
	if math.IsNaN(x) {
		return values
	}
	return append(values, x)
}

func spread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	slices.Sort(values)
	s := Spread{Median: stat.Quantile(values, 0.5), P90: stat.Quantile(values, 0.9)}
	for _, v := range values {
		s.Total = min(s.Total+v, model.MostUSD) // a damaged record may hold any number
	}
	s.Mean = s.Total / float64(len(values))
	return s
}

// effortRow is one line of the table that shows an Effort, as text or HTML.
type effortRow struct {
	Name                     string
	Mean, Median, P90, Total string
}

func (e *Effort) rows() []effortRow {
	whole := func(x float64) string { return fmt.Sprintf("%.0f", x) }
	tenth := func(x float64) string { return fmt.Sprintf("%.1f", x) }
	dollars := func(x float64) string { return fmt.Sprintf("%.4f", x) }
	row := func(name string, s Spread, one, all func(float64) string) effortRow {
		return effortRow{name, one(s.Mean), one(s.Median), one(s.P90), all(s.Total)}
	}
	rows := []effortRow{
		row("turns", e.Turns, tenth, whole), row("tool calls", e.Calls, tenth, whole), row("  from the cache", e.CachedCalls, tenth, whole),
		row("tokens sent", e.Prompt, whole, whole), row("  read from the server's cache", e.Cached, whole, whole),
		row("tokens received", e.Output, whole, whole),
	}
	if e.Priced > 0 {
		rows = append(rows, row("US dollars", e.CostUSD, dollars, dollars))
	}
	if e.Seconds.known() {
		rows = append(rows, row("seconds", e.Seconds, tenth, whole))
	}
	return rows
}

// about describes the parts of an Effort that are not in its table.
func (e *Effort) about(sheet *Sheet) string {
	parts := []string{agent.Plural(e.Cases, "case"), "conversations: " + counts(e.Status)}
	if len(e.Types) > 0 {
		parts = append(parts, sheet.Named+"s: "+counts(e.Types))
	}
	if e.Agreement != nil {
		parts = append(parts, fmt.Sprintf("runs that name the first %s: %.0f%% on average", sheet.Named, 100**e.Agreement))
	}
	if e.Fallbacks > 0 {
		parts = append(parts, fmt.Sprintf("the offline engine answered in its place: %d", e.Fallbacks))
	}
	if e.Objected > 0 {
		parts = append(parts, fmt.Sprintf("cases with a questioned claim: %d", e.Objected))
	}
	if e.Priced < e.Cases {
		parts = append(parts, fmt.Sprintf("cost unknown: %d", e.Cases-e.Priced))
	}
	if e.Estimated {
		parts = append(parts, "tokens partly estimated")
	}
	return strings.Join(parts, "; ")
}

// counts formats a map in the order of its keys, as in "found 12, limit 1".
func counts(m map[string]int) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		words = append(words, fmt.Sprintf("%s %d", strings.ReplaceAll(name, "_", " "), m[name]))
	}
	return strings.Join(words, ", ")
}

// maxTurns is the largest number of turns with a column in the table of tools.
const maxTurns = 12

func (r *Report) textEffort(b *strings.Builder) {
	r.textAblation(b)
	for _, a := range r.Algorithms {
		e := a.Effort
		if e == nil {
			continue
		}
		t := newTable("effort of "+a.Name+", by "+r.sheet.Asked, "mean", "median", "p90", "total")
		for _, row := range e.rows() {
			t.add(row.Name, row.Mean, row.Median, row.P90, row.Total)
		}
		b.WriteByte('\n')
		t.write(b)
		fmt.Fprintf(b, "%s\n", e.about(r.sheet))
		a.textTools(b)
		a.textFaults(b)
	}
}

// textAblation compares the algorithms that ask a model, like table 2 of AgentSZZ. It shows the
// metrics and the cost per case of each algorithm.
func (r *Report) textAblation(b *strings.Builder) {
	estimated, main := r.sheet.estimated(), r.sheet.at(r.sheet.Main)
	head := []string{"by " + r.sheet.Asked + ", on average"}
	for _, at := range estimated {
		head = append(head, r.sheet.Metrics[at].Title)
	}
	t := newTable(append(head, "change", "turns", "calls", "tokens", "US dollars", "seconds")...)
	var whole *Algorithm
	for i, a := range r.Algorithms {
		e := a.Effort
		if e == nil {
			continue
		}
		change := "-"
		if is := a.Overall.Values[main].Value; whole == nil {
			whole = &r.Algorithms[i]
		} else if was := whole.Overall.Values[main].Value; is != nil && was != nil {
			change = fmt.Sprintf("%+.3f", *is-*was)
		}
		usd := "-"
		if e.Priced > 0 {
			usd = fmt.Sprintf("%.4f", e.CostUSD.Mean)
		}
		seconds := "-"
		if e.Seconds.known() {
			seconds = fmt.Sprintf("%.1f", e.Seconds.Mean)
		}
		line := []string{a.Name}
		for _, at := range estimated {
			line = append(line, threeOrDash(a.Overall.Values[at].Value))
		}
		t.add(append(line, change, fmt.Sprintf("%.1f", e.Turns.Mean), fmt.Sprintf("%.1f", e.Calls.Mean),
			fmt.Sprintf("%.0f", e.Prompt.Mean+e.Output.Mean), usd, seconds)...)
	}
	if len(t.rows) > 2 {
		b.WriteByte('\n')
		t.write(b)
	}
}

// textTools writes a table of tool calls by turn (figure 4 of AgentSZZ).
func (a Algorithm) textTools(b *strings.Builder) {
	if len(a.Effort.Tools) == 0 {
		return
	}
	head := []string{"calls of " + a.Name + " in turn"}
	turns := min(maxTurns, len(a.Effort.Tools[0].ByTurn))
	for i := range turns {
		head = append(head, fmt.Sprint(i+1))
	}
	t := newTable(append(head, "all")...)
	for _, use := range a.Effort.Tools {
		line := []string{use.Name}
		for _, n := range use.ByTurn[:turns] {
			line = append(line, countOrDash(n))
		}
		t.add(append(line, fmt.Sprint(use.Total))...)
	}
	b.WriteByte('\n')
	t.write(b)
}

// countOrDash formats a number. It prints 0 as "-", so that other numbers stand out.
func countOrDash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// percentOfMost returns n in percent of the most calls of any tool in one turn. It gives the
// length of the bars on the HTML page.
func (e *Effort) percentOfMost(n int) int {
	most := 1
	for _, t := range e.Tools {
		most = max(most, slices.Max(t.ByTurn))
	}
	return int(math.Round(100 * float64(n) / float64(most)))
}

// turnNumbers returns the turn numbers, from 1, that head the table of tools in HTML.
func (e *Effort) turnNumbers() []int {
	list := make([]int, len(e.Tools[0].ByTurn))
	for i := range list {
		list[i] = i + 1
	}
	return list
}
