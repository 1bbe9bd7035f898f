package agent

import "encoding/json"

// Event is something that happened while an engine answered a question. Engines emit
// events in order; terminals, MCP and the evaluation each show or count some of them. The
// concrete types are Progress, Thought, ToolCall, ToolResult, Usage, and OfRun around one
// of them; no other package can add one.
//
// A stream keeps its meaning if every Progress is removed. Events carry no
// time, so that a resumed run emits the same events again.
type Event interface{ event() }

// Progress says that work continues. Total 0 means unknown.
type Progress struct {
	Text  string
	Done  int
	Total int
	// Lasting says that the text deserves a line that stays.
	Lasting bool
}

// Thought is text that a model wrote beside its calls.
type Thought struct {
	Turn int
	Text string
}

// ToolCall is a call that is about to run. ID pairs it with its ToolResult.
type ToolCall struct {
	Turn int
	ID   string
	Name string
	Args json.RawMessage
}

// ToolResult is the answer to a call as its caller saw it. Failed results are ordinary:
// their text tells the model the mistake.
type ToolResult struct {
	ID        string
	Name      string
	Text      string
	Failed    bool
	Cached    bool
	Truncated bool
	Fault     Fault // the reason why the call has no result; "" if it has one
}

// Usage counts the tokens of one model call in buckets that do not overlap, except that
// Reasoning is part of Output. CostUSD is nil if the price is unknown; Estimated marks
// counts that the server did not send.
type Usage struct {
	Turn       int
	Uncached   int64
	CacheRead  int64
	CacheWrite int64
	Output     int64
	Reasoning  int64
	CostUSD    *float64
	Estimated  bool
}

// OfRun is an event of one of several conversations that run at the same time.
type OfRun struct {
	Run int // from 1
	Event
}

func (Progress) event()   {}
func (Thought) event()    {}
func (ToolCall) event()   {}
func (ToolResult) event() {}
func (Usage) event()      {}
