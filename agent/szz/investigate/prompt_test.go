package investigate

import (
	"strings"
	"testing"

	"git-agent/agent/model"
	"git-agent/agent/szz"
)

func TestStandingPartIsShort(t *testing.T) {
	// Every turn of every case sends these texts again. Their characters are most of a
	// short conversation's price.
	t.Parallel()
	const most = 7200
	h, origin, _, fix := movedHistory(t)
	_, s := h.detect(fix, Options{}, accuse(string(origin)))
	n := len(s.asked[0].Messages[0].Text)
	for _, tool := range s.asked[0].Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	if n > most {
		t.Errorf("the system text and the tools have %d characters, more than %d", n, most)
	}
}

func TestProseIsAnsweredByWhatThereIs(t *testing.T) {
	// The tool answers a reply that is no answer. It offers tools only if there are any.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	for _, without := range []bool{false, true} {
		_, s := h.detect(fix, Options{Switches: szz.Switches{NoTools: without}}, said("I wonder."), accuse(string(origin)))
		if got := s.last(2); !strings.Contains(got, "neither a tool call") || strings.Contains(got, "look further") == without {
			t.Errorf("without tools %v: %q", without, got)
		}
	}
}

func TestRulesAreOrdered(t *testing.T) {
	// The method says which of two fitting rules goes first, with tools and without, and
	// each type of answer is explained once, in the order of szz.ClaimTypes, so that the
	// last one that applies is unique.
	t.Parallel()
	for _, tools := range []bool{true, false} {
		method, err := Method(tools)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, want := range []string{"1. Say", "unless the fix is nothing else", "2. Begin", "else with the first that fits", "3. Judge", "4. If several are left", "the first rule that fits", "All was well until", "It never worked", "Several commits only"} {
			i := strings.Index(method[at:], want)
			if i < 0 {
				t.Fatalf("tools %v: no %q, or not in its place:\n%s", tools, want, method)
			}
			at += i
		}
	}
	h, origin, _, fix := movedHistory(t)
	_, s := h.detect(fix, Options{}, accuse(string(origin)))
	report := s.asked[0].Tools[len(s.asked[0].Tools)-1]
	_, explained, _ := strings.Cut(string(report.Parameters), "The last that holds: ")
	explained, _, _ = strings.Cut(explained, `"`)
	parts := strings.Split(explained, ";")
	if len(parts) != len(szz.ClaimTypes) {
		t.Fatalf("%d of %d types are explained: %q", len(parts), len(szz.ClaimTypes), explained)
	}
	for i, word := range []string{"wrote", "left out", "no file of the fix", "behind"} {
		if !strings.Contains(parts[i], word) {
			t.Errorf("%s is explained as %q", szz.ClaimTypes[i], parts[i])
		}
	}
}

func TestHintIsInTheFirstMessage(t *testing.T) {
	// What the user says of the bug, and what a crash report leads to, stand before the patch.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	hint := szz.Hint{Text: "it crashes since the move", Pointed: []szz.Pointed{{By: "the crash report", Commit: string(origin), Subject: "begin", Probability: 0.4}}}
	s := &scriptedModel{t: t, replies: []model.Message{accuse(string(origin))}}
	opt := Options{Model: s, ModelName: "scripted"}
	if _, err := Trace(t.Context(), h.Open(), h.Context(fix, szz.ContextOptions{Hint: hint}), opt); err != nil {
		t.Fatal(err)
	}
	first := s.asked[0].Messages[1].Text
	at, patch := strings.Index(first, "it crashes since the move\nthe crash report leads to "+origin.Short()+" (\"begin\"), with 40%"), strings.Index(first, "# Its patch")
	if at < 0 || patch < at {
		t.Errorf("the hint is not before the patch: %s", first)
	}
}
