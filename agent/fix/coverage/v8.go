package coverage

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A v8Script is V8's report about one script: the type ScriptCoverage of the profiler of the
// Chrome DevTools Protocol, which NODE_V8_COVERAGE writes too.
type v8Script struct {
	ScriptID  string       `json:"scriptId"`
	URL       string       `json:"url"`
	Functions []v8Function `json:"functions"`
}

type v8Function struct {
	Ranges []v8Range `json:"ranges"`
}

// A v8Range is a piece of a script with its number of executions. An inner range overrides the
// count of an outer one. Offsets count UTF-16 units.
type v8Range struct {
	Start int   `json:"startOffset"`
	End   int   `json:"endOffset"`
	Count int64 `json:"count"`
}

// maxV8Ranges bounds the ranges of a script.
const maxV8Ranges = 1 << 20

// A sourceText maps UTF-16 units of a source to lines.
type sourceText struct {
	starts []int   // offset of each line
	code   []int32 // number of code units before each offset, without spaces, brackets and comments
}

// newSourceText reads a source. Bytes that are no UTF-8 count as one unit each. It recognizes
// only comments that end at the end of their line.
func newSourceText(blob []byte) *sourceText {
	s := &sourceText{starts: []int{0}, code: make([]int32, 1, len(blob)+1)}
	seen := int32(0)
	comment := bytes.HasPrefix(blob, []byte("#!"))
	for len(blob) > 0 {
		r, size := utf8.DecodeRune(blob)
		comment = comment && r != '\n' || bytes.HasPrefix(blob, []byte("//"))
		blob = blob[size:]
		for range max(1, utf16.RuneLen(r)) {
			if !comment && !strings.ContainsRune(" \t\r\n(){}[];,", r) {
				seen++
			}
			s.code = append(s.code, seen)
		}
		if r == '\n' {
			s.starts = append(s.starts, len(s.code)-1)
		}
	}
	return s
}

// mark adds the lines with code between two offsets.
func (s *sourceText) mark(lines executed, p string, from, to int) {
	from, to = max(from, 0), min(to, len(s.code)-1)
	if from >= to {
		return
	}
	line, found := slices.BinarySearch(s.starts, from)
	if !found {
		line--
	}
	for ; line < len(s.starts) && s.starts[line] < to; line++ {
		first, last := max(from, s.starts[line]), to
		if line+1 < len(s.starts) {
			last = min(to, s.starts[line+1])
		}
		if s.code[last] > s.code[first] {
			lines.add(p, line+1, line+1)
		}
	}
}

