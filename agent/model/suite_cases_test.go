package model

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

func newGzip(w io.Writer) *gzip.Writer { return gzip.NewWriter(w) }

func badServers() []badServer {
	var all []badServer
	for _, list := range [][]badServer{cutAnswers, oddBytes, wrongBodies, errorsInside, statuses, badCalls, badReplies, badCounts, badTransport} {
		all = append(all, list...)
	}
	return all
}

// cutAnswers end too early.
var cutAnswers = []badServer{
	{name: "cut in the middle", answer: bent(func(b string) string { return b[:len(b)/2] }), want: "malformed"},
	{name: "cut before the last byte of the JSON", answer: bent(func(b string) string { return b[:strings.LastIndex(b, "}")] }), want: "malformed"},
	{name: "no finish reason", answer: replaced(`"finish_reason":"tool_calls"`, `"finish_reason":null`, `"status":"completed"`, `"status":null`, `"stop_reason":"tool_use"`, `"stop_reason":null`), want: "malformed"},
	{name: "finish reason left out", answer: replaced(`"finish_reason":"tool_calls"`, `"x":1`, `"status":"completed"`, `"x":1`, `"stop_reason":"tool_use"`, `"x":1`), want: "malformed"},
	{name: "still in progress", answer: replaced(`"status":"completed"`, `"status":"in_progress"`), want: "malformed"},
	{name: "queued", answer: replaced(`"status":"completed"`, `"status":"queued"`), want: "malformed"},
	{name: "connection closed within the body", answer: raw(func(on Wire) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n" + good(on)[:60]
	}), want: "transport"},
	{name: "chunk cut", answer: raw(func(on Wire) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n" + good(on)[:60]
	}), want: "transport"},
	{name: "bad chunk length", answer: raw(func(on Wire) string {
		return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + good(on)
	}), want: "transport"},
	{name: "nothing but the end", answer: same(`[DONE]`), want: "malformed"},
	{name: "arguments cut by the limit", answer: replaced(`"tool_calls"}`, `"length"}`, `"finish_reason":"tool_calls"`, `"finish_reason":"length"`,
		`"status":"completed","usage"`, `"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage"`,
		`"stop_reason":"tool_use"`, `"stop_reason":"max_tokens"`), want: "length " + called},
	{name: "the window is full", answer: content(`[{"type":"text","text":"so"}]`, `"model_context_window_exceeded"`), want: "overflow"},
	{name: "limit reached, said as tool_calls", answer: func(on Wire) http.HandlerFunc {
		if on == WireMessages {
			return send(200, `{"type":"message","content":[{"type":"tool_use","id":"a","name":"blame","input":"{\"pa"}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":4000}}`)
		}
		if on != WireChat {
			return nil
		}
		return send(200, `{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"blame","arguments":"{\"pa"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":4000}}`)
	}, want: `length "" blame({"pa)`},
}

