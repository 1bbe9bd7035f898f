package testlog

import (
	"encoding/json"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

var (
	goResult  = source.Lazy(`--- (FAIL|PASS|SKIP): ((?:Test|Fuzz|Example|Benchmark)\S*) \(\d[\d.]*s\)$`)
	goNamed   = source.Lazy(`^(?:Test|Fuzz|Example|Benchmark)`)
	goPackage = source.Lazy(`^(FAIL|ok  |---  )\t(\S+)(?:\t(?:[\d.]+s|\(cached\)))?(.*)$`)
	goPlace   = source.Lazy(`^\s+([^\s:][^:]*\.go):(\d+): ?(.*)$`)
	goTrace   = source.Lazy(`^\s+Error Trace:\s+(\S+\.go):(\d+)$`)
	goRunning = source.Lazy(`^\t\t(\S+) \([\dhms.µn]+\)$`)
	goError   = source.Lazy(`^(?:vet: )?([^\s:][^:]*\.go):(\d+)(?::\d+)?: (.*)$`)
)

// goTest reads go test, with and without -v and -json. A test that itself runs other tests also
// prints their results; goTest ignores these by their names, which go test does not allow.
//
// Without -json, the name of the package follows its tests, so results wait for it.
type goTest struct {
	*reader
	waiting  []goWaiting
	places   []Place
	test     string            // the test of the present lines
	started  map[string]bool   // unfinished tests
	last     string            // the unfinished test that began last
	panicked bool              // a panic in the waiting package
	over     bool              // the tests of the waiting package have ended, with a failure
	overIn   string            // package whose tests have ended so, by go test -json
	headed   bool              // the last lines are a "# package" and compiler errors
	vetting  string            // the package of a heading "# [package]" above them, which go vet writes
	vetted   map[string]string // what go vet first finds in packages
	timedOut bool              // the next lines name tests that were running
}

type goWaiting struct {
	name   string
	passed bool
}

// goEvent is a line of go test -json (cmd/test2json).
type goEvent struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

func (g *goTest) take(l line) bool {
	g.over = g.over && (l.text == "exit status 1" || strings.HasPrefix(l.text, "coverage: ") || goPackage().MatchString(l.text))
	switch {
	case strings.HasPrefix(l.text, "{") && strings.Contains(l.text, `"Action":"`):
		return g.event(l.text)
	case (strings.HasPrefix(l.text, "# ") || g.headed) && g.compiled(l):
		return true
	case l.has("=== "):
		return g.starts(l.bare)
	case strings.Contains(l.text, "--- "):
		return g.resulted(l.text)
	case strings.Contains(l.text, "\t") && g.packaged(l.text):
		return true
	case l.text == "FAIL" && len(g.waiting) > 0: // the last line of a package's tests
		g.over = true
		return true
	}
	return g.detail(l)
}

func (g *goTest) event(text string) bool {
	var e goEvent
	if json.Unmarshal([]byte(text), &e) != nil || e.Package == "" && e.ImportPath == "" {
		return false
	}
	switch name := e.Package + ":" + e.Test; {
	case e.Output != "":
		g.printed(e, name)
	case e.Test != "":
		if goNamed().MatchString(e.Test) {
			g.eventOfTest(e, name)
		}
	case e.Action == "fail" && e.FailedBuild != "":
		g.noBuild(e.Package)
		g.unvetted(e.Package)
	case e.Action == "fail" && g.test != e.Package:
		// No test of it failed.
		if g.panicked && strings.HasPrefix(g.last, e.Package+":") {
			g.fail(g.last)
		} else {
			g.fail(e.Package)
		}
	}
	return true
}

func (g *goTest) eventOfTest(e goEvent, name string) {
	switch e.Action {
	case "run":
		g.last = name
	case "fail":
		g.fail(name)
		g.test = e.Package // the package failed because of it
	case "pass":
		g.pass(name)
	case "skip":
		if len(g.skipped) < maxNames {
			g.skipped[name] = true
		}
	}
}

// printed reads the output of a test or a compiler in an event.
func (g *goTest) printed(e goEvent, name string) {
	l := lineOf(e.Output)
	switch {
	case e.Action == "build-output":
		g.compiled(l)
	case e.Test != "":
		if p, ok := goPlaceOf(l); ok {
			p.Test = name
			g.place(p)
		}
		g.panics(l)
	case strings.HasPrefix(l.text, "FAIL\t"), strings.HasPrefix(l.text, "ok  \t"), strings.HasPrefix(l.text, "?   \t"):
		none := strings.Contains(l.text, "[no test")
		g.ranNone = g.ranNone || none
		if !none && l.text[0] == 'o' {
			g.ends(e.Package)
		}
	default:
		g.panics(l)
	}
	if e.Test != "" || e.Action == "build-output" {
		return
	}
	switch {
	case l.text == "FAIL" && !g.panicked:
		g.overIn = e.Package
	case strings.HasPrefix(l.text, "FAIL\t") && g.overIn == e.Package:
		g.ends(e.Package)
	case l.text != "exit status 1" && !strings.HasPrefix(l.text, "coverage: "):
		g.overIn = ""
	}
}

// compiled reads the lines after a heading "# package".
func (g *goTest) compiled(l line) bool {
	if strings.HasPrefix(l.text, "# ") {
		g.headed = !strings.Contains(l.text, ":") // as in "# Subtest: a"
		g.vetting = ""
		if name, ok := strings.CutPrefix(l.text, "# ["); ok && strings.HasSuffix(name, "]") {
			g.vetting = strings.TrimSuffix(name, "]")
		}
		return false
	}
	m := goError().FindStringSubmatch(l.text)
	if g.headed = m != nil || l.indent > 0; m == nil {
		return false
	}
	if g.vetting != "" && !strings.HasPrefix(l.text, "vet: ") && g.vetted[g.vetting] == "" && len(g.vetted) < maxNames {
		if g.vetted == nil {
			g.vetted = map[string]string{}
		}
		g.vetted[g.vetting] = fix.VetFinds + l.text
		g.unvetted(g.vetting)
	}
	g.buildError(Place{File: m[1], Line: number(m[2]), Text: m[3]})
	return true
}

// unvetted notes that go test runs no test of a package because of what go vet finds in it. The command go vet itself
// says no more than that.
func (g *goTest) unvetted(pkg string) {
	if found := g.vetted[pkg]; found != "" && g.unbuilt[clip(pkg)] {
		g.missing(fix.LackCheck, found)
	}
}

func (g *goTest) starts(text string) bool {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return false
	}
	switch fields[1] {
	case "RUN", "CONT", "NAME":
		g.test = fields[2]
		if g.started == nil {
			g.started = map[string]bool{}
		}
		if len(g.started) < maxNames {
			g.started[g.test], g.last = true, g.test
		}
		return true
	case "PAUSE":
		return true
	}
	return false
}

