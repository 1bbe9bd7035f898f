package fixtool

import (
	"fmt"
	"maps"
	"strings"

	"git-agent/agent"
)

// A StepKind is the kind of a model's call, for Smells.
type StepKind string

// These are the kinds.
const (
	StepRead   StepKind = "read"
	StepSearch StepKind = "search"
	StepEdit   StepKind = "edit"
	StepTest   StepKind = "test"
	StepRun    StepKind = "run" // a shell command
)

// A Step is one call.
type Step struct {
	Kind   StepKind
	Path   string // path of the read or edited file; "" if the text is read by its name
	Key    string // equal for equal calls
	Failed bool   // the call was refused
	Passed bool   // StepTest: the tests passed
}

// Smells finds habits of trajectories that lead nowhere, after Passerine (arXiv
// 2501.07531, section 5.3; shares there of failing and of passing trajectories of bugs
// that people reported):
//
//   - searches in a row (CONSECUTIVE_SEARCH, 0.67 against 0.33)
//   - edits without a test (NO_TEST, 0.66 against 0.13)
//   - repeated reading of unchanged lines (NO_OP_CAT, 0.44 against 0.22)
//   - edits of one file in a row (CONSECUTIVE_EDIT, 0.21 against 0.18)
//   - the same edit again after its failure
//
// The first occurrence of each smell causes a warning. A second occurrence of the first, second
// or last smell ends the trajectory. The other smells are nearly as frequent in good
// trajectories.
type Smells struct {
	tests bool // there is a test to run

	searches int // in a row
	untested int // edits since the last test
	sameFile int // edits of lastPath in a row, without a test
	rereads  int
	lastPath string
	read     map[string]bool // keys of reads since the last edit of their file
	failed   map[string]int  // refused edits since the last successful one

	warned map[string]int
	end    string
}

// These are the numbers of steps that make a smell. Passerine counts three searches or edits in
// a row; these are higher, because half of its good trajectories for bugs reported by machines
// had such a smell.
const (
	manySearches = 6
	manyUntested = 5
	manySameFile = 4
	manyRereads  = 4
	manyFailed   = 2
)

// NewSmells returns the smells of a new trajectory. tests says whether there is a test to run.
func NewSmells(tests bool) Smells {
	return Smells{tests: tests, read: map[string]bool{}, failed: map[string]int{}, warned: map[string]int{}}
}

// End says in a clause why the trajectory should end, or returns "".
func (s *Smells) End() string { return s.end }

// Note counts a step and returns a warning for the model, or "".
func (s *Smells) Note(step Step) string {
	if step.Kind != StepSearch {
		s.searches = 0
	}
	switch step.Kind {
	case StepSearch:
		return s.search()
	case StepRead:
		return s.reread(step)
	case StepEdit:
		return s.edit(step)
	case StepTest:
		s.untested, s.sameFile = 0, 0
		if step.Passed {
			s.end = ""
		}
	}
	return ""
}

func (s *Smells) search() string {
	if s.searches++; s.searches < manySearches {
		return ""
	}
	n := s.searches
	s.searches = 0
	return s.smell("search", true, fmt.Sprintf("%d searches in a row found no place to work on", n),
		"Read the most likely function, or state what you look for; another series of searches ends this repair.")
}

func (s *Smells) reread(step Step) string {
	if step.Path == "" {
		return ""
	}
	key := step.Path + "\x00" + step.Key
	if step.Failed || !s.read[key] {
		s.read[key] = !step.Failed
		return ""
	}
	if s.rereads++; s.rereads < manyRereads {
		return ""
	}
	s.rereads = 0
	return s.smell("reread", false, "lines were read again although they had not changed",
		"These lines were shown before and have not changed since.")
}

func (s *Smells) edit(step Step) string {
	if step.Failed {
		if s.failed[step.Key]++; s.failed[step.Key] < manyFailed {
			return ""
		}
		s.failed[step.Key] = manyFailed - 1
		return s.smell("failed", true, "the same edit failed again and again",
			"This edit failed before in the same way. Read the lines again with cat and copy them; the same edit once more ends this repair.")
	}
	clear(s.failed)
	maps.DeleteFunc(s.read, func(key string, _ bool) bool { return strings.HasPrefix(key, step.Path+"\x00") })
	if s.untested++; step.Path == s.lastPath {
		s.sameFile++
	} else {
		s.lastPath, s.sameFile = step.Path, 1
	}
	if s.tests && s.untested >= manyUntested {
		n := s.untested
		s.untested, s.sameFile = 0, 0
		return s.smell("untested", true, fmt.Sprintf("%d edits were made without a test", n),
			fmt.Sprintf("That were %d edits without a test. Call test now; as many more without one end this repair.", n))
	}
	if s.sameFile >= manySameFile {
		n := s.sameFile
		s.sameFile = 0
		return s.smell("same file", false, "one file was edited again and again",
			fmt.Sprintf("That were %d edits of %s in a row. Read the function as it is now before the next one.", n, agent.CleanLine(step.Path)))
	}
	return ""
}

// smell counts an occurrence. The first one causes a warning. If ends is set, the second one
// ends the trajectory.
func (s *Smells) smell(name string, ends bool, reason, warning string) string {
	s.warned[name]++
	if s.warned[name] > 1 && ends && s.end == "" {
		s.end = reason
	}
	if s.warned[name] > 1 {
		return ""
	}
	return warning
}
