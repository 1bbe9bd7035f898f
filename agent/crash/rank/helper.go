package rank

import (
	"path"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/symbol"
)

var (
	// Functions that report an error, end the program, or handle its end. Those that handle something else do their own work.
	reporter = source.Lazy(
		`(?i)(?:^|_)(?:die|abort|assert|panic|fatal|bug|fail(?:ed|ure)?|raise|throw|error|err|warn|log|vlog|debug|print|printf|sigsegv|core_handler|signal_handler|segv_handler|(?:crash|die|exception|exit|fault|term(?:inate)?|trap)_handler|backtrace)(?:_|$)|^_*handler$|assert|abort|panic|sighandler|^BUG`,
	)
	// Functions of kernels that print a report, that wait for another thread, or that are on every
	// stack because of interrupts and schedulers.
	kernelReporter = source.Lazy(
		`^_*(?:\w*dump_?stack\w*|\w*cv_(?:timed)?wait\w*|schedule_(?:hr)?timeout\w*|io_schedule\w*|wait_for_completion\w*|mutex_lock\w*|rwsem_down\w*|show_stack|dump_backtrace|print_address_description|print_report|k[acm]san\w*|kmsan_\w+|check_memory_region\w*|ubsan_\w+|warn(?:_slowpath\w*|_printk)?|report_bug|fixup_bug|do_error_trap|exc_\w+|asm_exc_\w+|do_invalid_op|invalid_op|schedule|rcu_\w+|lock_acquire|hrtimer_interrupt|\w*apic_timer_interrupt|oops_\w+|db_\w+|vpanic|kdb_\w+|die_\w+)$`,
	)
	// Functions that allocate or release memory for others.
	allocator = source.Lazy(`(?i)(?:^|_)x?q?v?z?k?(?:m|c|re|s)?alloc(?:ate)?\w*$|strdup|memdup|_free$|^x?free`)

	// Common names of files that all parts of a project use.
	genericStems = func() map[string]bool {
		m := map[string]bool{}
		for _, s := range strings.Fields(`alloc mem memory malloc util utils log logging string strings strbuf str hash list main thread threads event loop
array vector buffer buf misc common compat wrapper queue tree map table error errors assert signal poll`) {
			m[s] = true
		}
		return m
	}()

	// Common directories for code that several programs of a project use.
	library = source.Lazy(`(?:^|/)(libs?|common|utils?|vendor|third_party|thirdparty|3rdparty|external|deps|contrib|compat)/`)

	harness = source.Lazy(`(?i)(?:^|/)(?:tests?|testing|unittests?|testfixtures|spec|fuzz\w*|\w*bench\w*|examples?|t)/|test[_-]|[_-]test|fuzz`)
)

// Helper reports whether a function, judging by its name, reports errors, ends the program or
// allocates memory. Such a function is above the faulty function on the stack.
func Helper(function string) bool { return isHelper(function) }

func isHelper(function string) bool {
	name := symbol.Last(function)
	return reporter().MatchString(name) || allocator().MatchString(name) || kernelReporter().MatchString(name)
}

// errorClass matches files that define errors, or check arguments and throw them for others. A name
// that only ends with Check may be what the project is about, as in checkstyle.
var errorClass = source.Lazy(
	`(?:Exception|Error|exceptions?|errors?|Assertions|Preconditions|Objects|Checks)\.\w+$|(?:^|/)(?:Null|Args?|Arguments?|Param|Range|Sanity|Type)?Check\.\w+$`,
)

// isErrorClass reports whether a file only makes errors for others.
func isErrorClass(p string) bool { return errorClass().MatchString(p) }

// isEntry reports whether a function starts a program, a module or a thread.
func isEntry(function string) bool {
	switch function {
	case "<module>", "__main__", "main", "Main", "run":
		return true
	}
	return strings.HasSuffix(function, ".main") || strings.HasSuffix(function, ".run")
}

// isGeneric reports whether a file has the name of something that all parts of a program use.
func isGeneric(p string) bool { return genericStems[strings.ToLower(source.Stem(p))] }

// isHarness reports whether a file runs or tests the program, rather than being a part of it.
func isHarness(p string) bool { return harness().MatchString(p) || source.IsTestPath(p) }

// isLibrary reports whether a file is in a directory for code that several programs use.
func isLibrary(p string) bool { return libraryDir(p) != "" }

// libraryDir returns the name of that directory, or "".
func libraryDir(p string) string {
	if m := library().FindStringSubmatch(p); m != nil {
		return m[1]
	}
	return ""
}

func isHeader(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc":
		return true
	}
	return false
}

// isManaged reports whether a file's language runs in a virtual machine or an interpreter, or has
// a runtime that prints its own complete stacks.
func isManaged(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".c",
		".h",
		".cc",
		".cpp",
		".cxx",
		".c++",
		".hh",
		".hpp",
		".hxx",
		".inl",
		".inc",
		".m",
		".mm",
		".s",
		".asm",
		".y",
		".l",
		".cu",
		".f",
		".f90",
		".d",
		".zig",
		".ada",
		".adb":
		return false
	}
	return true
}
