package testlog

import (
	"strings"

	"git-agent/agent/source"
)

var (
	jestFile   = source.Lazy(`^(PASS|FAIL) +(?:\S+ )?(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$`)
	jestTotal  = source.Lazy(`^Tests: +(.*?)(\d+) total$`)
	jsGlyph    = source.Lazy(`^([✓✔√✕✖×✗✘]) (.+?)(?: \((?:\d[\d.]* ?m?s|[\d.]+ min)\)| \d+(?:\.\d+)?m?s)?(?: # (?:SKIP|TOD[O])\b.*)?$`)
	jsFrame    = source.Lazy(`^(?:at|❯) (?:.*[( ])?(?:file://)?([^\s()]+?):(\d+):\d+\)?$`)
	jsFile     = source.Lazy(`^(?:\|[^|]*\| )?(\S+\.[cm]?[jt]sx?)(?: > | \[ | \(\d+ test|$)`)
	vitestEnd  = source.Lazy(`^Tests  ?(.*)\((\d+)\)$`)
	jsSkipped  = source.Lazy(`(\d+) (?:skipped|todo)`)
	mochaCount = source.Lazy(`^(\d+) (passing|failing)(?: \([\d.]+m?s\))?$`)
	mochaEntry = source.Lazy(`^\d+\) (.*)$`)
	bunResult  = source.Lazy(`^\((pass|fail)\) (.+?)(?: \[[\d.]+m?s\])?$`)
	bunFile    = source.Lazy(`^(\S+\.[cm]?[jt]sx?):$`)
	bunTotal   = source.Lazy(`^Ran (\d+) tests? across \d+ files?`)
	// Translators name the place of a syntax error: oxc, esbuild and babel.
	oxcPlace   = source.Lazy(`[\[─] ?([^\s\[\]─]+\.[cm]?[jt]sx?):(\d+):\d+ ?\]?$`)
	esbuildErr = source.Lazy(`^(\S+\.[cm]?[jt]sx?):(\d+):\d+: ERROR: (.*)$`)
	babelErr   = source.Lazy(`^SyntaxError: (\S+\.[cm]?[jt]sx?): (.*) \((\d+):\d+\)$`)
	// nodeFile matches a file among node's results: it has no tests, or did not load. Vitest has other signs.
	nodeFile = source.Lazy(`^[✔✖] (\S+\.[cm]?[jt]sx?) \(\d[\d.]*ms\)$`)
	// esLintEnd matches the last line of ESLint, which a command may run before its tests.
	esLintEnd = source.Lazy(`^✖ \d+ problems? \(\d+ errors?, \d+ warnings?\)$`)
	nodeTotal = source.Lazy(`^ℹ (tests|skipped|todo) (\d+)$`)
)

// jsRunner reads mocha, jest, vitest, bun, and node:test's own style.
//
// All of them can print tests as a tree. Suites are lines with less indentation than
// their tests.
type jsRunner struct {
	*reader
	style jsStyle
	file  string   // the present test file of jest
	tree  suites   // suites above the line
	list  bool     // in mocha's list of failures
	hook  string   // the error of a failed hook of mocha
	entry []string // the read parts of a name in that list; nil outside
	test  string   // the failed test whose details follow; "" once its place is known
	ended bool     // below node's second list of failures
	parse string   // the message of a syntax error; its place follows
	// failed maps the names of failed tests, without suites, to their paths.
	failed map[string]string
}

// jsStyle distinguishes the tools: each joins suites and tests by another sign.
type jsStyle string

const (
	styleMocha  jsStyle = " "
	styleJest   jsStyle = " › "
	styleNode   jsStyle = " > "
	styleVitest jsStyle = "vitest"
)

func (j *jsRunner) take(l line) bool {
	switch {
	case l.text == "" || j.translated(l.bare):
		return false
	case j.entry != nil:
		return j.named(l)
	case l.indent == 0 && (l.has("PASS ") || l.has("FAIL ")):
		return j.jestFile(l.text)
	case l.indent == 1 && l.has("FAIL "):
		return j.vitestFailure(l.bare)
	case l.bare[0] >= 0x80: // the signs are not ASCII
		return j.sign(l)
	case l.has("Tests") && j.total(l.bare), l.has("Ran ") && j.bun(l.bare), l.has("(") && j.bun(l.bare):
		return true
	case l.indent == 0 && strings.HasSuffix(l.bare, ":") && j.bunFile(l.bare):
		return true
	case l.bare == "# Unhandled error between tests" && j.file != "": // of bun
		j.noBuild(j.file)
		return true
	case l.has("failed to load config from "):
		j.buildError(Place{File: strings.TrimPrefix(l.bare, "failed to load config from "), Text: "the configuration cannot be loaded"})
		return true
	case l.has("No test files found"), l.has("No tests found, exiting"):
		j.ranNone = true
		return true
	case l.indent > 0:
		return j.indented(l)
	}
	return false
}