// oddBytes are good answers in an unusual form.
var oddBytes = []badServer{
	{name: "CRLF", answer: bent(func(b string) string { return strings.ReplaceAll(b, "\n", "\r\n") }), want: called},
	{name: "byte order mark", answer: bent(func(b string) string { return "\ufeff" + b }), want: called},
	{name: "byte by byte", answer: trickled, want: called},
	{name: "kept open by white space", answer: bent(func(b string) string { return strings.Repeat("\n \n", 500) + b }), want: called},
	{name: "no content type", answer: func(on Wire) http.HandlerFunc { return send(200, good(on), "Content-Type", "") }, want: called},
	{name: "text/plain", answer: func(on Wire) http.HandlerFunc { return send(200, good(on), "Content-Type", "text/plain") }, want: called},
	{name: "gzip", answer: func(on Wire) http.HandlerFunc { return send(200, zipped(on, 0), "Content-Encoding", "gzip") }, want: called},
	{name: "gzip without its end", answer: func(on Wire) http.HandlerFunc { return send(200, zipped(on, 60), "Content-Encoding", "gzip") }, want: "transport"},
	{name: "gzip that is none", answer: func(on Wire) http.HandlerFunc { return send(200, good(on), "Content-Encoding", "gzip") }, want: "transport"},
	{name: "zip bomb", answer: func(on Wire) http.HandlerFunc {
		return send(200, string(pack(strings.Repeat(" ", 8<<20))), "Content-Encoding", "gzip")
	}, want: "malformed"},
	{name: "unknown encoding", answer: func(on Wire) http.HandlerFunc { return send(200, "\x01\x02\x03\x04", "Content-Encoding", "br") }, want: "malformed"},
	{name: "NUL in a text", answer: replaced("I l", "I\x00l"), want: "malformed"},
	{name: "invalid UTF-8", answer: replaced("I l", "I \xff\xfel"), want: "\"I \ufffd\ufffdlööк.\" blame({\"path\":\"a.c\"})"},
	{name: "half a surrogate pair", answer: replaced("I l", `I \ud800l`), want: "\"I \ufffdlööк.\" blame({\"path\":\"a.c\"})"},
	{name: "a field twice", answer: replaced(`"choices":[{`, `"choices":[],"choices":[{`, `"status":"completed","usage"`, `"status":"failed","status":"completed","usage"`, `"type":"message"`, `"type":"error","type":"message"`), want: called},
	{name: "unknown fields everywhere", answer: func(on Wire) http.HandlerFunc {
		if on == WireMessages { // the input of a call is an object, too
			return replaced(`{"cache`, `{"zz":[{"a":1}],"cache`, `{"id"`, `{"zz":[{"a":1}],"id"`, `{"text"`, `{"zz":[{"a":1}],"text"`, `{"content"`, `{"zz":[{"a":1}],"content"`)(on)
		}
		return replaced(`{"`, `{"zz":[{"a":1}],"`)(on)
	}, want: called},
}

