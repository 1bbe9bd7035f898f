package model

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Listed is a model that a server offers.
type Listed struct {
	ID     string
	Window int64 // tokens of its context, as it runs there; 0 if the server does not say
}

// The answers to questions about a server are small and quick, or not worth waiting for.
const (
	askTimeout = 15 * time.Second
	maxListed  = 8 << 20 // bytes of an answer; OpenRouter's list has about one megabyte
)

// Models returns the models that the server lists, in its order. The error is an *Error; some
// servers have no list.
func (c *Client) Models(ctx context.Context) ([]Listed, error) {
	wire, path := c.form().Wire, "models"
	if wire == WireMessages {
		path = strings.TrimSuffix(c.pathOf(wire), "messages") + "models?limit=1000" // of 20 on a page
	}
	body, err := c.get(ctx, wire, path)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []counts `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil {
		return nil, malformed("the answer is no list of models")
	}
	var models []Listed
	for _, fields := range list.Data {
		if id := strings.TrimPrefix(text(fields["id"]), "models/"); id != "" { // Gemini's prefix
			models = append(models, Listed{ID: oneLine(id, c.keys), Window: windowOf(fields)})
		}
	}
	return models, nil
}

// windowOf returns the size of the context in an entry of a list: of vLLM, OpenRouter and
// Together, Groq, Anthropic, LM Studio, and llama.cpp. What a model could have, if the server had
// been started otherwise, does not count.
func windowOf(fields counts) int64 {
	n, ok := fields.get("max_model_len", "context_length", "context_window", "max_input_tokens", "loaded_context_length")
	if !ok {
		n = fields.sub("meta").some("n_ctx")
	}
	return n
}

// RunningWindow returns the size of the context of the configured model as it runs: what the
// list says, else what llama.cpp and Ollama say elsewhere. It is 0 if no one says. Ollama knows
// it once the model has answered.
func (c *Client) RunningWindow(ctx context.Context, list []Listed) int64 {
	for _, m := range list {
		if m.ID == c.cfg.Model || len(list) == 1 {
			if m.Window > 0 {
				return m.Window
			}
		}
	}
	if !IsLocal(c.base) {
		return c.window()
	}
	if body, err := c.get(ctx, WireChat, "../props"); err == nil { // llama.cpp
		if n := countsOf(body).sub("default_generation_settings").some("n_ctx"); n > 0 {
			return n
		}
	}
	var running struct {
		Models []counts `json:"models"`
	}
	if body, err := c.get(ctx, WireChat, "../api/ps"); err == nil && json.Unmarshal(body, &running) == nil { // Ollama
		for _, m := range running.Models {
			if name := text(m["name"]); name == c.cfg.Model || strings.TrimSuffix(name, ":latest") == c.cfg.Model {
				return m.some("context_length")
			}
		}
	}
	return 0
}

// Wire returns the wire of the next request.
func (c *Client) Wire() Wire { return c.form().Wire }

// Serves reports whether the server has an API at the base URL. The request that it sends is
// incomplete, so that it costs nothing: a server that knows the path says what is missing.
func (c *Client) Serves(ctx context.Context, wire Wire) bool {
	req, err := c.request(ctx, wire, c.pathOf(wire), []byte("{}"))
	if err != nil {
		return false
	}
	status, body, err := c.exchange(ctx, req)
	switch {
	case err != nil, status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		return false
	case status >= 300 && status < 400, status == http.StatusUnauthorized, status == http.StatusForbidden:
		return false // nobody knows what would be there
	}
	return json.Valid(bytes.TrimSpace(body))
}

// get returns the answer to a request of a path that is relative to the base URL.
func (c *Client) get(ctx context.Context, wire Wire, path string) ([]byte, error) {
	req, err := c.request(ctx, wire, "", nil)
	if err != nil {
		return nil, c.transport(ctx, err)
	}
	to, err := url.Parse(path)
	if err != nil {
		return nil, c.transport(ctx, err)
	}
	to = c.base.ResolveReference(to)
	if to.RawQuery == "" {
		to.RawQuery = req.URL.RawQuery
	}
	req.URL, req.Method, req.Body, req.GetBody, req.ContentLength = to, http.MethodGet, nil, nil, 0
	req.Header.Del("Content-Type")
	status, body, err := c.exchange(ctx, req)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, readServerError(body).error(status, c.keys)
	}
	return body, nil
}

// exchange sends a small request and returns its answer's status and text.
func (c *Client) exchange(ctx context.Context, req *http.Request) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	res, err := c.http.Do(req.WithContext(ctx))
	if err != nil {
		return 0, nil, c.unanswered(ctx, err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, maxListed))
	if err != nil {
		return 0, nil, c.transport(ctx, err)
	}
	return res.StatusCode, body, nil
}
