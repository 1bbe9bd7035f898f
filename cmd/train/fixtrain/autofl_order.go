package fixtrain

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A publishedRun is a conversation of AutoFL about a bug.
type publishedRun struct {
	Messages []publishedMessage `json:"messages"`
	// Found tells which true methods the answer names. It is a text if the run ended with an error.
	Found json.RawMessage `json:"buggy_methods"`
}

type publishedMessage struct {
	Role    string  `json:"role"`
	Name    string  `json:"name"`
	Content *string `json:"content"`
	Call    *struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function_call"`
}

func (m publishedMessage) text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// answer returns the expressions of the last message, one a line.
func (r publishedRun) answer() []string {
	if len(r.Messages) == 0 {
		return nil
	}
	var list []string
	for l := range strings.SplitSeq(strings.TrimSpace(r.Messages[len(r.Messages)-1].text()), "\n") {
		list = append(list, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(l, "\r"), "`"), "`"))
	}
	return list
}

// A standing is what orders a method.
type standing struct {
	signature string
	score     float64
	failing   int
	seen      int
}

// order returns the signatures of a bug's methods, best first. Each run has one vote, which the
// methods that its answer names share. Among methods with the same votes, those that more failing
// tests run come first. After them come those that an answer names, in the order of the answers,
// and the others by how often the conversations looked at them, and by their signatures.
func (b publishedBug) order() []string {
	votes, named := b.votes()
	failing := map[string]int{}
	for _, m := range b.methods {
		failing[m.Signature] = m.Failing
	}
	seen := b.looks()
	var list []standing
	for _, signature := range named {
		list = append(list, standing{signature: signature, score: votes[signature], failing: failing[signature]})
	}
	for _, signature := range slices.Sorted(maps.Keys(failing)) {
		if _, ok := votes[signature]; !ok {
			list = append(list, standing{signature: signature, failing: failing[signature], seen: seen[signature]})
		}
	}
	slices.SortStableFunc(list, func(x, y standing) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.failing, x.failing), cmp.Compare(y.seen, x.seen))
	})
	var order []string
	for _, s := range list {
		order = append(order, s.signature)
	}
	return order
}

// votes returns the votes of the methods that answers name, and their signatures in the order of
// the answers. The sums have the rounding of the published ones, on which ties depend. The votes are
// divided by the number of runs once for each definition of a signature, as in the published ones:
// a function that a scope defines twice has fewer.
func (b publishedBug) votes() (votes map[string]float64, named []string) {
	votes = map[string]float64{}
	for _, r := range b.runs {
		var of []string
		for _, expr := range r.answer() {
			for _, signature := range b.matching(expr) {
				if !slices.Contains(of, signature) {
					of = append(of, signature)
				}
			}
		}
		for _, signature := range of {
			if _, ok := votes[signature]; !ok {
				named = append(named, signature)
			}
			votes[signature] += 1 / float64(len(of))
		}
	}
	for _, m := range b.methods {
		if _, ok := votes[m.Signature]; ok {
			votes[m.Signature] /= float64(len(b.runs))
		}
	}
	return votes, named
}

// looks counts how often the conversations looked at a method: they asked for its source or its
// comment, or a function that they were shown calls its name.
func (b publishedBug) looks() map[string]int {
	seen := map[string]int{}
	byName := b.byName()
	for _, r := range b.runs {
		if strings.HasPrefix(string(r.Found), `"`) {
			continue
		}
		for _, m := range r.Messages {
			if m.Call != nil && (m.Call.Name == "get_code_snippet" || m.Call.Name == "get_comments") {
				var asked struct {
					Signature string `json:"signature"`
				}
				if json.Unmarshal([]byte(m.Call.Arguments), &asked) == nil {
					seen[asked.Signature]++
				}
			}
			for _, name := range m.calls(b.python) {
				for _, signature := range byName[name] {
					seen[signature]++
				}
			}
		}
	}
	return seen
}

// byName returns the signatures by the last part of their names. A call of a bare name that is a
// whole signature's name counts for none.
func (b publishedBug) byName() map[string][]string {
	by := map[string][]string{}
	for _, m := range b.methods {
		names, _ := methodName(m.Signature)
		last := names[len(names)-1]
		if !slices.Contains(by[last], m.Signature) {
			by[last] = append(by[last], m.Signature)
		}
	}
	for _, m := range b.methods {
		delete(by, beforeParen(m.Signature))
	}
	return by
}
