package testrun

import (
	"cmp"
	"strings"

	"git-agent/agent/source"
)

// crashes are the beginnings of lines that say that a process ended before its time.
var crashes = []string{
	"Segmentation fault", "Aborted", "Bus error", "Illegal instruction", "Floating point exception", "Fatal Python error: ",
	"terminate called ", "# A fatal error has been detected by the Java Runtime", "FATAL ERROR: ", "Node.js v", "PHP Fatal error: ",
}

var (
	sanitizer  = source.Lazy(`^==\d+==\s?ERROR: \w+Sanitizer`)
	crashOfMsg = source.Lazy(`(?:Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception) +\(core dumped\)`)

	notFound    = source.Lazy(`^(?:/bin/|/usr/bin/)?(?:sh|bash|dash|zsh|env|make|gmake)(?:\[\d+\])?: .*(?:not found|No such file or directory)$`)
	noModule    = source.Lazy(`(?:^\S*python[\d.]*: |ModuleNotFoundError: )No module named `)
	noNodeMod   = source.Lazy(`Cannot find (?:module|package) '[^./][^']*'`)
	noGoModule  = source.Lazy(`no required module provides package |cannot find module providing package |module lookup disabled by GOPROXY|missing go\.sum entry`)
	noRubyGem   = source.Lazy(`Could not find .* in (?:any of the sources|locally installed gems)|cannot load such file -- [^/.]|Could not find gem `)
	noNetwork   = source.Lazy(`Could not resolve host|Temporary failure in name resolution|getaddrinfo E|dial tcp: lookup |Name or service not known|ENOTFOUND|java\.net\.UnknownHostException`)
	noJar       = source.Lazy(`Could not resolve (?:all )?(?:dependencies|files|artifacts)|in offline mode and the artifact|No cached version of `)
	noCrate     = source.Lazy(`no matching package named |failed to (?:download|load source for dependency)|you may want to retry without .*--offline`)
	noComposer  = source.Lazy(`Failed opening required '.*vendor/autoload|You need to set up the project dependencies`)
	missingLine = []source.Pattern{noModule, noNodeMod, noGoModule, noRubyGem, noNetwork, noJar, noCrate, noComposer}
)

// missingWords occur in every line that a pattern of missingLine matches, so that most
// lines need no pattern.
var missingWords = []string{"ot find", "ot resolve", "o such file", "not found", "No module", "no required", "lookup", "missing go.sum", "failure in name", "getaddrinfo", "not known",
	"ENOTFOUND", "UnknownHost", "offline", "No cached", "no matching package", "failed to", "Failed opening", "You need to set up", "cannot load such"}

// trouble reads lines that say that a process crashed, or that it lacks something.
type trouble struct {
	*reader
	shell string // the first line in which a shell says that it found no program
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
	if strings.HasSuffix(l.text, "Error 127") && t.shell != "" { // as make prints it
		t.missing(t.shell)
	}
	if t.report.Missing == "" && containsAny(l.text, missingWords) {
		t.lacks(l)
	}
	return false
}

func (t *trouble) lacks(l line) {
	if notFound().MatchString(l.text) {
		t.shell = cmp.Or(t.shell, l.bare)
		return
	}
	for _, pattern := range missingLine {
		if pattern().MatchString(l.text) {
			t.missing(l.bare)
			return
		}
	}
}

func (t *trouble) end() {
	t.report.notFound = clip(t.shell)
}
