//go:build linux

package scorecard

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// statusServers answer with only a status, with redirects, or with demands for
// authentication and the like. The program must retry or end the run.
func statusServers() []hostileServer {
	var list []hostileServer
	for _, code := range []int{201, 202, 203, 204, 205, 206, 207, 226, 300, 304, 305, 306, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418,
		421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 508, 510, 511, 520, 522, 524, 529, 530, 599, 600, 999} {
		v := headed(fmt.Sprintf("status %d", code), code, `{"error":{"message":"no \u001b[31m\u202e `+attackKey+`","type":"x","code":"y"}}`, "Retry-After-Ms", "1")
		v.wire = "chat"
		list = append(list, v)
	}
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{"file:///etc/passwd", "//127.0.0.2:1/v1", "http://127.0.0.1:1/" + attackKey, "", "javascript:alert(1)", "/v1/chat/completions"} {
			v := headed(fmt.Sprintf("redirect %d to %.30q", code, to), code, "", "Location", to)
			v.wire = "chat"
			v.judge = func(_ *testing.T, got *hearing) string {
				if got.asked > 2 {
					return fmt.Sprintf("a redirect was followed: %d requests", got.asked)
				}
				return ""
			}
			list = append(list, v)
		}
	}
	for _, wait := range []string{"1e9", "-5", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "NaN", "99999999999999999999", "0", "soon", "1e308"} {
		v := headed("429 for ever, retry after "+wait, 429, `{"error":{"message":"try again in 99999999h"}}`, "Retry-After", wait, "Retry-After-Ms", "x")
		v.wire = "chat"
		list = append(list, v)
	}
	list = append(list,
		headed("a demand for a password", 401, `{}`, "WWW-Authenticate", `Basic realm="`+attackKey+`"`),
		headed("a proxy's demand", 407, `{}`, "Proxy-Authenticate", `Negotiate `+attackKey),
		headed("overflow for ever", 400, `{"error":{"message":"maximum context length is 1 token","code":"context_length_exceeded"}}`),
		headed("every field is unsupported", 400, `{"error":{"message":"unsupported parameter: temperature max_tokens stream_options tool_choice","param":"max_tokens"}}`),
		headed("asks for the other wire, for ever", 400, `{"error":{"message":"use the chat completions api; only supported in v1/responses"}}`),
		headed("no credit", 402, `{"error":{"message":"insufficient_quota"}}`),
		headed("an error of 2 MB", 500, strings.Repeat("x", 2<<20), "Retry-After-Ms", "1"),
		headed("an error of HTML", 502, "<html><title>\x1b]0;x\x07"+attackKey+"</title>", "Retry-After-Ms", "1"),
		cookies())
	return list
}

// cookies sets a cookie and fails if the program returns it.
func cookies() hostileServer {
	v := headed("a cookie", 500, `{}`, "Set-Cookie", "id=1; Path=/", "Retry-After-Ms", "1")
	v.judge = func(_ *testing.T, got *hearing) string {
		for _, h := range got.header {
			if h.Get("Cookie") != "" {
				return "a cookie was sent back"
			}
		}
		return ""
	}
	return v
}

