package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// eventSchema names the form of --events.
const eventSchema = "git-agent/event/1"

// eventLine is one line of --events, its documented form. Each line is whole
// when it is written, and the stream keeps its meaning without the lines of
// "progress". Which fields there are depends on the event:
//
//	start        fixes (0 when their number is not known yet), version
//	progress     text, done, total
//	thought      turn, text
//	tool_call    turn, id, tool, args
//	tool_result  id, tool, text, failed, cached, truncated
//	usage        turn, usage
//	answer       answer: what --json prints
//	end          error: why it ended early
type eventLine struct {
	Schema string     `json:"schema"`
	Time   time.Time  `json:"time"`
	Fix    gitext.OID `json:"fix,omitempty"` // which fix it is about; none for an uncommitted one
	Event  string     `json:"event"`

	Run       int                `json:"run,omitempty"` // from 1, with --runs: which conversation
	Version   string             `json:"version,omitempty"`
	Fixes     int                `json:"fixes,omitempty"`
	Turn      int                `json:"turn,omitempty"`
	Text      string             `json:"text,omitempty"`
	Done      int                `json:"done,omitempty"`
	Total     int                `json:"total,omitempty"`
	ID        string             `json:"id,omitempty"`
	Tool      string             `json:"tool,omitempty"`
	Args      json.RawMessage    `json:"args,omitempty"`
	Failed    bool               `json:"failed,omitempty"`
	Cached    bool               `json:"cached,omitempty"`
	Truncated bool               `json:"truncated,omitempty"`
	Usage     *render.TokensJSON `json:"usage,omitempty"`
	Answer    *render.AnswerJSON `json:"answer,omitempty"`
	Error     string             `json:"error,omitempty"`
}

// eventLog writes events for programs that follow a run. A nil one writes
// nothing. It is safe for concurrent use.
type eventLog struct {
	now func() time.Time

	mu   sync.Mutex
	file io.WriteCloser
	err  error // of the first line that could not be written
}

// eventGrace is how long the last events may wait for their reader.
const eventGrace = time.Second

// newEventLog appends to a file, which may be a pipe or /dev/fd/3; "" is none.
func (a *app) newEventLog(ctx context.Context, name string) (*eventLog, error) {
	if name == "" {
		return nil, nil
	}
	f, err := gitext.OpenNamed(ctx, name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// A reader that reads no more must not keep an interrupted run from ending.
	context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Now().Add(eventGrace)) }) // only a pipe takes one
	return &eventLog{now: a.now, file: f}, nil
}

func (l *eventLog) write(line eventLine) {
	if l == nil {
		return
	}
	line.Schema = eventSchema
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	line.Time = l.now().UTC()
	l.err = render.WriteJSON(l.file, line, "\n")
}

// start says what is about to be done.
func (l *eventLog) start(fixes int) {
	l.write(eventLine{Event: "start", Fixes: fixes, Version: versionString()})
}

// event writes what an engine did.
func (l *eventLog) event(q szz.Question, e agent.Event) {
	if l != nil {
		line := eventLineOf(e)
		if q.Committed() {
			line.Fix = q.Fix
		}
		l.write(line)
	}
}

func eventLineOf(e agent.Event) eventLine {
	switch e := e.(type) {
	case agent.OfRun:
		line := eventLineOf(e.Event)
		line.Run = e.Run
		return line
	case agent.Progress:
		return eventLine{Event: "progress", Text: e.Text, Done: e.Done, Total: e.Total}
	case agent.Thought:
		return eventLine{Event: "thought", Turn: e.Turn, Text: e.Text}
	case agent.ToolCall:
		line := eventLine{Event: "tool_call", Turn: e.Turn, ID: e.ID, Tool: e.Name}
		if len(e.Args) > 0 {
			line.Args = render.ArgsJSON(string(e.Args))
		}
		return line
	case agent.ToolResult:
		return eventLine{Event: "tool_result", ID: e.ID, Tool: e.Name, Text: e.Text, Failed: e.Failed, Cached: e.Cached, Truncated: e.Truncated}
	case agent.Usage:
		u := render.TokensOf(modelUsage(e))
		return eventLine{Event: "usage", Turn: e.Turn, Usage: &u}
	}
	return eventLine{Event: "unknown"}
}

// modelUsage is what an event says of one call, as a sum of usage.
func modelUsage(e agent.Usage) model.Usage {
	return model.Usage{Uncached: e.Uncached, CacheRead: e.CacheRead, CacheWrite: e.CacheWrite, Output: e.Output, Reasoning: e.Reasoning,
		CostUSD: e.CostUSD, Estimated: e.Estimated}
}

// Answer writes the answer for one fix.
func (l *eventLog) answer(ans render.Answer) {
	if l != nil {
		form := render.AnswerJSONOf(ans)
		l.write(eventLine{Event: "answer", Fix: ans.Verdict.Fix, Answer: &form})
	}
}

// close says how it ended, and returns the first error of writing. A reader who
// has left before the end has seen enough.
func (l *eventLog) close(why error) error {
	if l == nil {
		return nil
	}
	line := eventLine{Event: "end"}
	var status exitStatus
	switch {
	case why == nil || errors.As(why, &status):
	case errors.Is(why, context.Canceled):
		line.Error = errInterrupted.Error()
	default:
		line.Error = fatalText(why)
	}
	l.write(line)
	if errors.Is(l.err, syscall.EPIPE) {
		l.err = nil
	}
	return errors.Join(l.err, l.file.Close())
}
