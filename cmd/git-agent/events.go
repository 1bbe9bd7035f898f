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
	"git-agent/cmd/git-agent/layout"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
	"git-agent/gitext/openfile"
)

// eventSchema is the schema of --events.
const eventSchema = "git-agent/event/1"

// eventLine is one line of --events, in its documented form. A line is written in
// a single write. A reader may ignore the event "progress" and loses nothing.
// Which fields a line has depends on its event:
//
//	start        fixes or reports (0 if their number is not known yet), version
//	progress     text, done, total
//	thought      turn, text
//	tool_call    turn, id, tool, args
//	tool_result  id, tool, text, failed, cached, truncated
//	usage        turn, usage
//	answer       answer: the object that --json prints
//	end          error: why the command ended early
type eventLine struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"`
	eventSubject
	Event string `json:"event"`

	Run     int    `json:"run,omitempty"` // with --runs, the number of the run, from 1
	Version string `json:"version,omitempty"`
	eventTotal
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
	Answer    any                `json:"answer,omitempty"`
	Error     string             `json:"error,omitempty"`
}

// eventSubject is the question that an event is about. At most one field is set.
type eventSubject struct {
	Fix    gitext.OID `json:"fix,omitempty"`    // of szz; none for an uncommitted fix
	Report string     `json:"report,omitempty"` // of crash: the report's name
}

// eventTotal is the number of questions. At most one field is set.
type eventTotal struct {
	Fixes   int `json:"fixes,omitempty"`   // of szz
	Reports int `json:"reports,omitempty"` // of crash
}

// eventLog writes the events of a command for other programs to follow. A nil
// eventLog writes nothing. It is safe for concurrent use.
type eventLog struct {
	now func() time.Time

	mu   sync.Mutex
	file io.WriteCloser
	err  error // the first error of writing
}

// eventGrace is how long an interrupted command waits for the reader of the last
// events.
const eventGrace = time.Second

// newEventLog returns a log that appends to the named file, which may be a pipe or
// /dev/fd/3. It returns nil for "".
func (a *app) newEventLog(ctx context.Context, name string) (*eventLog, error) {
	if name == "" {
		return nil, nil
	}
	f, err := openfile.Named(ctx, name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// A reader that has stopped reading must not keep an interrupted command from ending.
	context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Now().Add(eventGrace)) }) // only a pipe takes a deadline
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

// start writes the first event.
func (l *eventLog) start(total eventTotal) {
	l.write(eventLine{Event: "start", eventTotal: total, Version: versionString()})
}

// event writes an event of an engine.
func (l *eventLog) event(about eventSubject, e agent.Event) {
	if l != nil {
		line := eventLineOf(e)
		line.eventSubject = about
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

// modelUsage converts the usage that an event reports.
func modelUsage(e agent.Usage) model.Usage {
	return model.Usage{Uncached: e.Uncached, CacheRead: e.CacheRead, CacheWrite: e.CacheWrite, Output: e.Output, Reasoning: e.Reasoning,
		CostUSD: e.CostUSD, Estimated: e.Estimated}
}

// answer writes the answer to one question: the object that --json prints.
func (l *eventLog) answer(about eventSubject, object any) {
	l.write(eventLine{Event: "answer", eventSubject: about, Answer: object})
}

// close writes the last event, which says how the command ended, and returns the
// first error of writing. It is no error if the reader has closed the pipe.
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
		line.Error = layout.FatalText(why)
	}
	l.write(line)
	if errors.Is(l.err, syscall.EPIPE) {
		l.err = nil
	}
	return errors.Join(l.err, l.file.Close())
}
