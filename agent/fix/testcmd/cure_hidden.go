package testcmd

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/agent/source"
)

// absentPath matches the path of a missing program in a line of output.
var absentPath = source.Lazy(`(/[^\s:'"]+)['"]?: (?:not found|No such file or directory)$`)

// AbsentPath returns the absolute path of the program that a line of output reports as missing, or "".
func AbsentPath(line string) string {
	if m := absentPath().FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// EnvironmentMark is a file in each Python virtual environment.
const EnvironmentMark = "pyvenv.cfg"

// EnvironmentOf returns the Python virtual environment of a program, "" if it has none. The
// program may be a link into the environment.
func EnvironmentOf(program string) string {
	const links = 8 // more links are a loop
	for range links {
		env := filepath.Dir(filepath.Dir(program))
		if _, err := os.Stat(filepath.Join(env, EnvironmentMark)); err == nil {
			return env
		}
		to, err := os.Readlink(program)
		if err != nil {
			return ""
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(program), to)
		}
		program = to
	}
	return ""
}

// hiddenCure returns the cure for a program that a command names by its absolute path and does not find, though it
// is on this machine: nothing is to be installed.
func hiddenCure(line string) (Cure, bool) {
	program := AbsentPath(line)
	if info, err := os.Stat(program); program == "" || err != nil || info.IsDir() {
		return Cure{}, false
	}
	return Cure{Advice: fmt.Sprintf(
		"%s is on this machine; if the sandbox hides it from the command, git config --global --add agent.sandboxRead %s makes it visible",
		program, quote(cmp.Or(EnvironmentOf(program), program)),
	)}, true
}
