package trace

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/cache"
)

// A recorded run reads back as the same conversation.
func TestRead(t *testing.T) {
	t.Parallel()
	got := traced().record(t)
	if len(got.Damaged) > 0 || got.Opening == nil || got.Closing == nil {
		t.Fatalf("damaged %q, opening %v, closing %v", got.Damaged, got.Opening, got.Closing)
	}
	if got.Status() != agent.StatusFound || got.Model() != "test-1" || got.About.Fix != fixOID {
		t.Errorf("status %s, model %s, fix %s", got.Status(), got.Model(), got.About.Fix)
	}
	if len(got.Turns) != 5 || got.Answers() != 4 || got.Calls() != 5 {
		t.Errorf("%d requests, %d answers, %d calls", len(got.Turns), got.Answers(), got.Calls())
	}
	u := got.Usage()
	if u.Prompt() != 8000 || u.CacheRead != 3200 || u.CostUSD == nil || *u.CostUSD != 0.006 {
		t.Errorf("usage %+v", u)
	}
	show := got.Turns[0].Calls[1]
	if show.Name != "git_show" || show.Result == nil || !strings.Contains(show.Result.Full, "L40") || show.Ended.Before(show.Began) {
		t.Errorf("call %+v", show)
	}
	if r := got.Turns[1].Result; r == nil || r.Class != "overflow" || got.Turns[1].Removed == nil {
		t.Errorf("the request that failed: %+v", got.Turns[1])
	}
	if c := got.Turns[2].Calls[1]; c.Result == nil || !c.Result.Malformed || c.Attempts != 0 {
		t.Errorf("the malformed call: %+v", c)
	}
	if got.Took() <= 0 {
		t.Errorf("took %s", got.Took())
	}
}

// The answer is read from the final value of the run.
func TestAnswer(t *testing.T) {
	t.Parallel()
	v := traced().record(t).Answer()
	if v == nil || v.Turn != 5 || len(v.Claims) != 1 {
		t.Fatalf("verdict %+v", v)
	}
	if c := v.Claims[0]; c.Commit != culprit || c.Confidence != 0.9 || c.Type != "omission" {
		t.Errorf("claim %+v", c)
	}
	s := script{model: []any{says("It was commit abc.")}}
	if v := s.record(t).Answer(); v == nil || v.Text != "It was commit abc." || len(v.Claims) != 0 {
		t.Errorf("verdict in words: %+v", v)
	}
	s = script{model: []any{says("", "git_show", `{"commit":"x"}`)}, tools: traced().tools}
	if v := s.record(t).Answer(); v != nil {
		t.Errorf("a run without verdict: %+v", v)
	}
}

// The list of claims is found in every format that builds have used.
func TestClaims(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		detail, args string
		want         int
	}{
		{`[{"Commit":"a"},{"Commit":"b"}]`, "", 2},
		{`{"Claims":[{"Commit":"a","Confidence":0.5}]}`, "", 1},
		{`{"commit":"a"}`, "", 1},
		{`{"patch":"x"}`, `{"commits":[{"commit":"a"}]}`, 1},
		{`"in words"`, `{broken`, 0},
		{``, ``, 0},
		{`[]`, `null`, 0},
	} {
		if got := claims([]byte(tt.detail), tt.args); len(got) != tt.want {
			t.Errorf("claims(%s, %s) = %v", tt.detail, tt.args, got)
		}
	}
}

// A run that was killed at any step can be read as far as it went.
func TestReadInterrupted(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := traced()
	if _, err := s.loop(&replies{list: s.model}, m, s.limits).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range len(m.steps) {
		got := s.read(t, m.steps[:n], cache.Interrupted)
		if len(got.Damaged) > 0 || got.Status() != "interrupted" || got.Answer() != nil && n < len(m.steps)-1 {
			t.Errorf("after %d steps: %s, damaged %q", n, got.Status(), got.Damaged)
		}
	}
}

