package offline

import (
	"bytes"
	"path"
	"slices"

	"git-agent/gitext"
)

const (
	// maxTwins bounds the other places at which a change is made, maxTwinLines the lines that it
	// replaces, and maxTwinFiles the files of suspected functions that are searched for places.
	maxTwins     = 4
	maxTwinLines = 8
	maxTwinFiles = 8
	// leastTwin is the least length of the replaced lines: a line with a brace is found everywhere.
	leastTwin = 12
)

// A lineChange replaces lines. A change that only inserts lines replaces the lines around them, too.
type lineChange struct{ from, to [][]byte }

// changeOf returns the change between two versions of a file. It reports false if the replaced lines
// say too little to be looked for elsewhere.
func changeOf(original, content []byte) (lineChange, bool) {
	a, b := bytes.Split(original, []byte("\n")), bytes.Split(content, []byte("\n"))
	start, end := 0, 0
	for start < min(len(a), len(b)) && bytes.Equal(a[start], b[start]) {
		start++
	}
	for end < min(len(a), len(b))-start && bytes.Equal(a[len(a)-1-end], b[len(b)-1-end]) {
		end++
	}
	if start+end >= len(a) {
		if start == 0 || end == 0 {
			return lineChange{}, false
		}
		start, end = start-1, end-1
	}
	c := lineChange{a[start : len(a)-end], b[start : len(b)-end]}
	size := 0
	for _, l := range c.from {
		size += len(bytes.TrimSpace(l))
	}
	return c, len(c.from) <= maxTwinLines && size >= leastTwin
}

// apply makes the change at all places of a file, whose indentation may differ. It returns the number of places.
func (c lineChange) apply(content []byte) ([]byte, int) {
	lines, places := bytes.Split(content, []byte("\n")), 0
	var out [][]byte
	for i := 0; i < len(lines); {
		if !c.at(lines[i:]) {
			out = append(out, lines[i])
			i++
			continue
		}
		old, own := indentOf(c.from[0]), indentOf(lines[i])
		for _, l := range c.to {
			if rest, ok := bytes.CutPrefix(l, old); ok {
				l = slices.Concat(own, rest)
			}
			out = append(out, l)
		}
		i += len(c.from)
		places++
	}
	return bytes.Join(out, []byte("\n")), places
}

// at reports whether lines begin with those that the change replaces.
func (c lineChange) at(lines [][]byte) bool {
	if len(lines) < len(c.from) {
		return false
	}
	for i, l := range c.from {
		if !bytes.Equal(bytes.TrimSpace(l), bytes.TrimSpace(lines[i])) {
			return false
		}
	}
	return true
}

// indentOf returns the white space at the beginning of a line.
func indentOf(line []byte) []byte { return line[:len(line)-len(bytes.TrimLeft(line, " \t"))] }

// twin adds the candidate that makes the same change at all places with the same lines, in the
// candidate's file and in those of suspected functions: code that was copied has its bugs in each
// copy. The caller holds the lock.
func (s *search) twin(c *waiting, seen effect) {
	if len(c.Files) != 1 || c.Probe || c.Commit != "" || c.Files[0].Mode == 0 {
		return
	}
	own, ok := s.text(c.Files[0].Path)
	if !ok {
		return
	}
	change, ok := changeOf(own, c.Files[0].Content)
	if !ok {
		return
	}
	all, places := c.Candidate, 0
	all.More, all.Files = nil, nil
	for _, p := range s.twinFiles(c.Files[0].Path) {
		content, _ := s.text(p)
		if changed, n := change.apply(content); n > 0 {
			all.Files = append(all.Files, gitext.Overlay{Path: p, Mode: c.Files[0].Mode, Content: changed})
			places += n
		}
	}
	if places < 2 || places > 1+maxTwins {
		return
	}
	all.Origin += ", at " + numerals[places] + " places"
	s.put(all, seen.boost())
}

// twinFiles returns a file, and those of suspected functions in the same language.
func (s *search) twinFiles(own string) []string {
	list := []string{own}
	if s.in.Localization == nil {
		return list
	}
	for _, l := range s.in.Localization.Locations {
		if len(list) < maxTwinFiles && path.Ext(l.Path) == path.Ext(own) && !slices.Contains(list, l.Path) {
			list = append(list, l.Path)
		}
	}
	return list
}

// text returns a file of the tree. It is read once.
func (s *search) text(p string) ([]byte, bool) {
	if content, ok := s.texts[p]; ok {
		return content, content != nil
	}
	content, ok := s.original(s.whole)(p)
	if !ok {
		content = nil
	}
	if s.texts == nil {
		s.texts = map[string][]byte{}
	}
	s.texts[p] = content
	return content, ok
}
