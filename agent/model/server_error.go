package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/source"
	"git-agent/gitext/pattern"
)

const (
	maxErrorBody = 1 << 20 // bytes read of an error's body
	maxWords     = 4 << 10 // bytes used of each of its texts
)

// serverError is a server's description of an error in a body.
type serverError struct {
	Code    string
	Kind    string // "type"
	Param   string
	Message string
	Status  int // if the code is an HTTP status, or the type stands for one
	Wait    time.Duration
}

// looksLikeError reports whether a body is one of the two forms of error
// without a field "error": vLLM's {"object":"error", ...} and Gemini's
// [{"error": ...}].
func looksLikeError(body []byte) bool {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		return true
	}
	var in struct {
		Object json.RawMessage `json:"object"`
		Type   json.RawMessage `json:"type"`
	}
	return json.Unmarshal(body, &in) == nil && (text(in.Object) == "error" || jsonText(in.Type) == "error")
}

// serverError returns the error in an answer with status 200, or nil.
func (a *answer) serverError(body []byte) *Error {
	var in struct {
		Error   json.RawMessage   `json:"error"`
		Status  json.RawMessage   `json:"status"`
		Choices []json.RawMessage `json:"choices"`
	}
	err := json.Unmarshal(body, &in)
	// A good response has "error": null; some servers send an empty error instead.
	none := isNull(in.Error) || string(in.Error) == "{}" || string(in.Error) == `""` || string(in.Error) == "false"
	if err == nil && none && len(in.Choices) > 0 { // OpenRouter puts an error into a choice, too
		var choice struct {
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(in.Choices[0], &choice) == nil && isObject(choice.Error) {
			body, none = choice.Error, false
		}
	}
	if none && !looksLikeError(body) {
		return nil
	}
	f := readServerError(body)
	e := f.error(f.Status, a.keys)
	if e.Class == ClassRequest && f.Status == 0 && f.Code == "" {
		e.Class = ClassServer // no sign of a wrong request: retry
	}
	return e
}

// refused returns the Error for a response whose status is not 200.
func (c *Client) refused(res *http.Response, body []byte) *Error {
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return &Error{Class: ClassRequest, Status: res.StatusCode,
			Message: oneLine("the server redirects to "+res.Header.Get("Location")+"; set agent.baseUrl to where it is", c.keys)}
	}
	if res.StatusCode < 300 {
		return &Error{Class: ClassMalformed, Status: res.StatusCode, Message: "the answer has no content"}
	}
	f := readServerError(body)
	e := f.error(res.StatusCode, c.keys)
	if wait := waitOf(res.Header, c.cfg.Now()); wait > 0 {
		e.RetryAfter = wait
	}
	if e.Status == http.StatusPaymentRequired && e.RetryAfter > 0 {
		e.Class = ClassBusy // OpenRouter: the credit is renewed later
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(e.Status))
	}
	return e
}

// readServerError reads an error's body. There are about seven forms of it:
//
//	{"error": {"message", "type", "code", "param"}}   OpenAI and most others
//	{"type": "error", "error": {"type", "message"}}   Anthropic
//	{"error": "text"}                                 Ollama, Hugging Face
//	[{"error": {...}}]                                Gemini
//	{"object": "error", "message", "code"}            vLLM
//	{"detail": "text"} or {"detail": [{"loc", "msg"}]} FastAPI
//	anything else                                     proxies
func readServerError(body []byte) serverError {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct {
		Error    json.RawMessage `json:"error"`
		Response struct {
			Error json.RawMessage `json:"error"`
		} `json:"response"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return serverError{Message: plainText(body)}
	}
	inner := json.RawMessage(body)
	for _, raw := range []json.RawMessage{outer.Error, outer.Response.Error} {
		if s := jsonText(raw); s != "" {
			return serverError{Message: s, Wait: waitIn(s)}
		}
		if isObject(raw) {
			inner = raw
			break
		}
	}
	f := readFields(inner)
	if f.Message == "" {
		f.Message, f.Param = readDetail(outer.Detail)
	}
	return f
}

// kindStatus has the status of each type of Anthropic's errors, for those that come with another
// status.
var kindStatus = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"conflict_error": 409, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

func readFields(raw json.RawMessage) serverError {
	var in struct {
		Message, Code, Type, Param, Status json.RawMessage
		Inner                              struct{ Code json.RawMessage } `json:"innererror"`
		Metadata                           struct{ Raw json.RawMessage }
		Details                            []struct {
			Delay json.RawMessage `json:"retryDelay"`
		}
	}
	_ = json.Unmarshal(raw, &in) // a field of an unexpected type is skipped
	f := serverError{Message: jsonText(in.Message), Code: jsonText(in.Code), Kind: jsonText(in.Type), Param: jsonText(in.Param)}
	if n, err := strconv.Atoi(strings.Trim(string(in.Code), `" `)); err == nil {
		f.Code = strconv.Itoa(n)
		if n >= 300 && n < 600 {
			f.Status = n
		}
	}
	if status, ok := kindStatus[f.Kind]; ok && f.Status == 0 {
		f.Status = status
	}
	if inner := jsonText(in.Inner.Code); inner != "" {
		f.Kind = strings.TrimSpace(f.Kind + " " + inner)
	}
	if status := jsonText(in.Status); status != "" { // Gemini's word for it
		f.Kind = strings.TrimSpace(f.Kind + " " + status)
	}
	if more := jsonText(in.Metadata.Raw); more != "" && f.Message != more { // OpenRouter: the provider's own words
		f.Message = strings.TrimSpace(f.Message + ": " + more)
	}
	f.Wait = waitIn(f.Message)
	for _, d := range in.Details {
		if wait, err := time.ParseDuration(text(d.Delay)); err == nil && wait > 0 {
			f.Wait = wait
		}
	}
	return f
}

func readDetail(raw json.RawMessage) (message, param string) {
	if s := jsonText(raw); s != "" {
		return s, ""
	}
	var list []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	}
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return "", ""
	}
	if n := len(list[0].Loc); n > 1 {
		param, _ = list[0].Loc[1].(string)
		message, _ = list[0].Loc[n-1].(string)
	}
	return source.Cut(strings.TrimSpace(message+": "+list[0].Msg), maxWords), source.Cut(param, maxWords)
}

// jsonText returns the beginning of a JSON string's value.
func jsonText(raw json.RawMessage) string { return source.Cut(text(raw), maxWords) }

var (
	htmlTitle = pattern.Lazy(`(?is)<title[^>]*>(.*?)</title>`)
	htmlTag   = pattern.Lazy(`(?s)<[^>]*>`)
)

// plainText returns the readable text of a body that is not JSON.
func plainText(body []byte) string {
	body = body[:min(len(body), maxWords)]
	if m := htmlTitle().FindSubmatch(body); m != nil {
		return "a web page: " + string(m[1])
	}
	if bytes.HasPrefix(body, []byte("<")) {
		return "a web page: " + string(htmlTag().ReplaceAll(body, []byte(" ")))
	}
	return string(body)
}
