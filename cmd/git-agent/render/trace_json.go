package render

import (
	"encoding/json"
	"io"
	"time"

	"git-agent/agent"
	"git-agent/agent/trace"
)

// traceSchema is the schema of `trace show --json`, which prints one object for
// each step. The field "type" has the kind of the step.
const traceSchema = "git-agent/trace/1"

// traceHead has the first fields of every object.
type traceHead struct {
	Schema string `json:"schema"`
	Type   string `json:"type"` // run, opening, turn, call, said, removed, note, end
	Run    string `json:"run"`
}

type (
	traceRun struct {
		traceHead
		Kind     string     `json:"kind"`
		State    string     `json:"state"`
		Started  time.Time  `json:"started"`
		Ended    *time.Time `json:"ended,omitempty"`
		Version  string     `json:"version"`
		Model    string     `json:"model"`
		Fix      string     `json:"fix,omitempty"`
		Subject  string     `json:"subject,omitempty"`
		Parent   string     `json:"parent,omitempty"`
		Commit   string     `json:"commit,omitempty"` // that crashed
		Crash    string     `json:"crash,omitempty"`
		Repo     string     `json:"repo,omitempty"`
		Case     string     `json:"case,omitempty"`
		Sample   int        `json:"sample"`
		Settings string     `json:"settings,omitempty"`
		Turns    int        `json:"turns"`
		Calls    int        `json:"calls"`
		Usage    TokensJSON `json:"usage"`
	}
	traceOpening struct {
		traceHead
		System string   `json:"system"`
		Prompt string   `json:"prompt"`
		Tools  []string `json:"tools"`
	}
	traceTurn struct {
		traceHead
		Turn    int        `json:"turn"`
		Asked   *time.Time `json:"asked,omitempty"`
		Seconds float64    `json:"seconds"`
		Limit   string     `json:"limit,omitempty"` // the limit that forced the model's last answer
		Thought string     `json:"thought,omitempty"`
		Text    string     `json:"text"`
		Finish  string     `json:"finish,omitempty"`
		Class   string     `json:"class,omitempty"` // class of the error if the request got no answer
		Error   string     `json:"error,omitempty"`
		Usage   TokensJSON `json:"usage"`
	}
	traceCall struct {
		traceHead
		Turn      int             `json:"turn"`
		Call      int             `json:"call"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Args      json.RawMessage `json:"args"` // a string if they are not valid JSON
		Answered  bool            `json:"answered"`
		Output    string          `json:"output"`
		Full      string          `json:"full,omitempty"` // the whole output, if output is compressed
		Failed    bool            `json:"failed"`
		Cached    bool            `json:"cached"`
		Truncated bool            `json:"truncated"`
		Final     bool            `json:"final"`
		Seconds   float64         `json:"seconds"`
	}
	traceSaid struct {
		traceHead
		Turn int    `json:"turn"`
		Text string `json:"text"`
	}
	traceNote struct {
		traceHead
		Key  string `json:"key"`
		Text string `json:"text"`
	}
	traceEnd struct {
		traceHead
		Status  string          `json:"status"`
		Reason  string          `json:"reason,omitempty"`
		Seconds float64         `json:"seconds"`
		Claims  []trace.Claim   `json:"claims"`
		Verdict json.RawMessage `json:"verdict,omitempty"`
		Patch   *trace.Patch    `json:"patch,omitempty"` // of a trajectory of fix, with what the tests say of it
		Smells  []TraceSmell    `json:"smells"`
	}
	// TraceSmell is a sign of trouble in a run.
	TraceSmell struct {
		Name  string `json:"name"`
		Turns []int  `json:"turns"`
		Note  string `json:"note,omitempty"`
	}
)

// TraceJSON prints recorded runs as JSON, one object for each step.
type TraceJSON struct {
	W      io.Writer
	End    string // end of a line
	Output string // the value of --output
	err    error  // the first error of writing
}

func (r *TraceJSON) put(v any) {
	if r.err != nil {
		return
	}
	r.err = WriteJSON(r.W, v, r.End)
}

// Show prints one run. subject is the fix's, if known.
func (r *TraceJSON) Show(t *trace.Trajectory, subject string) error {
	head := func(kind string) traceHead { return traceHead{traceSchema, kind, string(t.Run.ID)} }
	r.put(newTraceRun(t, subject, head("run")))
	if o := t.Opening; o != nil {
		open := traceOpening{head("opening"), o.System, o.Prompt, []string{}}
		for _, tool := range o.Tools {
			open.Tools = append(open.Tools, tool.Name)
		}
		r.put(open)
	}
	for _, turn := range t.Turns {
		r.turn(turn, head)
	}
	for _, n := range t.Notes {
		r.put(traceNote{head("note"), n.Key, n.Text})
	}
	end := traceEnd{
		traceHead: head("end"),
		Status:    t.Status(),
		Seconds:   t.Took().Seconds(),
		Claims:    []trace.Claim{},
		Patch:     t.Patch,
		Smells:    NewTraceSmells(t),
	}
	if t.Closing != nil {
		end.Reason = t.Closing.Reason
	}
	if v := t.Answer(); v != nil {
		end.Claims, end.Verdict = append(end.Claims, v.Claims...), v.Detail
	}
	r.put(end)
	return r.err
}

func newTraceRun(t *trace.Trajectory, subject string, head traceHead) traceRun {
	run := traceRun{
		traceHead: head, Kind: t.Run.Kind, State: string(t.Run.State), Started: t.Run.Started, Version: t.Run.Version, Model: t.Model(),
		Fix: t.About.Fix, Subject: subject, Parent: t.About.Parent, Commit: t.About.Commit, Crash: t.About.Title,
		Repo: t.About.Repo, Case: t.About.Case, Sample: t.About.Sample,
		Settings: t.About.Settings, Turns: t.Answers(), Calls: t.Calls(), Usage: TokensOf(t.Usage()),
	}
	if !t.Run.Ended.IsZero() {
		run.Ended = &t.Run.Ended
	}
	return run
}

// NewTraceSmells returns the JSON form of the smells of a run.
func NewTraceSmells(t *trace.Trajectory) []TraceSmell {
	list := []TraceSmell{}
	for _, f := range t.Smells() {
		list = append(list, TraceSmell{f.Smell.Name, append([]int{}, f.Turns...), f.Note})
	}
	return list
}

func (r *TraceJSON) turn(turn trace.Turn, head func(string) traceHead) {
	out := traceTurn{traceHead: head("turn"), Turn: turn.N}
	if !turn.Asked.IsZero() {
		out.Asked = &turn.Asked
	}
	if turn.Limit != nil {
		out.Limit = turn.Limit.Reason
	}
	if res := turn.Result; res != nil {
		out.Seconds, out.Class, out.Error = res.Seconds, string(res.Class), res.Error
	}
	if reply := turn.Reply(); reply != nil {
		out.Thought, out.Text, out.Finish, out.Usage = reply.Message.Thought, reply.Message.Text, string(reply.Finish), TokensOf(reply.Usage)
	}
	r.put(out)
	for _, c := range turn.Calls {
		r.put(r.call(turn.N, c, head("call")))
	}
	if turn.Removed != nil {
		r.put(traceNote{head("removed"), string(turn.Removed.Why), agent.Plural(len(turn.Removed.Answers), "answer") + " of tools taken out"})
	}
	if s := turn.Said; s != nil && !s.Final && s.Text != "" {
		r.put(traceSaid{head("said"), turn.N, s.Text})
	}
}

func (r *TraceJSON) call(turn int, c trace.Call, head traceHead) traceCall {
	out := traceCall{traceHead: head, Turn: turn, Call: c.I, ID: c.ID, Name: c.Name, Args: ArgsJSON(c.Args)}
	res := c.Result
	if res == nil {
		return out
	}
	out.Answered, out.Failed, out.Cached, out.Truncated, out.Final, out.Seconds = true, res.Failed, res.Cached, res.Truncated, res.Final, res.Seconds
	switch r.Output {
	case "none":
	case "full":
		out.Output, out.Full = res.Text, res.Full
	default:
		out.Output = res.Text
	}
	return out
}
