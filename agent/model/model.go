// Package model talks to language models over three APIs that many servers support: OpenAI's chat
// completions and stateless responses, and Anthropic's messages.
//
// A caller builds a neutral [Request] and gets a [Reply], or an [Error] whose [Class] tells the
// remedy. Faults of servers (an error with status 200, a cut answer, arguments that are not JSON)
// never look like a success.
//
// Promises: the result is a complete reply or an error; no part of a cut answer is returned. No
// request asks for a stream, and a streamed answer is an error. An assistant's message is sent
// back unchanged, unknown fields included. Equal requests give equal bytes, so that providers'
// prompt caches work. Keys are sent only to the configured server and appear in no error.
//
// The package keeps no conversation, runs no tool and knows no budget; package
// agent does.
package model

import (
	"context"
	"encoding/json"
)

// Role is the author of a message.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolReply Role = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role    Role   `json:"role"`
	Text    string `json:"text,omitempty"`
	Thought string `json:"thought,omitempty"` // assistant: visible reasoning; for readers, not sent back
	Calls   []Call `json:"calls,omitempty"`   // assistant
	CallID  string `json:"call_id,omitempty"` // tool: the call that Text answers
	Name    string `json:"name,omitempty"`    // tool: its name

	// Raw is an assistant's message as received on Wire; it is sent back unchanged. The other
	// fields are parsed from Raw.
	Raw  json.RawMessage `json:"raw,omitempty"`
	Wire Wire            `json:"wire,omitempty"`
}

// Call is a tool call by the model. Args is the model's text, which need not be JSON.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// Tool describes a tool to a model.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON schema of an object
}

// Request is one request to the model. Its first message is the system's.
type Request struct {
	Messages  []Message
	Tools     []Tool
	Choice    Choice
	MaxOutput int // bound on the reply's tokens; 0 is the server's default
}

// Choice tells a model whether it may call a tool.
type Choice string

// The choices. The empty one is ChoiceAuto.
const (
	ChoiceAuto Choice = ""
	ChoiceNone Choice = "none"
)

// Finish is the way in which a reply ended.
type Finish string

// These are the ways in which replies end. Only the message shows whether a reply has calls,
// because servers disagree on the finish.
const (
	FinishStop    Finish = "stop"
	FinishLength  Finish = "length"  // cut by a limit: text and calls are incomplete
	FinishRefused Finish = "refused" // by a content filter or by the model
)

// Reply is a complete answer.
type Reply struct {
	Message  Message `json:"message"`
	Finish   Finish  `json:"finish"`
	Usage    Usage   `json:"usage"`
	Model    string  `json:"model,omitempty"` // as the server names it
	ID       string  `json:"id,omitempty"`    // of the response, from the server
	Attempts int     `json:"attempts"`        // requests for this answer, at least 1
}

// Usage counts the tokens of a request in buckets that do not overlap, except
// that Reasoning is part of Output.
type Usage struct {
	Uncached   int64    `json:"uncached"`
	CacheRead  int64    `json:"cache_read,omitempty"`
	CacheWrite int64    `json:"cache_write,omitempty"`
	Output     int64    `json:"output"`
	Reasoning  int64    `json:"reasoning,omitempty"`
	Estimated  bool     `json:"estimated,omitempty"` // the server sent no counts
	CostUSD    *float64 `json:"cost_usd,omitempty"`  // from the server or the price table; nil is unknown
}

// Prompt returns the number of tokens sent.
func (u Usage) Prompt() int64 { return u.Uncached + u.CacheRead + u.CacheWrite }

// Wire names an API.
type Wire string

// These are the wires. Auto is responses for the reasoning models of OpenAI and
// Azure, messages for addresses of Anthropic's API, and chat for all others.
const (
	WireAuto      Wire = "auto"
	WireChat      Wire = "chat"
	WireResponses Wire = "responses"
	WireMessages  Wire = "messages"
)

// Wires lists the wires, without auto.
var Wires = []Wire{WireChat, WireResponses, WireMessages}

// Asker answers requests. *Client implements it, as do tests and replays.
type Asker interface {
	Ask(ctx context.Context, req Request) (*Reply, error)
}
