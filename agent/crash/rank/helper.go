package rank

import (
	"path"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/symbol"
)

var (
	// Functions that report an error, end the program, or handle its end.
	reporter = source.Lazy(`(?i)(?:^|_)(?:die|abort|assert|panic|fatal|bug|fail(?:ed|ure)?|raise|throw|error|err|warn|log|vlog|debug|print|printf|sigsegv|core_handler|signal_handler|segv_handler|backtrace|handler)(?:_|$)|assert|abort|panic|sighandler|^BUG`)
	// Functions that allocate or release memory for others.
	allocator = source.Lazy(`(?i)(?:^|_)x?q?v?z?k?(?:m|c|re|s)?alloc(?:ate)?\w*$|strdup|memdup|_free$|^x?free`)

	// Names of files that projects give to what all of their parts use.
	genericStems = func() map[string]bool {
		m := map[string]bool{}
		for _, s := range strings.Fields(`alloc mem memory malloc util utils log logging string strings strbuf str hash list main thread threads event loop
array vector buffer buf misc common compat wrapper queue tree map table error errors assert signal poll`) {
			m[s] = true
		}
		return m
	}()

	harness = source.Lazy(`(?i)(?:^|/)(?:tests?|testing|unittests?|spec|fuzz\w*|bench\w*|examples?|t)/|test[_-]|[_-]test|fuzz`)
)

// Helper reports whether a function, by its name, reports errors, ends the program
// or allocates memory: it stands above the function that is at fault.
func Helper(function string) bool { return isHelper(function) }

func isHelper(function string) bool {
	name := symbol.Last(function)
	return reporter().MatchString(name) || allocator().MatchString(name)
}

// isGeneric reports whether a file has the name of something that all parts of a
// program use.
func isGeneric(p string) bool { return genericStems[strings.ToLower(stemOf(p))] }

// isHarness reports whether a file runs or tests the program, and is not a part of it.
func isHarness(p string) bool { return harness().MatchString(p) || source.IsTestPath(p) }

func isHeader(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc":
		return true
	}
	return false
}

// isManaged reports whether a file's language runs in a virtual machine or an
// interpreter, or has a runtime that prints whole stacks of its own.
func isManaged(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".m", ".mm", ".s", ".asm", ".y", ".l", ".cu", ".f", ".f90", ".d", ".zig", ".ada", ".adb":
		return false
	}
	return true
}
