package rank

import (
	"fmt"

	"git-agent/agent/crash"
)

// reasons says what speaks for and against a file, in clauses for a reader.
func (e *evidence) reasons(report *crash.Report) []string {
	var out []string
	add := func(on bool, format string, args ...any) {
		if on {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(e.assertion, "the failure is reported in it")
	add(e.isMain && e.suspicious == 0 && !e.helper, "innermost frame of the project")
	add(e.isMain && e.suspicious > 0, "%s above it in the stack", count(e.position, "frame"))
	add(e.inMain > 1, "%s", count(e.inMain, "frame"))
	add(e.elsewhere[freed] > 0, "freed the memory")
	add(e.elsewhere[stored] > 0, "is where the uninitialized value comes from")
	add(e.elsewhere[access] > 0, "made the other access of the race")
	add(e.elsewhere[cause] > 0, "is in the stack of the exception behind")
	add(e.named, "the message names it")
	add(e.gaveNull, "passes a null pointer on")
	add(!e.isMain && e.elsewhere[again] > 0, "is in another stack of the report")
	add(e.isMain && e.onlyHelper, "its functions there only report or allocate")
	add(isHeader(e.path), "a header, whose function was inlined")
	add(isHarness(e.path), "a test or a harness")
	add(isLibrary(e.path), "in a directory that several programs use")
	add(e.users >= 30, "%s include it", count(e.users, "file"))
	return out
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