// wrongBodies are bodies without an answer.
var wrongBodies = []badServer{
	{name: "empty", answer: status(200, ""), want: "malformed"},
	{name: "null", answer: same("null"), want: "malformed"},
	{name: "empty object", answer: same("{}"), want: "malformed"},
	{name: "empty list", answer: same("[]"), want: "server"},
	{name: "a text", answer: same(`"overloaded"`), want: "malformed"},
	{name: "a number", answer: same("42"), want: "malformed"},
	{name: "no JSON", answer: same("{choices: [yes]}"), want: "malformed"},
	{name: "two documents", answer: func(on Wire) http.HandlerFunc {
		return send(200, good(on)+good(on))
	}, want: "malformed"},
	{name: "a web page", answer: status(200, "<!DOCTYPE html><title>Sign in</title>", "Content-Type", "text/html"), want: "model"},
	{name: "a web page behind white space", answer: status(200, "\n\ufeff <html><body>Sign in to WiFi</body></html>"), want: "model"},
	{name: "a web page with an error", answer: status(502, "<html><head><title>502 Bad Gateway</title></head></html>"), want: "server"},
	{name: "a stream", answer: same("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n"), want: "malformed"},
	{name: "a stream behind a comment", answer: same(": PROCESSING\n\nevent: error\ndata: {}\n\n"), want: "malformed"},
	{name: "no choices", answer: same(`{"id":"1","choices":[],"output":[],"status":"completed"}`), want: "malformed"},
	{name: "choices of another kind", answer: same(`{"choices":{"0":1},"output":7,"status":"completed"}`), want: "malformed"},
	{name: "no message", answer: either(chatMessageOf("null", `"stop"`), output("[null]", `"status":"completed"`), content("[null]", `"end_turn"`)), want: "malformed"},
	{name: "a message that is a text", answer: either(chatMessageOf(`"hello"`, `"stop"`), output(`["hello"]`, `"status":"completed"`), content(`"hello"`, `"end_turn"`)), want: "malformed"},
	{name: "nested too deep", answer: same(`{"choices":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `,"content":[]}`), want: "malformed"},
	{name: "too big", answer: same(`{"choices":"` + strings.Repeat("x", 300<<10) + `"}`), want: "malformed"},
	{name: "a line without end", answer: hang(func(on Wire) string { return "data: {" + strings.Repeat("x", 300<<10) }, ""), want: "malformed"},
	{name: "another API's answer", answer: same(`{"candidates":[{"content":{"parts":[{"text":"hi"}],"role":"model"},"finishReason":"STOP"}]}`), want: "malformed"},
	{name: "another wire's answer", answer: func(on Wire) http.HandlerFunc {
		other := map[Wire]Wire{WireChat: WireResponses, WireResponses: WireMessages, WireMessages: WireChat}[on]
		return send(200, good(other))
	}, want: "malformed"},
	{name: "the third wire's answer", answer: func(on Wire) http.HandlerFunc {
		other := map[Wire]Wire{WireChat: WireMessages, WireResponses: WireChat, WireMessages: WireResponses}[on]
		return send(200, good(other))
	}, want: "malformed"},
}

// errorsInside are errors with status 200.
var errorsInside = []badServer{
	{name: "an error in a 200", answer: same(`{"error":{"message":"Internal error","code":500}}`), want: "server"},
	{name: "a busy provider in a 200", answer: same(`{"error":{"message":"Rate limit exceeded","code":429,"metadata":{"raw":"slow down"}}}`), want: "busy"},
	{name: "an error as a text in a 200", answer: same(`{"error":"llama runner process has terminated"}`), want: "server"},
	{name: "vLLM's error in a 200", answer: same(`{"object":"error","message":"prompt is too long: maximum context length is 4096","code":400}`), want: "overflow"},
	{name: "Gemini's error in a 200", answer: same(`[{"error":{"code":503,"message":"The model is overloaded","status":"UNAVAILABLE"}}]`), want: "busy"},
	{name: "Anthropic's error in a 200", answer: same(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`), want: "busy"},
	{name: "a limit in a 200", answer: same(`{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}`), want: "busy"},
	{name: "no permission in a 200", answer: same(`{"type":"error","error":{"type":"permission_error","message":"Not for you."}}`), want: "auth"},
	{name: "a failure in a 200", answer: same(`{"type":"error","error":{"type":"api_error","message":"Oops"}}`), want: "server"},
	{name: "a bad request in a 200", answer: same(`{"type":"error","error":{"type":"invalid_request_error","message":"messages: at least one message is required"}}`), want: "request"},
	{name: "a wrong key in a 200", answer: same(`{"error":{"message":"No auth credentials found for sk-secret-0123","code":401}}`), want: "auth"},
	{name: "an error in a choice", answer: func(on Wire) http.HandlerFunc {
		if on != WireChat {
			return nil
		}
		return send(200, `{"choices":[{"error":{"code":502,"message":"provider returned error"},"finish_reason":"error","message":{"content":""}}]}`)
	}, want: "server"},
	{name: "a failed response", answer: func(on Wire) http.HandlerFunc {
		if on != WireResponses {
			return nil
		}
		body := `{"status":"failed","error":{"code":"server_error","message":"The server had an error"},"output":[]}`
		return send(200, body)
	}, want: "server"},
	{name: "an overflow in a failed response", answer: func(on Wire) http.HandlerFunc {
		if on != WireResponses {
			return nil
		}
		body := `{"status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."},"output":[]}`
		return send(200, body)
	}, want: "overflow"},
	{name: "an empty error beside an answer", answer: replaced(`"choices":[{`, `"error":null,"choices":[{`, `"output":[{`, `"error":null,"output":[{`), want: called},
}

