package crash

import (
	"slices"

	"git-agent/gitext"
)

// A Question is what is asked about one crash. The command line, MCP, evaluation and
// recorded runs all use it.
type Question struct {
	Report *Report
	// Commit is the commit that crashed; "" lets the engine find it from the
	// report's build, else HEAD.
	Commit gitext.OID
	// Since is a commit that did not crash; only commits after it are suspects. ""
	// for none.
	Since gitext.OID
	// Algorithm names the algorithm of the offline engine; "" is the default.
	Algorithm string
	// Suspects is the most suspect commits to name; 0 names none.
	Suspects int
	// Dump is the file of the report's sections, "" if it has none that can be read
	// again.
	Dump string
	// Server lets a language server look up definitions for the agent engine.
	Server bool

	Switches
}

// Switches turn off parts of the agent engine's method, so that each can be measured.
type Switches struct {
	NoTools   bool // the first prompt and report are all that the model has
	NoRanking bool // the first prompt does not show the offline engine's ranking
	NoCode    bool // the first prompt does not show the code around the frames
	NoChanges bool // the first prompt does not show the latest changes
}

type namedSwitch struct {
	name string
	on   *bool
}

// named returns the switches with their names, in a fixed order.
func (s *Switches) named() []namedSwitch {
	return []namedSwitch{{"no-tools", &s.NoTools}, {"no-ranking", &s.NoRanking}, {"no-code", &s.NoCode}, {"no-changes", &s.NoChanges}}
}

// Names returns the names of the switches that are on, such as "no-tools".
func (s Switches) Names() []string {
	var names []string
	for _, n := range s.named() {
		if *n.on {
			names = append(names, n.name)
		}
	}
	return names
}

// And returns the switches that are on in s or in o or in both.
func (s Switches) And(o Switches) Switches { return SwitchesNamed(append(s.Names(), o.Names()...)...) }

// SwitchesNamed returns the switches whose names are among the words. Other words are
// ignored.
func SwitchesNamed(words ...string) Switches {
	var s Switches
	for _, n := range s.named() {
		*n.on = slices.Contains(words, n.name)
	}
	return s
}
