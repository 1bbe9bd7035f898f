package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/agent/source"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/pattern"
	"git-agent/gitext/quote"
)

// Limits of the test request of --online. They are lower than for an investigation, because the
// user wants to learn about a problem instead of waiting for its end.
const (
	onlineTimeout  = time.Minute
	onlineAttempts = 2
	localOutput    = 1024 // tokens of the answer: what a processor writes within the time
	hostedOutput   = 8192 // leaves room for thoughts
)

// leastWindow is the number of tokens that a short investigation needs. On five fixes of
// more-itertools, the first request of szz has 13 to 15 kB, which are about 4,000 tokens; the
// answers of the tools come on top.
const leastWindow = 16_384

// server is the configured model server, and how the program asks it.
type server struct {
	settings session.Settings
	config   model.Config
	client   *model.Client
	keyFrom  string // the origin of the key; "" if there is none
}

// check asks the model to call a tool, because investigations need tool calls. If that fails, it
// looks for the mistake in the settings.
func (o *server) check(ctx context.Context) []finding {
	ctx, cancel := context.WithTimeout(ctx, onlineTimeout)
	defer cancel()
	begun := time.Now()
	reply, err := o.client.Ask(ctx, o.question())
	if err != nil {
		return []finding{o.explain(ctx, err)}
	}
	list := []finding{o.judge(reply, time.Since(begun).Round(100*time.Millisecond))}
	known, _ := o.client.Models(ctx) // without a list, others may know the context
	if n := o.client.RunningWindow(ctx, known); n > 0 && n < leastWindow {
		list = append(list, o.small(n))
	}
	if o.settings.Host() == "api.anthropic.com" && o.client.Wire() != model.WireMessages {
		list = append(list, warn("wire", setWire(model.WireMessages),
			"the %s API of %s has no prompt caching: each turn pays for the whole conversation again", o.client.Wire(), o.settings.Host()))
	}
	return list
}

