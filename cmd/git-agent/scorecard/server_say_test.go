//go:build linux

package scorecard

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// These functions build the replies of hostile servers for all wire formats.

func quote(s string) string {
	text, _ := json.Marshal(s) // marshalling a string cannot fail
	return string(text)
}

// usageOf returns the usage that an honest server reports.
func usageOf(q ask, out int) string {
	in := len(q.body)*10/36 + 1
	if q.wire == "messages" {
		return fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d}`, in, out/4+1)
	}
	if q.wire == "responses" {
		return fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d}`, in, out/4+1, in+out/4+1)
	}
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, in, out/4+1, in+out/4+1)
}

// sayBody returns a text reply with additional fields in its message.
func sayBody(q ask, text, more string) string {
	if q.wire == "messages" {
		return messageBody(q, "end_turn", fmt.Sprintf(`{"type":"text","text":%s%s}`, quote(text), more), len(text)+len(more))
	}
	if q.wire == "responses" {
		return fmt.Sprintf(`{"id":"r1","object":"response","status":"completed","model":"m1","output":[{"type":"message","id":"i","status":"completed","role":"assistant"%s,"content":[{"type":"output_text","text":%s,"annotations":[]}]}],"usage":%s}`,
			more, quote(text), usageOf(q, len(text)+len(more)))
	}
	return fmt.Sprintf(`{"id":"r1","object":"chat.completion","model":"m1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s%s}}],"usage":%s}`,
		quote(text), more, usageOf(q, len(text)+len(more)))
}

// messageBody returns a reply of the messages API with these blocks, whose texts have size bytes.
func messageBody(q ask, reason, blocks string, size int) string {
	return fmt.Sprintf(`{"id":"r1","type":"message","role":"assistant","model":"m1","content":[%s],"stop_reason":%s,"stop_sequence":null,"usage":%s}`,
		blocks, quote(reason), usageOf(q, size))
}

// input returns arguments as the input of a call: as they are if they are JSON, else as a text.
func input(args string) string {
	if json.Valid([]byte(args)) {
		return args
	}
	return quote(args)
}

// A fcall is one function call.
type fcall struct{ id, name, args string }

// callBody returns a reply with calls and additional fields in each.
func callBody(q ask, more string, calls ...fcall) string {
	var list []string
	size := 0
	for _, c := range calls {
		size += len(c.name) + len(c.args)
		if q.wire == "messages" {
			list = append(list, fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":%s%s}`, quote(c.id), quote(c.name), input(c.args), more))
			continue
		}
		if q.wire == "responses" {
			list = append(list, fmt.Sprintf(`{"type":"function_call","id":"f","status":"completed","call_id":%s,"name":%s,"arguments":%s%s}`, quote(c.id), quote(c.name), quote(c.args), more))
			continue
		}
		list = append(list, fmt.Sprintf(`{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}%s}`, quote(c.id), quote(c.name), quote(c.args), more))
	}
	all := strings.Join(list, ",")
	if q.wire == "messages" {
		return messageBody(q, "tool_use", all, size)
	}
	if q.wire == "responses" {
		return fmt.Sprintf(`{"id":"r1","object":"response","status":"completed","model":"m1","output":[%s],"usage":%s}`, all, usageOf(q, size))
	}
	return fmt.Sprintf(`{"id":"r1","object":"chat.completion","model":"m1","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[%s]}}],"usage":%s}`, all, usageOf(q, size))
}

// verdictBody returns a reply that reports a commit with a reason.
func verdictBody(q ask, commit, reason string) string {
	return callBody(q, "", fcall{fmt.Sprint("v", q.n), "report", fmt.Sprintf(`{"commits":[{"commit":%s,"confidence":0.9,"type":"introduction","reasoning":%s}]}`, quote(commit), quote(reason))})
}

func send(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// says makes a server from a function that returns a body.
func says(name string, body func(q ask) string) hostileServer {
	return hostileServer{name: name, reply: func(w http.ResponseWriter, q ask) { send(w, body(q)) }}
}

// opens is like says for the first reply. The second reply is a verdict.
func opens(name string, body func(q ask) string) hostileServer {
	return says(name, func(q ask) string {
		if q.n == 1 {
			return body(q)
		}
		return verdictBody(q, "c1", "it made a begin at two")
	})
}

// headed sends a status, headers (given as pairs) and a body.
func headed(name string, status int, body string, headers ...string) hostileServer {
	return hostileServer{name: name, reply: func(w http.ResponseWriter, _ ask) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}}
}

// drips sends a piece of text again and again until the program is gone.
func drips(name, start, piece string, every time.Duration) hostileServer {
	return hostileServer{name: name, reply: func(w http.ResponseWriter, _ ask) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, start)
		until := time.Now().Add(time.Minute)
		for time.Now().Before(until) {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
			if f, ok := w.(http.Flusher); ok && every > 0 {
				f.Flush()
				time.Sleep(every) // the slow pace is the attack
			}
		}
	}}
}

// zipped returns a prefix followed by size bytes of one letter, compressed. Each megabyte is the
// same member of the file, because to compress all takes seconds.
func zipped(prefix string, size int) string {
	member := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, text)
		z.Close()
		return b.String()
	}
	return member(prefix) + strings.Repeat(member(strings.Repeat("x", 1<<20)), size>>20)
}
