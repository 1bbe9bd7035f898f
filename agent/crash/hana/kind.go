package hana

import (
	"fmt"
	"path"
	"strings"
)

// A RecursiveError says that a file is the dump of a crash that happened while another dump was
// being written. Its stacks show the writing of the dump, not the cause of the first crash.
type RecursiveError struct{ Name string }

func (e *RecursiveError) Error() string {
	return fmt.Sprintf("%s is a dump of a crash while dumping: its stacks show the writer of dumps, not the fault; "+
		"give the crash dump of the same service and time (without \"recursive\" in its name)", e.Name)
}

// checkName returns a RecursiveError if the name of a file marks a dump of a crash while dumping.
func checkName(name string) error {
	base := strings.ToLower(baseName(name))
	for _, packed := range []string{".gz", ".txt"} {
		base = strings.TrimSuffix(base, packed)
	}
	if strings.HasSuffix(base, "recursive.trc") {
		return &RecursiveError{Name: baseName(name)}
	}
	return nil
}

// runtimeReasons are the reasons by the endings of the names of runtime dumps.
var runtimeReasons = []struct{ suffix, reason string }{
	{".oom.trc", "an allocation failed for lack of memory"},
	{".savepoint_blocked.trc", "a savepoint was blocked"},
	{".indexhandle_blocked.trc", "an index handle was blocked"},
	{".longrunning_transaction.trc", "a transaction ran for long"},
	{".page.trc", "a page was damaged"},
}

// runtimeReason returns why a runtime dump was written, if the name of the file or the names of
// the sections show it.
func runtimeReason(name string, sections map[string]bool) string {
	base := strings.ToLower(baseName(name))
	for _, r := range runtimeReasons {
		if strings.HasSuffix(base, r.suffix) {
			return r.reason
		}
	}
	switch {
	case sections["MEMORY_OOM"]:
		return runtimeReasons[0].reason
	case sections["SAVEPOINT_SHAREDLOCK_OWNERS"]:
		return runtimeReasons[1].reason
	}
	return ""
}

// baseName returns the last component of a path of Unix or Windows.
func baseName(name string) string {
	return path.Base(strings.ReplaceAll(name, `\`, "/"))
}
