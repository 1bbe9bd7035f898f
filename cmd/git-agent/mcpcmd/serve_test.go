package mcpcmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
)

// echo answers with its arguments, and block only when its call is cancelled.
func testOptions(blocked, ended chan<- struct{}) Options {
	schema := json.RawMessage(`{"type":"object"}`)
	return Options{
		Version: "test",
		Tools: []Tool{
			{Spec: agent.Spec{Name: "echo", Parameters: schema}, Structured: true, Call: func(ctx context.Context, args json.RawMessage) (agent.Result, error) {
				progress(ctx, "echoing")
				return agent.Result{Text: string(args), Value: json.RawMessage(args)}, nil
			}},
			{Spec: agent.Spec{Name: "refuse", Parameters: schema}, Call: func(context.Context, json.RawMessage) (agent.Result, error) {
				return agent.Result{}, &agent.CallError{Tool: "refuse", Text: "not so"}
			}},
			{Spec: agent.Spec{Name: "fail", Parameters: schema}, Call: func(context.Context, json.RawMessage) (agent.Result, error) {
				return agent.Result{}, errors.New("git \x1b[2J broke over CANARY")
			}},
			{Spec: agent.Spec{Name: "block", Parameters: schema}, Call: func(ctx context.Context, _ json.RawMessage) (agent.Result, error) {
				blocked <- struct{}{}
				<-ctx.Done()
				ended <- struct{}{}
				return agent.Result{}, ctx.Err()
			}},
		},
		Prompts: []Prompt{{Name: "broken", Text: func(map[string]string) (string, error) { return "", errors.New("no text") }}},
		Mask:    func(s string) string { return strings.ReplaceAll(s, "CANARY", "<masked>") },
	}
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// serve runs a session over the lines and returns the answers, by id.
func serve(t *testing.T, lines string) (map[string]string, string) {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(t.Context(), strings.NewReader(hello+lines), &out, testOptions(nil, nil)); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	answers := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var m struct{ ID any }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("not JSON: %q", line)
		}
		answers[fmt.Sprint(m.ID)] += line
	}
	return answers, out.String()
}

func callOf(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":"p"}}}`+"\n", id, tool, args)
}

// All requests before the end of the input are answered. A failed call gives an
// error that a model can read.
func TestServe(t *testing.T) {
	t.Parallel()
	answers, all := serve(t, callOf(1, "echo", `{"a":"CANARY <&>"}`)+callOf(2, "refuse", "{}")+callOf(3, "fail", "{}")+callOf(4, "none", "{}"))
	for id, want := range map[string][]string{
		"1": {`"text":"{\"a\":\"<masked> <&>\"}"`, `"structuredContent":{"a":"<masked> <&>"}`},
		"2": {`"isError":true`, `"error: not so\n"`},
		"3": {`"isError":true`, `"error: git \\x1b[2J broke over <masked>\n"`},
		"4": {`"error":{"code":-32602`},
	} {
		got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(answers[id])
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is not in %s", id, w, got)
			}
		}
	}
	if strings.Contains(all, "CANARY") || !strings.Contains(all, `"message":"echoing"`) {
		t.Errorf("canary, or no progress: %s", all)
	}
}

// Lines that are no messages are answered, and the session continues.
func TestBadLines(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}` + "\n"
	for name, tt := range map[string]struct {
		line string
		code string
	}{
		"words":        {"GET / HTTP/1.1", "-32700"},
		"cut":          {`{"jsonrpc":"2.0","id":7,"method":"pi`, "-32700"},
		"batch":        {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, "-32600"},
		"number":       {"42", "-32600"},
		"no version":   {`{"id":7,"method":"ping"}`, "-32600"},
		"odd id":       {`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, "-32600"},
		"odd spelling": {`{"jsonrpc":"2.0","id":7,"ID":8,"method":"ping"}`, "-32600"},
		"fraction":     {`{"jsonrpc":"2.0","id":7.5,"method":"ping"}`, "-32600"},
		"odd method":   {`{"jsonrpc":"2.0","id":7,"method":[]}`, "-32600"},
		"no method":    {`{"jsonrpc":"2.0","id":7}`, "-32600"},
		"two at once":  {`{"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":8,"method":"ping"}`, "-32700"},
		"huge":         {strings.Repeat("x", 3*maxMessage), "-32600"},
		"deep":         {strings.Repeat("[", 20000), "-32700"},
		"nested":       {strings.TrimSpace(callOf(7, "echo", strings.Repeat(`{"[\"{":`, 5000)+"1"+strings.Repeat("}", 5000))), "-32600"},
		"bytes":        {"\x00\xff\xfe", "-32700"},
	} {
		answers, _ := serve(t, tt.line+"\n\n \r\n"+ping)
		if !strings.Contains(answers["<nil>"], `"code":`+tt.code) || answers["ping"] == "" {
			t.Errorf("%s: %v", name, answers)
		}
	}
}

// A request that is too long is refused by its id, wherever the client writes it: an answer without the id is none
// to a client, which waited for its timeout with a log of 5 MB.
func TestLongRequests(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`at main.go:1\n`, maxMessage/10)
	for name, tt := range map[string]struct{ line, id string }{
		"id first":         {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"a":"` + long + `"}}}`, "7"},
		"id second":        {`{"method":"tools/call", "id": "seven", "jsonrpc":"2.0", "params":{"a":"` + long + `"}}`, "seven"},
		"id last":          {`{"method":"tools/call","params":{"name":"echo","arguments":{"a":"` + long + `"}},"jsonrpc":"2.0","id":7}`, "7"},
		"id before last":   {`{"method":"tools/call","params":{"a":"` + long + `"},"id":7,"jsonrpc":"2.0"}`, "7"},
		"no id":            {`{"jsonrpc":"2.0","method":"tools/call","params":{"a":"` + long + `"}}`, "<nil>"},
		"id of a param":    {`{"jsonrpc":"2.0","method":"tools/call","params":{"a":"` + long + `","id":7}}`, "<nil>"},
		"id in a text":     {`{"jsonrpc":"2.0","method":"tools/call","params":"` + long + `,\"id\":7}`, "<nil>"},
		"id with fraction": {`{"jsonrpc":"2.0","id":7.5,"method":"tools/call","params":{"a":"` + long + `"}}`, "<nil>"},
	} {
		answers, _ := serve(t, tt.line+"\n")
		if got := answers[tt.id]; !strings.Contains(got, `"code":-32600`) || !strings.Contains(got, "longer than 4 MiB; of a long text, send the part") {
			t.Errorf("%s: %v", name, answers)
		}
	}
}