func (g *goTest) resulted(text string) bool {
	m := goResult().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	g.test = m[2]
	delete(g.started, g.test)
	if m[1] == "SKIP" {
		g.places = slices.DeleteFunc(g.places, func(p Place) bool { return p.Test == m[2] })
		return true
	}
	g.wait(m[2], m[1] == "PASS")
	return true
}

func (g *goTest) wait(name string, passed bool) {
	if len(g.waiting) == maxNames {
		g.report.Cut = true
		return
	}
	g.waiting = append(g.waiting, goWaiting{name, passed})
}

// packaged reads the line about a package, which follows the output of its tests.
func (g *goTest) packaged(text string) bool {
	if strings.HasPrefix(text, "?   \t") {
		g.ranNone = true
		return true
	}
	m := goPackage().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	switch failed := m[1] == "FAIL"; {
	case strings.Contains(m[3], "[build failed]"), strings.Contains(m[3], "[setup failed]"):
		g.noBuild(m[2])
		g.unvetted(m[2])
	case strings.Contains(m[3], "[no tests to run]"):
		g.ranNone = true
	default:
		if !failed || g.over && !g.panicked {
			g.ends(m[2])
		}
		g.flush(m[2], failed)
		g.ranSome = true
	}
	return true
}

// ends notes a package all of whose tests ended.
func (g *goTest) ends(pkg string) {
	if len(g.report.Ended) < maxNames {
		g.report.Ended = append(g.report.Ended, clip(pkg))
	}
}

// flush adds the name of the package to the waiting results.
func (g *goTest) flush(pkg string, failed bool) {
	if pkg != "" && failed && !g.anyFailure() {
		if g.panicked && g.started[g.last] {
			g.wait(g.last, false)
		} else {
			g.fail(pkg)
		}
	}
	prefix := ""
	if pkg != "" {
		prefix = pkg + ":"
	}
	for _, w := range g.waiting {
		g.result(prefix+w.name, w.passed)
	}
	for _, p := range g.places {
		if p.Test != "" {
			p.Test = prefix + p.Test
		}
		g.place(p)
	}
	g.waiting, g.places, g.started, g.test, g.panicked, g.over = nil, nil, nil, "", false, false
}

func (g *goTest) anyFailure() bool {
	for _, w := range g.waiting {
		if !w.passed {
			return true
		}
	}
	return false
}

// detail reads lines that tests print.
func (g *goTest) detail(l line) bool {
	if g.panics(l) {
		return false
	}
	if p, ok := goPlaceOf(l); ok && len(g.places) < maxPlaces {
		p.Test = g.test
		g.places = append(g.places, p)
		return true
	}
	return false
}

func goPlaceOf(l line) (Place, bool) {
	if l.indent == 0 || !strings.Contains(l.text, ".go:") {
		return Place{}, false
	}
	if m := goTrace().FindStringSubmatch(l.text); m != nil {
		return Place{File: m[1], Line: number(m[2])}, true
	}
	if m := goPlace().FindStringSubmatch(l.text); m != nil {
		return Place{File: m[1], Line: number(m[2]), Text: m[3]}, true
	}
	return Place{}, false
}

// panics reads the lines of a panic. The tests that a time limit ended have failed.
func (g *goTest) panics(l line) bool {
	switch {
	case strings.HasPrefix(l.text, "panic: "), strings.HasPrefix(l.text, "fatal error: "):
		g.panicked, g.report.Panicked = true, true
		return true
	case l.text == "\trunning tests:":
		g.timedOut = true
		return true
	}
	if !g.timedOut {
		return false
	}
	m := goRunning().FindStringSubmatch(l.text)
	if g.timedOut = m != nil; m != nil {
		g.wait(m[1], false)
	}
	return m != nil
}

func (g *goTest) end() {
	g.flush("", false)
}
