package fix

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Question is a problem and the method of the agent engine. The command line, evaluations and
// recorded runs all use it.
type Question struct {
	Problem Problem
	Method  Method
}

// A Method says how the agent engine works on a problem.
type Method struct {
	// Heuristics select the history for the prompt of a trajectory. With nil, the trajectory
	// works without history: its tools show none, and its work tree has none.
	Heuristics []Heuristic `json:"heuristics,omitempty"`
	// Auto lets further trajectories with other heuristics follow when the first ones
	// do not repair the bug.
	Auto     bool       `json:"auto,omitempty"`
	Samples  int        `json:"samples,omitempty"`  // number of trajectories that start together; 0 counts as 1
	Strategy Strategy   `json:"strategy,omitempty"` // "" is React
	Tools    Toolset    `json:"tools,omitempty"`    // "" is Structured
	Edits    EditFormat `json:"edits,omitempty"`    // "" is EditReplace
	// NoCommitSearch removes the typed tools that search commits by message and by changed
	// text. Code Researcher has one tool for both: search_commits.
	NoCommitSearch bool `json:"no_commit_search,omitempty"`
	Review         bool `json:"review,omitempty"` // a reviewer judges among several plausible patches
}

// A Strategy is the order of a model's work on a repair.
type Strategy string

// These are the strategies.
const (
	// React acts at once: each answer of the model is a thought and calls of tools
	// (Passerine, arXiv 2501.07531).
	React Strategy = "react"
	// Research first analyses the bug and collects facts about it, and then writes a patch from
	// these facts (Code Researcher, arXiv 2506.11060).
	Research Strategy = "research"
)

// A Toolset selects a model's tools for repair.
type Toolset string

// These are the sets.
const (
	Structured Toolset = "structured" // tools to read, search, edit and test
	Bash       Toolset = "bash"       // one shell, as in HAFixAgent
)

// An EditFormat says how a model writes an edit.
type EditFormat string

// These are the formats.
const (
	EditReplace EditFormat = "replace" // a text and its replacement
	EditLines   EditFormat = "lines"   // a range of lines and their new text
	EditWhole   EditFormat = "whole"   // whole files
)

// complementary lists the histories in the order of their use under Auto. The paper's best
// single heuristic is first. Of the bugs that it misses, most are repaired with FnPair or
// without history (HAFixAgent, section 6.1).
var complementary = [][]Heuristic{{FlDiff}, {FnPair}, nil, {FnAll}}

// maxRounds bounds the rounds of trajectories under Auto.
const maxRounds = 3

// Rounds returns the histories of the trajectories by round. The trajectories of one round
// start together. The next round starts if no trajectory has repaired the bug.
func (m Method) Rounds() [][][]Heuristic {
	samples := max(m.Samples, 1)
	if !m.Auto {
		return [][][]Heuristic{slices.Repeat([][]Heuristic{m.Heuristics}, samples)}
	}
	var rounds [][][]Heuristic
	for len(rounds) < maxRounds {
		var round [][]Heuristic
		for range samples {
			round = append(round, complementary[(len(round)+len(rounds)*samples)%len(complementary)])
		}
		rounds = append(rounds, round)
		if samples >= len(complementary) {
			break // every history has had its turn
		}
	}
	return rounds
}

// ShowsHistory reports whether a trajectory is shown history. If none is, nothing may use
// history: neither the order of the suspected functions nor the tools.
func (m Method) ShowsHistory() bool { return m.Auto || len(m.Heuristics) > 0 }

// ParseHistory reads the user's choice of history for trajectories: "auto", "none", or names of
// heuristics separated by commas.
func ParseHistory(text string) (kinds []Heuristic, auto bool, err error) {
	switch text {
	case "auto":
		return nil, true, nil
	case "none":
		return nil, false, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		kind := Heuristic(strings.TrimSpace(name))
		switch {
		case !slices.Contains(Heuristics, kind):
			return nil, false, fmt.Errorf(
				"%q is no kind of history: give auto, none, or some of fn_all, fn_pair and fl_diff, separated by commas",
				name,
			)
		case !slices.Contains(kinds, kind):
			kinds = append(kinds, kind)
		}
	}
	return kinds, false, nil
}

// Name names the history of a trajectory: "fl_diff", "fn_pair,fl_diff" or "none".
func Name(kinds []Heuristic) string {
	if len(kinds) == 0 {
		return "none"
	}
	text := ""
	for i, k := range kinds {
		if i > 0 {
			text += ","
		}
		text += string(k)
	}
	return text
}

// String returns the method as JSON with a fixed order of fields, for keys and records.
func (m Method) String() string {
	text, err := json.Marshal(m)
	if err != nil {
		return "" // a method always has a JSON form
	}
	return string(text)
}
