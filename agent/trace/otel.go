package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/model"
	"git-agent/gitext/quote"
)

// otelSchema is the release of the semantic conventions for the names used here. Its conventions
// for generative models are still in development.
const otelSchema = "https://opentelemetry.io/schemas/1.37.0"

// These are kinds and states of spans, from OTLP's trace.proto.
const (
	spanInternal = 1
	spanClient   = 3
	statusError  = 2
)

type otlpTraces struct {
	Resources []otlpResource `json:"resourceSpans"`
}

type otlpResource struct {
	Resource struct {
		Attributes []otlpAttribute `json:"attributes"`
	} `json:"resource"`
	Scopes []otlpScope `json:"scopeSpans"`
}

type otlpScope struct {
	Scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"scope"`
	Spans  []otlpSpan `json:"spans"`
	Schema string     `json:"schemaUrl"`
}

type otlpSpan struct {
	Trace      string          `json:"traceId"` // in hex, unlike other bytes in proto JSON
	ID         string          `json:"spanId"`
	Parent     string          `json:"parentSpanId,omitempty"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []otlpAttribute `json:"attributes"`
	Status     *otlpStatus     `json:"status,omitempty"`
}

type otlpStatus struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
}

type otlpAttribute struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

// otlpValue is an attribute's value, with exactly one field set. 64-bit integers are
// strings in proto JSON.
type otlpValue struct {
	String *string    `json:"stringValue,omitempty"`
	Int    *string    `json:"intValue,omitempty"`
	Double *float64   `json:"doubleValue,omitempty"`
	Bool   *bool      `json:"boolValue,omitempty"`
	Array  *otlpArray `json:"arrayValue,omitempty"`
}

type otlpArray struct {
	Values []otlpValue `json:"values"`
}

// WriteOTel writes the run as OpenTelemetry spans in OTLP's JSON format. The names
// follow the conventions for generative models. There is one span for the run, with
// one child for each request and each tool call. Prompts, replies and answers of
// tools are included only if content is true.
func (t *Trajectory) WriteOTel(w io.Writer, content bool) error {
	if err := t.needConversation(); err != nil {
		return err
	}
	x := &otelExport{t: t, content: content}
	if content {
		x.requests = t.requests()
	}
	x.run()
	for i, turn := range t.Turns {
		x.request(i, turn)
		for _, c := range turn.Calls {
			x.call(turn, c)
		}
	}
	return writeJSON(w, x.document())
}

// otelExport collects the spans of a run.
type otelExport struct {
	t        *Trajectory
	content  bool
	requests [][]model.Message // nil without content
	spans    []otlpSpan
}

// document returns the collected spans with what made them.
func (x *otelExport) document() otlpTraces {
	version := x.t.version()
	var scope otlpScope
	scope.Scope.Name, scope.Scope.Version = "git-agent", version
	scope.Spans, scope.Schema = x.spans, otelSchema
	var res otlpResource
	res.Resource.Attributes = attributes{}.text("service.name", "git-agent").text("service.version", version)
	res.Scopes = []otlpScope{scope}
	return otlpTraces{[]otlpResource{res}}
}

// span adds a span. Its id is derived from the run and the step, so that every export of a run
// has the same spans.
func (x *otelExport) span(of, name string, kind int, from, to time.Time, a attributes, failed string) {
	if from.IsZero() {
		from = x.t.Run.Started
	}
	if to.Before(from) { // the step has not ended, or a time is unknown
		to = from
	}
	s := otlpSpan{
		Trace: x.id("", 16), ID: x.id(of, 8), Name: name, Kind: kind, Attributes: a,
		Start: strconv.FormatInt(from.UnixNano(), 10), End: strconv.FormatInt(to.UnixNano(), 10),
	}
	if of != "run" {
		s.Parent = x.id("run", 8)
	}
	if failed != "" {
		s.Status = &otlpStatus{statusError, failed}
	}
	x.spans = append(x.spans, s)
}

func (x *otelExport) id(of string, bytes int) string {
	sum := sha256.Sum256([]byte(string(x.t.Run.ID) + " " + of))
	return hex.EncodeToString(sum[:bytes])
}

func (x *otelExport) run() {
	t := x.t
	u := t.Usage()
	name := "git-agent." + strings.SplitN(t.Run.Kind, "/", 2)[0]
	a := attributes{}.text("gen_ai.operation.name", "invoke_agent").
		text("gen_ai.agent.name", name).text("gen_ai.agent.version", t.version()).
		text("gen_ai.conversation.id", string(t.Run.ID)).text("gen_ai.request.model", t.Model()).
		server(t.About.BaseURL).usage(u).text("git_agent.status", t.Status()).text("git_agent.fix", t.About.Fix).
		text("git_agent.commit", t.About.Commit).text("git_agent.crash", t.About.Title)
	var commits []string
	if v := t.Answer(); v != nil {
		for _, c := range v.Claims {
			commits = append(commits, c.Commit)
		}
	}
	a = a.list("git_agent.verdict", commits)
	if x.content {
		a = a.json("gen_ai.system_instructions", []otelPart{{Type: "text", Content: t.Opening.System}}).
			json("gen_ai.tool.definitions", t.functionTools())
	}
	failed := ""
	if t.Status() == "failed" && t.Closing != nil {
		failed = t.Closing.Reason
		a = a.text("error.type", "_OTHER")
	}
	end := t.Run.Ended
	if end.IsZero() {
		end = t.Last
	}
	x.span("run", "invoke_agent "+name, spanInternal, t.Run.Started, end, a, failed)
}

