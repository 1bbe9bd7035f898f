package testlog

import (
	"cmp"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// crashes are the beginnings of lines about a crashed process.
var crashes = []string{
	"Segmentation fault", "Aborted", "Bus error", "Illegal instruction", "Floating point exception", "Fatal Python error: ",
	"terminate called ", "# A fatal error has been detected by the Java Runtime", "FATAL ERROR: ", "Node.js v", "PHP Fatal error: ",
}

// watches matches what a tool says that waits for changes of files: jest, vitest, mocha, tsc, AVA and nodemon.
var watches = source.Lazy(`^(?:(?:PASS|FAIL|DEV)  ?)?(?:Watch Usage\b|No tests found related to files changed since|.*\b(?:Waiting|Watching) for file changes\b|` +
	`.*\bwaiting for changes\.\.\.$|.*\bwatching path\(s\): )`)

var (
	sanitizer  = source.Lazy(`^==\d+==\s?ERROR: \w+Sanitizer`)
	crashOfMsg = source.Lazy(`(?:Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception) +\(core dumped\)`)

	// assertion matches the message of a failed assertion, which says that the test itself decided.
	assertion = source.Lazy(`\bAssert\w*(?:Error|Exception|ion)?\b|\b[Ee]xpect(?:ed|\()|^E +assert |^>? *assert\w* |\b(?:got|want(?:ed)?|received|actual)\b`)

	notFound = source.Lazy(`^(?:/bin/|/usr/bin/)?(?:sh|bash|dash|zsh|env|make|gmake)(?:\[\d+\])?: .*(?:not found|No such file or directory)$`)
)

// trouble reads lines about a crashed process or a missing requirement.
type trouble struct {
	*reader
	shell string // the first line of a shell about a missing program
}

func (t *trouble) take(l line) bool {
	if strings.HasPrefix(l.text, "[") && strings.HasSuffix(l.text, " bytes left out]") {
		t.report.Cut = true
	}
	if hasPrefixOf(l.text, crashes) {
		t.report.Panicked = true
	}
	if sanitizer().MatchString(l.text) || strings.Contains(l.text, "(core dumped)") && crashOfMsg().MatchString(l.text) {
		t.report.Panicked = true
	}
	if strings.Contains(l.text, "atch") || strings.Contains(l.text, "changes") || strings.Contains(l.text, "No tests found") {
		t.report.Watches = t.report.Watches || watches().MatchString(l.bare)
	}
	if strings.HasSuffix(l.text, "Error 127") && t.shell != "" { // as make prints it
		t.missing(fix.LackProgram, t.shell)
	}
	t.report.asserted = t.report.asserted || assertion().MatchString(l.bare)
	if what := lackOf(l.text); what != fix.LackCommand && notFound().MatchString(l.text) {
		t.shell = cmp.Or(t.shell, l.bare)
	} else if what != "" {
		if what == fix.LackNetwork {
			t.report.unreached++
		}
		t.missing(what, withoutMarks(l.bare, what))
	}
	return false
}

// ofGoal matches what Maven puts before the message of a plugin.
var ofGoal = source.Lazy(`^Failed to execute goal (?:\S+ (?:\([^)]*\) )?)?on project \S+: (?:Execution \S+ of goal \S+ failed: )?`)

// inRuby matches the place before the message of an error of Ruby.
var inRuby = source.Lazy("^\\S+\\.rb>?:\\d+:in ['`][^']*': ")

// withoutMarks removes the marks of pytest, mix and Maven from a line about a lack.
func withoutMarks(text string, what fix.Lack) string {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "E   "), "** (Mix) ")
	text = strings.TrimPrefix(text, inRuby().FindString(text))
	text = strings.TrimPrefix(strings.TrimPrefix(text, "[ERROR] "), "[FATAL] ")
	if text, _, _ = strings.Cut(text, " -> [Help "); what != fix.LackCheck && what != fix.LackStep {
		text = strings.TrimPrefix(text, ofGoal().FindString(text))
	}
	return strings.TrimRight(text, ", ")
}

func (t *trouble) end() {
	t.report.notFound = clip(t.shell)
}
