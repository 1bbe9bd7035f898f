package testlog

import (
	"cmp"
	"path"
	"strings"

	"git-agent/agent/source"
)

var (
	gccError   = source.Lazy(`^(?:ERROR: |\[ERROR\] |ld: |:[\w:.-]*compile(?:Test)?Java)?((?:[A-Za-z]:)?[^\s:][^:]*):(\d+):(?:\d+:)? (?:fatal |internal compiler )?error:? (.*)$`)
	tscError   = source.Lazy(`^([^\s(:][^(]*?)(?:\((\d+),\d+\): |:(\d+):\d+ - )error (TS\d+: .*)$`)
	csError    = source.Lazy(`^\s*([^\s(:][^(]*\.(?:cs|vb|fs|cpp|cc|c|h|hpp))\((\d+)(?:,\d+)*\)\s?: (?:fatal )?error (\w+\d+: .*?)(?: \[.*\])?$`)
	mavenError = source.Lazy(`^\[ERROR\] (\S+\.(?:java|kt|scala|groovy)):\[?(\d+)[,:]\d+\]? (.*)$`)
	ktError    = source.Lazy(`^(?::[\w:.-]*ompile\w*?Kotlin)?e: (?:file://)?(\S+?\.kts?)[:\s]+\(?(\d+)[,:] ?\d+\)?:? (.*)$`)
	rustError  = source.Lazy(`^error(?:\[E\d+\])?: (.*)$`)
	rustArrow  = source.Lazy(`^\s*--> (\S+?):(\d+):\d+$`)
	linkError  = source.Lazy(`^(?:\S*ld(?:\.\w+)?: )?(\S+?\.\w+):(?:(\d+)|\(\.\S+\)): (undefined reference to .*|multiple definition of .*)$`)
	cmakeError = source.Lazy(`^CMake Error at (\S+?):(\d+) \(`)
	phpError   = source.Lazy(`^(?:PHP )?Parse error: +(.*) in (\S+) on line (\d+)$`)
	nodePlace  = source.Lazy(`^(?:file://)?(/?\S+\.[cm]?[jt]sx?):(\d+)$`)
	pyFile     = source.Lazy(`^(?:E\s+)?\s+File "([^"]+)", line (\d+)$`)
)

// failedBuilds are texts about a failed build, at any position in a line.
var failedBuilds = []string{
	"error: could not compile", "error: failed to run custom build command for ", "COMPILATION ERROR", "Compilation failed", "collect2: error: ld returned", "linker command failed",
	"ld returned 1 exit status", "CMake Error", "make: *** No rule to make target", "configure: error:", "Build FAILED.", "ninja: build stopped: subcommand failed",
	"An exception has occurred in the compiler (", // of javac
}

// compile reads the errors of compilers and linkers, and syntax errors of interpreters before
// they run any code.
type compile struct {
	*reader
	rust   string // an error message of rustc; its place follows
	node   Place  // the place before an uncaught error in node's output
	script Place  // the place of a syntax error in Python
	cmake  Place  // an error of CMake; its message follows
	symbol Place  // an error of javac about a symbol; the symbol follows
	before int    // lines that may be between the two
}

func (c *compile) take(l line) bool {
	for _, text := range failedBuilds {
		if strings.Contains(l.text, text) {
			c.noBuild("")
		}
	}
	if c.javac(l) {
		return true
	}
	return c.native(l) || c.scripted(l) || c.rustc(l)
}

func (c *compile) end() {
	c.javac(line{})
	c.cmakeMessage("it stopped")
}

// cmakeMessage notes the error of CMake whose place was read, with the line below it.
func (c *compile) cmakeMessage(text string) bool {
	if c.cmake.File == "" || text == "" {
		return false
	}
	c.cmake.Text = text
	c.buildError(c.cmake)
	c.cmake = Place{}
	return true
}

var javacSymbol = source.Lazy(`^(?:\[ERROR\])? *symbol: *(\S.*)$`)

