package model

import (
	"slices"
	"strconv"
	"strings"

	"git-agent/gitext/pattern"
)

// requestForm is the form of requests for the server and the model. It starts as
// a guess and changes after refusals.
type requestForm struct {
	Wire  Wire
	Drop  []string // top-level fields of the body that the server does not accept
	Swap  bool     // send max_completion_tokens instead of max_tokens, or the reverse
	Plain bool     // the server refuses unknown fields in its own messages

	MostOutput int // the server's bound on the tokens of an answer, on a wire that has to name one; 0 is unknown
}

func (l requestForm) same(m requestForm) bool {
	return l.Wire == m.Wire && l.Swap == m.Swap && l.Plain == m.Plain && l.MostOutput == m.MostOutput && slices.Equal(l.Drop, m.Drop)
}

// drops reports whether a field is left out.
func (l requestForm) drops(field string) bool { return slices.Contains(l.Drop, field) }

// form returns the current form of requests.
func (c *Client) form() requestForm {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// reasoningModel matches OpenAI's models that require the responses API for
// function calls.
var reasoningModel = pattern.Lazy(`^(o[1-9]|gpt-[5-9]|gpt-\d\d|codex)`)

// firstWire returns the configured wire or, for WireAuto, the one that the
// model probably needs.
func (c *Client) firstWire() Wire {
	if slices.Contains(Wires, c.cfg.Wire) {
		return c.cfg.Wire
	}
	if IsAnthropic(c.base) {
		return WireMessages
	}
	if (isOpenAI(c.base) || isAzure(c.base)) && reasoningModel().MatchString(c.cfg.Model) && !strings.Contains(c.cfg.Model, "chat") {
		return WireResponses
	}
	return WireChat
}

// adapt changes the form of requests after an error of a request in the form
// used. It reports whether to retry in another form.
func (c *Client) adapt(used requestForm, e *Error) bool {
	tooLong := used.Wire == WireMessages && e.Class == ClassOverflow // perhaps only with the bound on the answer
	if e.Class != ClassRequest && !(e.Status == 404 && e.Class == ClassModel) && !tooLong {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.current.same(used) {
		return true // another request has changed the form already
	}
	next, changed := c.nextForm(used, e)
	if changed {
		c.current = next
	}
	return changed
}

var (
	wantsResponses = pattern.Lazy(`(?i)/v1/responses|only supported in v1/responses|use the responses api`)
	wantsChat      = pattern.Lazy(`(?i)/v1/chat/completions|use the chat completions? api`)
	blamesMessages = pattern.Lazy(
		`(?i)invalid .?signature|thinking.{0,40} blocks?.{0,80} cannot be modified|(messages|reasoning(_content|_details)?|extra_content)\b.*(unsupported|not permitted|unexpected|unrecognized|unknown|extra|not allowed)|(unsupported|not permitted|unexpected|unrecognized|unknown|additional propert).*\b(messages|reasoning(_content|_details)?|extra_content)\b`,
	)
)

// nextForm returns the form to try after an error, and whether it differs from
// the one used.
func (c *Client) nextForm(used requestForm, e *Error) (next requestForm, changed bool) {
	next = used
	next.Drop = slices.Clone(used.Drop)
	auto := c.cfg.Wire == "" || c.cfg.Wire == WireAuto
	switch {
	case auto && used.Wire == WireChat && wantsResponses().MatchString(e.Message):
		next.Wire = WireResponses
		return next, true
	case auto && used.Wire == WireResponses && (wantsChat().MatchString(e.Message) || e.Status == 404 && e.Code != "model_not_found"):
		next.Wire = WireChat
		return next, true
	case auto && used.Wire == WireMessages && e.Status == 404 && e.Code == "" && !saysModel().MatchString(e.Message):
		next.Wire = WireChat
		return next, true
	case used.Wire == WireMessages && mostOutput(e.Message) > 0:
		next.MostOutput = mostOutput(e.Message)
		return next, used.MostOutput == 0 || next.MostOutput < used.MostOutput
	case e.Class != ClassRequest:
		return next, false
	}
	if field := blamedField(used.Wire, e); field != "" {
		if strings.HasPrefix(field, "max_") && !used.Swap && used.Wire == WireChat {
			next.Swap = true
			return next, true
		}
		if !used.drops(field) && !(field == "max_tokens" && used.Wire == WireMessages) {
			next.Drop = append(next.Drop, field)
			slices.Sort(next.Drop)
			return next, true
		}
	}
	if !used.Plain && blamesMessages().MatchString(e.Param+" "+e.Message) {
		next.Plain = true
		return next, true
	}
	return next, false
}

// droppable lists the optional fields of a request.
var droppable = []string{
	"temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "reasoning_effort", "reasoning", "include", "store",
	"max_tokens", "max_completion_tokens", "max_output_tokens", "prompt_cache_key", "cache_control", "parallel_tool_calls", "tool_choice",
	"thinking", "output_config",
}

// oneWord lists those whose name is a word without an underscore, which an error may also use for
// something else.
var oneWord = []string{"temperature", "seed", "thinking"}

var (
	saysUnsupported = pattern.Lazy(
		`(?i)unsupported|not supported|does(n't| not) support|unrecognized|unknown|unexpected|not permitted|not allowed|deprecated|may only be set|cannot both be specified|expected .?thinking|extra (field|input|param)|invalid (param|field|argument)`,
	)
	fieldWord = pattern.Lazy(`[a-z]+(_[a-z]+)*`)
)

// blamedField returns the field of our body that an error blames, or "". All
// servers name the field, though in different phrases.
func blamedField(on Wire, e *Error) string {
	if !saysUnsupported().MatchString(e.Code + " " + e.Message) {
		return ""
	}
	if strings.Contains(e.Param+" "+e.Message, "cache_control") {
		return "cache_control" // the blamed parameter may be the message that has it
	}
	param, _, _ := strings.Cut(e.Param, ".") // "reasoning.effort"
	if slices.Contains(droppable, param) {
		return param
	}
	if param != "" {
		return ""
	}
	for _, word := range fieldWord().FindAllString(e.Message, -1) {
		switch {
		case strings.Contains(word, "_") && slices.Contains(droppable, word), slices.Contains(oneWord, word):
			return word
		case word == "effort": // "This model does not support the effort parameter."
			return map[Wire]string{WireChat: "reasoning_effort", WireResponses: "reasoning", WireMessages: "output_config"}[on]
		}
	}
	return ""
}

// leastOutput is the number of tokens that an answer needs; with less room, the conversation is
// too long.
const leastOutput = 2048

var (
	// "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for"
	saysMost = pattern.Lazy(`max_tokens\W+\d+ > (\d+)\b`)
	// Anthropic's "`max_tokens` exceed context limit: 188240 + 32000 > 200000"
	saysSum = pattern.Lazy(`max_tokens.{0,40}?(\d+) \+ \d+ > (\d+)\b`)
	// vLLM's "'max_tokens' [...] is too large: 32000. [...] (32000 > 8192 - 6000)"
	saysRoom = pattern.Lazy(`max_tokens.*\(\d+ > (\d+) - (\d+)\)`)
)

// mostOutput returns the bound on the tokens of an answer that an error names, or 0. If it depends
// on the length of the conversation, which grows, half of it is taken.
func mostOutput(message string) int {
	if m := saysMost().FindStringSubmatch(message); m != nil {
		most, _ := strconv.Atoi(m[1]) // digits; 0 if too many
		return most
	}
	window, used := 0, 0
	if m := saysSum().FindStringSubmatch(message); m != nil {
		used, _ = strconv.Atoi(m[1])
		window, _ = strconv.Atoi(m[2])
	} else if m := saysRoom().FindStringSubmatch(message); m != nil {
		window, _ = strconv.Atoi(m[1])
		used, _ = strconv.Atoi(m[2])
	}
	if room := window - used; room >= leastOutput {
		return room / 2
	}
	return 0
}
