package crash

import (
	"time"

	"git-agent/agent"
	"git-agent/gitext"
)

// A Question is a question about one crash. The command line, MCP, evaluation and recorded runs
// all use it.
type Question struct {
	Report *Report
	// Commit is the commit that crashed; for "" the engine finds it from the report's build, else
	// uses HEAD.
	Commit gitext.OID
	// Since is a commit that did not crash; only commits after it are suspects. ""
	// for none.
	Since gitext.OID
	// Until is the time after which no commit is suspected, in a question of a recorded run. If it
	// is zero, the engine finds it.
	Until time.Time
	// Work are the files of the work tree that differ from HEAD and have names of the report's
	// files. They count if Commit is given, or if the engine uses HEAD.
	Work []WorkFile
	// AsReported takes the lines of the report for those of the commit, without reading its files.
	AsReported bool
	// Algorithm names the algorithm of the offline engine; "" is the default.
	Algorithm string
	// Suspects is the most suspect commits to name; 0 names none.
	Suspects int
	// Dump is the file of the report's sections, "" if it has none that can be read
	// again.
	Dump string

	Switches
}

// Switches turn off parts of the agent engine's method, to measure each part. Some switches imply
// others, see Implied.
type Switches struct {
	// NoTools limits the model to the report, with its frames mapped to files, and to the tool
	// for the answer: no other tool, no ranking, code or changes.
	NoTools   bool
	NoCalls   bool // the model must answer the complete first prompt, without tools
	NoRanking bool // the offline engine's ranking is neither shown to the model nor added to its answer
	NoCode    bool // the first prompt does not show the code around the frames
	NoChanges bool // the first prompt does not show the latest changes
	// NoDefinitions leaves out the tool that looks up definitions (AutoCrashFL, table
	// 6, "without deep search").
	NoDefinitions bool
	// NoRaw shows the sections of the report only in their sanitized form: facts, and the places
	// of frames in the repository (AutoCrashFL, table 6, "with sanitization").
	NoRaw bool
	// NoCommitSearch leaves out the tools that find commits by their messages and by their
	// changes, which are one tool in Code Researcher: search_commits.
	NoCommitSearch bool
	NoHistory      bool // the model sees only the commit that crashed
	// NoAugmentation leaves out of the answer those results of the offline engine that the model
	// did not name (AutoCrashFL, table 3, "augmented" rankings).
	NoAugmentation bool
}

// Implied returns the switches together with the implied ones. Without tools, the model has only
// the report. Without a ranking, none follows the model's files either. Without history, there
// are no changes to show and no commits to search.
func (s Switches) Implied() Switches {
	if s.NoTools {
		s.NoCalls, s.NoRanking, s.NoCode, s.NoHistory = true, true, true, true
	}
	if s.NoRanking {
		s.NoAugmentation = true
	}
	if s.NoHistory {
		s.NoChanges, s.NoCommitSearch = true, true
	}
	return s
}

// named returns the switches with their names, in a fixed order.
func (s *Switches) named() []agent.Switch {
	return []agent.Switch{
		{Name: "no-tools", On: &s.NoTools},
		{Name: "no-calls", On: &s.NoCalls},
		{Name: "no-ranking", On: &s.NoRanking},
		{Name: "no-code", On: &s.NoCode},
		{Name: "no-changes", On: &s.NoChanges},
		{Name: "no-definitions", On: &s.NoDefinitions},
		{Name: "no-raw", On: &s.NoRaw},
		{Name: "no-commit-search", On: &s.NoCommitSearch},
		{Name: "no-history", On: &s.NoHistory},
		{Name: "no-augmentation", On: &s.NoAugmentation},
	}
}

// Names returns the names of the switches that are on, such as "no-tools".
func (s Switches) Names() []string {
	return agent.SwitchesOn(s.named())
}

// And returns the switches that are on in s, in o, or in both.
func (s Switches) And(o Switches) Switches { return SwitchesNamed(append(s.Names(), o.Names()...)...) }

// SwitchNames returns the names of all switches, in a fixed order.
func SwitchNames() []string {
	var all Switches
	var names []string
	for _, n := range all.named() {
		names = append(names, n.Name)
	}
	return names
}

// SwitchesNamed returns the switches whose names are among the words. It ignores other words.
func SwitchesNamed(words ...string) (s Switches) {
	agent.SwitchOn(s.named(), words)
	return s
}
