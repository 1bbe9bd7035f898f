package testcmd

import (
	"strings"

	"git-agent/agent/source"
)

// A word is one word of a shell command.
type word struct {
	raw   string // original text
	value string // without quotes
}

// words splits a command that is a single simple invocation. ok is false if the command uses
// other features of the shell: pipes, lists, redirections or expansions. Patterns of file names
// stay unchanged.
func words(command string) (list []word, ok bool) {
	rest := strings.TrimSpace(command)
	for rest != "" {
		w, n := oneWord(rest)
		if n == 0 {
			return nil, false
		}
		list = append(list, w)
		rest = strings.TrimLeft(rest[n:], " \t")
	}
	return list, len(list) > 0
}

// oneWord reads the word at the beginning of s and returns its length in bytes; 0 if it is not
// a plain word.
func oneWord(s string) (word, int) {
	var value strings.Builder
	i := 0
	for i < len(s) && s[i] != ' ' && s[i] != '\t' {
		part, n := wordPart(s[i:])
		if n == 0 || i == 0 && s[i] == '#' {
			return word{}, 0
		}
		value.WriteString(part)
		i += n
	}
	return word{raw: s[:i], value: value.String()}, i
}

// wordPart reads one character or one quoted part of a word.
func wordPart(s string) (value string, n int) {
	switch s[0] {
	case '\'', '"':
		end := strings.IndexByte(s[1:], s[0])
		if end < 0 || s[0] == '"' && expands(s[1:1+end]) {
			return "", 0
		}
		return s[1 : 1+end], end + 2
	case '\\':
		if len(s) < 2 || s[1] == '\n' {
			return "", 0
		}
		return s[1:2], 2
	case '$':
		if len(s) > 1 && s[1] != ' ' && s[1] != '\t' {
			return "", 0
		}
	case ';', '&', '|', '<', '>', '(', ')', '`', '\n', '\r':
		return "", 0
	}
	return s[:1], 1
}

// expands reports whether the shell may change a text between double quotes. A dollar sign at
// the end, or before a character that begins no name, is literal, as in "^(TestA|TestB)$".
func expands(quoted string) bool {
	for i := range len(quoted) {
		switch quoted[i] {
		case '`', '\\':
			return true
		case '$':
			if i+1 < len(quoted) && !strings.ContainsRune(")|/ ", rune(quoted[i+1])) {
				return true
			}
		}
	}
	return false
}

// safeWord matches words that mean the same with and without quotes.
var safeWord = source.Lazy(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// quote quotes a text as one word of the shell.
func quote(s string) string {
	if safeWord().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var assignment = source.Lazy(`^[A-Za-z_][A-Za-z0-9_]*=`)

// wrappers are programs that start the following test tool. Of two with the same beginning, the
// longer one comes first.
var wrappers = [][]string{
	{"npx", "--no-install"}, {"npx", "--yes"}, {"npx"}, {"yarn", "run"}, {"yarn"}, {"pnpm", "exec"}, {"pnpm"}, {"npm", "exec", "--"}, {"bunx", "--no-install"}, {"bunx"},
	{"bundle", "exec"}, {"poetry", "run"}, {"uv", "run", "--offline", "--no-sync"}, {"uv", "run", "--no-sync"}, {"uv", "run"}, {"pipenv", "run"}, {"hatch", "run"}, {"pdm", "run"},
	{"python", "-m"}, {"python3", "-m"}, {"php"}, {"env"}, {"nice"},
}

// tool returns the name of the test tool without its directory, and the index of its word,
// behind assignments and wrappers.
func tool(list []word) (name string, at int) {
	skipAssignments := func() {
		for at < len(list) && assignment().MatchString(list[at].raw) {
			at++
		}
	}
	skipAssignments()
	for again := true; again; {
		again = false
		for _, w := range wrappers {
			if matchWords(list[at:], w) && len(list) > at+len(w) {
				at, again = at+len(w), true
				skipAssignments()
				break
			}
		}
	}
	if at >= len(list) {
		return "", 0
	}
	name = list[at].value[strings.LastIndexByte(list[at].value, '/')+1:]
	if name == "node" {
		return toolOfNode(list, at)
	}
	return name, at
}

// installedFile matches a file in node_modules: its package, or the program in .bin.
var installedFile = source.Lazy(`^(?:\S*/)?node_modules/(?:\.bin/)?((?:@[\w.-]+/)?[\w.-]+)(?:/\S+)?$`)

// toolOfNode returns the package whose program node runs, and the index of its file: jest in
// "node --experimental-vm-modules node_modules/jest/bin/jest.js".
func toolOfNode(list []word, node int) (name string, at int) {
	for at := node + 1; at < len(list); at++ {
		if !strings.HasPrefix(list[at].value, "-") {
			if m := installedFile().FindStringSubmatch(list[at].value); m != nil {
				return m[1], at
			}
			break
		}
	}
	return "node", node
}

// matchWords reports whether a command begins with some words. The program may have a path.
func matchWords(list []word, want []string) bool {
	if len(list) < len(want) {
		return false
	}
	for i, w := range want {
		if v := list[i].value; v != w && !(i == 0 && strings.HasSuffix(v, "/"+w)) {
			return false
		}
	}
	return true
}
