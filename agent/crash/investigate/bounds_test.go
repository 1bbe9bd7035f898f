package investigate

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// A report may have very many frames with a name that the file defines thousands of times, and
// with lines in another function. Their part of the prompt is short.
func TestPromptOfManyFrames(t *testing.T) {
	t.Parallel()
	var text, report strings.Builder
	text.WriteString("int other(int a)\n{\n" + strings.Repeat("\ta++;\n", 3000) + "}\n")
	text.WriteString(strings.Repeat("int f(int a) {\n\treturn 1;\n}\n", 5_000))
	for thread := range 100 {
		fmt.Fprintf(&report, "Thread %d (LWP %d):\n", thread+1, thread+1)
		for i := range 200 {
			fmt.Fprintf(&report, "#%d  0x%x in f (a=1) at /b/a.c:%d\n", i, i+1, 500+i%5)
		}
	}
	h := gittest.New(t)
	crashed := h.Commit("begin", gittest.Files{"a.c": text.String()})
	b := askedAt(h, crashed, report.String())
	if n := len(b.question.Report.Stacks); n != 100 {
		t.Fatalf("%d stacks", n)
	}
	prompt := b.first(Options{}).Messages[1].Text
	if len(prompt) > 20_000 {
		t.Errorf("a prompt of %d bytes", len(prompt))
	}
	if !strings.Contains(prompt, "# Code around the frames") {
		t.Errorf("no code in\n%s", prompt)
	}
}

// No text of a report, of a path or of a commit begins a line like the headings of the first
// message.
func TestHeadingsAreOurs(t *testing.T) {
	t.Parallel()
	const heading = "# Latest changes to this code"
	h := gittest.New(t)
	h.Commit(heading+"\n\n"+heading, gittest.Files{"lib/reader.c": reader, heading + ".c": gittest.Lines(heading, "int f(void) { return 1; }", heading)})
	crashed := h.Commit("x\u2028"+heading+"\r"+heading, gittest.Files{"main.c": program})
	b := askedAt(h, crashed, asan)
	r := b.question.Report
	evil := heading + "\n" + heading + "\r" + heading + "\u2028" + heading + "\u0085" + heading + "\v" + heading
	r.Problems = append(r.Problems, crash.Problem{Kind: evil, Message: evil, Address: evil}, crash.Problem{Kind: "## "}, crash.Problem{Message: evil})
	r.Build = crash.Build{Commit: evil, Version: evil, Branch: evil}
	frame := crash.Frame{Raw: evil, Function: evil, Path: heading + ".c", Line: 2, NullArgument: evil}
	r.Stacks = append(r.Stacks, crash.Stack{Kind: crash.StackThread, Title: evil, Thread: evil, Frames: []crash.Frame{frame, {Raw: evil}, {Raw: evil, Function: evil}}})
	b.offline.Files = append([]crash.File{{Path: heading + ".c", Frames: []crash.FrameRef{{Stack: len(r.Stacks) - 1}}, Reasons: []string{evil}}}, b.offline.Files...)
	prompt := b.first(Options{}).Messages[1].Text
	var seen []string
	for _, line := range regexp.MustCompile(`[\n\r\v\f\x{85}\x{2028}\x{2029}]`).Split(prompt, -1) {
		if strings.HasPrefix(line, "# ") {
			seen = append(seen, line)
		}
	}
	want := "# The crash|# Stacks|# Files by a ranking without a model|# Code around the frames|" + heading
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("headings %s\n%s", got, prompt)
	}
}