// bodyServers answer 200 with an invalid body.
func bodyServers() []hostileServer {
	fixed := func(name, body string, headers ...string) hostileServer {
		return headed("body: "+name, 200, body, headers...)
	}
	gz := []string{"Content-Encoding", "gzip", "Content-Type", "application/json"}
	many := func(open, piece, end string, n int) string { return open + strings.Repeat(piece, n) + end }
	list := []hostileServer{
		fixed("nothing", ""), fixed("blanks", strings.Repeat(" ", 1<<20)), fixed("null", "null"), fixed("a number", "1e999999"), fixed("a text", `"hello"`), fixed("a list", "[]"), fixed("an empty object", "{}"),
		fixed("HTML", "<!doctype html><title>log in</title>"+attackKey, "Content-Type", "text/html"), fixed("text", "hello \x1b[2J\x9b31m", "Content-Type", "text/plain"),
		fixed("binary", "\x00\x01\x02\xff\xfe", "Content-Type", "image/png"), fixed("two objects", `{}{}`), fixed("a BOM alone", "\ufeff"), fixed("UTF-16", "\xff\xfe{\x00}\x00"),
		fixed("NUL bytes", strings.Repeat("\x00", 1<<16)), fixed("invalid UTF-8", `{"choices":[{"message":{"content":"`+"\xff\xc0\x80"+`"}}]}`), fixed("not a number", `{"choices":[],"usage":{"prompt_tokens":NaN}}`),
		fixed("deep lists", many("", "[", "", 1_000_000)), fixed("deep objects", many("", `{"a":`, "", 200_000)), fixed("deep and closed", many("", "[", "", 9000)+many("", "]", "", 9000)),
		fixed("a million choices", many(`{"choices":[{}`, ",{}", "]}", 8_000_000)), fixed("a million items", many(`{"status":"completed","output":[{}`, ",{}", "]}", 8_000_000)),
		fixed("a million numbers", many(`{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":[0`, ",0", "]}}]}", 8_000_000)),
		fixed("a million fields", manyFields(500_000)), fixed("a text of 30 MB", many(`{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"`, "x", `"}}]}`, 30<<20)),
		fixed("an error in a 200", `{"error":{"message":"`+attackKey+`","code":500}}`), fixed("an error in a list", `[{"error":{"message":"x"}}]`),
		fixed("a bomb of 2 GB", zipped(`{"choices":[{"message":{"content":"`, 2<<30), gz...), fixed("a bomb of blanks", zipped(" ", 1<<30), gz...), fixed("no gzip", "not gzip", gz...),
		fixed("gzip, cut", zipped("{", 1<<20)[:500], gz...), fixed("gzip twice", zipped(zipped("{", 1<<20), 0), gz...), fixed("an unknown encoding", "xyz", "Content-Encoding", "br"),
		fixed("no type", `{"choices":[]}`, "Content-Type", ""), fixed("a duplicate key", `{"choices":[],"choices":[{"message":null}],"Choices":[1]}`),
		drips("a slow body", `{"choices":[`, " ", 300*time.Millisecond), drips("a body without end", `{"choices":["`, strings.Repeat("x", 1<<16), 0),
		drips("blanks without end", "", " \n", 50*time.Millisecond), drips("comments without end", ": x\n\n", ": keep alive\n\n", 50*time.Millisecond),
		drips("events without end", "", `data: {"choices":[{"delta":{"content":"x"}}]}`+"\n\n", 0), drips("one event without end", "data: ", "data: x\n", 0),
	}
	for i := 1; i <= 9; i++ {
		list = append(list, hostileServer{name: fmt.Sprintf("body: cut at %d0%%", i), reply: func(w http.ResponseWriter, q ask) {
			body := verdictBody(q, "c1", "x")
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			io.WriteString(w, body[:len(body)*i/10])
		}})
	}
	return append(list, streamServers()...)
}

func manyFields(n int) string {
	var b strings.Builder
	b.WriteString(`{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"x"`)
	for i := range n {
		fmt.Fprintf(&b, `,"f%d":0`, i)
	}
	b.WriteString("}}]}")
	return b.String()
}

// streamServers answer with an event stream, which was not requested.
func streamServers() []hostileServer {
	stream := func(name, body string) hostileServer {
		v := headed("stream: "+name, 200, body, "Content-Type", "text/event-stream")
		v.wire = "chat"
		return v
	}
	delta := func(s string) string { return `data: {"choices":[{"index":0,"delta":` + s + "}]}\n\n" }
	const end = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	return []hostileServer{
		stream("no end", delta(`{"content":"hello"}`)), stream("a whole verdict", delta(`{"content":"BIC: c1"}`)+end),
		stream("an error inside", delta(`{"content":"x"}`)+`data: {"error":{"message":"`+attackKey+`"}}`+"\n\n"),
		stream("a line of 20 MB", "data: "+strings.Repeat("x", 20<<20)+"\n\n"), stream("500,000 pieces", strings.Repeat(delta(`{"content":"x"}`), 500_000)+end),
		stream("an empty stream", "\n\n\n"), stream("comments", strings.Repeat(": still here\n\n", 1000)),
	}
}

