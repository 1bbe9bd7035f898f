package trace

import (
	"encoding/json"
	"slices"
	"strings"

	"git-agent/agent"
)

// Smell is a pattern that is more frequent in failed runs than in successful ones. The first four
// are from Passerine ("Evaluating Agent-based Program Repair at Google", section IV). The others
// are their equivalents for runs that search a history.
type Smell struct {
	Name  string
	About string // describes the pattern to a reader
}

// These are the smells, in the order in which tables list them.
var (
	NoTest           = Smell{"no_test", "changed files and never ran a test"}
	NoOpRead         = Smell{"no_op_read", "asked the same again while nothing had changed"}
	SearchesInRow    = Smell{"consecutive_search", "three or more turns in a row with nothing but searches"}
	EditsInRow       = Smell{"consecutive_edits", "three or more edits of one file in a row"}
	SameCommit       = Smell{"same_commit", "the same commit shown more than twice"}
	EmptySearches    = Smell{"empty_searches", "two or more searches in a row that found nothing"}
	WideFirst        = Smell{"wide_search_first", "began with a search of the whole repository"}
	NeverBlamed      = Smell{"never_blamed", "gave an answer without a blame or a function's history"}
	TimeoutUnchanged = Smell{"timeout_not_narrowed", "after a time-out asked for as much again"}
	TurnCap          = Smell{"turn_cap", "used all its turns"}
)

// Smells lists all smells.
var Smells = []Smell{NoTest, NoOpRead, SearchesInRow, EditsInRow, SameCommit, EmptySearches, WideFirst, NeverBlamed, TimeoutUnchanged, TurnCap}

// Finding is a smell detected in a run.
type Finding struct {
	Smell Smell
	Turns []int  // turns with the smell, in order; empty if the smell is that something never happened
	Note  string // the commit or file of the smell; "" if none
}

const (
	rowLength    = 3 // least number of searches or edits in a row (Passerine)
	emptyLength  = 2 // least number of fruitless searches in a row
	mostShowings = 2 // allowed showings of one commit
)

// Smells returns the smells of the run, in the order of [Smells].
func (t *Trajectory) Smells() []Finding {
	acts := t.acts()
	var found []Finding
	for _, detect := range []func(*Trajectory, []act) []Finding{
		noTest, noOpRead, searchesInRow, editsInRow, sameCommit, emptySearches, wideFirst, neverBlamed, timeoutUnchanged, turnCap,
	} {
		found = append(found, detect(t, acts)...)
	}
	return found
}

// findingIf returns a list with one finding, or nil if when is false.
func findingIf(when bool, s Smell, turns ...int) []Finding {
	if !when {
		return nil
	}
	return []Finding{{Smell: s, Turns: turns}}
}

// noTest finds runs that change files and never run a test.
func noTest(_ *Trajectory, acts []act) []Finding {
	changed := filter(acts, func(a act) bool { return a.does == agent.DeedEdit })
	return findingIf(
		len(changed) > 0 && !slices.ContainsFunc(acts, func(a act) bool { return a.does == agent.DeedTest }),
		NoTest,
		turnsOf(changed)...)
}

// noOpRead finds reads and searches that repeat an earlier one. The earlier call must have an
// answer, with no edit or test in between.
func noOpRead(_ *Trajectory, acts []act) []Finding {
	var again []act
	seen := map[string]bool{}
	for _, a := range acts {
		switch a.does {
		case agent.DeedRead, agent.DeedShow, agent.DeedBlame, agent.DeedSearch:
			key := a.tool + " " + a.key
			if seen[key] {
				again = append(again, a)
			}
			seen[key] = seen[key] || a.answered()
		default: // an edit, a test, or a tool of unknown effect
			clear(seen)
		}
	}
	return findingIf(len(again) > 0, NoOpRead, turnsOf(again)...)
}

// searchesInRow finds turns in a row that only search. It counts turns and not calls, because the
// model chooses the calls of one turn together.
func searchesInRow(_ *Trajectory, acts []act) []Finding {
	var found []Finding
	var row []int
	flush := func() {
		found = append(found, findingIf(len(row) >= rowLength, SearchesInRow, row...)...)
		row = nil
	}
	for _, turn := range groups(acts, func(a, b act) bool { return a.turn == b.turn }) {
		if slices.ContainsFunc(turn, func(a act) bool { return a.does != agent.DeedSearch }) {
			flush()
			continue
		}
		row = append(row, turn[0].turn)
	}
	flush()
	return merge(found)
}