func (x *otelExport) request(i int, turn Turn) {
	if turn.Attempts == 0 && turn.Result == nil {
		return
	}
	a := attributes{}.text("gen_ai.operation.name", "chat").text("gen_ai.conversation.id", string(x.t.Run.ID)).
		text("gen_ai.request.model", x.t.Model()).server(x.t.About.BaseURL).number("git_agent.turn", int64(turn.N))
	failed := ""
	if r := turn.Reply(); r != nil {
		a = a.text("gen_ai.response.model", r.Model).text("gen_ai.response.id", r.ID).
			list("gen_ai.response.finish_reasons", []string{otelFinish(*r)}).usage(r.Usage)
	} else if turn.Result != nil {
		failed = turn.Result.Error
		a = a.text("error.type", string(turn.Result.Class))
	}
	if x.content {
		a = a.json("gen_ai.input.messages", otelMessages(x.requests[i], ""))
		if r := turn.Reply(); r != nil {
			a = a.json("gen_ai.output.messages", otelMessages([]model.Message{r.Message}, otelFinish(*r)))
		}
	}
	x.span(fmt.Sprintf("model/%d", turn.N), "chat "+x.t.Model(), spanClient, turn.Asked, turn.Done, a, failed)
}

func (x *otelExport) call(turn Turn, c Call) {
	if c.Result == nil && c.Attempts == 0 {
		return
	}
	a := attributes{}.text("gen_ai.operation.name", "execute_tool").text("gen_ai.conversation.id", string(x.t.Run.ID)).
		text("gen_ai.tool.name", c.Name).text("gen_ai.tool.call.id", c.id(turn.N)).text("gen_ai.tool.type", "function")
	failed := ""
	if r := c.Result; r != nil {
		if r.Failed {
			failed = "the tool could not answer"
			a = a.text("error.type", "_OTHER")
		}
		a = a.flag("git_agent.cached", r.Cached).flag("git_agent.truncated", r.Truncated)
	}
	if x.content {
		a = a.text("gen_ai.tool.call.arguments", c.Args)
		if c.Result != nil {
			a = a.text("gen_ai.tool.call.result", c.Result.Text)
		}
	}
	x.span(c.step(turn.N), "execute_tool "+c.Name, spanInternal, c.Began, c.Ended, a, failed)
}

func otelFinish(r model.Reply) string {
	switch {
	case r.Finish == model.FinishRefused:
		return "content_filter"
	case r.Finish == model.FinishStop && len(r.Message.Calls) > 0:
		return "tool_call"
	}
	return string(r.Finish)
}

// attributes is a list of attributes. Its methods add an attribute unless the value
// is unknown.
type attributes []otlpAttribute

func (a attributes) text(key, v string) attributes {
	if v == "" {
		return a
	}
	return append(a, otlpAttribute{key, otlpValue{String: &v}})
}

func (a attributes) number(key string, v int64) attributes {
	s := strconv.FormatInt(v, 10)
	return append(a, otlpAttribute{key, otlpValue{Int: &s}})
}

func (a attributes) flag(key string, v bool) attributes {
	if !v {
		return a
	}
	return append(a, otlpAttribute{key, otlpValue{Bool: &v}})
}

func (a attributes) list(key string, list []string) attributes {
	if len(list) == 0 {
		return a
	}
	array := &otlpArray{}
	for _, s := range list {
		array.Values = append(array.Values, otlpValue{String: &s})
	}
	return append(a, otlpAttribute{key, otlpValue{Array: array}})
}

func (a attributes) json(key string, v any) attributes {
	b, err := quote.Marshal(v)
	if err != nil {
		return a
	}
	return a.text(key, string(b))
}

// usage adds the token counts. Input includes cached tokens and output includes
// reasoning, as the conventions require.
func (a attributes) usage(u model.Usage) attributes {
	a = a.number("gen_ai.usage.input_tokens", u.Prompt()).number("gen_ai.usage.output_tokens", u.Output)
	for _, part := range []struct {
		key string
		n   int64
	}{
		{"gen_ai.usage.cache_read.input_tokens", u.CacheRead},
		{"gen_ai.usage.cache_creation.input_tokens", u.CacheWrite},
		{"gen_ai.usage.reasoning.output_tokens", u.Reasoning},
	} {
		if part.n > 0 {
			a = a.number(part.key, part.n)
		}
	}
	if u.CostUSD != nil {
		a = append(a, otlpAttribute{"git_agent.cost_usd", otlpValue{Double: u.CostUSD}})
	}
	return a
}

// providers lists the providers that have their own name in the conventions.
var providers = []struct{ host, name string }{
	{"azure.com", "azure.ai.openai"}, {"deepseek.com", "deepseek"}, {"googleapis.com", "gcp.gemini"}, {"anthropic.com", "anthropic"},
	{"mistral.ai", "mistral_ai"}, {"groq.com", "groq"}, {"x.ai", "x_ai"}, {"openrouter.ai", "openrouter"},
}

// server adds the provider and the address of the server, if known from base.
func (a attributes) server(base string) attributes {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return a
	}
	host := u.Hostname()
	provider := "openai" // the default, because all servers speak its API
	for _, p := range providers {
		if host == p.host || strings.HasSuffix(host, "."+p.host) {
			provider = p.name
		}
	}
	a = a.text("gen_ai.provider.name", provider).text("server.address", host)
	if port := portOf(u); port > 0 {
		a = a.number("server.port", port)
	}
	return a
}

// portOf returns the port of the server, or 0 if it is unknown. The port of a server on this
// machine or its local network is not recorded, because it changes when the server restarts.
func portOf(u *url.URL) int64 {
	if port, err := strconv.ParseInt(u.Port(), 10, 32); err == nil {
		return port
	}
	switch {
	case model.IsLocal(u):
		return 0
	case u.Scheme == "https":
		return 443
	case u.Scheme == "http":
		return 80
	}
	return 0
}
