package model

import (
	"strings"
	"testing"
)

// A server's wrapping around a call is removed, also when the call is sent back.
// The rest of the call stays unchanged.
func TestMeans(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, args, tool, object string }{
		{"look", `{"a":1}`, "look", `{"a":1}`},
		{"functions.look", `{}`, "look", `{}`},
		{"look<|channel|>commentary", `{}`, "look", `{}`},
		{"functions.look<|channel|>", `{}`, "look", `{}`},
		{"functions.", `{}`, "functions.", `{}`},
		{"<|", `{}`, "<|", `{}`},
		{"my.functions.look", `{}`, "my.functions.look", `{}`},
		{"look", `"{\"a\":1}"`, "look", `{"a":1}`},
		{"look", `"\"{}\""`, "look", `"\"{}\""`},
		{"look", `"[1]"`, "look", `"[1]"`},
		{"look", `"`, "look", `"`},
		{"look", ``, "look", ``},
	} {
		call := Call{Name: tt.name, Args: tt.args}
		if tool, object := call.Means(); tool != tt.tool || object != tt.object {
			t.Errorf("%q %q means %q %q", tt.name, tt.args, tool, object)
		}
	}
}

func TestCallIsGivenBackAsMeant(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		c, _ := newClient(t, "http://127.0.0.1:1/v1", set)
		raw := map[Wire]string{WireChat: `{"role":"assistant","tool_calls":[{"function":{"name":"functions.look"}}]}`, WireResponses: `[]`,
			WireMessages: `[{"type":"tool_use","id":"a","name":"functions.look","input":"{\"at\":1}"}]`}[c.cfg.Wire]
		said := Message{Role: Assistant, Wire: c.cfg.Wire, Raw: []byte(raw),
			Calls: []Call{{ID: "a", Name: "functions.look", Args: `"{\"at\":1}"`}}}
		req := question("who?")
		req.Messages = append(req.Messages, said, Message{Role: ToolReply, CallID: "a", Text: "seen"})
		body, err := c.Body(req)
		args := `"arguments":"{\"at\":1}"`
		if c.cfg.Wire == WireMessages {
			args = `"input":{"at":1}`
		}
		if err != nil || !strings.Contains(string(body), `"name":"look"`) || !strings.Contains(string(body), args) || strings.Contains(string(body), "functions.look") {
			t.Errorf("%s, %v", body, err)
		}
	})
}
