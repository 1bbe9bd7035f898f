package source

import (
	"path"
	"strings"
)

// IsTestOf reports whether a file belongs to the tests that a command runs: its path is that of a
// test (see [IsTestPath], and tests.rs of Rust), or the command names the file and its name suggests a check, such as
// check.sh and repro.py.
func IsTestOf(p, command string) bool {
	if IsTestPath(p) || rustTestFile().MatchString(p) { // the latter would change what IsTestPath means for trained models
		return true
	}
	base := strings.ToLower(path.Base(p))
	if !strings.Contains(base, "test") && !strings.Contains(base, "check") && !strings.Contains(base, "repro") && !strings.Contains(base, "verify") &&
		!strings.Contains(base, "spec") {
		return false
	}
	return Names(command, p)
}

// Names reports whether a command names a file, by its path or the end of it.
func Names(command, p string) bool {
	for _, word := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;&|()<>=$", r) }) {
		if word = path.Clean(word); word == p || strings.HasSuffix(p, "/"+word) {
			return true
		}
	}
	return false
}
