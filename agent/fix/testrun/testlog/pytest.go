package testlog

import (
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/source"
)

var (
	pySummary   = source.Lazy(`^(FAILED|ERROR|SUBFAILED|SUBFAIL)(?:[\[(][^ ]*[\])])? (\S.*)$`)
	pyVerbose   = source.Lazy(`^(?:\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR) (\S.*)|(\S+\.py::.*?) (PASSED|FAILED|ERROR|XPASS|XFAIL)(?: .*)?)$`)
	pyCounts    = source.Lazy(`^=* ?((?:\d+ [a-z]+(?: passed)?(?:, )?)+|no tests ran) in [\d.]+s(?: \(.*\))?(?: =*)?$`)
	pyCount     = source.Lazy(`(\d+) (failed|passed|error|errors|xfailed|xpassed)\b`)
	pyHeading   = source.Lazy(`^_{3,} (.+) _{3,}$`)
	pyTestOf    = source.Lazy(`^(?:ERROR at \w+ of )?(.+?)(?: \(.*\))?$`) // in a heading
	pyPlace     = source.Lazy(`^(\S[^:]*\.py):(\d+): (.+)$`)
	pyException = source.Lazy(`^[\w.]*(?:Error|Exception|Warning|Exit|Interrupt)(?::|$)`)
	pyRaised    = source.Lazy(`^E {3,}([A-Za-z_][\w.]*(?:: .*)?)$`) // E   ValueError: no such key
	pyConfig    = source.Lazy(
		`^(?:ImportError while loading|.*Error while loading) conftest '([^']+)'`,
	) // ImportError while loading conftest '/w/tests/conftest.py'.
)

// pyTest reads pytest, with any of its styles of tracebacks.
type pyTest struct {
	*reader
	headings []string // headings of failures
	heading  string
	named    bool            // there is a summary with names
	collects bool            // inside of the error of a file that could not be collected
	frames   []Place         // frames of this error, outermost first
	raised   string          // the raised error in the lines before: "OSError: no display"
	errors   []string        // tests that the summary lists as errors: they died before or after their own code
	after    map[string]bool // headings of errors after the code of a test
}

func (p *pyTest) take(l line) bool {
	if l.indent > 0 || l.text == "" {
		return false
	}
	switch l.text[0] {
	case '=', '_':
		p.flush()
		return p.section(l.text)
	case 'E':
		if strings.HasPrefix(l.text, "ERROR: file or directory not found: ") || strings.HasPrefix(l.text, "ERROR: not found: ") {
			p.report.Unselected = cmp.Or(p.report.Unselected, clip(l.text))
			return true
		}
		p.raises(l.text)
		return p.summary(l.text)
	case 'F', 'S':
		return p.summary(l.text)
	}
	if m := pyConfig().FindStringSubmatch(l.text); m != nil {
		p.heading, p.collects = m[1], true
		p.noBuild(m[1])
		return true
	}
	return p.verbose(l.text) || p.counts(l.text) || p.failedAt(l.text)
}

// raises reads the raised error. Another machine reads syntax errors with their places.
func (p *pyTest) raises(text string) {
	m := pyRaised().FindStringSubmatch(text)
	if m == nil {
		return
	}
	if p.raised == "" || p.collects && (pyException().MatchString(m[1]) || !pyException().MatchString(p.raised)) { // a message may have several lines
		p.raised = m[1]
	}
	if p.collects && !strings.Contains(text, "SyntaxError: ") && len(p.frames) > 0 {
		p.frames[len(p.frames)-1].Text = p.raised
	}
}

// flush notes the places of a collection error. The innermost place, where the error was
// raised, comes first.
func (p *pyTest) flush() {
	for _, place := range slices.Backward(p.frames) {
		p.buildError(place)
	}
	// An error that pytest itself raises has no frame in the project, such as that of a later version.
	file, collects := strings.CutPrefix(p.heading, "ERROR collecting ")
	if collects && p.collects && len(p.frames) == 0 && !strings.Contains(p.raised, "SyntaxError: ") {
		p.unplaced(Place{File: file, Text: p.raised})
	}
	p.frames, p.raised = nil, ""
}

// unplaced notes an error of a file without a line, if it has a text.
func (p *pyTest) unplaced(at Place) {
	if at.Text != "" {
		p.buildError(at)
	}
}

func (p *pyTest) end() {
	p.flush()
	p.markSetUp()
	p.name()
}

// markSetUp notes the tests that died before their own code ran. Tests that died after it have
// a heading "ERROR at teardown of".
func (p *pyTest) markSetUp() {
	for _, name := range p.errors {
		_, test, _ := strings.Cut(name, "::")
		if !p.after[strings.ReplaceAll(test, "::", ".")] {
			p.inSetUp(name)
		}
	}
}

