package testrun

import (
	"strings"

	"git-agent/agent/source"
)

var (
	pySummary = source.Lazy(`^(FAILED|ERROR|SUBFAILED|SUBFAIL)(?:[\[(][^ ]*[\])])? (\S.*)$`)
	pyVerbose = source.Lazy(`^(?:\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR) (\S.*)|(\S+\.py::.*?) (PASSED|FAILED|ERROR|XPASS|XFAIL)(?: .*)?)$`)
	pyCounts  = source.Lazy(`^=* ?((?:\d+ [a-z]+(?: passed)?(?:, )?)+|no tests ran) in [\d.]+s(?: \(.*\))?(?: =*)?$`)
	pyCount   = source.Lazy(`(\d+) (failed|passed|error|errors|xfailed|xpassed)\b`)
	pyHeading = source.Lazy(`^_{3,} (.+) _{3,}$`)
	pyTestOf  = source.Lazy(`^(?:ERROR at \w+ of )?(.+?)(?: \(.*\))?$`) // in a heading
	pyPlace   = source.Lazy(`^(\S[^:]*\.py):(\d+): (.+)$`)
)

// pyTest reads pytest, with any of its styles of tracebacks.
type pyTest struct {
	*reader
	headings []string // of failures
	heading  string
	named    bool // there is a summary with names
	collects bool // below the heading of a file that could not be collected
}

func (p *pyTest) take(l line) bool {
	if l.indent > 0 || l.text == "" {
		return false
	}
	switch l.text[0] {
	case '=', '_':
		return p.section(l.text)
	case 'F', 'E', 'S':
		return p.summary(l.text)
	}
	return p.verbose(l.text) || p.counts(l.text) || p.failedAt(l.text)
}

func (p *pyTest) end() {
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
	if m == nil {
		return false
	}
	name, collects := strings.CutPrefix(m[1], "ERROR collecting ")
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
	default:
		p.noBuild(name)
	}
	return true
}

// nodeID cuts the message off a line of the summary. Parameters in brackets may hold
// the same characters as the separator.
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
	if place := (Place{File: m[1], Line: number(m[2]), Text: m[3], Test: p.heading}); p.collects {
		place.Test = ""
		p.buildError(place)
	} else {
		p.place(place)
	}
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