// question is the test request.
func (o *server) question() model.Request {
	req := model.Request{
		MaxOutput: hostedOutput,
		Messages: []model.Message{
			{Role: model.System, Text: "You test whether tools can be called."},
			{Role: model.User, Text: `Call the tool "ready" with ok set to true.`},
		},
		Tools: []model.Tool{{Name: "ready", Description: "Say that tools can be called.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)}},
	}
	if o.settings.Local() {
		req.MaxOutput = localOutput
	}
	return req
}

// callInText matches a call that a model wrote and its server did not read.
var callInText = pattern.Lazy(`<tool_call>|\[TOOL_CALLS\]|<function=|<\|python_tag\|>|["']?name["']?\s*[:=]\s*["']ready["']`)

// judge says whether the model can investigate.
func (o *server) judge(reply *model.Reply, took time.Duration) finding {
	switch {
	case len(reply.Message.Calls) > 0:
		return ok("server", "%s answered in %s on the wire %s and calls tools, %s",
			ui.Printable(reply.Model), took, o.client.Wire(), render.UsageText(reply.Usage))
	case callInText().MatchString(reply.Message.Text):
		return warn("server", "start llama.cpp with --jinja, or vLLM with --enable-auto-tool-choice --tool-call-parser=<name>",
			"the model wrote its call as text, which the server does not read as a call: the model cannot investigate")
	case reply.Finish == model.FinishLength:
		return warn("server", "git config --global agent.model <one that calls tools>",
			"its answer was cut at %d tokens, and called no tool before", reply.Usage.Output)
	}
	return warn("server", "git config --global agent.model <one that calls tools>",
		"it answered in %s, but called no tool: the model cannot investigate", took)
}

// small says that the context is too small.
func (o *server) small(window int64) finding {
	cure := "git config --global agent.model <one with a longer context>"
	if o.settings.Local() {
		cure = "start llama.cpp with -c 32768, Ollama with OLLAMA_CONTEXT_LENGTH=32768, or vLLM with --max-model-len=32768"
	}
	return warn("context", cure, "it has %d tokens, and an investigation needs %d or more", window, leastWindow)
}

// explain returns the finding for a failed test request: the mistake in the settings, if it is a
// usual one, else the error.
func (o *server) explain(ctx context.Context, err error) finding {
	var e *model.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fail("server", "", "%s gave no complete answer within %s: it is overloaded or slow, or the model does not come to an end",
			o.settings.Host(), onlineTimeout)
	case !errors.As(err, &e):
		return fail("server", "", "%v", err)
	}
	if f, found := o.noTools(e); found {
		return f
	}
	switch e.Class {
	case model.ClassAuth:
		return o.badKey(e)
	case model.ClassOverflow:
		return fail("server", o.small(0).Fix, "even a test request is too long for its context: %v", e)
	case model.ClassModel, model.ClassMalformed, model.ClassRequest:
		if f, found := o.elsewhere(ctx, e); found {
			return f
		}
	}
	return fail("server", "", "%v", e)
}

// refusesTools are what servers say if they or the model cannot call tools, with the cures.
var refusesTools = []struct {
	says pattern.Pattern
	cure string
}{
	{pattern.Lazy(`(?i)enable-auto-tool-choice|tool-call-parser`), "start vLLM with --enable-auto-tool-choice --tool-call-parser=<name>"},
	{pattern.Lazy(`(?i)tools param requires|--jinja`), "start llama.cpp with --jinja"},
	{
		pattern.Lazy(`(?i)(does not|doesn't|not) support (the )?(tools?|tool use|tool calling|function)|support tool use|(tools|functions?|function calling) (is|are) not supported`),
		"git config --global agent.model <one that calls tools>",
	},
}

func (o *server) noTools(e *model.Error) (finding, bool) {
	for _, r := range refusesTools {
		if r.says().MatchString(e.Message) {
			return fail("server", r.cure, "it cannot call tools, without which a model cannot investigate: %s", e.Message), true
		}
	}
	return finding{}, false
}

// badKey says that the key is missing or wrong.
func (o *server) badKey(e *model.Error) finding {
	switch {
	case o.keyFrom == "":
		return fail("server", "export GIT_AGENT_API_KEY=<key>", "%s wants a key, and none is configured: %v", o.settings.Host(), e)
	case strings.HasPrefix(o.keyFrom, "agent.apiKeyCommand"):
		return fail("server", "git config --global agent.apiKeyCommand <command>", "%s refuses the key from %s: %v", o.settings.Host(), o.keyFrom, e)
	}
	return fail("server", "export "+o.keyFrom+"=<key>", "%s refuses the key from %s: %v", o.settings.Host(), o.keyFrom, e)
}

// elsewhere looks for a wrong name of the model, or else for another address or wire, at which
// the server has an API.
func (o *server) elsewhere(ctx context.Context, e *model.Error) (finding, bool) {
	wire := o.client.Wire()
	if o.client.Serves(ctx, wire) {
		return o.noSuchModel(ctx, e)
	}
	for _, base := range o.addresses() {
		for _, other := range slices.Concat([]model.Wire{wire}, model.Wires) {
			if base == o.settings.BaseURL && other == wire || !o.serves(ctx, base, other) {
				continue
			}
			switch {
			case other == wire:
				return fail("server", setAddress(o.settings, base), "%s has nothing at %s: its %s API is at %s",
					o.settings.Host(), ui.Printable(o.settings.BaseURL), wire, ui.Printable(base)), true
			case base == o.settings.BaseURL:
				return fail("server", setWire(other), "%s does not have the %s API at %s, but the %s API",
					o.settings.Host(), wire, ui.Printable(base), other), true
			}
			return fail("server", setAddress(o.settings, base)+" && "+setWire(other), "%s does not have the %s API at %s, but the %s API at %s",
				o.settings.Host(), wire, ui.Printable(o.settings.BaseURL), other, ui.Printable(base)), true
		}
	}
	return finding{}, false
}

// addresses returns the addresses at which the server may have an API: the configured one, the
// usual one of such a server, and the configured one with and without a version.
func (o *server) addresses() []string {
	base := o.settings.BaseURL
	list := []string{base}
	for _, more := range []string{o.settings.LikelyBaseURL(), base + "/v1", strings.TrimSuffix(base, "/v1"), strings.TrimSuffix(base, "/anthropic") + "/v1"} {
		if more != "" && !slices.Contains(list, more) {
			list = append(list, more)
		}
	}
	return list
}

func (o *server) serves(ctx context.Context, base string, wire model.Wire) bool {
	config := o.config
	config.BaseURL, config.Wire = base, wire
	client, err := model.New(config)
	return err == nil && client.Serves(ctx, wire)
}

func setWire(w model.Wire) string { return "git config --global agent.wire " + string(w) }

// mostNames bounds the names of models that are shown.
const mostNames = 6

// noSuchModel says which models the server has, if the configured one is not among them.
func (o *server) noSuchModel(ctx context.Context, e *model.Error) (finding, bool) {
	list, err := o.client.Models(ctx)
	name := o.settings.Model
	if err != nil || len(list) == 0 || slices.ContainsFunc(list, func(m model.Listed) bool { return m.ID == name || m.ID == name+":latest" }) {
		return finding{}, false
	}
	if e.Class == model.ClassMalformed {
		return finding{}, false // it answered, in whatever form
	}
	names := nearestNames(list, name)
	said := strings.Join(names[:min(len(names), mostNames)], ", ")
	if more := len(names) - mostNames; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return fail("server", "git config --global agent.model "+quote.Shell(names[0]), "%s has no model %s: it has %s", o.settings.Host(), ui.Printable(name), said), true
}

// nearestNames returns the names of models, the most similar ones first.
func nearestNames(list []model.Listed, name string) []string {
	distance := map[string]int{}
	var names []string
	for _, m := range list {
		id := ui.Printable(m.ID)
		d := source.EditDistance(strings.ToLower(name), strings.ToLower(m.ID), 40)
		if strings.Contains(strings.ToLower(m.ID), strings.ToLower(name)) {
			d = 0
		}
		distance[id] = d
		names = append(names, id)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b)) })
	return slices.Compact(names)
}
