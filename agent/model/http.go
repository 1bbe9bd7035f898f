package model

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"git-agent/gitext/pattern"
)

// parseBase parses and checks a base URL. It refuses a URL that would send a key unencrypted.
func parseBase(cfg Config) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSpace(cfg.BaseURL))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf(
			"the base URL %q is not an http or https URL; set agent.baseUrl to one such as %s",
			hideUser(cfg.BaseURL),
			DefaultBaseURL,
		)
	}
	if base.User != nil {
		return nil, errors.New("the base URL holds a user name or password; give the key by agent.apiKeyCommand or GIT_AGENT_API_KEY")
	}
	if base.Scheme == "http" && cfg.Key != "" && !isLoopback(base.Hostname()) {
		return nil, fmt.Errorf("refusing to send the key to %s over plain http; use https, or configure no key", base.Host)
	}
	for _, path := range []string{"/chat/completions", "/responses", "/messages"} {
		base.Path = strings.TrimSuffix(strings.TrimSuffix(base.Path, "/"), path)
	}
	base.Path = strings.TrimSuffix(base.Path, "/") + "/"
	return base, nil
}

// hideUser removes the secrets from a text that may be a URL.
func hideUser(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return PublicURL(u)
	}
	return "(unreadable)"
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.IsLoopback()
}

// IsLocal reports whether a server is on this machine or a private network.
// Such a server needs no key and costs nothing.
func IsLocal(u *url.URL) bool {
	addr, err := netip.ParseAddr(u.Hostname())
	return isLoopback(u.Hostname()) || strings.HasSuffix(u.Hostname(), ".local") || err == nil && (addr.IsPrivate() || addr.IsLinkLocalUnicast())
}

func isOpenAI(u *url.URL) bool {
	return u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".api.openai.com")
}

func isAzure(u *url.URL) bool {
	return strings.HasSuffix(u.Hostname(), ".openai.azure.com") || strings.HasSuffix(u.Hostname(), ".services.ai.azure.com")
}

const anthropicHost = "api.anthropic.com"

// IsAnthropic reports whether an address is of Anthropic's API: its own server, or another one's
// part for it, such as https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1.
func IsAnthropic(u *url.URL) bool {
	return u.Hostname() == anthropicHost || slices.Contains(strings.Split(u.Path, "/"), "anthropic")
}

// answer is a complete response with status 200.
type answer struct {
	body []byte // one JSON value
	keys keys   // masked in errors
}

var (
	errIdle   = errors.New("nothing came for too long")
	errSlow   = errors.New("the answer took too long")
	errTooBig = errors.New("the answer is too big")
)

// post sends a body and reads the complete answer. Its errors are *Error.
func (c *Client) post(ctx context.Context, wire Wire, body []byte) (*answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slow := time.AfterFunc(c.cfg.Timeout, func() { cancel(errSlow) })
	defer slow.Stop()

	req, err := c.request(ctx, wire, c.pathOf(wire), body)
	if err != nil {
		return nil, c.transport(ctx, err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.unanswered(ctx, err)
	}
	c.answered.Store(true)
	defer res.Body.Close()
	idle := time.AfterFunc(c.cfg.IdleTimeout, func() { cancel(errIdle) })
	defer idle.Stop()
	in := &watched{r: res.Body, alive: func() { idle.Reset(c.cfg.IdleTimeout) }}
	if res.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(io.LimitReader(in, maxErrorBody)) // a part of an error says more than none
		return nil, c.refused(res, data)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, c.transport(ctx, err)
	}
	return &answer{keys: c.keys, body: data}, nil
}

// pathOf returns the path of an API below the base URL. The official clients of messages add the
// version themselves, so that many servers are documented without it.
func (c *Client) pathOf(wire Wire) string {
	switch {
	case wire == WireResponses:
		return "responses"
	case wire != WireMessages:
		return "chat/completions"
	case versionPath().MatchString(c.base.Path):
		return "messages"
	}
	return "v1/messages"
}

// versionPath matches a path that ends with a version, such as "v1" or "v1beta".
var versionPath = pattern.Lazy(`/v[0-9][a-z0-9]*/$`)

