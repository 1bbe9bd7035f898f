package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
)

// echoKey is a key that is long enough to be found in pieces.
const echoKey = "sk-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// An odd is the odd part of an answer: the fields of a chat completion's message, the items of a
// response's output, or the blocks of a message's content.
type odd struct {
	wire Wire
	part string
}

func (o odd) reply() modeltest.Reply {
	switch o.wire {
	case WireResponses:
		return modeltest.Status(200, `{"id":"r","model":"m","status":"completed","output":[`+o.part+`],"usage":{"input_tokens":9,"output_tokens":1}}`)
	case WireMessages:
		return modeltest.Status(200, `{"id":"r","model":"m","type":"message","stop_reason":"end_turn","content":[`+o.part+`],"usage":{"input_tokens":9,"output_tokens":1}}`)
	}
	return modeltest.Status(200, `{"id":"r","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",`+o.part+`}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`)
}

func askOdd(t *testing.T, o odd) (*Client, *Reply, error) {
	t.Helper()
	srv := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return o.reply() })
	c, _ := newClient(t, srv.URL, func(cfg *Config) { cfg.Key, cfg.Wire = echoKey, o.wire })
	got, err := c.Ask(t.Context(), question("hello"))
	return c, got, err
}

// A key that a server sends back is masked in every part of the reply, and is
// not sent again.
func TestReplyHoldsNoKey(t *testing.T) {
	t.Parallel()
	hidden := strings.Join(strings.Split(echoKey, ""), `\u200b`)
	for _, message := range []odd{
		{WireChat, `"content":"the key is ` + echoKey + `"`}, {WireChat, `"content":"` + hidden + `"`}, {WireChat, `"content":"x","own":{"` + echoKey + `":1}`},
		{WireChat, `"content":"x","reasoning_content":"` + hidden + `"`},
		{WireChat, `"content":[{"type":"text","text":"` + echoKey[:20] + `"},{"type":"text","text":"` + echoKey[20:] + `"}]`},
		{WireChat, `"tool_calls":[{"id":"` + echoKey + `","type":"function","function":{"name":"look","arguments":"{}"}}]`},
		{WireChat, `"tool_calls":[{"id":"1","type":"function","function":{"name":"` + echoKey + `","arguments":"{}"}}]`},
		{WireChat, `"tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":"{\"a\":\"` + strings.ReplaceAll(hidden, `\`, `\\`) + `\"}"}}]`},
		{WireResponses, `{"type":"message","content":[{"type":"output_text","text":"the key is ` + echoKey + `"}]}`}, {WireResponses, `{"type":"message","content":[{"type":"output_text","text":"` + hidden + `"}]}`},
		{WireResponses, `{"type":"reasoning","encrypted_content":"` + echoKey + `"},{"type":"message","content":"x"}`},
		{WireResponses, `{"type":"function_call","call_id":"` + echoKey + `","name":"look","arguments":"{}"}`}, {WireResponses, `{"type":"function_call","call_id":"1","name":"` + echoKey + `","arguments":"{}"}`},
		{WireMessages, `{"type":"text","text":"the key is ` + echoKey + `"}`}, {WireMessages, `{"type":"text","text":"` + hidden + `"}`},
		{WireMessages, `{"type":"text","text":"x","own":{"` + echoKey + `":1}` + `}`},
		{WireMessages, `{"type":"thinking","thinking":"` + hidden + `","signature":"s"},{"type":"text","text":"x"}`},
		{WireMessages, `{"type":"thinking","thinking":"hm","signature":"` + echoKey + `"},{"type":"text","text":"x"}`}, {WireMessages, `{"type":"redacted_thinking","data":"` + echoKey + `"},{"type":"text","text":"x"}`},
		{WireMessages, `{"type":"text","text":"` + echoKey[:20] + `"},{"type":"text","text":"` + echoKey[20:] + `"}`},
		{WireMessages, `{"type":"tool_use","id":"` + echoKey + `","name":"look","input":{}}`}, {WireMessages, `{"type":"tool_use","id":"1","name":"` + echoKey + `","input":{}}`},
		{WireMessages, `{"type":"tool_use","id":"1","name":"look","input":{"a":"` + hidden + `"}}`},
	} {
		c, reply, err := askOdd(t, message)
		if err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		text, err := json.Marshal(reply)
		if err != nil {
			t.Fatal(err)
		}
		body, err := c.Body(Request{Messages: []Message{reply.Message}})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{string(text), string(body)} {
			if c.keys.mask(s) != s {
				t.Errorf("%s: the key is in %s", message, s)
			}
		}
	}
}

// A reply is bounded. One above the bounds ends the request at once, with a
// reason.
func TestReplyIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxKept)
	for message, want := range map[odd]string{
		{WireChat, `"content":"` + long + `"`}:                                                                                 "bytes that every later request would hold",
		{WireChat, `"content":"x","reasoning_content":"` + long + `"`}:                                                         "bytes that every later request would hold",
		{WireChat, `"content":[` + strings.Repeat(`0,`, maxValues+1) + `0]`}:                                                   "values",
		{WireResponses, `{"type":"message","content":[{"type":"output_text","text":"` + long + `"}]}`}:                         "bytes that every later request would hold",
		{WireResponses, `{"type":"reasoning","encrypted_content":"` + long + `"}`}:                                             "bytes that every later request would hold",
		{WireResponses, `{"type":"message","content":[` + strings.Repeat(`0,`, maxValues+1) + `0]}`}:                           "values",
		{WireMessages, `{"type":"text","text":"` + long + `"}`}:                                                                "bytes that every later request would hold",
		{WireMessages, `{"type":"thinking","thinking":"","signature":"` + long + `"}`}:                                         "bytes that every later request would hold",
		{WireMessages, `{"type":"redacted_thinking","data":"` + long + `"}`}:                                                   "bytes that every later request would hold",
		{WireMessages, `{"type":"tool_use","id":"a","name":"look","input":[` + strings.Repeat(`0,`, maxValues+1) + `0]` + `}`}: "values",
	} {
		_, _, err := askOdd(t, message)
		var e *Error
		if !errors.As(err, &e) || e.Class != ClassMalformed || !strings.Contains(e.Message, want) || e.Attempts != 1 {
			t.Errorf("%.40s: %v", message.part, err)
		}
	}
	_, reply, err := askOdd(t, odd{WireChat, `"content":"x","own":"` + long + `"`})
	if err != nil || len(reply.Message.Raw) > 100 {
		t.Errorf("a field of the server's own was kept, or was an error: %v", err)
	}
	id, name, args := long[:maxID+1], long[:maxName+1], long[:maxArgs+1]
	for _, call := range []odd{
		{WireChat, `"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":"` + args + `"}}]`},
		{WireResponses, `{"type":"function_call","call_id":"` + id + `","name":"` + name + `","arguments":"` + args + `"}`},
		{WireMessages, `{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{"a":"` + args + `"}` + `}`},
	} {
		if _, reply, err = askOdd(t, call); err != nil {
			t.Fatal(err)
		}
		if c := reply.Message.Calls[0]; len(c.ID) > 100 || len(c.Name) != maxName || len(c.Args) > 2*shownArgs || reply.Message.Raw != nil {
			t.Errorf("%s: id %d, name %d, arguments %d bytes", call.wire, len(c.ID), len(c.Name), len(c.Args))
		}
	}
}

// The estimate covers everything that is sent, in any field of a server.
func TestEstimateCoversTheBody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 20_000)
	for _, message := range []odd{
		{WireChat, `"content":"` + long + `"`}, {WireChat, `"content":"x","reasoning_content":"` + long + `"`}, {WireChat, `"content":"x","own":"` + long + `"`},
		{WireChat, `"tool_calls":[{"id":"` + long[:20_000] + `","type":"function","function":{"name":"look","arguments":"{}"}}]`},
		{WireChat, `"tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":"{\"a\":\"` + long + `\"}"}}]`},
		{WireChat, `"tool_calls":[{"id":"1","type":"function","own":"` + long + `","function":{"name":"look","arguments":"{}"}}]`},
		{WireResponses, `{"type":"reasoning","encrypted_content":"` + long + `"},{"type":"message","content":"x"}`},
		{WireResponses, `{"type":"function_call","call_id":"1","name":"look","arguments":"{\"a\":\"` + long + `\"}"}`},
		{WireMessages, `{"type":"text","text":"` + long + `"}`}, {WireMessages, `{"type":"thinking","thinking":"` + long + `","signature":"s"},{"type":"text","text":"x"}`},
		{WireMessages, `{"type":"redacted_thinking","data":"` + long + `"},{"type":"text","text":"x"}`},
		{WireMessages, `{"type":"tool_use","id":"1","name":"look","input":{"a":"` + long + `"}` + `}`},
	} {
		c, reply, err := askOdd(t, message)
		if err != nil {
			t.Fatal(err)
		}
		req := question("hello")
		req.Messages = append(req.Messages, reply.Message)
		for _, call := range reply.Message.Calls {
			req.Messages = append(req.Messages, Message{Role: ToolReply, Text: "nothing", CallID: call.ID})
		}
		body, err := c.Body(req)
		if err != nil {
			t.Fatal(err)
		}
		if got, sent := Estimate(req), int64(len(body))*10/36; got < sent*9/10 {
			t.Errorf("%.60v: estimated %d of %d tokens", message, got, sent)
		}
		if least := Least(req); least > Estimate(req) || least < textEstimate(req)*3/4 {
			t.Errorf("%.60v: least %d", message, least)
		}
	}
}

// Sums of servers' counts are valid in JSON.
func TestUsageIsFinite(t *testing.T) {
	t.Parallel()
	var sum Usage
	for _, raw := range []string{`1e308`, `1e308`, `"1e400"`, `-5`, `"NaN"`, `999999`} {
		u := chatUsage(json.RawMessage(`{"prompt_tokens":` + raw + `,"completion_tokens":1.5e11,"cost":` + raw + `}`))
		sum = sum.Add(u)
		if _, err := json.Marshal(sum); err != nil || sum.Prompt() < 0 {
			t.Errorf("%s: %+v, %v", raw, sum, err)
		}
	}
	huge, much := math.MaxFloat64, Usage{Uncached: math.MaxInt64, Output: math.MaxInt64}
	much.CostUSD = &huge // as an older version recorded it
	for range 4 {
		much = much.Add(much)
	}
	if text, err := json.Marshal(much); err != nil || much.Prompt() < 0 || much.Prompt()+much.Output < 0 {
		t.Errorf("%s, %v", text, err)
	}
}

// Secrets lists the secrets in the URL, too, and no name of the client shows them.
func TestSecretsOfAConfig(t *testing.T) {
	t.Parallel()
	cfg := Config{Model: "m", Key: "k-0123456789", BaseURL: "https://example.org/v1?api-version=3&key=q-0123456789"}
	got := fmt.Sprint(cfg.Secrets())
	for _, want := range []string{"k-0123456789", "q-0123456789"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "[3") {
		t.Errorf("too much: %s", got)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(c, cfg, PublicURL(c.base)); strings.Contains(s, "q-0123456789") || !strings.Contains(s, "api-version=3") {
		t.Errorf("%s", s)
	}
}
