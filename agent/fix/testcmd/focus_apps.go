package testcmd

import (
	"path"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// focusDjango narrows the tests of Django, whose names are those of unittest.
func focusDjango(args []word, failing []string) ([]string, bool) {
	if len(args) == 0 || args[0].value != "test" || hasFlag(args, "-k", "--tag", "--exclude-tag") {
		return nil, false
	}
	out := []string{args[0].raw}
	for _, a := range args[1:] {
		if !strings.HasPrefix(a.value, "-") { // a label, or the value of an option
			return nil, false
		}
		out = append(out, a.raw)
	}
	for _, name := range failing {
		m := unittestName().FindStringSubmatch(name)
		if m == nil || !strings.HasSuffix(m[2], "."+m[1]) {
			return nil, false
		}
		out = append(out, m[2])
	}
	return out, true
}

// focusManage narrows what Python runs by the manage.py of a project in Django.
func focusManage(args []word, failing []string) ([]string, bool) {
	if len(args) == 0 || path.Base(args[0].value) != "manage.py" {
		return nil, false
	}
	out, ok := focusDjango(args[1:], failing)
	return append([]string{args[0].raw}, out...), ok
}

// tapFile matches the file in front of the name of a test.
var tapFile = source.Lazy(`^(\S+\.[cm]?[jt]sx?)(?: > |$)`)

// focusTap narrows tap to the files of the failing tests, which it names with each of them.
func focusTap(args []word, failing []string) ([]string, bool) {
	var flags, files []string
	for _, a := range args {
		switch {
		case !strings.HasPrefix(a.value, "-") && !strings.ContainsAny(a.value, "./*"): // the value of an option
			return nil, false
		case strings.HasPrefix(a.value, "-"):
			flags = append(flags, a.raw)
		}
	}
	for _, name := range failing {
		m := tapFile().FindStringSubmatch(name)
		if m == nil {
			return nil, false
		}
		files = append(files, quote(m[1]))
	}
	return append(flags, agent.Unique(files)...), true
}
