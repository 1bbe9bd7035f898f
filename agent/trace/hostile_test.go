package trace

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"git-agent/agent/model"
)

// A run can be exported in every format even if the server reported absurd costs and
// sent control characters and invisible text.
func TestExportOfHostileRuns(t *testing.T) {
	t.Parallel()
	huge := math.MaxFloat64
	odd := "b\u202eidi \u200bzero \u009b31m c1 \U000e0041tag"
	var answers []any
	for range 3 {
		r := says(odd, "git_blame", `{"path":"`+odd+`"}`)
		r.Usage = model.Usage{Uncached: math.MaxInt64, Output: math.MaxInt64, CostUSD: &huge}
		r.Model, r.ID = odd, odd
		answers = append(answers, r)
	}
	s := traced()
	s.model = append(answers, says("", "report", answerArg))
	run := s.record(t)
	if u := run.Usage(); u.Prompt() < 0 || u.CostUSD == nil || math.IsInf(*u.CostUSD, 0) {
		t.Errorf("usage %+v", u)
	}
	steps := newMemory()
	if _, err := s.loop(&replies{list: s.model}, steps, s.limits).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"atif":  func(b *bytes.Buffer) error { return run.WriteATIF(b) },
		"otel":  func(b *bytes.Buffer) error { return run.WriteOTel(b, true) },
		"html":  func(b *bytes.Buffer) error { return run.WriteHTML(b, odd) },
		"steps": func(b *bytes.Buffer) error { return WriteSteps(b, run.Run, Sequence(steps.steps)) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.ContainsAny(b.String(), "\u202e\u200b\u009b\U000e0041\x1b") {
			t.Errorf("%s holds characters that a terminal obeys", name)
		}
		if name != "html" && name != "steps" && (!json.Valid(b.Bytes()) || !strings.Contains(b.String(), `b\u202eidi`)) {
			t.Errorf("%s is no JSON, or lost text", name)
		}
	}
}
