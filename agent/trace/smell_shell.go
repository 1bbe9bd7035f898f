package trace

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent"
)

// shellDeed guesses the deed and the file of a shell command from its words, because a model with
// only a shell uses it to search, read, edit and test. If a command does several things, the one
// that changes most counts: an edit, then a test, a search, a read. shellDeed returns "" if no
// word is known.
func shellDeed(command string) (deed agent.Deed, file string) {
	for _, words := range shellCommands(command) {
		d, f := wordsDeed(words)
		if slices.Index(deedOrder, d) < slices.Index(deedOrder, deed) {
			deed, file = d, f
		}
	}
	return deed, file
}

// deedOrder has the deeds of shell commands, from the greatest change to the least.
var deedOrder = []agent.Deed{agent.DeedEdit, agent.DeedTest, agent.DeedSearch, agent.DeedRead, ""}

// shellCommands splits a shell script into commands, and each command into words. Quotes keep
// words together; here-documents are left out.
func shellCommands(text string) [][]string {
	var list [][]string
	var words []string
	var word strings.Builder
	quote, started := rune(0), false
	endWord := func() {
		if started {
			words = append(words, word.String())
		}
		word.Reset()
		started = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			list = append(list, words)
		}
		words = nil
	}
	if head, _, here := strings.Cut(text, "<<"); here {
		line, _, _ := strings.Cut(text[len(head):], "\n")
		text = head + line
	}
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case strings.ContainsRune(";|&\n()", r):
			endCommand()
		case r == ' ' || r == '\t':
			endWord()
		case r == '>':
			endWord()
			words = append(words, ">")
		default:
			word.WriteRune(r)
			started = true
		}
	}
	endCommand()
	return list
}

// runners are commands that run tests with any arguments.
var runners = []string{
	"pytest",
	"py.test",
	"tox",
	"nosetests",
	"ctest",
	"jest",
	"vitest",
	"mocha",
	"ava",
	"rspec",
	"phpunit",
	"prove",
	"bats",
	"gotestsum",
}

// testArguments maps commands to the first arguments that make them run tests.
var testArguments = map[string][]string{
	"go": {
		"test",
	}, "cargo": {"test", "nextest"}, "npm": {"test", "t"}, "yarn": {"test"}, "pnpm": {"test"}, "make": {"test", "check"}, "ninja": {"test"},
	"mvn": {
		"test",
		"verify",
	}, "gradle": {"test", "check"}, "gradlew": {"test", "check"}, "dotnet": {"test"}, "rake": {"test", "spec"}, "meson": {"test"}, "bazel": {"test"}, "node": {"--test"},
}

// wordsDeed returns the deed and the file of one command.
func wordsDeed(words []string) (agent.Deed, string) {
	words = slices.Clone(words)
	for len(words) > 0 && goesBefore(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", ""
	}
	name, args := path.Base(words[0]), words[1:]
	if at := slices.Index(args, ">"); at >= 0 && at+1 < len(args) && !strings.HasPrefix(args[at+1], "/dev/") && !strings.HasPrefix(args[at+1], "&") {
		return agent.DeedEdit, args[at+1]
	}
	switch {
	case name == "patch", name == "git" && startsWith(args, "apply", "checkout", "restore", "mv", "rm"):
		return agent.DeedEdit, ""
	case inPlace(name, args), name == "tee", name == "ed", name == "cp", name == "mv", name == "rm":
		return agent.DeedEdit, last(args)
	case runsTests(name, args):
		return agent.DeedTest, ""
	case slices.Contains([]string{"grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "fd", "locate", "ls", "tree"}, name),
		name == "git" && (startsWith(args, "grep") || startsWith(args, "log")):
		return agent.DeedSearch, ""
	case slices.Contains([]string{"cat", "head", "tail", "less", "more", "nl", "sed", "awk", "bat"}, name),
		name == "git" && startsWith(args, "show", "blame"):
		return agent.DeedRead, last(args)
	}
	return "", ""
}

// goesBefore reports whether a word may precede the name of a command: an assignment, a command
// that runs another one, or its duration.
func goesBefore(word string) bool {
	duration := strings.ContainsAny(word[:min(1, len(word))], "0123456789")
	return duration || strings.Contains(word, "=") ||
		slices.Contains([]string{"sudo", "env", "time", "timeout", "nice", "npx", "xargs", "then", "do", "!"}, word)
}

// runsTests reports whether a command runs tests: with a runner, or with a script named after
// tests.
func runsTests(name string, args []string) bool {
	if slices.Contains(runners, name) || startsWith(args, testArguments[name]...) {
		return true
	}
	if strings.HasPrefix(name, "python") {
		if len(args) > 1 && args[0] == "-m" {
			return args[1] == "unittest" || slices.Contains(runners, args[1])
		}
	}
	script := name
	if slices.Contains([]string{"sh", "bash", "node", "ruby", "perl", "php"}, name) || strings.HasPrefix(name, "python") {
		script = ""
		if at := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") }); at >= 0 {
			script = args[at]
		}
	}
	return script != "test" && strings.Contains(strings.ToLower(script), "test")
}

// inPlace reports whether a command edits files in place.
func inPlace(name string, args []string) bool {
	if name != "sed" && name != "perl" && name != "gawk" {
		return false
	}
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "--in-place" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "i")
	})
}

func startsWith(args []string, names ...string) bool {
	return len(args) > 0 && slices.Contains(names, args[0])
}

func last(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[len(args)-1]
}
