package coverage

import (
	"bytes"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// These bound the size of a tally, because profiles may be hostile.
const (
	maxLine  = 1 << 20 // largest line number that counts
	maxFiles = 20_000  // files of a tally
	maxLines = 4 << 20 // lines of a tally
)

// executed has the lines that one test executes, by path.
type executed map[string]map[int]bool

// add marks the lines from first to last.
func (e executed) add(p string, first, last int) {
	if first < 1 || last > maxLine {
		return
	}
	lines := e[p]
	if lines == nil {
		if len(e) >= maxFiles {
			return
		}
		lines = map[int]bool{}
		e[p] = lines
	}
	for n := first; n <= last; n++ {
		lines[n] = true
	}
}

// merge adds the lines of another run.
func (e executed) merge(o executed) {
	for p, lines := range o {
		for n := range lines {
			e.add(p, n, n)
		}
	}
}

// A tally counts the tests that execute each line.
type tally struct {
	failing, passing int
	lines            int // in files
	files            map[string]map[int]*fix.LineHits
}

// add counts one test.
func (t *tally) add(failed bool, e executed) {
	if failed {
		t.failing++
	} else {
		t.passing++
	}
	if t.files == nil {
		t.files = map[string]map[int]*fix.LineHits{}
	}
	for p, lines := range e {
		if t.files[p] == nil {
			t.files[p] = map[int]*fix.LineHits{}
		}
		for n := range lines {
			t.hit(t.files[p], n, failed)
		}
	}
}

func (t *tally) hit(file map[int]*fix.LineHits, n int, failed bool) {
	h := file[n]
	if h == nil {
		if t.lines >= maxLines {
			return
		}
		t.lines++
		h = &fix.LineHits{Line: n}
		file[n] = h
	}
	if failed {
		h.Failing++
	} else {
		h.Passing++
	}
}

// spectrum returns the counts of lines with code; nil if no test was counted or no line was
// executed.
func (t *tally) spectrum(tr *tree) *fix.Spectrum {
	sp := &fix.Spectrum{Failing: t.failing, Passing: t.passing, Files: map[string][]fix.LineHits{}}
	for p, lines := range t.files {
		isCode := codeLines(p, tr.read(p))
		var hits []fix.LineHits
		for n, h := range lines {
			if isCode(n) {
				hits = append(hits, *h)
			}
		}
		if len(hits) > 0 {
			slices.SortFunc(hits, func(a, b fix.LineHits) int { return a.Line - b.Line })
			sp.Files[p] = hits
		}
	}
	if len(sp.Files) == 0 {
		return nil
	}
	return sp
}

// failingSpectrum returns the counts as spectrum does; nil if no failing test executed a line.
func (t *tally) failingSpectrum(tr *tree) *fix.Spectrum {
	if t.failing == 0 {
		return nil
	}
	sp := t.spectrum(tr)
	if sp == nil {
		return nil
	}
	for _, hits := range sp.Files {
		if slices.ContainsFunc(hits, func(h fix.LineHits) bool { return h.Failing > 0 }) {
			return sp
		}
	}
	return nil
}

// codeLines returns a function that reports whether a line of a source file has code. Every
// line of a file that was too large to read counts as code.
func codeLines(p string, blob []byte) func(n int) bool {
	if blob == nil {
		return func(int) bool { return true }
	}
	kinds := source.LineKinds(p, blob, bytes.Count(blob, []byte("\n"))+1)
	return func(n int) bool {
		return n <= len(kinds) && kinds[n-1] == source.LineCode
	}
}