// javac reads the errors about symbols: a line below has the symbol. Maven prints it next, and javac behind
// the line of code and the mark below it. It reports whether no other part reads the line.
func (c *compile) javac(l line) bool {
	if c.symbol.File != "" {
		m := javacSymbol().FindStringSubmatch(l.text)
		if m == nil && c.before > 0 && l.text != "" {
			c.before--
			return true
		}
		if m != nil {
			c.symbol.Text += ": " + m[1]
		}
		c.buildError(c.symbol)
		c.symbol = Place{}
	}
	if !strings.HasSuffix(l.text, "cannot find symbol") {
		return false
	}
	m := mavenError().FindStringSubmatch(l.text)
	if c.before = 0; m == nil {
		m, c.before = gccError().FindStringSubmatch(l.text), 2
	}
	if m == nil || path.Ext(m[1]) != ".java" {
		return false
	}
	c.symbol = Place{File: m[1], Line: number(m[2]), Text: m[3]}
	return true
}

// native reads errors on one line.
func (c *compile) native(l line) bool {
	t := l.text
	switch {
	case strings.Contains(t, "error TS") && c.found(tscError().FindStringSubmatch(l.bare), 1, 2, 3, 4):
	case strings.HasPrefix(t, "error TS"):
		c.noBuild("")
		c.report.Refusal = cmp.Or(c.report.Refusal, clip(strings.TrimPrefix(t, "error ")))
	case strings.Contains(t, "): ") && strings.Contains(t, "error ") && c.found(csError().FindStringSubmatch(t), 1, 2, 2, 3):
	case strings.HasPrefix(t, "[ERROR] ") && c.found(mavenError().FindStringSubmatch(t), 1, 2, 2, 3):
	case strings.Contains(t, "e: ") && c.found(ktError().FindStringSubmatch(t), 1, 2, 2, 3):
	case strings.Contains(t, "error: ") && !reportsTest(t) && c.found(gccError().FindStringSubmatch(t), 1, 2, 2, 3):
	case strings.Contains(t, "undefined reference to") && c.found(linkError().FindStringSubmatch(t), 1, 2, 2, 3):
	case c.cmakeMessage(strings.TrimSpace(t)):
	case strings.HasPrefix(t, "CMake Error at "):
		if m := cmakeError().FindStringSubmatch(t); m != nil {
			c.cmake = Place{File: m[1], Line: number(m[2])}
		}
	case strings.Contains(t, "Parse error: ") && c.found(phpError().FindStringSubmatch(t), 2, 3, 3, 1):
	default:
		return false
	}
	return true
}

// found notes the error of a match. Its groups are the file, the line (in one of two groups)
// and the text.
func (c *compile) found(m []string, file, line1, line2, text int) bool {
	if m == nil {
		return false
	}
	at := m[line1]
	if at == "" {
		at = m[line2]
	}
	c.buildError(Place{File: m[file], Line: number(at), Text: m[text]})
	return true
}

// reportsTest reports whether a line with the form of a compiler error comes from a test:
// cmocka and XCTest print such lines.
func reportsTest(text string) bool {
	return strings.Contains(text, "error: Failure!") || strings.Contains(text, " : XCT") || strings.Contains(text, `error: in "`)
}

// rustc reads errors of rustc. Their place is on the line after the message.
func (c *compile) rustc(l line) bool {
	if m := rustError().FindStringSubmatch(l.text); m != nil {
		c.rust = m[1]
		return true
	}
	if c.rust == "" {
		return false
	}
	m := rustArrow().FindStringSubmatch(l.text)
	if m != nil {
		c.buildError(Place{File: m[1], Line: number(m[2]), Text: c.rust})
	}
	c.rust = ""
	return m != nil
}

// scripted reads syntax errors of node and Python. Both print the place first.
func (c *compile) scripted(l line) bool {
	if m := nodePlace().FindStringSubmatch(l.bare); m != nil {
		c.node = Place{File: m[1], Line: number(m[2])}
		return false
	}
	if m := pyFile().FindStringSubmatch(l.text); m != nil {
		c.script = Place{File: m[1], Line: number(m[2])}
		return false
	}
	_, message, found := strings.Cut(l.text, "SyntaxError: ")
	if !found {
		return false
	}
	switch python := c.script.File != "" && !libraryPath(c.script.File); {
	case python:
		c.script.Text = message
		c.buildError(c.script)
	case c.node.File != "" && l.has("SyntaxError: "):
		c.node.Text = message
		c.buildError(c.node)
	}
	c.node, c.script = Place{}, Place{}
	return true
}