func (j *jsRunner) end() {
	if j.ended {
		for _, path := range j.failed {
			j.suite(path, false)
		}
	}
}

// translated reads the place of a syntax error that the translator of TypeScript found, and
// reports whether the line has one.
func (j *jsRunner) translated(text string) bool {
	switch {
	case strings.HasPrefix(text, "[PARSE_ERROR] Error: "):
		j.parse = strings.TrimPrefix(text, "[PARSE_ERROR] Error: ")
	case j.parse != "":
		if m := oxcPlace().FindStringSubmatch(text); m != nil {
			j.buildError(Place{File: m[1], Line: number(m[2]), Text: j.parse})
			j.parse = ""
			return true
		}
	case strings.Contains(text, ": ERROR: "):
		if m := esbuildErr().FindStringSubmatch(text); m != nil {
			j.buildError(Place{File: m[1], Line: number(m[2]), Text: m[3]})
			return true
		}
	case strings.HasPrefix(text, "SyntaxError: "):
		if m := babelErr().FindStringSubmatch(text); m != nil {
			j.buildError(Place{File: m[1], Line: number(m[3]), Text: m[2]})
			return true
		}
	}
	return false
}

func (j *jsRunner) jestFile(text string) bool {
	m := jestFile().FindStringSubmatch(text)
	if m != nil {
		j.style, j.file, j.tree, j.test = styleJest, m[2], nil, ""
	}
	return m != nil
}

// sign reads a line that begins with a sign and not with a letter.
func (j *jsRunner) sign(l line) bool {
	switch {
	case l.has("× Command \"") && strings.HasSuffix(l.bare, "\" not found"): // of pnpm
		return false
	case l.has("● "):
		return j.jestFailure(l.bare)
	case l.has("▶ "):
		j.style = styleNode
		j.tree.enter(l.indent, strings.TrimPrefix(l.bare, "▶ "))
		return true
	case l.has("❯ "):
		if jsFile().MatchString(l.bare[len("❯ "):]) {
			j.style = styleVitest
		}
		return j.framed(l.bare)
	case l.has("ℹ "):
		return j.nodeTotal(l.bare)
	case l.has("✖ ERROR: "):
		return j.ofMocha(strings.TrimPrefix(l.bare, "✖ ERROR: "))
	case esLintEnd().MatchString(l.bare):
		return true
	case l.bare == "✖ failing tests:":
		j.style, j.ended = styleNode, true
		return true
	}
	return j.treeResult(l)
}

// ofMocha notes an error of mocha itself, which ended before it ran a test: a file that it requires did not load.
func (j *jsRunner) ofMocha(text string) bool {
	if j.report.Refusal == "" && len(j.order) == 0 {
		j.report.Refusal = clip(text)
		j.noBuild("")
	}
	return false
}

// jestFailure reads the heading of a failure.
func (j *jsRunner) jestFailure(text string) bool {
	name := strings.TrimPrefix(text, "● ")
	switch {
	case j.style != styleJest || strings.HasSuffix(name, ":") || name == "Console" || strings.HasPrefix(name, "Cannot log after"):
		return false
	case name == "Test suite failed to run":
		j.noBuild(j.file)
		j.test = ""
	default:
		j.fail(name)
		j.test = name
	}
	return true
}

// vitestFailure reads the heading of a failure: a test, or a file that did not load.
func (j *jsRunner) vitestFailure(text string) bool {
	name := strings.TrimSpace(strings.TrimPrefix(text, "FAIL "))
	m := jsFile().FindStringSubmatch(name)
	if m == nil {
		return false
	}
	j.style = styleVitest
	if name = strings.TrimSpace(name[strings.Index(name, m[1]):]); strings.Contains(name, " > ") {
		j.fail(name)
		j.test = name
	} else {
		j.noBuild(m[1])
	}
	return true
}

