package rank

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file puts the signals and the evidence of the ranker into words.

// opposites maps the beginning of a feature's text to the beginning of its opposite, for
// a candidate whose feature is 0. The first match counts.
var opposites = [][2]string{
	{"age at the fix", "not older than the fix"}, {"minutes before the fix", "committed no earlier than the fix"},
	{"hours between the writing of both", "both were written at the same time"},
	{"owns a line", "owns no line"}, {"owns a deleted", "owns no deleted"}, {"owns a part of", "owns no part of"},
	{"owns ", "does not own "}, {"owned ", "did not own "}, {"wrote ", "did not write "},
	{
		"applied ",
		"not applied ",
	}, {"added ", "did not add "}, {"removed ", "did not remove "}, {"changed ", "did not change "}, {"took out ", "did not take out "},
	{"uses ", "does not use "}, {"creates ", "does not create "}, {"changes ", "does not change "}, {"removes ", "does not remove "},
	{"only moved", "did not only move"}, {"did little else than", "did more than"}, {"much of what it added is", "little of what it added is"},
	{"one of a series", "not one of a series"}, {"one of its changes is", "none of its changes is"},
	{"the messages share a rare word", "the messages share no rare word"}, {"the messages share words", "the messages share no words"},
	{"its paths share words", "its paths share no words"}, {"its subject is about", "its subject is not about"},
	{"its subject says ", "its subject does not say "}, {"its subject names ", "its subject does not name "},
	{"its message names ", "its message does not name "}, {"the fix's message names ", "the fix's message does not name "},
	{"older than ", "not older than "}, {"among ", "not among "}, {"newest ", "not the newest "}, {"oldest ", "not the oldest "},
	{"last to ", "not the last to "}, {"first to ", "not the first to "},
	{"recent ", "not recent "}, {"by ", "not by "}, {"in ", "not in "}, {"a merge", "not a merge"},
	{"age ", "no "}, {"commits ", "no "}, {"deleted lines ", "no "}, {"files ", "no "}, {"lines ", "no "}, {"minutes ", "no "}, {"hours ", "no "},
}

// absent writes the text of a feature for a candidate that lacks it.
func absent(say string) string {
	for _, o := range opposites {
		if rest, ok := strings.CutPrefix(say, o[0]); ok {
			if o[1] == "no " { // a number: the count is zero
				return "no " + say
			}
			return o[1] + rest
		}
	}
	return "not: " + say
}

// fewest is the smallest value of a place (1, 1/2, 1/3, ...) that counts as among the first ones.
const fewest = 0.1

// slight maps features that are shares or likenesses to their texts for a candidate that has
// little of them, and is less likely for it.
var slight = map[string]string{
	"hunk_likeness": "none of its changes is much like the fix's",
	"out_likeness":  "took out few lines like the fix's",
	"message_words": "the messages share few words",
	"message_best":  "the messages share no very rare word",
	"subject_words": "its subject is about little of what the fix is about",
	"message_diff":  "the fix's message names little of what it changed",
	"message_names": "its message names little of what the fix changes",
	"path_words":    "its paths share few words with the fix's message",
	"all_paths":     "changed few of the rarer files of the fix, tests and new ones included",
	"companions":    "changed few of the tests or other files that go with the fix",
	"path_share":    "changed few of the fixed files",
	"focus":         "did more than what the fix touches",
	"touched":       "added few of the names that the fix touches",
	"uses_added":    "added few of the names that the fix adds",
	"around_added":  "added few of the names around the changes",
	"undone":        "added little of what the fix removes",
	"undone_line":   "added few of the lines that the fix removes",
	"restores":      "removed little of what the fix adds",
	"run_share":     "owns a small part of the changes",
	"nearest":       "owns no line very close to a change",
}

// rareWord is the weight from which a word counts as very rare: one in e^4 of the messages has it.
const rareWord = 4

// isSlight reports whether a candidate has so little of a feature that the text of slight is true.
func isSlight(f *feature, value float64) bool {
	if f.name == "message_best" {
		return value < rareWord
	}
	return value < 0.5
}

// wording is the text of a feature that raised or lowered the probability of a candidate.
func wording(f *feature, value, weight float64) string {
	switch {
	case value == 0:
		return absent(f.say)
	case f.name == "age_quantile":
		return olderThan(value) + " other candidates"
	case weight >= 0:
		return f.say
	case value < fewest && strings.HasPrefix(f.say, "among the "):
		return absent(f.say)
	case slight[f.name] != "" && isSlight(f, value):
		return slight[f.name]
	}
	return f.say
}

// olderThan describes the share of the candidates that are newer than one.
func olderThan(share float64) string {
	switch {
	case share == 1:
		return "older than the"
	case share > 0.5:
		return "older than most"
	case share == 0.5:
		return "older than half of the"
	}
	return "newer than most"
}

// whichCode names the code whose removed lines are counted: if source is traced, lines of
// other files do not count, and git's count of removed lines is larger. Lines of documents, data and
// build files are not called code.
func (k *Case) whichCode() string {
	if k.tracesNoCode() {
		return " that the fix removes"
	}
	code, where := " of code that the fix removes", ""
	for i := range k.fc.Patch.Files {
		f := &k.fc.Patch.Files[i]
		if k.FixPath[f.OldPath] || k.Set.Partial || !losesLines(f) {
			continue
		}
		if source.FileKindOf(f.OldPath) == source.TestFile {
			where = " outside of tests"
		} else {
			code = " of source code that the fix removes"
		}
	}
	return code + where
}

// tracesNoCode reports whether the traced files are neither source nor tests.
func (k *Case) tracesNoCode() bool {
	for p := range k.FixPath {
		if source.FileKindOf(p) != source.OtherFile {
			return false
		}
	}
	return len(k.FixPath) > 0
}

