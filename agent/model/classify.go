package model

import (
	"cmp"
	"net/http"
	"strings"

	"git-agent/gitext/pattern"
)

// These patterns classify errors by the server's text. They come from providers'
// documentation and issue trackers of clients; most servers send a status and a
// text, but no code.
var (
	// Anthropic, Bedrock, OpenAI, Gemini, xAI, Groq, OpenRouter, Copilot,
	// llama.cpp, LM Studio, MiniMax, Kimi, vLLM, TGI, Mistral, DeepSeek,
	// Together, Cohere, Ollama, Qwen, GLM.
	saysOverflow = pattern.Lazy(
		`(?i)context[ _-]?(length|window|size)[ _](is )?exceed|exceeds? (the |its |this |your )?(model'?s? )?(available |maximum |max )?(context|input (length|limit)|token limit)|` +
			`maximum context|max(imum)? (prompt|input|sequence|model) (length|tokens?|len)|prompt (is )?too long|prompt contains \d+ tokens|input (is )?too (long|large)|too many (input )?tokens|` +
			`input (tokens?|length)\b.{0,40}\bexceed|token count.{0,40}exceed|exceeded model token limit|token limit exceeded|larger than the (model'?s? )?context|` +
			`greater than the context|longer than the (model|context)|reduce the length|range of input length|request (is )?too large|request_too_large|string_above_max_length|context_length_exceeded|` +
			`model_context_window_exceeded|input length should be|inputs?.? tokens? \+ .?max_new_tokens.? must be|exceeds the limit of \d+|num_ctx|n_ctx|context overflow|prompt exceeds max length`,
	)
	saysRefused = pattern.Lazy(
		`(?i)content[ _]?(filter|policy|management)|responsibleai|moderation|flagged|safety (system|filter|reason)|content_policy|data_inspection_failed|prohibited[ _]content|usage polic`,
	)
	saysAuth = pattern.Lazy(
		`(?i)(invalid|incorrect|missing|no|bad|wrong|expired|revoked)[ _]?(or missing )?(api[ _-]?key|auth|credential|token\b|bearer)|api key (not|is not|is invalid|not valid)|unauthenticated|unauthori[sz]ed|authentication`,
	)
	saysQuota = pattern.Lazy(
		`(?i)insufficient[ _](quota|balance|credit|funds)|credit balance|out of credit|no credit|more credits|billing_hard_limit|billing (details|hard)|exceeded your current quota|payment required|account.{0,20}(deactivated|suspended|arrears)|arrearage|specified api usage limits`,
	)
	saysModel = pattern.Lazy(
		`(?i)model[ _]not[ _]found|no such model|(model|deployment)\b.{0,80}\b(does not exist|not found|not exist|is not available|unavailable for|not supported by any provider|deprecated|has been (removed|retired|shut))|not a valid model|invalid model|unknown model|(not|n't) have access to.{0,40}model|no endpoints found|unsupported model|does not support (tools|function)`,
	)
	saysServer = pattern.Lazy(`(?i)server|internal|timeout|upstream|provider`)
	saysBusy   = pattern.Lazy(
		`(?i)rate[ _-]?limit|too many requests|overloaded|at capacity|over capacity|try again later|throttl|resource[ _]exhausted|server[ _]busy|concurrency|unavailable`,
	)
)

// error returns the Error for a server's error with this status; 0 is no status.
func (f serverError) error(status int, k keys) *Error {
	e := &Error{
		Status:     status,
		Code:       oneLine(cmp.Or(f.Code, f.Kind), k),
		Param:      oneLine(f.Param, k),
		Message:    oneLine(f.Message, k),
		RetryAfter: f.Wait,
	}
	e.Class = f.class(status)
	return e
}

// class returns the class of an error. If the text and the status disagree, the
// text counts: servers are careless with both, but more with the status.
func (f serverError) class(status int) Class {
	said := f.Code + " " + f.Kind + " " + f.Message
	busy := status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == 529 || status == http.StatusTooEarly
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return ClassOverflow
	case saysOverflow().MatchString(said) && !busy && status != http.StatusUnauthorized:
		return ClassOverflow
	case saysQuota().MatchString(said) && f.Wait == 0 || status == http.StatusPaymentRequired:
		return ClassQuota
	case busy:
		return ClassBusy
	case saysRefused().MatchString(said) && status < 500 || status == http.StatusUnavailableForLegalReasons:
		return ClassRefused
	case status == http.StatusUnauthorized:
		return ClassAuth
	case status < 500 && saysModel().MatchString(said):
		return ClassModel
	case status < 500 && saysAuth().MatchString(said):
		return ClassAuth
	}
	return f.byStatus(status, said)
}

