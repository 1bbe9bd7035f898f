// Package lsp asks a language server where the name at a position is defined. It
// speaks the few messages of the Language Server Protocol that this takes.
//
// The server is a program of the machine that reads files of a stranger. It runs below
// agent/sandbox without a network. Its answers are bounded and are not trusted: a
// place outside of the folder, or a file that cannot be a relative path, is dropped.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"git-agent/agent/sandbox"
)

// Config says which server to start, and how.
type Config struct {
	Root string       // folder of the project, absolute and without symbolic links
	Spec sandbox.Spec // runs the server; Start sets its streams
	// Options are sent to the server as initializationOptions; they may be nil.
	Options any
	// StartTime bounds the start of the server.
	StartTime time.Duration
}

// A Client talks to one server about one folder. It may be used by several goroutines.
type Client struct {
	root string
	conn *jsonrpc2.Conn
	end  context.CancelFunc
	done chan struct{} // closed when the server has ended

	mu     sync.Mutex
	opened []string // documents that the server has, the oldest first
	result sandbox.Result
	err    error
}

const (
	maxOpened  = 16       // documents
	maxMessage = 32 << 20 // bytes of a message
	maxHeader  = 64       // lines before a message
	endTime    = 2 * time.Second
)

// Start starts a server. It runs until Close, or until the time limit of its Spec.
func Start(ctx context.Context, cfg Config) (*Client, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close())
	}
	run, end := context.WithCancel(context.WithoutCancel(ctx))
	c := &Client{root: cfg.Root, end: end, done: make(chan struct{})}
	cfg.Spec.Stdin, cfg.Spec.Stdout = inR, outW
	go func() {
		defer close(c.done)
		result, err := sandbox.Run(run, cfg.Spec)
		c.mu.Lock()
		c.result, c.err = result, err
		c.mu.Unlock()
	}()
	stream := jsonrpc2.NewBufferedStream(streams{outR, inW}, codec{})
	c.conn = jsonrpc2.NewConn(run, stream, jsonrpc2.HandlerWithError(answer), jsonrpc2.SetLogger(silent{}))
	within, cancel := context.WithTimeoutCause(ctx, cfg.StartTime, fmt.Errorf("it did not start within %v", cfg.StartTime))
	defer cancel()
	if err := waitFor(within, func() error { return c.initialize(within, cfg) }); err != nil {
		c.Close()
		return nil, fmt.Errorf("%w%s", err, c.lastWords())
	}
	return c, nil
}

// waitFor waits for f until ctx ends. A server that does not read its input blocks who
// writes to it, until Close ends the server.
func waitFor(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// streams are the two pipes to a server.
type streams struct {
	io.ReadCloser
	in io.WriteCloser
}

func (s streams) Write(p []byte) (int, error) { return s.in.Write(p) }
func (s streams) Close() error                { return errors.Join(s.in.Close(), s.ReadCloser.Close()) }

type silent struct{}

func (silent) Printf(string, ...any) {}

// initialize tells the server who asks, and about which folder.
func (c *Client) initialize(ctx context.Context, cfg Config) error {
	root := uriOf(c.root)
	params := map[string]any{
		"processId": nil, "rootUri": root, "rootPath": c.root, "initializationOptions": cfg.Options,
		"workspaceFolders": []any{map[string]any{"uri": root, "name": "commit"}},
		"capabilities":     map[string]any{"textDocument": map[string]any{"definition": map[string]any{"linkSupport": false}}},
	}
	if err := c.call(ctx, "initialize", params, nil); err != nil {
		return err
	}
	return c.conn.Notify(ctx, "initialized", struct{}{})
}

// call sends a request. A result nil is not wanted.
func (c *Client) call(ctx context.Context, method string, params, result any) error {
	var raw json.RawMessage
	err := c.conn.Call(ctx, method, params, &raw)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, jsonrpc2.ErrClosed) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed):
		return errors.New("it ended")
	case err != nil:
		return fmt.Errorf("%s: %.200s", method, err)
	case result == nil:
		return nil
	}
	return json.Unmarshal(raw, result)
}

// answer answers what a server asks: it has no configuration, and gets nothing else.
func answer(_ context.Context, _ *jsonrpc2.Conn, request *jsonrpc2.Request) (any, error) {
	if request.Method != "workspace/configuration" || request.Params == nil {
		return nil, nil
	}
	var asked struct{ Items []json.RawMessage }
	if err := json.Unmarshal(*request.Params, &asked); err != nil {
		return nil, err
	}
	return make([]any, min(len(asked.Items), 100)), nil
}

// lastWords returns the last line that a server that has ended wrote, for an error.
func (c *Client) lastWords() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil && !errors.Is(c.err, context.Canceled) {
		return ": " + c.err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(c.result.Output)), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return ""
	}
	return fmt.Sprintf(": %.200q", last)
}

// Alive reports whether the server runs.
func (c *Client) Alive() bool {
	select {
	case <-c.done:
		return false
	case <-c.conn.DisconnectNotify():
		return false
	default:
		return true
	}
}

// Close ends the server and waits for its end.
func (c *Client) Close() {
	if c.Alive() {
		ctx, cancel := context.WithTimeout(context.Background(), endTime)
		defer cancel()
		_ = waitFor(ctx, func() error { // the server is ended below in any case
			if err := c.call(ctx, "shutdown", nil, nil); err != nil {
				return err
			}
			return c.conn.Notify(ctx, "exit", nil)
		})
	}
	c.end()
	<-c.done
	_ = c.conn.Close() // it is closed already if the server has ended by itself
}

// open makes sure that the server has a document.
func (c *Client) open(ctx context.Context, uri, language, text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.opened, uri) {
		return nil
	}
	if len(c.opened) >= maxOpened {
		oldest := c.opened[0]
		c.opened = c.opened[1:]
		if err := c.conn.Notify(ctx, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": oldest}}); err != nil {
			return err
		}
	}
	c.opened = append(c.opened, uri)
	return c.conn.Notify(ctx, "textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": language, "version": 1, "text": text},
	})
}

// codec reads and writes messages with bounds: a header of a few lines, then JSON.
type codec struct{ jsonrpc2.VSCodeObjectCodec }

// ReadObject reads a message of at most maxMessage bytes.
func (codec) ReadObject(stream *bufio.Reader, v any) error {
	size := int64(-1)
	for range maxHeader {
		line, err := stream.ReadSlice('\n') // fails on a line that is longer than the buffer
		if err != nil {
			return err
		}
		text := strings.TrimSpace(string(line))
		if text == "" {
			if size < 0 || size > maxMessage {
				return fmt.Errorf("a message of %d bytes", size)
			}
			body := make([]byte, 0, min(size, 64<<10))
			limited := &io.LimitedReader{R: stream, N: size}
			for limited.N > 0 {
				if len(body) == cap(body) {
					body = slices.Grow(body, len(body))
				}
				n, err := limited.Read(body[len(body):cap(body)])
				if body = body[:len(body)+n]; err != nil {
					return err
				}
			}
			return json.Unmarshal(body, v)
		}
		if key, value, _ := strings.Cut(text, ":"); strings.EqualFold(key, "Content-Length") {
			if size, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil {
				return err
			}
		}
	}
	return errors.New("a message without an end of its header")
}
