package eval

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// The name of a repetition contains its algorithm and its number.
func TestRepetitionNames(t *testing.T) {
	names := Repeated([]string{"agent", "rank", "agent-no-tools"}, 3, func(name string) bool { return name != "rank" })
	if want := []string{"agent", "agent#2", "agent#3", "rank", "agent-no-tools", "agent-no-tools#2", "agent-no-tools#3"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	for _, tt := range []struct {
		name, algorithm string
		n               int
	}{{"agent", "agent", 1}, {"agent#2", "agent", 2}, {"agent#12" + withFallback, "agent" + withFallback, 12}, {"agent" + withFallback, "agent" + withFallback, 1},
		{"agent#1", "agent#1", 1}, {"agent#02", "agent#02", 1}, {"agent#x", "agent#x", 1}, {"c#", "c#", 1}} {
		if name, n := RepetitionOf(tt.name); name != tt.algorithm || n != tt.n {
			t.Errorf("%s: %q, %d", tt.name, name, n)
		}
	}
	if parts, ok := (Arms{"no-tools"}).Parts("agent-no-tools#2"); !ok || !slices.Equal(parts, []string{"no-tools"}) {
		t.Errorf("parts %q, %v", parts, ok)
	}
}

// The report has the mean and the spread of the repetitions. Comparisons of algorithms use the
// first repetition.
func TestRepeats(t *testing.T) {
	res := &Results{Outcomes: map[string][]Outcome{}, Algorithms: []string{"agent", "agent#2", "agent#3", "rank"}, Cases: []Case{question{ID: "0"}, question{ID: "1"}}}
	for name, right := range map[string][2]bool{"agent": {true, true}, "agent#2": {true, false}, "agent#3": {false, false}, "rank": {true, false}} {
		for i, is := range right {
			o := scored(is, 0)
			o.Case = i
			if o.Seconds = math.NaN(); name != "rank" {
				o.Work = &Work{Turns: 1}
			}
			res.Outcomes[name] = append(res.Outcomes[name], o)
		}
	}
	r := NewReport(toy{}, About{}, res)
	if r.Repeats == nil || len(r.Repeats.Rows) != 2 || r.Repeats.Rows[0].Name != "agent" {
		t.Fatalf("%+v", r.Repeats)
	}
	recall := slices.IndexFunc(r.Repeats.Columns, func(c Column) bool { return c.Name == "recall" })
	for i, want := range []float64{0.5, 0.5, 0, 1} { // mean, deviation, least, greatest
		near(t, r.Repeats.Columns[recall+i].Name, *r.Repeats.Rows[0].Values[recall+i].Value, want)
	}
	near(t, "runs", *r.Repeats.Rows[0].Values[0].Value, 3)
	once := r.Repeats.Rows[1].Values
	near(t, "mean of one", *once[recall].Value, 0.5)
	if once[recall+1].Value != nil {
		t.Errorf("one run has the deviation %v", *once[recall+1].Value)
	}
	if len(r.Algorithms) != 4 || len(r.Comparisons) != 1 || r.Comparisons[0].B != "rank" {
		t.Errorf("%d algorithms, comparisons %+v", len(r.Algorithms), r.Comparisons)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "by repository") && strings.Contains(line, "#2") {
			t.Errorf("a repetition in %q", line)
		}
	}
	if !strings.Contains(b.String(), "means of repeated runs") {
		t.Errorf("no table in\n%s", b.String())
	}
	res.Algorithms = []string{"agent", "rank"}
	if r := NewReport(toy{}, About{}, res); r.Repeats != nil {
		t.Errorf("nothing was repeated, and there is %+v", r.Repeats)
	}
}
