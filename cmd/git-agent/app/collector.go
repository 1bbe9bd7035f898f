package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"git-agent/cmd/git-agent/ui"
)

// Collector is a collector of OpenTelemetry, to which spans are sent as OTLP over HTTP.
type Collector struct {
	target  *url.URL
	headers map[string]string
	client  *http.Client
}

// sendTimeout limits the duration of a transfer to a collector.
const sendTimeout = 30 * time.Second

// FindCollector returns the collector in the environment as OpenTelemetry specifies it: the endpoint
// for traces unchanged, or else the general endpoint with the path v1/traces; nil if there is none.
func FindCollector(env Environ) (*Collector, error) {
	text, path := env.Get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), ""
	if text == "" {
		text, path = env.Get("OTEL_EXPORTER_OTLP_ENDPOINT"), "v1/traces"
	}
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is no address such as http://localhost:4318")
	}
	c := &Collector{target: u.JoinPath(path), headers: map[string]string{}}
	for pair := range strings.SplitSeq(env.Get("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			c.headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	// Do not follow redirects: the headers have a key, which another server must
	// not get.
	c.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// Host returns the host of the collector.
func (c *Collector) Host() string { return c.target.Host }

// Send sends a document of OTLP in JSON.
func (c *Collector) Send(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	res, err := c.client.Do(req)
	if err != nil {
		return fmt.Errorf("send the spans: %w", err)
	}
	defer res.Body.Close() // nothing more is read
	if res.StatusCode/100 != 2 {
		why, _ := io.ReadAll(io.LimitReader(res.Body, 500)) // the reason may be missing
		return fmt.Errorf("the collector at %s refused the spans: %s %s", c.target.Host, res.Status, ui.OneLine(string(why)))
	}
	return nil
}