// executedRanges calls run for each executed piece of a script. Pieces outside of all functions
// count as not executed.
func (v v8Script) executedRanges(run func(from, to int)) {
	var ranges []v8Range
	for _, f := range v.Functions {
		for _, r := range f.Ranges {
			if r.Start >= 0 && r.Start < r.End && len(ranges) < maxV8Ranges {
				ranges = append(ranges, r)
			}
		}
	}
	// The outer one of two ranges comes first.
	slices.SortStableFunc(ranges, func(a, b v8Range) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	at := 0 // everything before it was passed to run
	var open []v8Range
	until := func(to int) {
		if len(open) > 0 && open[len(open)-1].Count > 0 && at < to {
			run(at, to)
		}
		at = max(at, to)
	}
	for _, r := range ranges {
		for len(open) > 0 && open[len(open)-1].End <= r.Start {
			until(open[len(open)-1].End)
			open = open[:len(open)-1]
		}
		until(r.Start)
		if len(open) > 0 {
			r.End = min(r.End, open[len(open)-1].End)
		}
		open = append(open, r)
	}
	for len(open) > 0 {
		until(open[len(open)-1].End)
		open = open[:len(open)-1]
	}
}

// A v8Reader converts reports of V8 to lines of a tree.
type v8Reader struct {
	tree  *tree
	paths map[string]string      // by URL; "" for a script whose lines do not count
	texts map[string]*sourceText // by path
}

func newV8Reader(t *tree) *v8Reader {
	return &v8Reader{tree: t, paths: map[string]string{}, texts: map[string]*sourceText{}}
}

// add marks the executed lines of one script. The script's text begins shift units before the
// file's text.
func (r *v8Reader) add(lines executed, v v8Script, shift int) {
	p, known := r.paths[v.URL]
	if !known {
		p = r.path(v.URL)
		r.paths[v.URL] = p
		if p != "" && r.texts[p] == nil {
			r.texts[p] = newSourceText(r.tree.read(p))
		}
	}
	if p == "" {
		return
	}
	v.executedRanges(func(from, to int) { r.texts[p].mark(lines, p, from-shift, to-shift) })
}

// addMapped marks the executed lines of the sources of one translated script, and reports whether
// the lines of any of its sources count.
func (r *v8Reader) addMapped(lines executed, v v8Script, m v8Map) bool {
	paths, counts := make([]string, len(m.files)), false
	for i, file := range m.files {
		paths[i] = r.path(file)
		counts = counts || paths[i] != ""
	}
	n := len(m.parts) / 3
	v.executedRanges(func(from, to int) {
		for i := sort.Search(n, func(i int) bool { return m.parts[3*i] >= from }); i < n && m.parts[3*i] < to; i++ {
			if file, line := m.parts[3*i+1], m.parts[3*i+2]; file >= 0 && file < len(paths) && paths[file] != "" && line > 0 {
				lines.add(paths[file], line, line)
			}
		}
	})
	return counts
}

// path maps the URL of a script to a path; "" if its lines do not count.
func (r *v8Reader) path(script string) string {
	name := script
	if u, err := url.Parse(script); err == nil && u.Scheme == "file" {
		name = u.Path
	}
	p, ok := r.tree.measured(name)
	if !ok {
		return ""
	}
	return p
}

// A v8Record is one line of the output of inject/preload.cjs.
type v8Record struct {
	Test   *int       `json:"test"`
	Result []v8Script `json:"result"`
	Name   string     `json:"name"`
	OK     *bool      `json:"ok"`
	Script string     `json:"script"`
	Shift  int        `json:"shift"`
	Other  bool       `json:"other"`
	Files  []string   `json:"files"`
	Map    []int      `json:"map"`
}

// A v8Map maps the text of a translated script to lines of its sources, in parts that follow one
// another. The text before the first part has no source.
type v8Map struct {
	files []string // absolute
	parts []int    // of each three numbers: where the part begins, its file, its line; a file below 0 is none
}

// A nodeTest is a test of a process, or the code of the process outside of tests.
type nodeTest struct {
	name    string
	ended   bool
	ok      bool
	scripts []v8Script
}

// A nodeProfile is the output of one process.
type nodeProfile struct {
	order []int             // numbers of tests, in the order of their start
	tests map[int]*nodeTest // by number; 0 is the process itself
	shift map[string]int    // units before the file's text, by script
	maps  map[string]v8Map  // source maps, by script
	other map[string]bool   // scripts with another text than the file's
}

// parseNodeProfile reads the output of inject/preload.cjs. Malformed lines are left out.
func parseNodeProfile(profile []byte) nodeProfile {
	p := nodeProfile{tests: map[int]*nodeTest{}, shift: map[string]int{}, maps: map[string]v8Map{}, other: map[string]bool{}}
	for line := range bytes.Lines(profile) {
		var rec v8Record
		if json.Unmarshal(line, &rec) != nil {
			continue
		}
		if rec.Test == nil {
			p.shift[rec.Script], p.other[rec.Script] = rec.Shift, rec.Other
			if len(rec.Map) > 0 {
				p.maps[rec.Script] = v8Map{rec.Files, rec.Map}
			}
			continue
		}
		test := p.tests[*rec.Test]
		if test == nil {
			test = &nodeTest{}
			p.tests[*rec.Test] = test
			p.order = append(p.order, *rec.Test)
		}
		test.scripts = append(test.scripts, rec.Result...)
		if rec.OK != nil {
			test.name, test.ended, test.ok = rec.Name, true, *rec.OK
		}
	}
	return p
}

// A nodeRun has the executed lines of a test or a process.
type nodeRun struct {
	name   string
	failed bool
	lines  executed
}

// readNodeProfile reads the output of one process. The first element of the result is the code
// outside of tests; the others are the tests with an end and a name.
func (r *v8Reader) readNodeProfile(profile []byte) []nodeRun {
	p := parseNodeProfile(profile)
	runs := []nodeRun{{lines: executed{}}}
	for _, id := range p.order {
		test := p.tests[id]
		run := nodeRun{name: test.name, failed: test.ended && !test.ok, lines: executed{}}
		for _, v := range test.scripts {
			if m := p.maps[v.ScriptID]; !r.addMapped(run.lines, v, m) && !p.other[v.ScriptID] {
				r.add(run.lines, v, p.shift[v.ScriptID])
			}
		}
		switch {
		case id == 0:
			runs[0] = run
		case test.ended && test.name != "":
			runs = append(runs, run)
		}
	}
	return runs
}

// readV8Profile reads a file that node writes for NODE_V8_COVERAGE.
func (r *v8Reader) readV8Profile(profile []byte) executed {
	var report struct {
		Result []v8Script `json:"result"`
	}
	lines := executed{}
	if json.Unmarshal(profile, &report) != nil {
		return lines
	}
	for _, v := range report.Result {
		r.add(lines, v, 0)
	}
	return lines
}
