package model

import (
	"slices"
	"strings"
)

// requestForm is what a server turned out to want, for one model.
type requestForm struct {
	Wire  Wire
	Drop  []string // top-level fields of the body that it does not take
	Swap  bool     // it wants the other one of max_tokens and max_completion_tokens
	Plain bool     // it does not take back its own messages' unknown fields
}

func (l requestForm) same(m requestForm) bool {
	return l.Wire == m.Wire && l.Swap == m.Swap && l.Plain == m.Plain && slices.Equal(l.Drop, m.Drop)
}

// drops is true for a field that is not sent.
func (l requestForm) drops(field string) bool { return slices.Contains(l.Drop, field) }

// form returns the form in which requests are sent now.
func (c *Client) form() requestForm {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// reasoningModel matches the names of OpenAI's models that want the responses
// wire for function calls.
var reasoningModel = lazy(`^(o[1-9]|gpt-[5-9]|gpt-\d\d|codex)`)

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

// adapt learns from an error of a request that was sent in the form used. It
// is true when asking again, in another form, makes sense.
func (c *Client) adapt(used requestForm, e *Error) bool {
	if e.Class != ClassRequest && !(e.Status == 404 && e.Class == ClassModel) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.current.same(used) {
		return true // another request was faster
	}
	next, changed := c.nextForm(used, e)
	if changed {
		c.current = next
	}
	return changed
}

var (
	wantsResponses = lazy(`(?i)/v1/responses|only supported in v1/responses|use the responses api`)
	wantsChat      = lazy(`(?i)/v1/chat/completions|use the chat completions? api`)
	blamesMessages = lazy(`(?i)(messages|reasoning(_content|_details)?|extra_content)\b.*(unsupported|not permitted|unexpected|unrecognized|unknown|extra|not allowed)|(unsupported|not permitted|unexpected|unrecognized|unknown|additional propert).*\b(messages|reasoning(_content|_details)?|extra_content)\b`)
)

// nextForm says what to change, and what it is in words for the user; "" for
// nothing.
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

// droppable are the fields that a request can do without. What the user gave
// as Extra for another reason (a provider to use, say) is not among them.
var droppable = []string{
	"temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "reasoning_effort", "reasoning", "include", "store",
	"max_tokens", "max_completion_tokens", "max_output_tokens", "prompt_cache_key", "cache_control", "parallel_tool_calls", "tool_choice",
}

var (
	saysUnsupported = lazy(`(?i)unsupported|not supported|does(n't| not) support|unrecognized|unknown|unexpected|not permitted|not allowed|deprecated|extra (field|input|param)|invalid (param|field|argument)`)
	fieldWord       = lazy(`[a-z]+(_[a-z]+)*`)
)

// blamedField is the field of our body that an error is about, "" if it is none.
// Servers differ in how they say it; all name the field.
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
