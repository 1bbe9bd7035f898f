package rank

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/source"
)

// reasons returns the reasons for and against a file, in clauses for a reader.
func (e *evidence) reasons(report *crash.Report) []string {
	var out []string
	add := func(on bool, format string, args ...any) {
		if on {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(e.assertion, "the failure is reported in it")
	add(e.isMain, "%s", e.place())
	add(e.inMain > 1, "%s of that stack are in it", agent.Plural(e.inMain, "frame"))
	add(e.throws, "its line throws on purpose")
	add(e.passes, "its lines use parameters, which callers gave")
	add(e.own && e.position > 0, "the innermost line that uses no parameter is in it")
	for _, kind := range []int{freed, stored, access, cause} {
		if e.foremost[kind] {
			add(true, "%s", elsewhereReasons[kind].foremost)
		} else {
			add(e.elsewhere[kind] > 0, "in the stack %s", elsewhereReasons[kind].stack)
		}
	}
	add(e.named, "the message names it")
	add(e.gaveNull, "passes a null pointer on")
	add(!e.isMain && e.elsewhere[again] > 0, "in another stack of the report")
	if len(out) == 0 && e.elsewhere[other] > 0 && !e.handler {
		add(true, "%s", otherReason(report.Stacks[e.frames[0].Stack].Kind))
	}
	add(!e.isMain && e.handler, "only handles the signal or the panic")
	add(e.isMain && e.onlyHelper, "its functions there only report or allocate")
	add(isErrorClass(e.path), "makes or checks errors for others, by its name")
	called := slices.ContainsFunc(e.frames, func(ref crash.FrameRef) bool { return locate.OfCgo(report.At(ref)) })
	add(isHeader(e.path) && !called, "a header, whose function was inlined")
	add(called, "Go calls its function in C there")
	add(isHarness(e.path), "a test or a harness")
	if source.IsVendored(e.path) {
		add(true, "a copy of the code of others, which fixes seldom change")
	} else if dir := libraryDir(e.path); dir != "" {
		add(true, "in %s/, a usual name for shared code", dir)
	}
	add(e.isMain && e.dated && e.age >= stale, "not changed for two years")
	add(e.users >= 30 && telling(e.path), "%s mention %q", agent.Plural(e.users, "other file"), unitOf(e.path))
	return out
}

// telling reports whether the name by which other code refers to a file means only this file. The name
// of a folder means all of its files, and a word of everyday language, such as "buffer", anything.
func telling(p string) bool {
	unit := unitOf(p)
	return unit != path.Base(path.Dir(p)) && (unit != strings.ToLower(unit) || strings.ContainsAny(unit, "_-0123456789"))
}

// place describes the position of the file's first frame in the main stack.
func (e *evidence) place() string {
	switch {
	case e.position == 0:
		return "innermost frame of the project"
	case e.suspicious == 0 && !e.helper:
		return "innermost frame of the project that does more than report or allocate"
	}
	return agent.Plural(e.position, "frame") + " from the innermost of the project"
}

// elsewhereReasons describes, for a kind of stack beside the main one, the action of its first
// file, and the stack of its other files.
var elsewhereReasons = map[int]struct{ foremost, stack string }{
	freed:  {"freed the memory", "that freed the memory"},
	stored: {"made the uninitialized value", "that made the uninitialized value"},
	access: {"made the other access of the race", "of the other access of the race"},
	cause:  {"threw the exception that caused this one", "of the exception that caused this one"},
}

// otherReason describes a stack of a kind that has no evidence of its own.
func otherReason(kind crash.StackKind) string {
	switch kind {
	case crash.StackAlloc:
		return "in the stack that allocated the memory"
	case crash.StackCreated:
		return "in the stack that started the thread"
	case crash.StackSuppressed:
		return "in the stack of a suppressed exception"
	}
	return "in the stack of another thread"
}
