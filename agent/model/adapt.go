package model

import (
	"slices"
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
}

func (l requestForm) same(m requestForm) bool {
	return l.Wire == m.Wire && l.Swap == m.Swap && l.Plain == m.Plain && slices.Equal(l.Drop, m.Drop)
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
	if c.cfg.Wire == WireChat || c.cfg.Wire == WireResponses {
		return c.cfg.Wire
	}
	if (isOpenAI(c.base) || isAzure(c.base)) && reasoningModel().MatchString(c.cfg.Model) && !strings.Contains(c.cfg.Model, "chat") {
		return WireResponses
	}
	return WireChat
}

// adapt changes the form of requests after an error of a request in the form
// used. It reports whether to retry in another form.
func (c *Client) adapt(used requestForm, e *Error) bool {
	if e.Class != ClassRequest && !(e.Status == 404 && e.Class == ClassModel) {
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
		`(?i)(messages|reasoning(_content|_details)?|extra_content)\b.*(unsupported|not permitted|unexpected|unrecognized|unknown|extra|not allowed)|(unsupported|not permitted|unexpected|unrecognized|unknown|additional propert).*\b(messages|reasoning(_content|_details)?|extra_content)\b`,
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
	case e.Class != ClassRequest:
		return next, false
	}
	if field := blamedField(e); field != "" {
		if strings.HasPrefix(field, "max_") && !used.Swap && used.Wire == WireChat {
			next.Swap = true
			return next, true
		}
		if !used.drops(field) {
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
}

var (
	saysUnsupported = pattern.Lazy(
		`(?i)unsupported|not supported|does(n't| not) support|unrecognized|unknown|unexpected|not permitted|not allowed|deprecated|extra (field|input|param)|invalid (param|field|argument)`,
	)
	fieldWord = pattern.Lazy(`[a-z]+(_[a-z]+)*`)
)

// blamedField returns the field of our body that an error blames, or "". All
// servers name the field, though in different phrases.
func blamedField(e *Error) string {
	if !saysUnsupported().MatchString(e.Code + " " + e.Message) {
		return ""
	}
	param, _, _ := strings.Cut(e.Param, ".") // "reasoning.effort"
	if slices.Contains(droppable, param) {
		return param
	}
	if param != "" {
		return ""
	}
	for _, word := range fieldWord().FindAllString(e.Message, -1) {
		if strings.Contains(word, "_") && slices.Contains(droppable, word) || word == "temperature" || word == "seed" {
			return word
		}
	}
	return ""
}