// Damaged and unknown steps are named, and the other steps are read.
func TestReadDamaged(t *testing.T) {
	t.Parallel()
	steps := []cache.Step{
		{Seq: 1, Kind: cache.Result, Key: agent.StepOpening, Payload: []byte(`{"system":"s","prompt":"p"}`)},
		{Seq: 2, Kind: cache.Result, Key: "model/1", Payload: []byte(`{"reply":`)},
		{Seq: 3, Kind: cache.Intent, Key: "tool/1/1", Payload: []byte(`{"name":"git_show","args":"{}"}`)},
		{Seq: 4, Kind: cache.Note, Key: "compact/9", Payload: []byte(`"made shorter"`)},
		{Seq: 5, Kind: cache.Note, Key: "tool/99999999/1", Payload: []byte(`{"n":1}`)},
		{Seq: 6, Kind: cache.Result, Key: "a case", Payload: []byte(`not JSON`)},
		{Seq: 7},
	}
	damaged := func(yield func(cache.Step, error) bool) {
		for _, s := range steps {
			var err error
			if s.Seq == 7 {
				err = errors.New("checksum")
			}
			if !yield(s, err) {
				return
			}
		}
	}
	got, err := Read(cache.Run{ID: "r"}, damaged)
	if err != nil || len(got.Damaged) != 2 {
		t.Fatalf("error %v, damaged %q", err, got.Damaged)
	}
	if len(got.Turns) != 1 || got.Turns[0].Calls[0].Name != "git_show" || got.Results != 3 {
		t.Errorf("turns %+v, %d results", got.Turns, got.Results)
	}
	if fmt.Sprint(got.Notes[0].Text, got.Notes[1].Text) != `made shorter{"n":1}` {
		t.Errorf("notes %+v", got.Notes)
	}
	var broken iter.Seq2[cache.Step, error] = func(yield func(cache.Step, error) bool) { yield(cache.Step{}, errors.New("disk")) }
	if _, err := Read(cache.Run{ID: "r"}, broken); err == nil || !strings.Contains(err.Error(), "disk") {
		t.Errorf("error %v", err)
	}
}

// If a resumed run recorded a step twice, only the later record counts.
func TestReadResumed(t *testing.T) {
	t.Parallel()
	steps := []cache.Step{
		{Seq: 1, Kind: cache.Intent, Key: "model/1", Payload: []byte(`{"request":"a"}`)},
		{Seq: 2, Kind: cache.Note, Key: agent.StepClosing, Payload: []byte(`{"status":"interrupted"}`)},
		{Seq: 3, Kind: cache.Intent, Key: "model/1", Payload: []byte(`{"request":"a"}`)},
		{Seq: 4, Kind: cache.Result, Key: "model/1", Payload: []byte(`{"reply":{"message":{"role":"assistant","text":"hi"},"finish":"stop"}}`)},
		{Seq: 5, Kind: cache.Note, Key: agent.StepClosing, Payload: []byte(`{"status":"nothing"}`)},
	}
	got := traced().read(t, steps, cache.Done)
	if len(got.Turns) != 1 || got.Turns[0].Attempts != 2 || got.Status() != "nothing" {
		t.Errorf("%+v, %s", got.Turns, got.Status())
	}
}

// An answer without a commit has the status nothing, as in git agent szz, although
// the loop calls it found.
func TestEmptyAnswerIsNothing(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{`[]`: agent.StatusNothing, `[{"commit":"` + culprit + `"}]`: agent.StatusFound, `{"a":1}`: agent.StatusFound} {
		steps := []cache.Step{
			{Seq: 1, Kind: cache.Result, Key: "model/1", Payload: []byte(`{"reply":{"message":{"role":"assistant","calls":[{"id":"1","name":"report","args":"{}"}]},"finish":"stop"}}`)},
			{Seq: 2, Kind: cache.Result, Key: "tool/1/1", Payload: []byte(`{"id":"1","name":"report","text":"accepted","final":true,"detail":` + detail + `}`)},
			{Seq: 3, Kind: cache.Note, Key: agent.StepClosing, Payload: []byte(`{"status":"found"}`)},
		}
		if got := traced().read(t, steps, cache.Done); got.Status() != want || got.Answer() == nil {
			t.Errorf("a verdict %s is %s, want %s", detail, got.Status(), want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"commit":"HEAD","path":"a b","n":3,"all":true,"x":""}`: `commit=HEAD path="a b" n=3 all=true x=""`,
		`{"start":"1","all":"true","x":"null","n":1}`:            `start="1" all="true" x="null" n=1`,
		`{"commit":"0123456","a":"1234567","l":"[1]"}`:           `commit=0123456 a="1234567" l="[1]"`,
		`{"a":{"b": 1}}`: `a={"b":1}`,
		`{}`:             "", `[1]`: `[1]`, `{"a":`: `{"a":`, ``: ``,
	} {
		if got := ArgsText(in); got != want {
			t.Errorf("ArgsText(%s) = %s", in, got)
		}
	}
	if head, more := Excerpt("a\nb\nc\n", 2); head != "a\nb" || more != 1 {
		t.Errorf("Excerpt: %q, %d", head, more)
	}
	if head, more := Excerpt("a\nb\n", 2); head != "a\nb" || more != 0 {
		t.Errorf("Excerpt: %q, %d", head, more)
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 18_240: "18.2k", 999_949: "999.9k", 999_950: "1.0M", 2_500_000: "2.5M"} {
		if got := CountText(n); got != want {
			t.Errorf("CountText(%d) = %s", n, got)
		}
	}
}
