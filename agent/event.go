package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Event is one thing that happened while an engine answered a question.
// Engines emit events in order; terminals, JSON lines, MCP and the trace
// recorder consume them. The concrete types are Started, Progress, Thought,
// ToolCall, ToolResult, Usage, Finding and Done, and nothing outside this
// package can add one.
//
// Two promises: a stream begins with Started and ends with Done, and it keeps
// its meaning when every Progress is removed. Events carry no clock, so that
// a replayed stream is byte for byte the recorded one; who needs times adds
// them when storing.
type Event interface {
	// Type is the word that stands in the JSON form's "type" field.
	Type() string
}

// Started opens a stream.
type Started struct {
	Verb    string `json:"verb"`             // "szz", "fix", "crash", "tool"
	Subject string `json:"subject"`          // what is asked about: an oid, a path, a report's name
	Engine  string `json:"engine,omitempty"` // "offline" or "agent"
	Run     string `json:"run,omitempty"`    // id of the recorded run, when one is recorded
}

// Progress says that work goes on. Total 0 means unknown.
type Progress struct {
	Text  string `json:"text"`
	Done  int    `json:"done,omitempty"`
	Total int    `json:"total,omitempty"`
}

// Thought is text that a model wrote beside its calls.
type Thought struct {
	Turn int    `json:"turn"`
	Text string `json:"text"`
}

// ToolCall is a call that is about to run. ID pairs it with its ToolResult.
type ToolCall struct {
	Turn int             `json:"turn"`
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// ToolResult is what the caller of a tool saw. Failed results are ordinary:
// their text tells the model what was wrong.
type ToolResult struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	Value     json.RawMessage `json:"value,omitempty"`
	Failed    bool            `json:"failed,omitempty"`
	Cached    bool            `json:"cached,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
}

// Usage is what one model call consumed, in buckets that do not overlap
// (Reasoning alone is a part of Output). CostUSD is nil when the price is
// unknown; Estimated marks counts that the server did not send.
type Usage struct {
	Turn       int      `json:"turn"`
	Uncached   int64    `json:"uncached"`
	CacheRead  int64    `json:"cache_read,omitempty"`
	CacheWrite int64    `json:"cache_write,omitempty"`
	Output     int64    `json:"output"`
	Reasoning  int64    `json:"reasoning,omitempty"`
	CostUSD    *float64 `json:"cost_usd,omitempty"`
	Estimated  bool     `json:"estimated,omitempty"`
}

// Finding is one part of the answer: a suspect commit, a file, a patch.
// Confidence 0 means that the engine has none to give.
type Finding struct {
	Kind       string          `json:"kind"`    // "commit", "file", "patch"
	Subject    string          `json:"subject"` // oid or path
	Confidence float64         `json:"confidence,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Detail     json.RawMessage `json:"detail,omitempty"` // the verb's own typed answer
}

// Done closes a stream.
type Done struct {
	Status string `json:"status"` // one of the Status constants
	Reason string `json:"reason,omitempty"`
}

// How a run may end.
const (
	StatusFound       = "found"       // an answer was given
	StatusNothing     = "nothing"     // looked, and there is no answer
	StatusLimit       = "limit"       // a budget ended it; what was found stands
	StatusFailed      = "failed"      // an error ended it
	StatusInterrupted = "interrupted" // the user ended it
)

func (Started) Type() string    { return "started" }
func (Progress) Type() string   { return "progress" }
func (Thought) Type() string    { return "thought" }
func (ToolCall) Type() string   { return "tool_call" }
func (ToolResult) Type() string { return "tool_result" }
func (Usage) Type() string      { return "usage" }
func (Finding) Type() string    { return "finding" }
func (Done) Type() string       { return "done" }

// MarshalEvent gives the JSON form of an event, on one line without a final
// newline, with "type" as its first field.
func MarshalEvent(e Event) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", e.Type(), err)
	}
	head := fmt.Appendf(nil, `{"type":%q`, e.Type())
	if rest := bytes.TrimPrefix(body, []byte("{")); len(rest) > 1 {
		return append(append(head, ','), rest...), nil
	}
	return append(head, '}'), nil
}

// UnmarshalEvent reads what MarshalEvent wrote. Fields that this version does
// not know are ignored; an event type that it does not know is an error.
func UnmarshalEvent(data []byte) (Event, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	switch head.Type {
	case "started":
		return decodeEvent[Started](data)
	case "progress":
		return decodeEvent[Progress](data)
	case "thought":
		return decodeEvent[Thought](data)
	case "tool_call":
		return decodeEvent[ToolCall](data)
	case "tool_result":
		return decodeEvent[ToolResult](data)
	case "usage":
		return decodeEvent[Usage](data)
	case "finding":
		return decodeEvent[Finding](data)
	case "done":
		return decodeEvent[Done](data)
	}
	return nil, fmt.Errorf("unknown event type %q", head.Type)
}

func decodeEvent[E Event](data []byte) (Event, error) {
	var e E
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, fmt.Errorf("decode %s event: %w", e.Type(), err)
	}
	return e, nil
}