// request returns the HTTP request that sends a body to a path below the base URL.
func (c *Client) request(ctx context.Context, wire Wire, path string, body []byte) (*http.Request, error) {
	to := c.base.ResolveReference(&url.URL{Path: path})
	query := url.Values{}
	for name, values := range c.base.Query() {
		query.Set(name, values[0])
	}
	to.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "git-agent/"+cmp.Or(c.cfg.Version, "dev"))
	if wire == WireMessages {
		req.Header.Set("Anthropic-Version", messagesVersion)
	}
	c.authorize(req.Header, wire)
	return req, nil
}

// authorize adds the key. Anthropic's own server takes a bearer token for another kind of
// credentials than a key; of the other servers of messages, some read only that header.
func (c *Client) authorize(header http.Header, wire Wire) {
	if c.cfg.Key == "" {
		return
	}
	if wire == WireMessages {
		header.Set("X-Api-Key", c.cfg.Key)
	}
	if wire != WireMessages || c.base.Hostname() != anthropicHost {
		header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	if isAzure(c.base) {
		header.Set("Api-Key", c.cfg.Key)
	}
}

// unanswered returns the Error for a request without a response. If nothing listens, the host
// does not exist or TLS fails, a retry helps only if the server answered before.
func (c *Client) unanswered(ctx context.Context, err error) *Error {
	e := c.transport(ctx, err)
	if say := c.hopeless(err); say != "" && !c.answered.Load() {
		e.once = true
		e.Message = say + " (" + e.Message + ")"
	}
	return e
}

// hopeless returns advice for a connection that will fail again, or "" if a retry may succeed.
func (c *Client) hopeless(err error) string {
	at := PublicURL(c.base)
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "no server listens at " + at + "; start it, or correct agent.baseUrl"
	case errors.As(err, &dns) && dns.IsNotFound:
		return "the host of " + at + " is not known; check the network, or correct agent.baseUrl"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "the certificate of " + at + " is not trusted; correct agent.baseUrl, or name the file of the authority's certificate in SSL_CERT_FILE"
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, new(tls.RecordHeaderError)):
		return "the server at " + at + " does not speak TLS; correct agent.baseUrl, which may begin with http://"
	}
	return ""
}

// transport returns the Error for a failure of the connection.
func (c *Client) transport(ctx context.Context, err error) *Error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errTooBig) {
		return &Error{Class: ClassMalformed, Message: fmt.Sprintf("the answer is larger than %d bytes", c.cfg.MaxBody)}
	}
	if err == nil {
		err = errors.New("no response")
	}
	return &Error{Class: ClassTransport, Message: oneLine(err.Error(), c.keys), Err: err}
}

// watched calls alive whenever data arrives.
type watched struct {
	r     io.Reader
	alive func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.alive()
	}
	return n, err
}

// guarded returns the HTTP client. It follows no redirect, which would send the key and the
// conversation elsewhere, and bounds the size of bodies.
func (c *Client) guarded() *http.Client {
	client := &http.Client{}
	if c.cfg.HTTP != nil {
		*client = *c.cfg.HTTP
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = &bounded{next: client.Transport, limit: c.cfg.MaxBody}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar = nil
	return client
}

// bounded bounds the size of bodies: the body of an error is cut, a longer
// answer is an error.
type bounded struct {
	next  http.RoundTripper
	limit int64
}

func (b *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(req)
	if res != nil && res.Body != nil {
		if res.StatusCode >= 400 {
			res.Body = &limited{res.Body, io.LimitReader(res.Body, maxErrorBody)}
		} else {
			res.Body = &limited{res.Body, &untilTooBig{res.Body, b.limit}}
		}
	}
	return res, err
}

type limited struct {
	io.Closer
	io.Reader
}

// untilTooBig fails when more than left bytes come.
type untilTooBig struct {
	r    io.Reader
	left int64
}

func (u *untilTooBig) Read(p []byte) (int, error) {
	n, err := u.r.Read(p[:min(int64(len(p)), u.left+1)])
	if u.left -= int64(n); u.left < 0 {
		return 0, errTooBig
	}
	return n, err
}
