package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config selects the model, its server and the options of requests.
type Config struct {
	BaseURL string // up to the version, such as "https://api.openai.com/v1"; "" is the maker of the API
	Model   string
	Key     string // "" for servers that need none
	Wire    Wire   // "" is WireAuto

	Effort      string   // reasoning effort, in the server's words; "" sends none
	Temperature *float64 // nil sends none; reasoning models refuse one
	TopP        *float64 // likewise

	Timeout     time.Duration // for one request; 0 is 20 minutes
	IdleTimeout time.Duration // between two pieces of an answer; 0 is 5 minutes

	Price   *Price // the user's price; nil looks it up
	Version string // of git-agent, for the User-Agent header

	// The fields below are for tests.

	HTTP     *http.Client
	Attempts int   // requests for one answer; 0 is 8
	MaxBody  int64 // most bytes of an answer; 0 is 32 MiB
	// Sleep and Now are the clock.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
	// Jitter returns a number in [0, 1) that spreads waits.
	Jitter func() float64
}

// Defaults of Config.
const (
	DefaultBaseURL     = "https://api.openai.com/v1"
	anthropicBaseURL   = "https://" + anthropicHost + "/v1"
	defaultAttempts    = 8
	defaultTimeout     = 20 * time.Minute
	defaultIdleTimeout = 5 * time.Minute
	defaultMaxBody     = 32 << 20
)

// DefaultBase returns the base URL of the maker of an API.
func DefaultBase(on Wire) string {
	if on == WireMessages {
		return anthropicBaseURL
	}
	return DefaultBaseURL
}

// maxAdapts bounds the changes of form for one request after refusals.
const maxAdapts = 8

// Client asks one model on one server. It is safe for concurrent use. Its requests share
// knowledge about the server and the pauses that the server demands.
type Client struct {
	cfg  Config
	base *url.URL
	keys keys
	http *http.Client
	pace pace

	answered atomic.Bool // the server sent some response

	mu      sync.Mutex
	current requestForm
}

// New checks cfg and returns a Client. It sends nothing.
func New(cfg Config) (*Client, error) {
	if strings.TrimSpace(cfg.Model) == "" {
		return nil, errors.New("no model is configured; set agent.model")
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = DefaultBase(cfg.Wire)
	}
	base, err := parseBase(cfg)
	if err != nil {
		return nil, err
	}
	switch cfg.Wire {
	case "", WireAuto, WireChat, WireResponses, WireMessages:
	default:
		return nil, fmt.Errorf("unknown wire %q; set agent.wire to %s, %s, %s or %s", cfg.Wire, WireChat, WireResponses, WireMessages, WireAuto)
	}
	c := &Client{cfg: cfg.withDefaults(), base: base, keys: newKeys(cfg.Secrets())}
	c.current.Wire = c.firstWire()
	c.pace = pace{now: c.cfg.Now, sleep: c.cfg.Sleep, jitter: c.cfg.Jitter}
	c.http = c.guarded()
	return c, nil
}

func (cfg Config) withDefaults() Config {
	cfg.Attempts = max(1, cmp.Or(cfg.Attempts, defaultAttempts))
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	cfg.IdleTimeout = cmp.Or(cfg.IdleTimeout, defaultIdleTimeout)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, int64(defaultMaxBody))
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	if cfg.Jitter == nil {
		cfg.Jitter = jitter
	}
	return cfg
}

// String and GoString name the client without its key.
func (c *Client) String() string   { return c.cfg.Model + " at " + PublicURL(c.base) }
func (c *Client) GoString() string { return "model.Client{" + c.String() + "}" }

// String and GoString name the configured model without its key.
func (cfg Config) String() string   { return fmt.Sprintf("%s at %s", cfg.Model, hideUser(cfg.BaseURL)) }
func (cfg Config) GoString() string { return "model.Config{" + cfg.String() + "}" }

// Ask sends a request, with retries, and returns a complete reply or an *Error that no retry can
// fix. When ctx ends, Ask returns ctx's error.
func (c *Client) Ask(ctx context.Context, req Request) (*Reply, error) {
	adapts, tries := 0, 0
	for sent := 1; ; sent++ {
		if err := c.pace.await(ctx); err != nil {
			return nil, c.failed(ctx, err, sent-1)
		}
		form := c.form()
		reply, err := c.try(ctx, form, req)
		if err == nil {
			reply.Attempts = sent
			return reply, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var e *Error
		if !errors.As(err, &e) {
			return nil, err // the request cannot be encoded
		}
		if adapts < maxAdapts && c.adapt(form, e) {
			adapts++
			continue
		}
		if tries++; !e.retryable() || tries >= c.cfg.Attempts || !mayRepeat(ctx, e) {
			return nil, c.failed(ctx, e, sent)
		}
		if err := c.pace.backOff(ctx, e, tries); err != nil {
			return nil, c.failed(ctx, err, sent)
		}
	}
}

// failed completes an error for the caller.
func (c *Client) failed(ctx context.Context, err error, sent int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var e *Error
	if errors.As(err, &e) {
		e.Attempts = sent
	}
	return err
}

// try sends one request.
func (c *Client) try(ctx context.Context, form requestForm, req Request) (*Reply, error) {
	body, err := c.body(form, req)
	if err != nil {
		return nil, err
	}
	a, err := c.post(ctx, form.Wire, body)
	if err == nil {
		var reply *Reply
		if reply, err = a.reply(form.Wire, len(req.Messages)); err == nil {
			if err = c.boundReply(reply, len(req.Messages)); err == nil {
				err = c.inspect(req, reply)
			}
			if err == nil {
				return reply, nil
			}
		}
	}
	var e *Error
	if errors.As(err, &e) {
		c.conclude(e, req)
	}
	return nil, err
}

// Body returns the bytes that Ask would send for req now. A later refusal by
// the server may change them.
func (c *Client) Body(req Request) ([]byte, error) { return c.body(c.form(), req) }

func (c *Client) body(form requestForm, req Request) ([]byte, error) {
	switch form.Wire {
	case WireResponses:
		return c.responsesBody(form, req)
	case WireMessages:
		return c.messagesBody(form, req)
	}
	return c.chatBody(form, req)
}
