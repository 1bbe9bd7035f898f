package candidate

import (
	"path"
	"slices"
	"sort"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// A ClueSet is the set of places of a text in a fix.
type ClueSet uint16

// The places.
const (
	ClueRemoved ClueSet = 1 << iota // a name in a line that the fix removes
	ClueAdded                       // a name in a line that it adds
	ClueAround                      // a name in a line of context
	ClueHeading                     // a name in the heading of a hunk
	ClueSaid                        // a word of the message
	ClueLiteral                     // a string in a changed line
	ClueKey                         // words of a changed line or of the message joined by signs, such as max-idle or app.port
	ClueFile                        // the name of a changed file, with or without its ending
)

// A Clue is a text of a fix for finding commits that changed the text elsewhere.
type Clue struct {
	Text string
	In   ClueSet
}

// Bounds of the searched texts.
const (
	minClue  = 4 // bytes
	maxClue  = 60
	maxClues = 160
)

// Patterns of texts that are no identifiers.
var (
	quotedText = source.Lazy(`"([^"\\]{4,60})"|'([^'\\]{4,60})'`)
	joinedKey  = source.Lazy(`[A-Za-z_][A-Za-z0-9_]*(?:[-.:/][A-Za-z0-9_]+)+`)
)

// CluesOf returns the texts of a fix, the most telling first: changed texts before the
// texts around them, and long ones before short ones.
func CluesOf(fc *szz.FixContext) []Clue {
	in := map[string]ClueSet{}
	note := func(s ClueSet, texts ...string) {
		for _, t := range texts {
			if len(t) >= minClue && len(t) <= maxClue && !source.StopWords[strings.ToLower(t)] && !source.IsKeyword(t) {
				in[t] |= s
			}
		}
	}
	traced := tracedFiles(fc.Patch)
	if len(traced) > 0 {
		traced = append(slices.Clip(traced), besideFiles(fc.Patch, traced)...)
	} else { // files that the fix adds
		for i := range fc.Patch.Files {
			traced = append(traced, &fc.Patch.Files[i])
		}
	}
	for _, f := range largestFiles(traced, maxBlamedFiles, maxBlamedLines) {
		noteFile(f, note)
	}
	prose := source.Masks.Replace(source.FirstBytes(fc.Prose, 6000))
	note(ClueSaid, source.SortedTokens(CodeWords(prose))...)
	note(ClueSaid|ClueKey, joinedKey().FindAllString(prose, -1)...)
	clues := make([]Clue, 0, len(in))
	for t, s := range in {
		clues = append(clues, Clue{t, s})
	}
	sort.Slice(clues, func(i, j int) bool {
		if a, b := clues[i].worth(), clues[j].worth(); a != b {
			return a > b
		}
		return clues[i].Text < clues[j].Text
	})
	return clues[:min(len(clues), maxClues)]
}

// noteFile notes the texts of one file that the fix changes.
func noteFile(f *gitext.FileChange, note func(ClueSet, ...string)) {
	for _, p := range []string{f.OldPath, f.NewPath} {
		base := path.Base(p)
		note(ClueFile, base, source.Stem(base))
	}
	if f.Submodule {
		return
	}
	for _, h := range f.Hunks {
		heading := source.Bag{}
		heading.AddCode([]byte(h.Section))
		note(ClueHeading, source.SortedTokens(heading)...)
		for _, l := range h.Lines {
			s, names := ClueAround, source.Bag{}
			switch l.Op {
			case '-':
				s = ClueRemoved
			case '+':
				s = ClueAdded
			}
			text := l.Text[:min(len(l.Text), 400)]
			names.AddCode(text)
			note(s, source.SortedTokens(names)...)
			if s == ClueAround {
				continue
			}
			for _, m := range quotedText().FindAllSubmatch(text, -1) {
				note(s|ClueLiteral, string(m[1])+string(m[2]))
			}
			for _, key := range joinedKey().FindAll(text, -1) {
				note(s|ClueKey, string(key))
			}
		}
	}
}

// worth orders clues if there are too many.
func (c Clue) worth() int {
	v := min(len(c.Text), 20)
	if NameLike().MatchString(c.Text) {
		v += 10
	}
	if changed := c.In & (ClueRemoved | ClueAdded); changed == ClueRemoved || changed == ClueAdded {
		v += 20
	} else if changed != 0 {
		v += 10
	}
	if c.In&ClueSaid != 0 {
		v += 15
	}
	if c.In&(ClueHeading|ClueFile) != 0 {
		v += 10
	}
	return v
}
