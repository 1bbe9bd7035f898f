package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"sync"
	"syscall"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/schema"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/disk"
)

// EventSchema is the schema of --events.
const EventSchema = "git-agent/event/1"

// EventLine is one line of --events, in its documented form, written in a single write. A reader
// may ignore the event "progress" without loss. The fields of a line depend on its event:
//
//	start        fixes or reports (0 if their number is not known yet), version
//	progress     text, done, total
//	thought      turn, text
//	tool_call    turn, id, tool, args
//	tool_result  id, tool, text, failed, cached, truncated
//	usage        turn, usage
//	answer       answer: the object that --json prints
//	end          error: why the command ended early
type EventLine struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"`
	EventSubject
	Event string `json:"event"`

	Run     int    `json:"run,omitempty"` // with --runs, the number of the run, from 1
	Version string `json:"version,omitempty"`
	EventTotal
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

// EventFormat is the form of a line of --events.
func EventFormat() schema.Format {
	return schema.Format{Name: "event", Title: "--events: one event of a command", ID: EventSchema, Type: reflect.TypeFor[EventLine](),
		Values: map[string][]any{"event": {"start", "progress", "thought", "tool_call", "tool_result", "usage", "answer", "end", "unknown"}}}
}

// EventSubject is the question of an event. At most one field is set.
type EventSubject struct {
	Fix    gitext.OID `json:"fix,omitempty"`    // of szz; none for an uncommitted fix
	Report string     `json:"report,omitempty"` // of crash: the report's name
}

// EventTotal is the number of questions. At most one field is set.
type EventTotal struct {
	Fixes   int `json:"fixes,omitempty"`   // of szz
	Reports int `json:"reports,omitempty"` // of crash
}

// EventLog writes the events of a command for other programs. A nil EventLog writes nothing. It
// is safe for concurrent use.
type EventLog struct {
	now func() time.Time

	mu   sync.Mutex
	file io.WriteCloser
	err  error // the first error of writing
}

// eventGrace is the time that an interrupted command waits for the reader of the last events.
const eventGrace = time.Second

// NewEventLog returns a log that appends to the named file, which may be a pipe or
// /dev/fd/3. It returns nil for "".
func (a *App) NewEventLog(ctx context.Context, name string) (*EventLog, error) {
	if name == "" {
		return nil, nil
	}
	f, err := disk.Named(ctx, name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// A stopped reader must not keep an interrupted command from ending.
	context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Now().Add(eventGrace)) }) // only a pipe takes a deadline
	return &EventLog{now: a.Now, file: f}, nil
}

func (l *EventLog) write(line EventLine) {
	if l == nil {
		return
	}
	line.Schema = EventSchema
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	line.Time = l.now().UTC()
	l.err = render.WriteJSON(l.file, line, "\n")
}

// Start writes the first event.
func (l *EventLog) Start(total EventTotal) {
	l.write(EventLine{Event: "start", EventTotal: total, Version: VersionString()})
}

// event writes an event of an engine.
func (l *EventLog) event(about EventSubject, e agent.Event) {
	if l != nil {
		line := eventLineOf(e)
		line.EventSubject = about
		l.write(line)
	}
}

func eventLineOf(e agent.Event) EventLine {
	switch e := e.(type) {
	case agent.OfRun:
		line := eventLineOf(e.Event)
		line.Run = e.Run
		return line
	case agent.Progress:
		return EventLine{Event: "progress", Text: e.Text, Done: e.Done, Total: e.Total}
	case agent.Thought:
		return EventLine{Event: "thought", Turn: e.Turn, Text: e.Text}
	case agent.ToolCall:
		line := EventLine{Event: "tool_call", Turn: e.Turn, ID: e.ID, Tool: e.Name}
		if len(e.Args) > 0 {
			line.Args = render.ArgsJSON(string(e.Args))
		}
		return line
	case agent.ToolResult:
		return EventLine{Event: "tool_result", ID: e.ID, Tool: e.Name, Text: e.Text, Failed: e.Failed, Cached: e.Cached, Truncated: e.Truncated}
	case agent.Usage:
		u := render.TokensOf(modelUsage(e))
		return EventLine{Event: "usage", Turn: e.Turn, Usage: &u}
	}
	return EventLine{Event: "unknown"}
}

// modelUsage converts the usage in an event.
func modelUsage(e agent.Usage) model.Usage {
	return model.Usage{Uncached: e.Uncached, CacheRead: e.CacheRead, CacheWrite: e.CacheWrite, Output: e.Output, Reasoning: e.Reasoning,
		CostUSD: e.CostUSD, Estimated: e.Estimated}
}

// Answer writes the answer to one question: the object that --json prints.
func (l *EventLog) Answer(about EventSubject, object any) {
	l.write(EventLine{Event: "answer", EventSubject: about, Answer: object})
}

// Close writes the last event, with the command's error if any, and returns the first error of
// writing. A pipe closed by the reader is no error.
func (l *EventLog) Close(why error) error {
	if l == nil {
		return nil
	}
	line := EventLine{Event: "end"}
	var status ExitStatus
	switch {
	case why == nil || errors.As(why, &status):
	case errors.Is(why, context.Canceled):
		line.Error = ErrInterrupted.Error()
	default:
		line.Error = ui.FatalText(why)
	}
	l.write(line)
	if errors.Is(l.err, syscall.EPIPE) {
		l.err = nil
	}
	return errors.Join(l.err, l.file.Close())
}