// treeResult reads a test in a tree.
func (j *jsRunner) treeResult(l line) bool {
	m := jsGlyph().FindStringSubmatch(l.bare)
	if m == nil {
		return false
	}
	if j.ended { // node's second list leaves out the suites that failed because of their tests
		j.test = j.failed[m[2]]
		j.suite(j.test, true)
		return true
	}
	passed := strings.Contains("✓✔√", m[1])
	if l.indent == 0 && j.style != styleVitest && nodeFile().MatchString(l.bare) {
		j.style = styleNode
		j.treeTest(m[2], m[2], passed)
		return true
	}
	if j.style == "" && l.indent > 0 {
		j.style = styleMocha
	}
	name := strings.TrimSuffix(strings.TrimPrefix(m[2], "[fail]: "), " Error thrown in test") // as AVA prints it
	switch isFile := jsFile().MatchString(name); {
	case isFile && strings.Contains(name, " > "):
		j.style = styleVitest
		j.result(name, passed)
	case isFile || j.style == styleVitest:
		j.style = styleVitest // a file, or a test without a file: a list follows
	case j.style == "":
		j.style = styleNode
		fallthrough
	default:
		j.treeTest(j.tree.path(l.indent, name, string(j.style)), name, passed)
	}
	return true
}

// treeTest notes the result of a test. node prints details below the result, or in a second
// list without suites.
func (j *jsRunner) treeTest(path, name string, passed bool) {
	j.result(path, passed)
	if j.test = ""; passed || j.style != styleNode {
		return
	}
	j.test = path
	if j.failed == nil {
		j.failed = map[string]string{}
	}
	if len(j.failed) < maxNames {
		j.failed[name] = path
	}
}

// indented reads a line that may be a suite, a part of mocha's list, or a frame.
func (j *jsRunner) indented(l line) bool {
	if j.list {
		if m := mochaEntry().FindStringSubmatch(l.bare); m != nil && l.indent <= 3 {
			j.entry = []string{}
			return j.named(lineOf(m[1]))
		}
	}
	if m := mochaCount().FindStringSubmatch(l.bare); m != nil && l.indent == 2 {
		j.count(number(m[1]))
		j.list, j.tree = m[2] == "failing", nil
		return true
	}
	if l.has("at ") {
		return j.framed(l.bare)
	}
	if j.list && j.hook == "" && j.died[j.test] {
		j.hook = l.bare
	}
	if !j.list && j.test == "" && l.indent%2 == 0 {
		j.tree.enter(l.indent, l.bare)
	}
	return false
}

// named reads the next part of a name in mocha's list. A name ends with a colon.
func (j *jsRunner) named(l line) bool {
	part, last := strings.CutSuffix(l.bare, ":")
	if j.entry = append(j.entry, part); last || len(j.entry) > 20 {
		name := strings.Join(j.entry, " ")
		j.fail(name)
		if strings.Contains(name, `"before all" hook`) || strings.Contains(name, `"before each" hook`) {
			j.inSetUp(name)
		}
		j.hook = ""
		j.entry, j.test = nil, name
	}
	return true
}

// framed notes the first frame of the project below a failure.
func (j *jsRunner) framed(text string) bool {
	if j.test == "" {
		return false
	}
	if m := jsFrame().FindStringSubmatch(text); m != nil && !libraryPath(m[1]) {
		j.place(Place{File: m[1], Line: number(m[2]), Text: j.hook, Test: j.test})
		j.test, j.hook = "", ""
	}
	return false
}

// total reads the last lines of jest and vitest.
func (j *jsRunner) total(text string) bool {
	m := jestTotal().FindStringSubmatch(text)
	if m == nil {
		m = vitestEnd().FindStringSubmatch(text)
	}
	if m == nil {
		return false
	}
	n := number(m[2])
	for _, s := range jsSkipped().FindAllStringSubmatch(m[1], -1) {
		n -= number(s[1])
	}
	j.count(n)
	return true
}

func (j *jsRunner) nodeTotal(text string) bool {
	m := nodeTotal().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if n := number(m[2]); m[1] == "tests" {
		j.count(n)
	} else {
		j.counted = max(j.counted-n, 0)
	}
	return true
}

func (j *jsRunner) bunFile(text string) bool {
	m := bunFile().FindStringSubmatch(text)
	if m != nil {
		j.file = m[1]
	}
	return m != nil
}

func (j *jsRunner) bun(text string) bool {
	if m := bunResult().FindStringSubmatch(text); m != nil {
		j.result(m[2], m[1] == "pass")
		return true
	}
	m := bunTotal().FindStringSubmatch(text)
	if m != nil {
		j.count(number(m[1]))
	}
	return m != nil
}
