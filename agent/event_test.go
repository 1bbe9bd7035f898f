package agent

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestEventsSurviveJSON(t *testing.T) {
	// Every event reads back as it was written, with its type first.
	cost := 0.25
	events := []Event{
		Started{Verb: "szz", Subject: "HEAD", Engine: "offline"},
		Progress{Text: "blame", Done: 1, Total: 2},
		Thought{Turn: 1, Text: "hm"},
		ToolCall{Turn: 1, ID: "c1", Name: "git_show", Args: json.RawMessage(`{"commit":"x"}`)},
		ToolResult{ID: "c1", Name: "git_show", Text: "a\nb", Failed: true},
		Usage{Turn: 1, Uncached: 10, Output: 3, CostUSD: &cost},
		Finding{Kind: "commit", Subject: "abc", Confidence: 0.5, Detail: json.RawMessage(`{"a":1}`)},
		Done{Status: StatusFound},
	}
	for _, e := range events {
		data, err := MarshalEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		if head := `{"type":"` + e.Type() + `"`; string(data[:len(head)]) != head {
			t.Errorf("%s does not begin with its type", data)
		}
		back, err := UnmarshalEvent(data)
		if err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%s reads back as %+v (%v)", data, back, err)
		}
	}
	if _, err := UnmarshalEvent([]byte(`{"type":"surprise"}`)); err == nil {
		t.Error("an unknown type was accepted")
	}
}

func FuzzUnmarshalEvent(f *testing.F) {
	// Reading events never panics, and what was read can be written.
	f.Add([]byte(`{"type":"usage","turn":1}`))
	f.Add([]byte(`{"type":"tool_call","args":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := UnmarshalEvent(data)
		if err != nil {
			return
		}
		if _, err := MarshalEvent(e); err != nil {
			t.Errorf("%q was read but cannot be written: %v", data, err)
		}
	})
}
