package mcpcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"git-agent/agent"
	"git-agent/gitext/gitcmd"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// service executes tool calls.
type service struct {
	opt     Options
	session context.Context // ends all calls, because the SDK waits for them
	slots   chan struct{}   // one slot for each concurrent call
}

// handler answers calls of one tool.
func (s *service) handler(t Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.session, cancel)()
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		args := req.Params.Arguments
		if len(args) == 0 {
			args = []byte("{}")
		}
		ctx, stop := s.withProgress(ctx, req)
		defer stop()
		res, err := t.Call(ctx, args)
		if ctx.Err() != nil {
			return nil, ctx.Err() // nobody waits for the result
		}
		if err != nil {
			return &sdk.CallToolResult{IsError: true, Content: s.text(failure(err))}, nil
		}
		out := &sdk.CallToolResult{Content: s.text(res.Text)}
		if t.Structured && res.Value != nil {
			out.StructuredContent = s.structured(res.Value)
		}
		return out, nil
	}
}

func (s *service) text(text string) []sdk.Content {
	return []sdk.Content{&sdk.TextContent{Text: s.mask(text)}}
}

// failure describes an error to the client's model.
func failure(err error) string {
	var refused *agent.CallError
	if errors.As(err, &refused) {
		return refused.Answer()
	}
	text := "error: " + agent.Clean(err.Error()) + "\n"
	var git *gitcmd.Error
	if errors.As(err, &git) && git.Hint != "" {
		text += "hint: " + agent.Clean(git.Hint) + "\n"
	}
	return text
}

type progressKey struct{}

// progressPause is the minimum time between two progress notifications.
const progressPause = 200 * time.Millisecond

// usualHeartbeat is the time after which a call without news says that it is alive. Clients give
// up a call that is silent for a minute or less.
const usualHeartbeat = 5 * time.Second

// withProgress returns a context for Progress that reaches the client, if the client requested
// progress. A call without news sends a sign of life now and then. stop must be called when the
// call ends.
func (s *service) withProgress(ctx context.Context, req *sdk.CallToolRequest) (with context.Context, stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	var mu sync.Mutex
	var last time.Time
	sent := 0
	report := func(text string, pause time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < pause {
			return
		}
		last = time.Now()
		sent++ // the protocol requires an increasing number
		// If a notification cannot be sent, sending the answer fails too, with a
		// report.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: text, Progress: float64(sent)})
	}
	heartbeat := cmp.Or(s.opt.Heartbeat, usualHeartbeat)
	began, done := time.Now(), make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				report(fmt.Sprintf("working for %s", time.Since(began).Round(time.Second)), heartbeat/2)
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return context.WithValue(ctx, progressKey{}, func(text string) { report(text, progressPause) }), func() { close(done); ended.Wait() }
}

// progress tells the client of the call in ctx that work continues.
func progress(ctx context.Context, text string) {
	if report, ok := ctx.Value(progressKey{}).(func(string)); ok {
		report(text)
	}
}