// wireServers do not speak HTTP or violate it.
func wireServers() []hostileServer {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	raw := func(name, text string) hostileServer {
		return hostileServer{name: "wire: " + name, wire: "chat", raw: func(c net.Conn) { io.WriteString(c, text) }}
	}
	endless := func(name, start, piece string) hostileServer {
		return hostileServer{name: "wire: " + name, wire: "chat", raw: func(c net.Conn) {
			_, err := io.WriteString(c, start)
			for err == nil {
				_, err = io.WriteString(c, piece)
			}
		}}
	}
	at := func(name string, f func(addr string) string) hostileServer {
		return hostileServer{name: "wire: " + name, wire: "chat", url: f, raw: func(net.Conn) {}}
	}
	body, _ := json.Marshal(map[string]any{"choices": []any{}}) // this cannot fail
	return []hostileServer{
		raw("closed at once", ""), raw("no HTTP", "SSH-2.0-OpenSSH_9.9\r\n"), raw("HTTP/0.9", "<html>hello</html>"), raw("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n{}"), raw("half a status line", "HTTP/1.1 20"),
		raw("a status of letters", "HTTP/1.1 OK\r\n\r\n"), raw("a status of 10 digits", "HTTP/1.1 2000000000 OK\r\n\r\n"), raw("HTTP/9.9", "HTTP/9.9 200 OK\r\n\r\n{}"),
		raw("an early close", ok+"Content-Length: 5000\r\n\r\n{"), raw("a negative length", ok+"Content-Length: -5\r\n\r\n{}"), raw("two lengths", ok+"Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}"),
		raw("a length beyond all", ok+"Content-Length: 99999999999999999999\r\n\r\n{}"), raw("length and chunks", ok+"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n0\r\n\r\n"),
		raw("bad chunks", ok+"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"), raw("a huge chunk", ok+"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}"), raw("chunks without end", ok+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
		raw("a second answer", ok+"Content-Length: 13\r\n\r\n"+string(body)[:13]+ok+"Content-Length: 2\r\n\r\n{}"), raw("the key in the status", "HTTP/1.1 500 "+attackKey+"\x1b[31m\r\nContent-Length: 0\r\nRetry-After-Ms: 1\r\n\r\n"),
		raw("a header line broken", ok+"X: a\n b\r\n\r\n{}"), raw("a header with NUL", ok+"X: \x00\r\n\r\n{}"), raw("a protocol switch", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
		raw("TLS refused", "\x15\x03\x01\x00\x02\x02\x28"), raw("a header of 20 MB", ok+"X: "+strings.Repeat("x", 20<<20)+"\r\n\r\n{}"),
		endless("headers without end", ok, "X-More: "+strings.Repeat("x", 1000)+"\r\n"), endless("a header line without end", ok+"X: ", strings.Repeat("x", 4096)), endless("100 Continue without end", "", "HTTP/1.1 100 Continue\r\n\r\n"),
		endless("early hints without end", "", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), endless("a status line without end", "HTTP/1.1 200 ", strings.Repeat("O", 4096)), endless("trailers without end", ok+"Transfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n"),
		{name: "wire: silence", wire: "chat", raw: func(c net.Conn) { io.Copy(io.Discard, c) }},
		{name: "wire: reset", wire: "chat", raw: func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }},
		at("TLS to a plain port", func(addr string) string { return "https://" + addr + "/v1" }),
		at("nobody there", func(string) string { return "http://127.0.0.1:1/v1" }),
		at("a key in the URL", func(addr string) string { return "http://" + addr + "/v1?api_key=" + attackKey }),
		at("a password in the URL", func(addr string) string { return "http://u:" + attackKey + "@" + addr + "/v1" }),
	}
}
