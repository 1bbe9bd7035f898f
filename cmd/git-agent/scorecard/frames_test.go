//go:build linux

package scorecard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// frameMemory is the most memory that a session may use, whatever the client sends.
// The kernel also counts the memory of the test at the time when it starts the
// session.
const frameMemory = 300 << 20

// greet returns the messages that begin a session with a protocol version.
func greet(version string) string {
	return `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":` + version + `,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
}

const (
	usual = `"2025-06-18"`
	older = `"2025-03-26"` // the last version that has batches
	ping  = `{"jsonrpc":"2.0","id":"last","method":"ping"}` + "\n"
)

// A frame is a message that a hostile client sends between the greeting and a ping.
// The ping must be answered, and want must be among the answers.
type frame struct {
	name, text string
	want       string
	version    string // "" means the usual one; "none" means no greeting
}

func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`+"\n", id, quoted(method), params)
}

func toolCall(id, name, args string) string {
	return request(id, "tools/call", `{"name":`+quoted(name)+`,"arguments":`+args+`}`)
}

func notify(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}` + "\n"
}

const (
	parseError   = `"code":-32700`
	badRequest   = `"code":-32600`
	unknown      = `"code":-32601`
	badParams    = `"code":-32602`
	refusedCall  = `"isError":true`
	shortOfReply = "" // the only requirement is that the session continues
)

func frameList() []frame {
	list := []frame{
		{"words", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", parseError, ""},
		{"a cut message", `{"jsonrpc":"2.0","id":1,"method":"pi` + "\n", parseError, ""},
		{"bytes of NUL", "\x00\x00\x00\n", parseError, ""},
		{"NUL in a message", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\x00\"}\n", parseError, ""},
		{"a byte order mark", "\ufeff" + request("1", "ping", "{}"), parseError, ""},
		{"UTF-16", "{\x00\"\x00j\x00\n", parseError, ""},
		{"no UTF-8 in a method", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n", parseError, ""},
		{"no UTF-8 in an id", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}\n", parseError, ""},
		{"no UTF-8 in an argument", toolCall("1", "git_show", "{\"commit\":\"\xff\"}"), parseError, ""},
		{"control bytes", evil + "\n", parseError, ""},
		{"only line breaks", strings.Repeat("\n", 100_000) + strings.Repeat("\r\n", 1000), shortOfReply, ""},
		{"deep arrays", strings.Repeat("[", 500_000) + "\n", parseError, ""},
		{"deep objects", strings.Repeat(`{"a":`, 150_000) + "\n", parseError, ""},
		{"deep arguments", toolCall("1", "git_show", strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000)), badRequest, ""},
		{"arguments of 90 levels", toolCall("1", "git_show", strings.Repeat(`{"a":`, 90)+"1"+strings.Repeat("}", 90)), refusedCall, ""},
		{"a number without a bound", request("1", "ping", `{"n":1e999999999}`), shortOfReply, ""},
		{"a number of many digits", request(strings.Repeat("9", 200), "ping", "{}"), badRequest, ""},
		{"a line of 12 MiB", strings.Repeat("x", 12<<20) + "\n", badRequest, ""},
		{"a message of 12 MiB", request("1", strings.Repeat("x", 12<<20), "{}"), badRequest, ""},
		{"a message of nearly 4 MiB", request("1", strings.Repeat("x", 4<<20-200), "{}"), unknown, ""},
		{"20 messages of 4 MiB", strings.Repeat(strings.Repeat("y", 4<<20)+"\n", 20), badRequest, ""},
		{"two on a line", strings.TrimSpace(request("1", "ping", "{}")) + request("2", "ping", "{}"), parseError, ""},
		{"names twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/list"}` + "\n", shortOfReply, ""},
		{"names in capitals", `{"jsonrpc":"2.0","ID":1,"Method":"ping"}` + "\n", badRequest, ""},
		{"a lone surrogate", request(`"\ud800"`, `\udfff`, "{}"), shortOfReply, ""},

		{"an id that is null", request("null", "ping", "{}"), badRequest, ""},
		{"an id that is an object", request(`{"a":1}`, "ping", "{}"), badRequest, ""},
		{"an id that is an array", request("[1]", "ping", "{}"), badRequest, ""},
		{"an id that is true", request("true", "ping", "{}"), badRequest, ""},
		{"an id with a fraction", request("1.5", "ping", "{}"), badRequest, ""},
		{"an id beyond 64 bits", request("99999999999999999999", "ping", "{}"), badRequest, ""},
		{"an id below zero", request("-7", "ping", "{}"), `"id":-7`, ""},
		{"an empty id", request(`""`, "ping", "{}"), shortOfReply, ""},
		{"an id of 1 MB", request(`"`+strings.Repeat("i", 1_000_000)+`"`, "ping", "{}"), badRequest, ""},
		{"an evil id", request(quoted(strings.ToValidUTF8(evil, "")), "ping", "{}"), shortOfReply, ""},
		{"an id twice", toolCall("1", "git_grep", `{"pattern":"a"}`) + toolCall("1", "git_grep", `{"pattern":"a"}`), `"id":1`, ""},

		{"no method", `{"jsonrpc":"2.0","id":1}` + "\n", badRequest, ""},
		{"a method that is a number", `{"jsonrpc":"2.0","id":1,"method":7}` + "\n", badRequest, ""},
		{"an empty method", request("1", "", "{}"), badRequest, ""},
		{"an unknown method", request("1", "no/such", "{}"), unknown, ""},
		{"an evil method", request("1", strings.ToValidUTF8(evil, ""), "{}"), unknown, ""},
		{"another protocol", `{"jsonrpc":"1.0","id":1,"method":"ping"}` + "\n", badRequest, ""},
		{"initialize again", greet(usual), badRequest, ""},
		{"a subscription", request("1", "subscriptions/listen", "{}"), unknown, ""},
		{"logging", request("1", "logging/setLevel", `{"level":"debug"}`), shortOfReply, ""},
		{"resources", request("1", "resources/list", "{}"), shortOfReply, ""},
		{"a completion", request("1", "completion/complete", "{}"), shortOfReply, ""},
		{"a notification with an id", request("1", "notifications/cancelled", `{"requestId":1}`), shortOfReply, ""},
		{"params that are an array", request("1", "tools/list", "[1,2]"), shortOfReply, ""},
		{"params that are a number", request("1", "tools/call", "7"), shortOfReply, ""},
		{"a cursor", request("1", "tools/list", `{"cursor":`+quoted(strings.ToValidUTF8(evil, ""))+`}`), shortOfReply, ""},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n", shortOfReply, ""},
		{"an error to nothing", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}` + "\n", shortOfReply, ""},
		{"an answer and an error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}` + "\n", badRequest, ""},
		{"a prompt that is not there", request("1", "prompts/get", `{"name":"none"}`), badParams, ""},
		{"a prompt of 500 kB", request("1", "prompts/get", `{"name":"trace-bug","arguments":{"fix":"`+strings.Repeat("f", 500_000)+`"}}`), `"id":1`, ""},

		{"no greeting", toolCall("1", "git_show", "{}"), badRequest, "none"},
		{"half a greeting", notify("notifications/initialized", "{}") + request("1", "tools/list", "{}"), badRequest, "none"},
		{"an old version", request("1", "tools/list", "{}"), "git_show", `"1999-01-01"`},
		{"a coming version", request("1", "tools/list", "{}"), "git_show", `"2999-01-01"`},
		{"a version that is none", request("1", "tools/list", "{}"), "git_show", `"` + strings.Repeat("v", 10_000) + `"`},
		{"a version that is a number", request("1", "ping", "{}"), shortOfReply, "7"},

		{"an unknown tool", toolCall("1", strings.ToValidUTF8(evil, ""), "{}"), badParams, ""},
		{"arguments that are null", toolCall("1", "git_show", "null"), `"id":1`, ""},
		{"arguments that are an array", toolCall("1", "git_show", "[]"), `"id":1`, ""},
		{"arguments that are text", toolCall("1", "git_show", `"HEAD"`), `"id":1`, ""},
		{"arguments that nobody knows", toolCall("1", "git_show", `{"commit":"HEAD","exec":"id"}`), refusedCall, ""},
		{"an argument of 900 kB", toolCall("1", "git_grep", `{"pattern":"`+strings.Repeat("p", 900_000)+`"}`), `"id":1`, ""},
		{"NUL in an argument", toolCall("1", "git_grep", `{"pattern":"a\u0000b"}`), `"id":1`, ""},
		{"an option for a revision", toolCall("1", "git_show", `{"commit":"--output=x"}`), refusedCall, ""},
		{"a path that leads out", toolCall("1", "git_blame", `{"path":"../../etc/passwd"}`), refusedCall, ""},
		{"an odd progress token", request("1", "tools/call", `{"name":"git_show","arguments":{"commit":"HEAD"},"_meta":{"progressToken":{"a":[1]}}}`), shortOfReply, ""},
		{"szz of too many", toolCall("1", "szz", `{"max":1e18}`), refusedCall, ""},

		{"a batch", "[" + strings.TrimSpace(request("1", "ping", "{}")) + "]\n", badRequest, ""},
		{"a batch in a version that had them", "[" + strings.TrimSpace(request("1", "ping", "{}")) + "]\n", badRequest, older},
		{"an empty batch", "[]\n", badRequest, older},
		{"a batch of 100,000", "[" + repeated(100_000, func(int) string { return "7," }) + "7]\n", badRequest, older},

		{"cancel nothing", notify("notifications/cancelled", `{"requestId":"none"}`), shortOfReply, ""},
		{"cancel without an id", notify("notifications/cancelled", `{}`) + notify("notifications/cancelled", `7`), shortOfReply, ""},
		{"cancel initialize", notify("notifications/cancelled", `{"requestId":"hello"}`), shortOfReply, ""},
		{"cancel all over", repeated(5000, func(i int) string { return notify("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, i)) }), shortOfReply, ""},
		{"call and cancel", repeated(300, func(i int) string {
			return toolCall(fmt.Sprint(i), "git_grep", `{"pattern":"a"}`) + notify("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, i))
		}), shortOfReply, ""},
		{"one id called and cancelled", repeated(300, func(int) string {
			return toolCall("1", "git_grep", `{"pattern":"a"}`) + notify("notifications/cancelled", `{"requestId":1}`)
		}), shortOfReply, ""},
		{"a storm of notifications", repeated(50_000, func(int) string { return notify("notifications/roots/list_changed", "{}") }), shortOfReply, ""},
		{"a storm of greetings", repeated(5_000, func(int) string { return notify("notifications/initialized", "{}") }), shortOfReply, ""},
		{"20,000 pings at once", repeated(20_000, func(i int) string { return request(fmt.Sprint(i), "ping", "{}") }), `"id":19999`, ""},
		{"5,000 lists at once", repeated(5_000, func(i int) string { return request(fmt.Sprint(i), "tools/list", "{}") }), `"id":4999`, ""},
		{"300 calls at once", repeated(300, func(i int) string { return toolCall(fmt.Sprint(i), "git_blame", `{"path":"a.c"}`) }), `"id":299`, ""},
	}
	return list
}

func repeated(n int, one func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(one(i))
	}
	return b.String()
}

// frameRepo creates a small repository for a session.
func frameRepo(t *testing.T, h home) string {
	t.Helper()
	dir := t.TempDir()
	h.git(t, dir, "init", "-q")
	for _, text := range []string{"int a = 1;", "int a = 2;", "int a = 1;"} {
		h.exec(t, command{dir: dir}, "sh", "-c", "echo '"+text+"' >a.c")
		h.git(t, dir, "add", "-A")
		h.git(t, dir, "commit", "-q", "-m", "set "+text)
	}
	return dir
}

// Whatever a client sends, the session continues with the next message, stays small,
// prints only valid protocol, and ends when its input ends.
func TestFrames(t *testing.T) {
	h := newHome(t)
	repo := frameRepo(t, h)
	peak := int64(0)
	for _, f := range sample(frameList(), 25) {
		input := f.text + ping
		if f.version != "none" {
			version := f.version
			if version == "" {
				version = usual
			}
			input = greet(version) + input
		}
		got := h.run(t, command{dir: repo, stdin: input}, "mcp")
		peak = max(peak, got.peak)
		if problem := judgeFrame(f, got); problem != "" {
			broke(t, frames, f.name, "%s", problem)
		} else {
			held(frames)
		}
	}
	note(frames, "most memory of a session that is read: %d MiB", peak>>20)
}

func judgeFrame(f frame, got outcome) string {
	switch {
	case got.late:
		return "the session did not end with its input"
	case got.code != 0:
		return fmt.Sprintf("exits with %d: %.300s", got.code, got.stderr)
	case got.stderr != "":
		return fmt.Sprintf("says %.300q", got.stderr)
	case got.peak > frameMemory:
		return fmt.Sprintf("takes %d MiB", got.peak>>20)
	case !strings.Contains(got.stdout, `"id":"last"`):
		return fmt.Sprintf("the session did not go on: %.300s", got.stdout)
	case !strings.Contains(got.stdout, f.want):
		return fmt.Sprintf("%s is not among %.300s", f.want, got.stdout)
	}
	for line := range strings.Lines(got.stdout) {
		if !json.Valid([]byte(line)) {
			return fmt.Sprintf("not JSON: %.300q", line)
		}
		if strings.Contains(line, `"code":0`) {
			return fmt.Sprintf("an error without a code: %.300s", line)
		}
	}
	return harmful(got.stdout, false)
}