// Every error has a code of JSON-RPC, even if the SDK has none for it.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	again := strings.Split(strings.Replace(hello, `"hello"`, `"again"`, 1), "\n")[0] + "\n"
	answers, all := serve(t, again+`{"jsonrpc":"2.0","id":1,"method":"no/such"}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"broken"}}`+"\n")
	for id, code := range map[string]string{"again": "-32600", "1": "-32601", "2": "-32603"} {
		if !strings.Contains(answers[id], `"code":`+code) {
			t.Errorf("%s: %s, want %s", id, answers[id], code)
		}
	}
	if strings.Contains(all, `"code":0`) {
		t.Error(all)
	}
	var out bytes.Buffer
	if err := Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"), &out, testOptions(nil, nil)); err != nil || !strings.Contains(out.String(), `"code":-32600`) {
		t.Errorf("before initialize: %v %s", err, &out)
	}
}

// A cancelled call ends without an answer, and the session continues; a call also
// ends if its client leaves silently.
func TestCancel(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	blocked, ended, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { left <- Serve(t.Context(), in, answers, testOptions(blocked, ended)) }()
	read := bufio.NewReader(out)
	say := func(text string) { go io.WriteString(feed, text) }
	say(hello)
	if _, err := read.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	say(callOf(1, "block", "{}"))
	<-blocked
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	<-ended
	say(callOf(2, "echo", `{"still":"here"}`))
	for {
		line, err := read.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"id":1`) {
			t.Errorf("the cancelled call is answered: %s", line)
		}
		if strings.Contains(line, `"id":2`) {
			break
		}
	}
	say(callOf(3, "block", "{}"))
	<-blocked
	out.Close() // nobody reads any more
	say(callOf(4, "echo", "{}"))
	<-ended
	if err := <-left; !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	in, feed := io.Pipe()
	blocked, ended, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { left <- Serve(ctx, in, io.Discard, testOptions(blocked, ended)) }()
	go io.WriteString(feed, hello+callOf(1, "block", "{}"))
	<-blocked
	reason := errors.New("a signal")
	cancel(reason)
	<-ended
	if err := <-left; !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}

func FuzzServe(f *testing.F) {
	f.Add([]byte(callOf(1, "echo", `{"a":1}`)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"ID":{},"method":"tools/call","params":7}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"ID":{},"method":"tools/call"}` + "\n" + `{"jsonrpc":"2.0","id":"\u0061","method":"ping"}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		if bytes.Contains(lines, []byte("block")) || bytes.Contains(lines, []byte("last")) {
			return
		}
		var out bytes.Buffer
		in := hello + string(lines) + "\n" + `{"jsonrpc":"2.0","id":"last","method":"ping"}` + "\n"
		if err := Serve(t.Context(), strings.NewReader(in), &out, testOptions(nil, nil)); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("not JSON: %q", line)
			}
		}
		if !strings.Contains(out.String(), `"id":"last"`) {
			t.Errorf("the session ended early: %s", &out)
		}
	})
}

// A call without news says that it is alive, if the client asks for progress.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	blocked, ended := make(chan struct{}), make(chan struct{})
	opt := testOptions(blocked, ended)
	opt.Heartbeat = time.Millisecond
	go Serve(t.Context(), in, answers, opt)
	go io.WriteString(feed, hello+`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"block","arguments":{},"_meta":{"progressToken":"p"}}}`+"\n")
	read := bufio.NewReader(out)
	for {
		line, err := read.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"message":"working for `) && strings.Contains(line, `"progressToken":"p"`) {
			break
		}
		if strings.Contains(line, `"id":"hello"`) {
			go func() { <-blocked }()
		}
	}
	go io.Copy(io.Discard, read)
	io.WriteString(feed, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
	<-ended
	feed.Close()
}

// A secret with marks of JSON in it is masked, and the answer stays JSON.
func TestStructuredAnswersAreMasked(t *testing.T) {
	t.Parallel()
	s := &service{opt: Options{Mask: func(text string) string {
		return strings.ReplaceAll(strings.ReplaceAll(text, `":`, "<masked>"), "CANARY", "<masked>")
	}}}
	got, ok := s.structured(map[string]any{"list": []string{"a", "CANARY"}, "n": 1, "text": `b":c`}).(json.RawMessage)
	if want := `{"list":["a","<masked>"],"n":1,"text":"b<masked>c"}`; !ok || strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(got)) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