// statuses are answers with an error status.
var statuses = []badServer{
	{name: "204", answer: status(204, ""), want: "malformed"},
	{name: "202", answer: status(202, "{}"), want: "malformed"},
	{name: "302", answer: status(302, "", "Location", "http://elsewhere.invalid/"), want: "request"},
	{name: "307", answer: status(307, "", "Location", "http://elsewhere.invalid/"), want: "request"},
	{name: "304", answer: status(304, ""), want: "request"},
	{name: "400", answer: status(400, `{"error":{"message":"bad schema","type":"invalid_request_error"}}`), want: "request"},
	{name: "400 empty", answer: status(400, ""), want: "request"},
	{name: "400 vLLM", answer: status(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`), want: "overflow"},
	{name: "400 Gemini", answer: status(400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`), want: "auth"},
	{name: "400 Azure", answer: status(400, `{"error":{"message":"The response was filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`), want: "refused"},
	{name: "400 no credit", answer: status(400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`), want: "quota"},
	{name: "400 Anthropic", answer: status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`), want: "overflow"},
	{name: "400 with the answer", answer: status(400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 199000 + 4000 > 200000, decrease input length or `max_tokens` and try again\"}}"), want: "overflow"},
	{name: "400 spent", answer: status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}`), want: "quota"},
	{name: "401 Anthropic", answer: status(401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`), want: "auth"},
	{name: "402 Anthropic", answer: status(402, `{"type":"error","error":{"type":"billing_error","message":"There is an issue with your billing."}}`), want: "quota"},
	{name: "403 Anthropic", answer: status(403, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}`), want: "auth"},
	{name: "404 Anthropic", answer: status(404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`), want: "model"},
	{name: "413 Anthropic", answer: status(413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`), want: "overflow"},
	{name: "429 Anthropic", answer: status(429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute."}}`, "Retry-After", "7"), want: "busy"},
	{name: "500 Anthropic", answer: status(500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`), want: "server"},
	{name: "504 Anthropic", answer: status(504, `{"type":"error","error":{"type":"timeout_error","message":"The request timed out"}}`), want: "server"},
	{name: "401", answer: status(401, `{"error":{"message":"Incorrect API key provided: sk-secret-0123"}}`), want: "auth"},
	{name: "402", answer: status(402, `{"error":{"message":"Insufficient credits","code":402}}`), want: "quota"},
	{name: "402 for now", answer: status(402, `{"error":{"message":"wait","code":402}}`, "Retry-After", "2"), want: "busy"},
	{name: "403", answer: status(403, "forbidden"), want: "auth"},
	{name: "404 model", answer: status(404, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`), want: "model"},
	{name: "404 path", answer: status(404, "404 page not found"), want: "model"},
	{name: "405", answer: status(405, ""), want: "model"},
	{name: "408", answer: status(408, ""), want: "transport"},
	{name: "409", answer: status(409, ""), want: "server"},
	{name: "413", answer: status(413, "<html>Request Entity Too Large</html>"), want: "overflow"},
	{name: "418", answer: status(418, "short and stout"), want: "request"},
	{name: "422", answer: status(422, `{"detail":[{"loc":["body","messages",0],"msg":"field required"}]}`), want: "request"},
	{name: "429", answer: status(429, `{"error":{"message":"slow down"}}`), want: "busy"},
	{name: "429 without credit", answer: status(429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}`), want: "quota"},
	{name: "429 Gemini", answer: status(429, `[{"error":{"code":429,"message":"You exceeded your current quota. Please retry in 3.5s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x","retryDelay":"3s"}]}}]`), want: "busy"},
	{name: "500 text", answer: status(500, "boom", "Content-Type", "text/plain"), want: "server"},
	{name: "500 overflow", answer: status(500, `{"error":{"message":"the request exceeds the available context size"}}`), want: "overflow"},
	{name: "501", answer: status(501, ""), want: "request"},
	{name: "503", answer: status(503, "{}"), want: "busy"},
	{name: "504", answer: status(504, ""), want: "server"},
	{name: "520", answer: status(520, strings.Repeat("<p>", 1<<20)), want: "server"},
	{name: "529", answer: status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), want: "busy"},
	{name: "500 with broken gzip", answer: status(500, "no gzip", "Content-Encoding", "gzip"), want: "server"},
	{name: "400 nested deep", answer: status(400, `{"error":`+strings.Repeat("[", 50000)), want: "request"},
	{name: "status 999", answer: status(999, ""), want: "server"},
}

// callOf is a list of calls on all wires; in is the content of a function, item
// that of a function_call, and block that of a tool_use.
func callOf(in, item, block string) func(Wire) http.HandlerFunc {
	return either(
		chatMessageOf(`{"role":"assistant","content":null,"tool_calls":[{`+in+`}]}`, `"tool_calls"`),
		output(`[{"type":"function_call",`+item+`}]`, `"status":"completed"`),
		content(`[{"type":"tool_use",`+block+`}]`, `"tool_use"`))
}

// badCalls are malformed calls of tools.
var badCalls = []badServer{
	{name: "a call without id", answer: callOf(`"function":{"name":"blame","arguments":"{}"}`, `"name":"blame","arguments":"{}"`, `"name":"blame","input":{}`), want: `"" blame({})`},
	{name: "an id that is null", answer: callOf(`"id":null,"function":{"name":"blame","arguments":"{}"}`, `"call_id":null,"name":"blame","arguments":"{}"`, `"id":null,"name":"blame","input":{}`), want: `"" blame({})`},
	{name: "an id that is a number", answer: callOf(`"id":7,"function":{"name":"blame","arguments":"{}"}`, `"call_id":7,"name":"blame","arguments":"{}"`, `"id":7,"name":"blame","input":{}`), want: `"" blame({})`},
	{name: "arguments as an object", answer: callOf(`"id":"a","function":{"name":"blame","arguments":{"path":"a.c"}}`, `"call_id":"a","name":"blame","arguments":{"path":"a.c"}`, `"id":"a","name":"blame","input":{"path":"a.c"}`), want: `"" blame({"path":"a.c"})`},
	{name: "no arguments", answer: callOf(`"id":"a","function":{"name":"blame"}`, `"call_id":"a","name":"blame"`, `"id":"a","name":"blame"`), want: `"" blame({})`},
	{name: "arguments null", answer: callOf(`"id":"a","function":{"name":"blame","arguments":null}`, `"call_id":"a","name":"blame","arguments":null`, `"id":"a","name":"blame","input":null`), want: `"" blame({})`},
	{name: "arguments empty", answer: callOf(`"id":"a","function":{"name":"blame","arguments":""}`, `"call_id":"a","name":"blame","arguments":""`, `"id":"a","name":"blame","input":""`), want: `"" blame({})`},
	{name: "arguments no JSON", answer: callOf(`"id":"a","function":{"name":"blame","arguments":"{path: a.c"}`, `"call_id":"a","name":"blame","arguments":"{path: a.c"`, `"id":"a","name":"blame","input":"{path: a.c"`), want: `"" blame({path: a.c)`},
	{name: "arguments with a NUL", answer: callOf(`"id":"a","function":{"name":"blame","arguments":"{\"path\":\"a\\u0000\"}"}`, `"call_id":"a","name":"blame","arguments":"{\"path\":\"a\\u0000\"}"`, `"id":"a","name":"blame","input":{"path":"a\u0000"}`), want: `"" blame({"path":"a\u0000"})`},
	{name: "a name that is null", answer: callOf(`"id":"a","function":{"name":null,"arguments":"{}"}`, `"call_id":"a","name":null,"arguments":"{}"`, `"id":"a","name":null,"input":{}`), want: "malformed"},
	{name: "an empty name", answer: callOf(`"id":"a","function":{"name":"","arguments":"{}"}`, `"call_id":"a","name":"","arguments":"{}"`, `"id":"a","name":"","input":{}`), want: "malformed"},
	{name: "a strange name", answer: callOf(`"id":"a","function":{"name":"blame<|channel|>","arguments":"{}"}`, `"call_id":"a","name":"blame<|channel|>","arguments":"{}"`, `"id":"a","name":"blame<|channel|>","input":{}`), want: `"" blame<|channel|>({})`},
	{name: "no function", answer: callOf(`"id":"a"`, `"call_id":"a"`, `"id":"a"`), want: "malformed"},
	{name: "a function that is a text", answer: callOf(`"id":"a","function":"blame"`, `"call_id":"a","name":["blame"]`, `"id":"a","name":["blame"]`), want: "malformed"},
	{name: "no list of calls", answer: either(chatMessageOf(`{"role":"assistant","tool_calls":{"id":"a"}}`, `"tool_calls"`), output(`{"type":"function_call"}`, `"status":"completed"`), content(`{"type":"tool_use"}`, `"tool_use"`)), want: "malformed"},
	{name: "a null among the calls", answer: either(chatMessageOf(`{"role":"assistant","tool_calls":[null]}`, `"tool_calls"`), output(`[null]`, `"status":"completed"`), content(`[null]`, `"tool_use"`)), want: "malformed"},
	{name: "an empty list of calls", answer: either(chatMessageOf(`{"role":"assistant","content":"so","tool_calls":[]}`, `"tool_calls"`), output(`[{"type":"message","content":[{"type":"output_text","text":"so"}]}]`, `"status":"completed"`)), want: `"so"`},
	{name: "one id for two calls", answer: either(
		chatMessageOf(`{"role":"assistant","tool_calls":[{"index":0,"id":"a","function":{"name":"blame","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"show","arguments":"{}"}}]}`, `"stop"`),
		output(`[{"type":"function_call","call_id":"a","name":"blame","arguments":"{}"},{"type":"function_call","call_id":"a","name":"show","arguments":"{}"}]`, `"status":"completed"`),
		content(`[{"type":"tool_use","id":"a","name":"blame","input":{}},{"type":"tool_use","id":"a","name":"show","input":{}}]`, `"tool_use"`)), want: `"" blame({}) show({})`},
	{name: "neither index nor id", answer: chatMessageOf(`{"role":"assistant","tool_calls":[{"function":{"name":"blame","arguments":"{}"}},{"function":{"name":"show","arguments":"{}"}}]}`, `"stop"`), want: `"" blame({}) show({})`},
	{name: "a huge index", answer: chatMessageOf(`{"role":"assistant","tool_calls":[{"index":999999999,"id":"a","function":{"name":"blame","arguments":"{}"}}]}`, `"stop"`), want: `"" blame({})`},
	{name: "hundreds of calls", answer: either(
		chatMessageOf(`{"role":"assistant","tool_calls":[`+strings.TrimSuffix(strings.Repeat(`{"function":{"name":"blame","arguments":"{}"}},`, 500), ",")+`]}`, `"stop"`),
		output(`[`+strings.TrimSuffix(strings.Repeat(`{"type":"function_call","name":"blame","arguments":"{}"},`, 500), ",")+`]`, `"status":"completed"`),
		content(`[`+strings.TrimSuffix(strings.Repeat(`{"type":"tool_use","name":"blame","input":{}},`, 500), ",")+`]`, `"tool_use"`)), want: "malformed"},
}

// badReplies are replies with needless oddities.
var badReplies = []badServer{
	{name: "a filter", answer: either(chatMessageOf(`{"role":"assistant","content":""}`, `"content_filter"`), output(`[]`, `"status":"incomplete","incomplete_details":{"reason":"content_filter"}`), content(`[]`, `"refusal"`)), want: `refused ""`},
	{name: "a refusal", answer: either(chatMessageOf(`{"role":"assistant","content":null,"refusal":"I won't."}`, `"stop"`), output(`[{"type":"message","content":[{"type":"refusal","refusal":"I won't."}]}]`, `"status":"completed"`), content(`[{"type":"text","text":"I won't."}]`, `"refusal"`)), want: `refused "I won't."`},
	{name: "no text and no call", answer: either(chatMessageOf(`{"role":"assistant","content":null}`, `"stop"`), output(`[{"type":"reasoning","summary":[]}]`, `"status":"completed"`), content(`[]`, `"end_turn"`)), want: `""`},
	{name: "only thoughts", answer: content(`[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"c2VhbGVk"}]`, `"end_turn"`), want: `""`},
	{name: "a blank text", answer: content(`[{"type":"text","text":"\n"},{"type":"text","text":"so"}]`, `"end_turn"`), want: "\"\\nso\""},
	{name: "a paused turn", answer: content(`[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},{"type":"text","text":"so"}]`, `"pause_turn"`), want: `"so"`},
	{name: "parts of a text", answer: either(chatMessageOf(`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"so"}]}`, `"stop"`), output(`[{"type":"message","content":[{"type":"output_text","text":"s"},{"type":"output_text","text":"o"}]}]`, `"status":"completed"`), content(`[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"s"},{"type":"text","text":"o"}]`, `"end_turn"`)), want: `"so"`},
	{name: "text of another kind", answer: either(chatMessageOf(`{"role":"assistant","content":42}`, `"stop"`), output(`[{"type":"message","content":42}]`, `"status":"completed"`), content(`[{"type":"text","text":42}]`, `"end_turn"`)), want: `""`},
	{name: "no role", answer: either(chatMessageOf(`{"content":"so"}`, `"stop"`), output(`[{"type":"message","content":"so"}]`, `"status":"completed"`), same(`{"content":[{"type":"text","text":"so"}],"stop_reason":"end_turn"}`)), want: `"so"`},
	{name: "the user's role", answer: either(chatMessageOf(`{"role":"user","content":"so"}`, `"stop"`), status(200, `{"role":"user","content":[{"type":"text","text":"so"}],"stop_reason":"end_turn","output":[{"type":"message","role":"user","content":"so"}],"status":"completed"}`)), want: `"so"`},
	{name: "an unknown end", answer: replaced(`"finish_reason":"tool_calls"`, `"finish_reason":"eos_token"`, `"stop_reason":"tool_use"`, `"stop_reason":"eos_token"`), want: called},
	{name: "stop with calls", answer: replaced(`"finish_reason":"tool_calls"`, `"finish_reason":"stop"`, `"stop_reason":"tool_use"`, `"stop_reason":"end_turn"`), want: called},
	{name: "ended with an error", answer: replaced(`"finish_reason":"tool_calls"`, `"finish_reason":"error"`, `"status":"completed","usage"`, `"status":"cancelled","usage"`), want: "server"},
	{name: "a malformed call, said", answer: replaced(`"finish_reason":"tool_calls"`, `"finish_reason":"MALFORMED_FUNCTION_CALL"`), want: "malformed"},
	{name: "an item of no type", answer: either(output(`[{"text":"hi"}]`, `"status":"completed"`), content(`[{"text":"hi"}]`, `"end_turn"`)), want: "malformed"},
	{name: "an item of an unknown type", answer: either(output(`[{"type":"web_search_call","id":"w"},{"type":"message","content":[{"type":"output_text","text":"so"}]}]`, `"status":"completed"`),
		content(`[{"type":"fallback","model":"m"},{"type":"text","text":"so"}]`, `"end_turn"`)), want: `"so"`},
}

// usageOf answers with a usage.
func usageOf(usage string) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc {
		body := good(on)
		at := strings.Index(body, `"usage":{`)
		depth, end := 0, at+len(`"usage":`)
		for ; ; end++ {
			if body[end] == '{' {
				depth++
			}
			if body[end] == '}' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		return send(200, body[:at]+`"usage":`+usage+body[end+1:])
	}
}

// badCounts are counts in good answers, which must stay good.
var badCounts = []badServer{
	{name: "no counts", answer: usageOf(`null`), want: called},
	{name: "counts of another kind", answer: usageOf(`[1,2]`), want: called},
	{name: "negative counts", answer: usageOf(`{"prompt_tokens":-5,"input_tokens":-5,"completion_tokens":-1,"output_tokens":-1}`), want: called},
	{name: "counts as texts", answer: usageOf(`{"prompt_tokens":"50","input_tokens":"50","completion_tokens":"5","output_tokens":"5"}`), want: called},
	{name: "huge counts", answer: usageOf(`{"prompt_tokens":1e300,"input_tokens":1e300,"completion_tokens":1e99,"output_tokens":1e99}`), want: called},
	{name: "zero counts", answer: usageOf(`{"prompt_tokens":0,"input_tokens":0,"completion_tokens":0,"output_tokens":0}`), want: called},
	{name: "more cached than sent", answer: usageOf(`{"prompt_tokens":10,"input_tokens":10,"completion_tokens":5,"output_tokens":5,"prompt_tokens_details":{"cached_tokens":99},"input_tokens_details":{"cached_tokens":99}}`), want: called},
	{name: "a strange cost", answer: usageOf(`{"prompt_tokens":10,"input_tokens":10,"completion_tokens":5,"output_tokens":5,"cost":"NaN"}`), want: called},
}

// badTransport has failures below HTTP, and of timing.
var badTransport = []badServer{
	{name: "closed at once", answer: raw(func(Wire) string { return "" }), want: "transport"},
	{name: "no HTTP", answer: raw(func(Wire) string { return "SSH-2.0-OpenSSH_9.2\r\n" }), want: "transport"},
	{name: "a bad header", answer: raw(func(Wire) string { return "HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n" }), want: "transport"},
	{name: "two lengths", answer: raw(func(on Wire) string {
		return "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 9999\r\n\r\n" + good(on)
	}), want: "transport"},
	{name: "silence before the header", answer: hang(func(Wire) string { return "" }, ""), want: "transport", slow: true},
	{name: "silence after the start", answer: hang(func(on Wire) string { return good(on)[:40] }, ""), want: "transport", slow: true},
	{name: "comments for ever", answer: hang(func(Wire) string { return ": hello\n\n" }, ": still here\n\n"), want: "transport", slow: true},
	{name: "white space for ever", answer: hang(func(Wire) string { return "\n" }, "\n"), want: "transport", slow: true},
}
