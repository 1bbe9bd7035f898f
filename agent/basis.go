package agent

import (
	"fmt"
	"strings"
)

// A Basis holds the inputs of an agent engine's probabilities, except the cases.
type Basis struct {
	Model   string `json:"model"`
	Prompts string `json:"prompts"` // hash of the texts and schemas sent to the model
	Ranker  string `json:"ranker"`  // hash of the ranking's model
	Runs    int    `json:"runs"`    // how many vote
	Method  string `json:"method"`  // settings other than the defaults, such as "no-tools"; "" for none
}

// Differs names the differences between this basis and the present one; it returns "" if
// there are none.
func (b Basis) Differs(now Basis) string {
	var words []string
	add := func(differs bool, format string, args ...any) {
		if differs {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	there := "there are"
	if now.Runs == 1 {
		there = "there is"
	}
	add(b.Model != now.Model, "it is for the model %s, and %s is asked", CleanLine(b.Model), CleanLine(now.Model))
	add(b.Runs != now.Runs, "it is for %s, and %s %d", Plural(b.Runs, "run"), there, now.Runs)
	add(b.Method != now.Method, "it is for %s, and this is %s", methodName(b.Method), methodName(now.Method))
	add(b.Prompts != now.Prompts, "what the model is told has changed")
	add(b.Ranker != now.Ranker, "the ranking has changed")
	return strings.Join(words, "; ")
}

func methodName(m string) string {
	if m == "" {
		return "the method as it is"
	}
	return "the method with " + CleanLine(m)
}
