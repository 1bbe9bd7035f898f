package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxErrorBody = 1 << 20 // bytes of an error's body that are read
	maxWords     = 4 << 10 // bytes of each of its texts that are looked at
	maxMessage   = 600     // bytes that are shown
)

// fault is an error as servers describe it in a body.
type fault struct {
	Code    string
	Kind    string // "type"
	Param   string
	Message string
	Status  int // where the code is a number
	Wait    time.Duration
}

// looksLikeFault is true for the two forms that have no field "error": vLLM's
// {"object":"error", ...} and Gemini's [{"error": ...}].
func looksLikeFault(body []byte) bool {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		return true
	}
	var in struct {
		Object json.RawMessage `json:"object"`
		Type   json.RawMessage `json:"type"`
	}
	return json.Unmarshal(body, &in) == nil && (text(in.Object) == "error" || words(in.Type) == "error")
}

// fault returns the error in an answer that came with status 200, or nil.
func (a *answer) fault(body []byte) *Error {
	var in struct {
		Error   json.RawMessage   `json:"error"`
		Status  json.RawMessage   `json:"status"`
		Choices []json.RawMessage `json:"choices"`
	}
	err := json.Unmarshal(body, &in)
	// A response has "error": null; some servers add an empty one.
	none := isNull(in.Error) || string(in.Error) == "{}" || string(in.Error) == `""` || string(in.Error) == "false"
	if err == nil && none && len(in.Choices) > 0 { // OpenRouter puts an error into a choice, too
		var choice struct {
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(in.Choices[0], &choice) == nil && isObject(choice.Error) {
			body, none = choice.Error, false
		}
	}
	if none && !looksLikeFault(body) {
		return nil
	}
	f := readFault(body)
	e := f.error(f.Status, a.keys)
	if e.Class == ClassRequest && f.Status == 0 && f.Code == "" {
		e.Class = ClassServer // nothing says whose fault it is: try again
	}
	return e
}

// refused makes an Error of a response whose status is not 200.
func (c *Client) refused(res *http.Response, body []byte) *Error {
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return &Error{Class: ClassRequest, Status: res.StatusCode,
			Message: clean("the server redirects to "+res.Header.Get("Location")+"; set agent.baseUrl to where it is", c.keys)}
	}
	if res.StatusCode < 300 {
		return &Error{Class: ClassMalformed, Status: res.StatusCode, Message: "the answer has no content"}
	}
	f := readFault(body)
	e := f.error(res.StatusCode, c.keys)
	if wait := waitOf(res.Header, c.cfg.Now()); wait > 0 {
		e.RetryAfter = wait
	}
	if e.Status == http.StatusPaymentRequired && e.RetryAfter > 0 {
		e.Class = ClassBusy // OpenRouter: credit that will come back
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(e.Status))
	}
	return e
}

// readFault reads an error's body. There are about six forms of it:
//
//	{"error": {"message", "type", "code", "param"}}   OpenAI and most others
//	{"error": "text"}                                 Ollama, Hugging Face
//	[{"error": {...}}]                                Gemini
//	{"object": "error", "message", "code"}            vLLM
//	{"detail": "text"} or {"detail": [{"loc", "msg"}]} FastAPI
//	anything else                                     proxies
func readFault(body []byte) fault {
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
		return fault{Message: plainText(body)}
	}
	inner := json.RawMessage(body)
	for _, raw := range []json.RawMessage{outer.Error, outer.Response.Error} {
		if s := words(raw); s != "" {
			return fault{Message: s, Wait: waitIn(s)}
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

func readFields(raw json.RawMessage) fault {
	var in struct {
		Message, Code, Type, Param, Status json.RawMessage
		Inner                              struct{ Code json.RawMessage } `json:"innererror"`
		Metadata                           struct{ Raw json.RawMessage }
		Details                            []struct {
			Delay json.RawMessage `json:"retryDelay"`
		}
	}
	_ = json.Unmarshal(raw, &in) // a field of another type is not read; the others are
	f := fault{Message: words(in.Message), Code: words(in.Code), Kind: words(in.Type), Param: words(in.Param)}
	if n, err := strconv.Atoi(strings.Trim(string(in.Code), `" `)); err == nil {
		f.Code = strconv.Itoa(n)
		if n >= 300 && n < 600 {
			f.Status = n
		}
	}
	if inner := words(in.Inner.Code); inner != "" {
		f.Kind = strings.TrimSpace(f.Kind + " " + inner)
	}
	if status := words(in.Status); status != "" { // Gemini's word for it
		f.Kind = strings.TrimSpace(f.Kind + " " + status)
	}
	if more := words(in.Metadata.Raw); more != "" && f.Message != more { // OpenRouter: the provider's own words
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
	if s := words(raw); s != "" {
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
	return cut(strings.TrimSpace(message+": "+list[0].Msg), maxWords), cut(param, maxWords)
}

// words is as much of a JSON string as is looked at.
func words(raw json.RawMessage) string { return cut(text(raw), maxWords) }

// cut is the first n bytes of s, or fewer so that no character is cut.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

var (
	htmlTitle = lazy(`(?is)<title[^>]*>(.*?)</title>`)
	htmlTag   = lazy(`(?s)<[^>]*>`)
)

// plainText is what a body that is no JSON says.
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

// clean makes a server's text fit for a terminal and a log: one line, cut, and
// without the keys.
func clean(s string, k keys) string {
	s = cut(k.hide(s), maxWords)
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxMessage {
		return s
	}
	return cut(s, maxMessage) + " ..."
}

var (
	waitText  = lazy(`(?i)(?:try again|retry|available|wait)\b[^.0-9]{0,40}?((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b\s*,?\s*)+)`)
	waitParts = lazy(`(?i)(\d+(?:\.\d+)?)\s*([a-z]+)`)
)

// waitIn finds how long a message says to wait: "try again in 1.5s", "in 20ms",
// "in 6m0s", "retry after 3 seconds".
func waitIn(message string) time.Duration {
	m := waitText().FindStringSubmatch(message)
	if m == nil {
		if i := strings.Index(strings.ToLower(message), "try again in "); i >= 0 {
			d, _ := time.ParseDuration(strings.TrimRight(firstWord(message[i+len("try again in "):]), ".,;"))
			return max(d, 0)
		}
		return 0
	}
	var total time.Duration
	for _, part := range waitParts().FindAllStringSubmatch(m[1], -1) {
		total += seconds(part[1], unitOf(part[2]))
	}
	return total
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}

func unitOf(word string) time.Duration {
	switch word = strings.ToLower(word); {
	case strings.HasPrefix(word, "ms"), strings.HasPrefix(word, "mil"):
		return time.Millisecond
	case strings.HasPrefix(word, "m"):
		return time.Minute
	case strings.HasPrefix(word, "h"):
		return time.Hour
	}
	return time.Second
}

// longestHeaderWait bounds what a header may say, against overflow.
const longestHeaderWait = 30 * 24 * time.Hour

// seconds is n units, 0 for what is no sensible number.
func seconds(n string, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
	switch {
	case f != f || f <= 0:
		return 0
	case err != nil && f < 1e300, f*float64(unit) > float64(longestHeaderWait):
		if err != nil && f < 1e300 {
			return 0
		}
		return longestHeaderWait
	}
	return time.Duration(f * float64(unit))
}

// waitOf reads how long the headers say to wait, 0 for not at all.
func waitOf(h http.Header, now time.Time) time.Duration {
	if d := seconds(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	after := h.Get("Retry-After")
	if d := seconds(after, time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(after); err == nil {
		return min(max(at.Sub(now), 0), longestHeaderWait)
	}
	return 0
}