// name replaces the names of failures by the complete names in the summary.
func (p *pyTest) name() {
	if len(p.headings) == 0 {
		return
	}
	if !p.named {
		for _, name := range p.headings {
			p.fail(name)
		}
		return
	}
	ids := map[string]string{}
	for _, id := range p.order {
		if _, name, ok := strings.Cut(id, "::"); ok {
			ids[strings.ReplaceAll(name, "::", ".")] = id
		}
	}
	for i, place := range p.report.Places {
		if id := ids[pyTestOf().ReplaceAllString(place.Test, "$1")]; id != "" {
			p.report.Places[i].Test = id
		}
	}
}

// section reads headings: "=== FAILURES ===", "___ test_name ___".
func (p *pyTest) section(text string) bool {
	if p.counts(text) {
		return true
	}
	title := strings.Trim(text, "= ")
	if title == "ERRORS" || title == "FAILURES" {
		p.heading = ""
		return true
	}
	m := pyHeading().FindStringSubmatch(text)
	if m == nil || strings.HasPrefix(m[1], "coverage: platform ") { // a table of pytest-cov
		return false
	}
	name, collects := strings.CutPrefix(m[1], "ERROR collecting ")
	if test, ok := strings.CutPrefix(m[1], "ERROR at teardown of "); ok {
		if p.after == nil {
			p.after = map[string]bool{}
		}
		p.after[test] = true
	}
	if p.heading, p.collects = m[1], collects; collects {
		p.noBuild(name)
	} else if len(p.headings) < maxPlaces {
		p.headings = append(p.headings, m[1])
	}
	return true
}

// summary reads a line of the short summary.
func (p *pyTest) summary(text string) bool {
	m := pySummary().FindStringSubmatch(text)
	if m == nil {
		return p.verbose(text)
	}
	name := nodeID(m[2])
	file, _, ofTest := strings.Cut(name, "::")
	switch {
	case !strings.HasSuffix(file, ".py") && !strings.HasSuffix(file, ".rst") && !strings.HasSuffix(file, ".txt"):
		return false
	case ofTest:
		p.fail(name)
		p.named = true
		if m[1] == "ERROR" && len(p.errors) < maxNames {
			p.errors = append(p.errors, name)
		}
	default:
		p.noBuild(name)
	}
	return true
}

// nodeID removes the message from a line of the summary. Parameters in brackets may contain the
// separator.
func nodeID(s string) string {
	id, _, found := strings.Cut(s, " - ")
	if !found || !strings.Contains(id, "[") || strings.HasSuffix(id, "]") {
		return id
	}
	if before, _, ok := strings.Cut(s, "] - "); ok {
		return before + "]"
	}
	if strings.HasSuffix(s, "]") {
		return s
	}
	return id
}

// verbose reads a line of pytest -v, also with pytest-xdist.
func (p *pyTest) verbose(text string) bool {
	if !strings.Contains(text, "::") {
		return false
	}
	m := pyVerbose().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	name, word := m[2]+m[3], m[1]+m[4]
	p.result(name, word != "FAILED" && word != "ERROR")
	p.named = p.named || word == "FAILED"
	return true
}

// counts reads the last line: "1 failed, 2 passed in 0.12s".
func (p *pyTest) counts(text string) bool {
	if !strings.Contains(text, " in ") {
		return false
	}
	m := pyCounts().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	total := 0
	for _, c := range pyCount().FindAllStringSubmatch(m[1], -1) {
		if !(strings.HasPrefix(c[2], "error") && p.report.Build) {
			total += number(c[1])
		}
	}
	p.count(total)
	return true
}

// failedAt reads the places of a traceback: "tests/a.py:7: AssertionError".
func (p *pyTest) failedAt(text string) bool {
	if p.heading == "" || !strings.Contains(text, ".py:") {
		return false
	}
	m := pyPlace().FindStringSubmatch(text)
	if m == nil || libraryPath(m[1]) {
		return false
	}
	place := Place{File: m[1], Line: number(m[2]), Text: m[3], Test: p.heading}
	if p.collects {
		if place.Test = ""; len(p.frames) < maxPlaces {
			p.frames = append(p.frames, place)
		}
		return true
	}
	if strings.HasPrefix(p.raised, place.Text+": ") {
		place.Text = p.raised
	}
	p.raised = ""
	p.place(place)
	return true
}

// libraryPath reports whether a file belongs to an interpreter or to an installed
// package.
func libraryPath(path string) bool {
	for _, part := range []string{"site-packages/", "dist-packages/", "/lib/python", "<frozen", "node_modules/", "node:", "internal/", "/gems/", "/rustc/", "vendor/", "/usr/lib/", "/usr/include/", "/usr/local/go/"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}
