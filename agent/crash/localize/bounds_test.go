package localize

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"git-agent/gitext/gittest"
)

// A report may have a hundred thousand frames whose name the file defines twenty thousand
// times, and whose lines are in another function. The prompt about them is made in
// bounded time.
func TestPromptOfManyFrames(t *testing.T) {
	t.Parallel()
	var text, report strings.Builder
	text.WriteString("int other(int a)\n{\n" + strings.Repeat("\ta++;\n", 3000) + "}\n")
	text.WriteString(strings.Repeat("int f(int a) {\n\treturn 1;\n}\n", 20_000))
	for thread := range 200 {
		fmt.Fprintf(&report, "Thread %d (LWP %d):\n", thread+1, thread+1)
		for i := range 500 {
			fmt.Fprintf(&report, "#%d  0x%x in f (a=1) at /b/a.c:%d\n", i, i+1, 500+i%5)
		}
	}
	h := gittest.New(t)
	crashed := h.Commit("begin", gittest.Files{"a.c": text.String()})
	begin := time.Now()
	b := askedAt(h, crashed, report.String())
	if n := len(b.question.Report.Stacks); n != 200 {
		t.Fatalf("%d stacks", n)
	}
	prompt := b.first(Options{}).Messages[1].Text
	if took := time.Since(begin); took > 30*time.Second || len(prompt) > 20_000 {
		t.Errorf("%v; a prompt of %d bytes", took, len(prompt))
	}
	if !strings.Contains(prompt, "# Code around the frames") {
		t.Errorf("no code in\n%s", prompt)
	}
}
