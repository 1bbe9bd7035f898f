// Package mcp serves tools and prompts to other agents over the Model Context
// Protocol, on a pair of streams, with the official Go SDK.
//
// In go tools as package agent has them; out come their texts, masked as
// Options says. A call that cannot be answered is a result with isError, which
// the other agent's model can read and learn from; only what breaks the
// protocol itself is a protocol error.
//
// Promises: the output stream carries protocol and nothing else, with what is
// hidden in it escaped; a line that is no message is answered with an error and
// the session goes on; a message of more than maxMessage bytes is skipped in
// constant memory; at most maxOpen requests are in work, and a client that
// sends more, or reads no answers, waits; the end of the input ends the session
// when the calls in work are answered, or nobody can read the answers; a
// cancelled call ends its git. Every tool is announced as read-only, and it is
// the caller's duty to pass only such tools.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"

	"git-agent/agent"
	"git-agent/gitext/visible"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say what is served.
type Options struct {
	Version      string // of this program
	Instructions string // what a client's model should know at first
	Tools        []Tool
	Prompts      []Prompt
	Mask         func(string) string // takes secrets out of all that is sent; nil changes nothing
	Gone         func() bool         // nobody can read the output any more; nil does not know
	Patience     time.Duration       // how long an answer may wait for a client to read it; 0 is five minutes
}

const (
	usualPatience = 5 * time.Minute
	// farewell is how long the calls in work may take to end their git.
	farewell = time.Second
	// lookPause is between looks whether the client is gone.
	lookPause = 200 * time.Millisecond
)

// Tool is a tool and how it is announced. Call may be called concurrently.
type Tool struct {
	Spec       agent.Spec
	Title      string // for people
	Call       func(ctx context.Context, args json.RawMessage) (agent.Result, error)
	Structured bool // Result.Value is small, and sent as structured content
}

// Prompt is a text that a user of the client can start a conversation with.
type Prompt struct {
	Name, Title, Description string
	Arguments                []Argument
	Text                     func(args map[string]string) (string, error)
}

// Argument is what a user fills in.
type Argument struct {
	Name, Description string
	Required          bool
}

// Serve answers messages from in until it ends, ctx ends, or out cannot be
// written to. The end of in is the ordinary end, without an error; the error of
// a write, such as that of a closed pipe, is returned as it is.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	session, leave := context.WithCancel(ctx)
	defer leave()
	open := newPending()
	w := &output{w: out, pending: open, leave: leave, patience: cmp.Or(opt.Patience, usualPatience)}
	messages := newMessageReader(session, in, w, open, func() { go lookAfter(session, opt.Gone, leave) })
	ended := make(chan error, 1)
	go func() {
		ended <- newServer(session, opt).Run(session, &sdk.IOTransport{Reader: messages, Writer: w, MaxLineLength: -1})
	}()
	var err error
	select {
	case err = <-ended:
	case <-session.Done():
		select { // the SDK waits for answers that nobody may read
		case err = <-ended:
		case <-time.After(farewell):
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case w.unread.Load():
		return fmt.Errorf("the client has not read its answers for %s", w.patience)
	case w.failed.Load() != nil:
		return *w.failed.Load()
	case messages.atEnd():
		return nil // the client has left
	}
	return err
}

// lookAfter leaves when nobody can read the answers to what is still in work.
func lookAfter(session context.Context, gone func() bool, leave func()) {
	for gone != nil && session.Err() == nil {
		if gone() {
			leave()
		}
		select {
		case <-session.Done():
		case <-time.After(lookPause):
		}
	}
}

func newServer(session context.Context, opt Options) *sdk.Server {
	s := &service{opt: opt, session: session, slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
	server := sdk.NewServer(&sdk.Implementation{Name: "git-agent", Title: "git agent", Version: opt.Version}, &sdk.ServerOptions{
		Instructions: opt.Instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}},
	})
	for _, t := range opt.Tools {
		server.AddTool(announce(t), s.handler(t))
	}
	for _, p := range opt.Prompts {
		server.AddPrompt(announcePrompt(p), promptHandler(p))
	}
	return server
}

func announce(t Tool) *sdk.Tool {
	no := false
	return &sdk.Tool{
		Name: t.Spec.Name, Title: t.Title, Description: t.Spec.Description, InputSchema: t.Spec.Parameters,
		Annotations: &sdk.ToolAnnotations{Title: t.Title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
	}
}

func announcePrompt(p Prompt) *sdk.Prompt {
	out := &sdk.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		out.Arguments = append(out.Arguments, &sdk.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
	}
	return out
}

func promptHandler(p Prompt) sdk.PromptHandler {
	return func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text, err := p.Text(req.Params.Arguments)
		if err != nil {
			return nil, &jsonrpc.Error{Code: codeInternal, Message: agent.Clean(err.Error())}
		}
		return &sdk.GetPromptResult{Description: p.Description,
			Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
	}
}

// mask is Options.Mask, also for JSON.
func (s *service) mask(text string) string {
	if s.opt.Mask == nil {
		return text
	}
	return s.opt.Mask(text)
}

// structured is the JSON of a value with secrets masked, or nil when masking
// would break it.
func (s *service) structured(value any) any {
	text, err := visible.Marshal(value)
	if err != nil {
		return nil
	}
	masked := s.mask(string(text))
	if !json.Valid([]byte(masked)) {
		return nil
	}
	return json.RawMessage(masked)
}