// movedOnly says that a fix adds all the removed lines of code of a candidate again: it only moves
// or re-indents them, and their writer need not have had a part in the bug.
func (k *Case) movedOnly(c *candidate.Candidate) string {
	added := map[string]int{}
	for _, change := range k.Set.Changes {
		for _, l := range change.Added {
			added[candidate.LineKey(l.Text)]++
		}
	}
	removed := 0
	for i := range k.Set.Anchors {
		a := &k.Set.Anchors[i]
		if a.Owner != c.OID || a.Role != candidate.RoleDeleted || a.Kind != source.LineCode {
			continue
		}
		key := candidate.LineKey(a.Text)
		if key == "" || added[key] == 0 {
			return ""
		}
		added[key]--
		removed++
	}
	return fmt.Sprintf("; the fix adds %s again, moved or re-indented", agent.PluralOf(removed, "it", "them"))
}

// changesFixed reports whether a candidate changed a file in which lines of the fix are traced.
func (k *Case) changesFixed(c *candidate.Candidate) bool {
	return slices.ContainsFunc(c.Diff.Paths, func(p string) bool { return k.FixPath[p] })
}

// losesLines reports whether a fix removes lines of a text file.
func losesLines(f *gitext.FileChange) bool {
	return !f.Submodule && !f.Binary && f.Status != 'A' && slices.ContainsFunc(f.Hunks, func(h gitext.Hunk) bool {
		return slices.ContainsFunc(h.Lines, func(l gitext.PatchLine) bool { return l.Op == '-' })
	})
}

// wordsReason is the reason of a candidate that was found only by its words: it owns no
// line, and is not in the history of the fixed files. It may still have changed one of
// them, on a branch whose change is also on the other side of a merge. Where words alone led to the first suspect, it
// was the culprit in none of seven fixes that were tried.
func (k *Case) wordsReason(c *candidate.Candidate) string {
	does, in := "changed other files, but shares words with ", "the message and the paths of the fix"
	if k.fc.Fix == "" {
		in = "the paths of the fix"
	}
	if slices.ContainsFunc(c.Diff.Paths, func(p string) bool { return k.allPaths[p] > 0 || k.FixPath[p] }) {
		does = "changed a file that the fix changes, and shares words with "
	}
	return does + in + ", a weak sign"
}

// commonWords are words of comments and messages that tie no commit to another.
var commonWords = strings.Fields(`a about above add added after again all also an and any are as at be because been before being below
	between both but by can change com could did do does doing done down each etc few fix fixed fixes for from further get github had has have
	having he her here hers him his how http https if in into is issue it its itself just like make may me more most must my need needs
	last never no nor not now of off on once one only or org other our ours out over own same see set she should so some still such than that
	the their them then there these they this those through to too two under until up upon use used uses using very was we were what when
	where which while who whom why will with without would www you your yours
	changed changes date dated january jan february feb march mar april apr june jun july jul august aug september sep sept october oct
	november nov december dec monday mon tuesday tue wednesday wed thursday thu friday fri saturday sat sunday sun`)

// mostShared is the largest number of names in the evidence of a suspect.
const mostShared = 4

// shared returns the rarest names that a candidate and the fix both touch, without those that many
// files of the repository have.
func (k *Case) shared(c *candidate.Candidate) []string {
	names := slices.DeleteFunc(k.bothTouch(c), k.common)
	return names[:min(mostShared, len(names))]
}

// bothTouch returns the names that a candidate and the fix both touch, the rarest among the
// candidates first. Common words, numbers and one or two letters are left out. Names that are
// unlikely in prose come first.
func (k *Case) bothTouch(c *candidate.Candidate) []string {
	var names []string
	for _, t := range source.SortedTokens(source.Unite(k.Removed, k.Added)) {
		if (c.Diff.Added[t] > 0 || c.Diff.Removed[t] > 0) && tells(t) {
			names = append(names, t)
		}
	}
	sort.SliceStable(names, func(i, j int) bool {
		if a, b := madeUp(names[i]), madeUp(names[j]); a != b {
			return a
		}
		return k.Code.Weight(names[i]) > k.Code.Weight(names[j])
	})
	return names
}

// tells reports whether a word can be evidence.
func tells(word string) bool {
	letters := strings.IndexFunc(word, unicode.IsLetter) >= 0
	return len(word) > 2 && letters && !source.IsKeyword(word) && !slices.Contains(source.BeforeUse, word) &&
		!slices.Contains(commonWords, strings.ToLower(word))
}

// madeUp reports whether a word looks like a name in a program: it has an underscore, a
// digit or a capital letter inside.
func madeUp(word string) bool {
	return strings.ContainsAny(word, "_0123456789") || strings.IndexFunc(word[1:], unicode.IsUpper) >= 0
}

// movedSince names a later commit that moved a candidate's lines of a role to the file where
// the fix finds them. git blame names that commit.
func (k *Case) movedSince(c *candidate.Candidate, role candidate.Role) string {
	var first *suspect.Move
	lines := 0
	for i := range k.Set.Anchors {
		a := &k.Set.Anchors[i]
		if a.Owner != c.OID || a.Role != role || a.Move == nil || role == candidate.RoleDeleted && a.Kind != source.LineCode {
			continue
		}
		if first == nil {
			first = a.Move
		}
		lines++
	}
	if first == nil {
		return ""
	}
	return fmt.Sprintf("; %s moved %s from %s", first.Left.Owner.Short(), agent.PluralOf(lines, "it", "them"), agent.CleanLine(first.Path))
}