func (f serverError) byStatus(status int, said string) Class {
	switch {
	case status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return ClassAuth
	case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusMethodNotAllowed:
		return ClassModel // or a wrong base URL: every other request would fail too
	case status == http.StatusRequestTimeout:
		return ClassTransport
	case status == http.StatusConflict, status == 499:
		return ClassServer
	case status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		return ClassRequest
	case saysBusy().MatchString(said) && (status == 0 || status >= 500):
		return ClassBusy
	case status >= 500:
		return ClassServer
	case status == 0 && saysServer().MatchString(said):
		return ClassServer
	}
	return ClassRequest
}

// retryable reports whether a retry may help.
func (e *Error) retryable() bool {
	if e.once {
		return false
	}
	switch e.Class {
	case ClassBusy, ClassServer, ClassTransport, ClassMalformed:
		return true
	}
	return false
}

// emptyRefusal is the number of tokens above which a 400 without a reason counts
// as an overflow; Cerebras and Mistral send such errors.
const emptyRefusal = 4000

// conclude completes an error with conclusions from the request.
func (c *Client) conclude(e *Error, req Request) {
	if e.Status == http.StatusBadRequest && e.Class == ClassRequest && (e.Message == "" || e.Message == "bad request") &&
		Estimate(req) > emptyRefusal {
		e.Class = ClassOverflow
		e.Message = "bad request, without a reason: probably the conversation is too long"
	}
	switch {
	case e.Class != ClassModel:
	case e.Status == http.StatusNotFound && e.Code == "not_found_error" && strings.HasPrefix(e.Message, "model:"): // Anthropic's "model: claude-9"
		e.Message = "there is no" + strings.Replace(e.Message, "model:", " model", 1)
	case e.Status == http.StatusNotFound && !saysModel().MatchString(e.Message):
		e.Message += "; is agent.baseUrl (" + PublicURL(c.base) + ") right?"
	case e.Status == http.StatusOK: // a web page: from a proxy, a login page, or a wrong path
		e.Message += "; check agent.baseUrl (" + PublicURL(c.base) + "), and what the network has in between"
	}
}

// inspect completes a reply's usage, and rejects it if the server silently cut
// the conversation.
func (c *Client) inspect(req Request, reply *Reply) error {
	if reply.Usage.Estimated {
		in, out := reply.Usage.Prompt(), reply.Usage.Output
		reply.Usage.Uncached, reply.Usage.Output = cmp.Or(in, Estimate(req)), cmp.Or(out, estimateMessage(reply.Message, all))
	}
	c.priceUsage(&reply.Usage)
	// vLLM sends the finish reason "tool_calls" even if the limit cut the
	// arguments.
	if reply.Finish == FinishStop && req.MaxOutput > 0 && reply.Usage.Output >= int64(req.MaxOutput) && !resendable(reply.Message) {
		reply.Finish = FinishLength
	}
	if reply.Usage.Estimated {
		return nil
	}
	sent, estimate := reply.Usage.Prompt(), textEstimate(req)
	if window := c.window(); window > 0 && sent > window { // z.ai
		return &Error{
			Class:   ClassOverflow,
			Status:  200,
			charged: true,
			Message: "the conversation is longer than the model's window, and the server cut it without an error",
		}
	}
	if IsLocal(c.base) && estimate > truncatedFrom && sent > 0 && float64(sent) < truncatedShare*float64(estimate) {
		return &Error{
			Class:   ClassModel,
			Status:  200,
			Message: "the server read only a part of what was sent, as Ollama does; start it with a larger OLLAMA_CONTEXT_LENGTH, such as 32768",
		}
	}
	return nil
}

// A prompt above truncatedFrom tokens was cut if the server counts less than
// truncatedShare of our estimate, whose error is much smaller.
const (
	truncatedFrom  = 3000
	truncatedShare = 0.6
)
