package format

import (
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/crash"
)

// A blocked is a goroutine that waits for a lock.
type blocked struct {
	thread  string
	line    int // of its heading
	minutes int
}

// timedOut begins the message of a panic that go test raises when the tests take too long.
const timedOut = "test timed out after"

// Flush implements flusher. If no panic ended the program, the dump of its goroutines was made
// because it hung: then the crash is where a goroutine has waited longest for a lock. Goroutines
// that have waited for less than a minute may only be busy.
func (g *goReader) Flush(s *scanner) {
	waiting := slices.DeleteFunc(g.blocked, func(b blocked) bool { return b.minutes == 0 })
	if g.ended || len(waiting) == 0 || slices.ContainsFunc(s.Report.Problems, func(p crash.Problem) bool { return p.Kind == "data race" }) {
		return
	}
	s.Close()
	longest := slices.MaxFunc(waiting, func(a, b blocked) int { return a.minutes - b.minutes })
	message := fmt.Sprintf("goroutine %s has waited for a lock for %s", longest.thread, agent.Plural(longest.minutes, "minute"))
	if n := len(waiting) - 1; n == 1 {
		message += ", and another one waits too"
	} else if n > 1 {
		message += fmt.Sprintf(", and %d others wait too", n)
	}
	s.Fail(crash.Problem{Kind: "deadlock", Message: message, Line: longest.line})
	for i := range s.Report.Stacks {
		st := &s.Report.Stacks[i]
		switch {
		case st.Format != "go" || st.Kind == crash.StackCreated:
		case st.Thread == longest.thread:
			st.Kind, st.Problem = crash.StackCrash, s.Problem
		case st.Kind == crash.StackCrash:
			st.Kind = crash.StackThread
		}
	}
	g.blocked = nil
}