// editsInRow finds edits of one file with no other call in between.
func editsInRow(_ *Trajectory, acts []act) []Finding {
	var found []Finding
	for _, row := range groups(acts, func(a, b act) bool {
		return a.does == agent.DeedEdit && b.does == agent.DeedEdit && a.path() == b.path()
	}) {
		if row[0].does == agent.DeedEdit && len(row) >= rowLength {
			found = append(found, Finding{Smell: EditsInRow, Turns: turnsOf(row), Note: row[0].path()})
		}
	}
	return found
}

// sameCommit finds commits that were shown too often. Later pages of the same answer do not
// count.
func sameCommit(_ *Trajectory, acts []act) []Finding {
	var found []Finding
	shown := filter(acts, func(a act) bool {
		return a.does == agent.DeedShow && a.answered() && firstPage(a.args.Page) && a.args.Commit != ""
	})
	for len(shown) > 0 {
		first := shown[0].commit()
		same := filter(shown, func(a act) bool { return sameOID(a.commit(), first) })
		shown = filter(shown, func(a act) bool { return !sameOID(a.commit(), first) })
		if len(same) > mostShowings {
			found = append(found, Finding{Smell: SameCommit, Turns: turnsOf(same), Note: first})
		}
	}
	return found
}

// firstPage reports whether page means the first page, for which a tool accepts
// several forms.
func firstPage(page json.Number) bool {
	n, err := page.Int64()
	return err != nil || n <= 1
}

// minAbbreviation is the least number of digits of an abbreviated object id.
const minAbbreviation = 7

// sameOID reports whether two object ids, perhaps abbreviated, are the same.
func sameOID(a, b string) bool {
	return a == b || len(a) >= minAbbreviation && len(b) >= minAbbreviation && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

func emptySearches(_ *Trajectory, acts []act) []Finding {
	var found []Finding
	asked := filter(acts, func(a act) bool { return a.does == agent.DeedSearch && a.answered() && a.call.Result.SameAs == "" })
	for _, row := range groups(asked, func(a, b act) bool { return a.foundNothing() && b.foundNothing() }) {
		found = append(found, findingIf(row[0].foundNothing() && len(row) >= emptyLength, EmptySearches, turnsOf(row)...)...)
	}
	return merge(found)
}

func wideFirst(_ *Trajectory, acts []act) []Finding {
	return findingIf(len(acts) > 0 && acts[0].does == agent.DeedSearch && acts[0].args.Path == "", WideFirst, firstTurn(acts)...)
}

// neverBlamed finds answers without a git blame or git log -L. It applies only to runs whose
// answer needs the authors of lines and whose first prompt does not name them.
func neverBlamed(t *Trajectory, acts []act) []Finding {
	looked := slices.ContainsFunc(acts, func(a act) bool { return a.does == agent.DeedBlame })
	return findingIf(slices.Contains(t.needs, agent.DeedBlame) && t.Answer() != nil && !looked, NeverBlamed)
}

// timeoutUnchanged finds calls after a time-out of the same tool that are not narrower.
func timeoutUnchanged(_ *Trajectory, acts []act) []Finding {
	var wide []act
	for i, a := range acts {
		if !a.timedOut() {
			continue
		}
		next := slices.IndexFunc(acts[i+1:], func(b act) bool { return b.tool == a.tool })
		if next >= 0 && !acts[i+1+next].narrower(a) {
			wide = append(wide, acts[i+1+next])
		}
	}
	return findingIf(len(wide) > 0, TimeoutUnchanged, turnsOf(wide)...)
}

func turnCap(t *Trajectory, _ []act) []Finding {
	return findingIf(t.Opening != nil && t.Opening.Limits.Turns > 0 && t.Answers() >= t.Opening.Limits.Turns, TurnCap, len(t.Turns))
}

func firstTurn(acts []act) []int {
	if len(acts) == 0 {
		return nil
	}
	return []int{acts[0].turn}
}

// turnsOf returns the turns of acts, each once.
func turnsOf(acts []act) []int {
	var turns []int
	for _, a := range acts {
		turns = append(turns, a.turn)
	}
	return slices.Compact(turns)
}

// merge combines findings of one smell into a single one.
func merge(found []Finding) []Finding {
	if len(found) < 2 {
		return found
	}
	all := found[0]
	for _, f := range found[1:] {
		all.Turns = append(all.Turns, f.Turns...)
	}
	all.Turns = slices.Compact(all.Turns)
	return []Finding{all}
}

func filter(acts []act, keep func(act) bool) []act {
	var out []act
	for _, a := range acts {
		if keep(a) {
			out = append(out, a)
		}
	}
	return out
}

// groups divides acts into groups of neighbours for which together is true.
func groups(acts []act, together func(a, b act) bool) [][]act {
	var list [][]act
	from := 0
	for i := range acts {
		if i+1 == len(acts) || !together(acts[i], acts[i+1]) {
			list = append(list, acts[from:i+1])
			from = i + 1
		}
	}
	return list
}
