package mcpcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"

	"git-agent/agent"
	"git-agent/gitext/quote"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server offers tools and prompts to other agents over the Model Context
// Protocol, on a pair of streams, with the official Go SDK.
//
// It serves tools of package agent and returns their texts, masked as Options
// says. A failed call gives a result with isError, which the client's model can
// read; only a violation of the protocol itself gives a protocol error.
//
// Promises:
//
//   - The output stream carries only protocol messages, with hidden characters escaped.
//   - A line that is not a message is answered with an error, and the session continues.
//   - A message of more than maxMessage bytes is skipped in constant memory.
//   - At most maxOpen requests are open. A client that sends more, or reads no answers,
//     has to wait.
//   - The end of the input ends the session once the open calls are answered, or nobody can
//     read the answers.
//   - A cancelled call ends its git process.
//   - A long call tells a client that asks for progress that work continues.
//
// A tool is announced as read-only unless it says that it runs commands.

// Options define the tools, prompts and texts to serve.
type Options struct {
	Version      string // of this program
	Instructions string // the first information for a client's model
	Tools        []Tool
	Prompts      []Prompt
	Resources    *Resources          // may be nil
	Heartbeat    time.Duration       // between signs of life of a call; 0 is five seconds
	Mask         func(string) string // masks secrets in all output; may be nil
	Gone         func() bool         // reports that the output has no reader any more; may be nil
	Patience     time.Duration       // bound on the wait of an answer for its reader; 0 is five minutes
}

const (
	usualPatience = 5 * time.Minute
	// stopGrace is the time for running calls to end their git processes.
	stopGrace = time.Second
	// watchPause is the time between checks whether the client is gone.
	watchPause = 200 * time.Millisecond
)

// Tool is a tool with its announcement. Call may be called concurrently.
type Tool struct {
	Spec       agent.Spec
	Title      string // for people
	Call       func(ctx context.Context, args json.RawMessage) (agent.Result, error)
	Runs       bool // it runs commands of the client, and is not announced as read-only
	Structured bool // Result.Value is small and sent as structured content
	// Output is the JSON Schema of the structured content; nil if none is announced.
	Output json.RawMessage
}

// Prompt is a text for starting a conversation in the client.
type Prompt struct {
	Name, Title, Description string
	Arguments                []Argument
	Text                     func(args map[string]string) (string, error)
}

// Argument is a placeholder in a prompt for the user's input.
type Argument struct {
	Name, Description string
	Required          bool
}

// Serve answers messages from in until it ends, ctx ends, or out cannot be
// written to. The end of in is the ordinary end, without an error; the error of a
// write, such as for a closed pipe, is returned unchanged.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	session, leave := context.WithCancel(ctx)
	defer leave()
	open := newPending()
	w := &output{w: out, pending: open, leave: leave, patience: cmp.Or(opt.Patience, usualPatience)}
	messages := newMessageReader(session, in, w, open, func() { go watchClient(session, opt.Gone, leave) })
	ended := make(chan error, 1)
	go func() {
		ended <- newServer(session, opt).Run(session, &sdk.IOTransport{Reader: messages, Writer: w, MaxLineLength: -1})
	}()
	var err error
	select {
	case err = <-ended:
	case <-session.Done():
		select { // the SDK waits for calls even if nobody reads the answers
		case err = <-ended:
		case <-time.After(stopGrace):
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

// watchClient ends the session if the remaining answers have no reader.
func watchClient(session context.Context, gone func() bool, leave func()) {
	for gone != nil && session.Err() == nil {
		if gone() {
			leave()
		}
		select {
		case <-session.Done():
		case <-time.After(watchPause):
		}
	}
}

func newServer(session context.Context, opt Options) *sdk.Server {
	s := &service{opt: opt, session: session, slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
	can := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}}
	if opt.Resources != nil {
		can.Resources = &sdk.ResourceCapabilities{} // no client is told of new ones, which the SDK would promise
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "git-agent", Title: "git agent", Version: opt.Version}, &sdk.ServerOptions{
		Instructions: opt.Instructions, Capabilities: can,
	})
	s.offer(server, opt.Resources)
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
	tool := &sdk.Tool{
		Name: t.Spec.Name, Title: t.Title, Description: t.Spec.Description, InputSchema: t.Spec.Parameters,
		Annotations: &sdk.ToolAnnotations{Title: t.Title, ReadOnlyHint: !t.Runs, IdempotentHint: !t.Runs, DestructiveHint: &no, OpenWorldHint: &no},
	}
	if t.Output != nil {
		tool.OutputSchema = t.Output
	}
	return tool
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
			return nil, protocolError(err)
		}
		return &sdk.GetPromptResult{Description: p.Description,
			Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
	}
}

// protocolError describes an error to the client itself, not to its model.
func protocolError(err error) error {
	return &jsonrpc.Error{Code: codeInternal, Message: agent.Clean(err.Error())}
}

// mask applies Options.Mask.
func (s *service) mask(text string) string {
	if s.opt.Mask == nil {
		return text
	}
	return s.opt.Mask(text)
}

// structured returns a value as JSON with secrets masked. If masking breaks the JSON, the texts in
// it are masked one by one. nil means that the value cannot be written.
func (s *service) structured(value any) any {
	text, err := quote.Marshal(value)
	if err != nil {
		return nil
	}
	if masked := s.mask(string(text)); json.Valid([]byte(masked)) {
		return json.RawMessage(masked)
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		return nil
	}
	if text, err = quote.Marshal(s.maskTexts(decoded)); err != nil {
		return nil
	}
	return json.RawMessage(text)
}

// maskTexts masks each text of decoded JSON.
func (s *service) maskTexts(value any) any {
	switch value := value.(type) {
	case string:
		return s.mask(value)
	case []any:
		for i := range value {
			value[i] = s.maskTexts(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = s.maskTexts(value[key])
		}
	}
	return value
}
