package format

import (
	"bytes"
	"slices"

	"git-agent/agent/source"
)

// builtLine matches the lines in which a tool names the version of what it builds or tests from a
// work tree: cargo with the path of a package, a script of npm or pnpm, Maven, the tests of
// Automake, pip with an editable package, tox and nox, and bundler. A package that a tool fetches
// is a release: "Compiling ron v0.12.0" without a path, "go: downloading x v1.2.3".
var builtLine = source.Lazy(
	`(?:^|\s)(?:Compiling|Checking|Building|Documenting|Packaging|Verifying|Installing|Fresh|Dirty|Running|Testing) \S+ v\d\S* \((?:/|[A-Za-z]:[\\/]|file:)` +
		`|(?:^|\s)> (?:@[\w.-]+/)?[\w.-]+@\d[\w.+-]* (?:[\w.-]+:[\w:.-]+|(?:pre|post)?(?:test|start|build|lint|install|prepare|pack)|ci|check|coverage|unit|dev|watch)(?: \S+)?$` +
		`|^npm (?:ERR!|error) (?:Failed at the )?\S+@\d\S* [\w:.-]+(?:: | script)` +
		`|\[INFO\] (?:Building|Reactor Summary for|Installing /) ?\S` +
		`|Testsuite summary for ` +
		`|-0\.editable-|/\.(?:tox|nox)/` +
		`|\bUsing \S+ \d\S* from source at `,
)

// builtParts are parts of such lines, one of which each has, for speed.
var builtParts = [][]byte{
	[]byte(" ("), []byte("> "), []byte("npm "), []byte("[INFO] "), []byte("Testsuite "), []byte("-0.editable-"), []byte("/.tox/"), []byte("/.nox/"), []byte(" from source at "),
}

var (
	fromFolder = [][]byte{[]byte("Obtaining file:"), []byte("Processing /"), []byte("Processing ./")}
	installed  = []byte("Successfully installed ")
)

// ofWorkTree reports whether a line names the version of what is built from a work tree.
func (s *scanner) ofWorkTree(line []byte) bool {
	has := slices.ContainsFunc(builtParts, func(part []byte) bool { return bytes.Contains(line, part) })
	return has && builtLine().Match(line) || s.fromFolder && bytes.Contains(line, installed)
}

// folder notes that pip builds a package from a folder.
func (s *scanner) folder(line []byte) {
	for _, begin := range fromFolder {
		s.fromFolder = s.fromFolder || bytes.HasPrefix(bytes.TrimSpace(line), begin)
	}
}
