package testcmd

import (
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// focusJest joins suites and tests by spaces, as jest does for matching. A name may itself
// contain the sign that jest prints between them.
func focusJest(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "-t", "--testNamePattern", "--watch", "--watchAll") {
		return nil, false
	}
	patterns := make([]string, len(failing))
	for i, name := range failing {
		patterns[i] = strings.ReplaceAll(regexp.QuoteMeta(name), " › ", "( ›)? ")
	}
	return append(raws(args), "-t", quote("^("+strings.Join(agent.Unique(patterns), "|")+")$")), true
}

// focusVitest selects by names without the file, which is their first part, and names the files, for vitest loads all
// others too.
func focusVitest(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "-t", "--testNamePattern", "--watch", "-w", "watch", "bench") {
		return nil, false
	}
	names, files := make([]string, len(failing)), make([]string, len(failing))
	for i, name := range failing {
		file, rest, ok := strings.Cut(name, " > ")
		if !ok {
			return nil, false
		}
		names[i], files[i] = strings.ReplaceAll(rest, " > ", " "), file[strings.LastIndexByte(file, ' ')+1:]
	}
	args = slices.DeleteFunc(slices.Clone(args), func(a word) bool { return slices.Contains(files, a.value) })
	out, ok := byPattern(args, "-t", names)
	return append(out, quoteAll(agent.Unique(files))...), ok
}

func focusMocha(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "-g", "--grep", "-f", "--fgrep", "-i", "--invert", "-w", "--watch") || slices.ContainsFunc(failing, isHook) {
		return nil, false
	}
	return byPattern(args, "--grep", failing)
}

// focusLab matches the names with those of the suites, unless the command measures coverage, of which a part of the
// tests has too little.
func focusLab(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "-g", "--grep", "-i", "--id") || slices.ContainsFunc(args, labCovers) {
		return nil, false
	}
	return byPattern(args, "--grep", failing)
}

// isHook reports whether a name of mocha belongs to a hook and not to a test.
func isHook(name string) bool { return strings.Contains(name, `" hook`) }

// focusNode names tests for node's own runner, which prints suites before a test and matches the
// test's own name. A name may itself contain the sign that is printed between them, so the
// pattern is an end of the name.
func focusNode(args []word, failing []string) ([]string, bool) {
	at := slices.IndexFunc(args, func(a word) bool { return a.value == "--test" })
	if at < 0 || hasFlag(args, "--test-name-pattern", "--test-skip-pattern", "--test-only", "--watch") || slices.ContainsFunc(failing, isScript) {
		return nil, false
	}
	var ends []string
	for _, name := range failing {
		// A suite fails with its test, and would select all of its tests.
		if slices.ContainsFunc(failing, func(other string) bool { return strings.HasPrefix(other, name+" > ") }) {
			continue
		}
		ends = append(ends, strings.ReplaceAll(regexp.QuoteMeta(lastPart(name, " > ")), "/", `\/`))
	}
	pattern := quote("--test-name-pattern=/(^|> )(" + strings.Join(agent.Unique(ends), "|") + ")$/")
	return slices.Concat(raws(args[:at+1]), []string{pattern}, raws(args[at+1:])), true
}

// isScript reports whether a name is a file, which node reports if the file fails outside of its
// tests.
func isScript(name string) bool { return jsFile().MatchString(name) }

var jsFile = source.Lazy(`^\S+\.[cm]?[jt]sx?$`)

// lastPart returns a text behind the last separator.
func lastPart(text, separator string) string {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[i+len(separator):]
	}
	return text
}

// focusAVA names tests for ava, which puts the file before a title if it ran several. A star
// stands for any text, and a title may contain the sign between the two.
func focusAVA(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "-m", "--match", "-w", "--watch") {
		return nil, false
	}
	out := raws(args)
	for _, name := range failing {
		title := name
		if strings.Contains(name, " › ") {
			title = "*" + lastPart(name, " › ")
		}
		if strings.HasPrefix(title, "!") {
			return nil, false // a pattern of other titles
		}
		out = append(out, quote("--match="+title))
	}
	return out, true
}

// focusBun joins suites and tests by spaces, as bun does for matching.
func focusBun(args []word, failing []string) ([]string, bool) {
	if len(args) == 0 || args[0].value != "test" || hasFlag(args, "-t", "--test-name-pattern", "--watch") {
		return nil, false
	}
	names := make([]string, len(failing))
	for i, name := range failing {
		names[i] = strings.ReplaceAll(name, " > ", " ")
	}
	return byPattern(args, "-t", names)
}
