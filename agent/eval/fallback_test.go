package eval

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// fallen returns the results of an algorithm whose model failed in one of two cases, and of an
// algorithm without a model.
func fallen() *Results {
	res := &Results{Algorithms: []string{"agent", "rank"}, Outcomes: map[string][]Outcome{}, Versions: map[string][]string{"agent": {"old"}},
		Failed: []Failed{{ID: "b", Algorithm: "agent"}, {ID: "b", Algorithm: "rank"}}}
	for i, id := range []string{"a", "b"} {
		q := question{ID: id, Repo: "o/r", Want: "right"}
		work := &Work{Status: []string{"found"}}
		if i == 1 {
			work = &Work{Status: []string{"nothing"}, Fallback: "the model named no word"}
		}
		res.Cases = append(res.Cases, q)
		res.Outcomes["agent"] = append(res.Outcomes["agent"], outcome(toy{}, i, q, Record{Answer: reply{Words: []string{"right"}, Work: work}}))
		res.Outcomes["rank"] = append(res.Outcomes["rank"], outcome(toy{}, i, q, Record{Answer: reply{Words: []string{"right"}}}))
	}
	return res
}

// Every form of a report shows the number of the offline engine's answers instead of a model's.
// If these answers count, only the names of the rows of models say so.
func TestFallbackIsNamed(t *testing.T) {
	for _, counts := range []bool{false, true} {
		name := "agent"
		if counts {
			name = "agent (with fallback)"
		}
		r := NewReport(toy{}, About{Fallback: counts}, fallen())
		var text, page, data bytes.Buffer
		if err := errors.Join(r.WriteText(&text), r.WriteHTML(&page), r.WriteJSON(&data)); err != nil {
			t.Fatal(err)
		}
		if got := r.Algorithms[0]; got.Name != name || got.Overall.Fell != 1 || r.Algorithms[1].Name != "rank" || len(got.Versions) != 1 || r.Comparisons[0].A != name || r.Failed[0].Algorithm != name || r.Failed[1].Algorithm != "rank" {
			t.Errorf("report %+v", r)
		}
		for _, want := range []string{`"name":"` + name + `"`, `"fallback":1,`} {
			if !strings.Contains(data.String(), want) {
				t.Errorf("no %s in %s", want, &data)
			}
		}
		if strings.Contains(data.String(), `"fallback":true`) != counts || strings.Count(data.String(), `"fallback":0`) != 0 {
			t.Errorf("%s", &data)
		}
		if !strings.Contains(text.String(), "empty  failed  fallback  cases") || !strings.Contains(text.String(), "\n"+name+" ") {
			t.Errorf("%s", &text)
		}
		if !strings.Contains(page.String(), "<th>fallback</th>") || strings.Contains(page.String(), "count as that engine answered") != counts {
			t.Errorf("%s", &page)
		}
	}
	var text bytes.Buffer
	res := fallen()
	res.Algorithms = res.Algorithms[1:]
	if err := NewReport(toy{}, About{}, res).WriteText(&text); err != nil || strings.Contains(text.String(), "fallback") {
		t.Errorf("without a model: %s", &text)
	}
}

// A comparison of runs marks the names of its sides too.
func TestFallbackIsNamedInComparisons(t *testing.T) {
	a, b := Contender{Name: "x", Results: fallen(), Fallback: true}, Contender{Name: "y", Algorithm: "rank", Results: fallen(), Fallback: true}
	a.Algorithm = "agent"
	list, err := CompareRuns(toy{}, a, b)
	if err != nil || len(list) != 1 || list[0].A != "x:agent (with fallback)" || list[0].B != "y:rank" {
		t.Errorf("%+v, %v", list, err)
	}
}
