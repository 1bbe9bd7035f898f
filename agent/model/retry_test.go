package model

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"git-agent/agent/model/modeltest"
)

// askFails asks a client and returns the expected *Error.
func askFails(t *testing.T, c *Client) *Error {
	t.Helper()
	_, err := c.Ask(t.Context(), question("who?"))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	return e
}

// A temporary failure is retried, after waits that double.
func TestRetries(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		srv := modeltest.Script(t, modeltest.Status(500, "{}"), modeltest.Status(503, "{}"), modeltest.Status(502, "<html>"), modeltest.Say("at last"))
		c, k := newClient(t, srv.URL, set)
		reply, err := c.Ask(t.Context(), question("who?"))
		if err != nil || reply.Message.Text != "at last" || reply.Attempts != 4 {
			t.Fatalf("got %+v, %v", reply, err)
		}
		// Half of 1, 2 and 4 seconds; the second wait is a pause for all.
		if want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}; !slices.Equal(k.slept, want) {
			t.Errorf("slept %v, want %v", k.slept, want)
		}
	})
}

// If nothing listens or the host is unknown, nothing is retried, because a wait of a minute would
// not help. A server that answered before may come back.
func TestNobodyListens(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	for url, want := range map[string]string{srv.URL: "no server listens at " + srv.URL, "https://no-such-host.invalid/v1": "is not known"} {
		c, k := newClient(t, url, nil)
		if e := askFails(t, c); e.Class != ClassTransport || e.Attempts != 1 || len(k.slept) != 0 || !strings.Contains(e.Message, want) || !strings.Contains(e.Message, "agent.baseUrl") {
			t.Errorf("%s: %+v after %v", url, e, k.slept)
		}
	}
	busy := httptest.NewServer(http.NotFoundHandler())
	c, k := newClient(t, busy.URL, nil)
	if e := askFails(t, c); e.Class != ClassModel {
		t.Fatalf("%+v", e)
	}
	busy.Close()
	if e := askFails(t, c); e.Attempts != 8 || len(k.slept) != 7 {
		t.Errorf("after an answer: %+v after %v", e, k.slept)
	}
}

// An untrusted certificate and a server without TLS are reported at once.
func TestTLSThatCannotWork(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for url, want := range map[string]string{secure.URL: "is not trusted", strings.Replace(plain.URL, "http:", "https:", 1): "does not speak TLS"} {
		c, k := newClient(t, url, nil)
		if e := askFails(t, c); e.Class != ClassTransport || e.Attempts != 1 || len(k.slept) != 0 || !strings.Contains(e.Message, want) || !strings.Contains(e.Message, "agent.baseUrl") {
			t.Errorf("%s: %+v after %v", url, e, k.slept)
		}
	}
}

func TestRetriesEnd(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		srv := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Status(500, `{"error":"boom"}`) })
		c, k := newClient(t, srv.URL, set)
		e := askFails(t, c)
		if e.Class != ClassServer || e.Attempts != 8 || len(srv.Requests()) != 8 || e.Message != "boom" {
			t.Errorf("got %+v after %d requests", e, len(srv.Requests()))
		}
		for _, d := range k.slept {
			if d > longestWait {
				t.Errorf("slept %v", d)
			}
		}
	})
}

// The wait that a server demands is respected, in every form.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		headers []string
		body    string
		want    time.Duration
	}{
		{[]string{"Retry-After", "7"}, "{}", 7 * time.Second},
		{[]string{"Retry-After", "0.25"}, "{}", 250 * time.Millisecond},
		{[]string{"Retry-After", now.Add(90 * time.Second).Format(http.TimeFormat)}, "{}", 90 * time.Second},
		{[]string{"Retry-After-Ms", "30", "Retry-After", "7"}, "{}", 30 * time.Millisecond},
		{[]string{"Retry-After", "-7"}, "{}", 0},
		{[]string{"Retry-After", "soon"}, "{}", 0},
		{[]string{"Retry-After", "NaN"}, "{}", 0},
		{[]string{"Retry-After", "1e999"}, "{}", longestHeaderWait},
		{nil, `{"error":{"message":"Rate limit reached. Please try again in 1.5s. Visit ..."}}`, 1500 * time.Millisecond},
		{nil, `{"error":{"message":"Please try again in 20ms."}}`, 20 * time.Millisecond},
		{nil, `{"error":{"message":"Please try again in 6m0s."}}`, 6 * time.Minute},
		{nil, `{"error":{"message":"Please try again in 1m30.5s."}}`, 90*time.Second + 500*time.Millisecond},
		{nil, `{"error":{"message":"retry after 3 seconds"}}`, 3 * time.Second},
		{nil, `{"error":{"message":"Please wait 2 minutes and retry"}}`, 2 * time.Minute},
		{nil, `[{"error":{"message":"quota","details":[{"@type":"x"},{"retryDelay":"37s"}]}}]`, 37 * time.Second},
		{nil, `{"error":{"message":"limit 3000, used 2999, requested 10"}}`, 0},
	} {
		h := http.Header{}
		for i := 0; i+1 < len(c.headers); i += 2 {
			h.Set(c.headers[i], c.headers[i+1])
		}
		got := waitOf(h, now)
		if got == 0 {
			got = readServerError([]byte(c.body)).Wait
		}
		if got != c.want {
			t.Errorf("%v %s: got %v, want %v", c.headers, c.body, got, c.want)
		}
	}
}

func TestRetryAfterIsKept(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		srv := modeltest.Script(t, modeltest.Status(429, "{}", "Retry-After", "7"), modeltest.Say("ok"))
		c, k := newClient(t, srv.URL, set)
		if _, err := c.Ask(t.Context(), question("who?")); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(k.slept, []time.Duration{7 * time.Second}) {
			t.Errorf("slept %v", k.slept)
		}
	})
}

// A too long wait is an immediate error with the duration. Other requests of the client are not
// sent before the end of the wait.
func TestPauseIsShared(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		srv := modeltest.Script(t, modeltest.Status(429, "{}", "Retry-After", "600"), modeltest.Say("ok"))
		c, k := newClient(t, srv.URL, set)
		for range 2 {
			e := askFails(t, c)
			if e.Class != ClassBusy || e.RetryAfter != 10*time.Minute || !strings.HasSuffix(e.Message, "; the server asks to wait for 10 min; git-agent waits for 2 min at most") {
				t.Errorf("got %+v", e)
			}
			if strings.Count(e.Message, "asks to wait") != 1 {
				t.Errorf("it says twice: %s", e.Message)
			}
		}
		if len(k.slept) != 0 || len(srv.Requests()) != 1 {
			t.Errorf("slept %v, asked %d times", k.slept, len(srv.Requests()))
		}
		k.time = k.time.Add(9 * time.Minute)
		if _, err := c.Ask(t.Context(), question("who?")); err != nil {
			t.Fatal(err)
		}
		if len(k.slept) == 0 || k.slept[0] < time.Minute {
			t.Errorf("slept %v of the last minute", k.slept)
		}
	})
}

// The user learns the reason and the duration of a wait, unless the wait is too short to notice.
func TestWaitsAreTold(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		srv := modeltest.Script(t, modeltest.Status(503, "{}", "Retry-After", "8"), modeltest.Status(500, "{}"), modeltest.Status(200, "{"), modeltest.Say("ok"),
			modeltest.Status(429, "{}", "Retry-After", "120"), modeltest.Say("ok"))
		c, _ := newClient(t, srv.URL, set)
		var said []string
		ctx := OnWait(t.Context(), func(text string) { said = append(said, text) })
		for range 2 {
			if _, err := c.Ask(ctx, question("who?")); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{
			"the model server is busy (status 503); asking again in 8 s",
			"the model server fails (status 500); asking again in 1 s",
			"the model server sent no readable answer; asking again in 2 s",
			"the model server is busy (status 429); asking again in 2 min",
		}
		if !slices.Equal(said, want) {
			t.Errorf("told %q", said)
		}
		srv = modeltest.Script(t, modeltest.Status(500, "{}"), modeltest.Say("ok"))
		c, _ = newClient(t, srv.URL, set)
		if _, err := c.Ask(OnWait(t.Context(), func(text string) { t.Errorf("told %q of half a second", text) }), question("who?")); err != nil {
			t.Fatal(err)
		}
	})
}

// A permanent failure is not retried.
func TestNoRetry(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		for status, want := range map[int]Class{400: ClassRequest, 401: ClassAuth, 402: ClassQuota, 404: ClassModel, 413: ClassOverflow} {
			srv := modeltest.Script(t, modeltest.Status(status, `{"error":{"message":"no"}}`))
			c, _ := newClient(t, srv.URL, set)
			if e := askFails(t, c); e.Class != want || e.Attempts != 1 {
				t.Errorf("%d: got %+v, want %s", status, e, want)
			}
		}
	})
}

// A web page instead of an answer is not retried: the error comes at once and names the setting
// to check.
func TestWebPage(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		srv := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
			return modeltest.Status(200, "<html><head><title>Sign in to WiFi</title></head></html>", "Content-Type", "text/html")
		})
		c, _ := newClient(t, srv.URL, set)
		e := askFails(t, c)
		if !e.EndsAll() || e.Attempts != 1 || !strings.Contains(e.Message, "does not speak the API: it answers with a web page: Sign in to WiFi; check agent.baseUrl ("+srv.URL) {
			t.Errorf("got %+v", e)
		}
	})
}

// When the context ends, Ask returns from any state.
func TestCancel(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		begun := make(chan struct{})
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("\n"))
			w.(http.Flusher).Flush()
			begun <- struct{}{}
			<-r.Context().Done()
		}))
		t.Cleanup(srv.Close)
		t.Cleanup(srv.CloseClientConnections)
		c, _ := newClient(t, srv.URL, set)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		if _, err := c.Ask(ctx, question("who?")); !errors.Is(err, context.Canceled) {
			t.Errorf("while reading: got %v", err)
		}

		busy := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Status(429, "{}", "Retry-After", "60") })
		ctx, cancel = context.WithCancel(t.Context())
		c, _ = newClient(t, busy.URL, func(cfg *Config) {
			set(cfg)
			cfg.Sleep = func(ctx context.Context, d time.Duration) error { cancel(); return ctx.Err() }
		})
		if _, err := c.Ask(ctx, question("who?")); !errors.Is(err, context.Canceled) {
			t.Errorf("while waiting: got %v", err)
		}
		if _, err := c.Ask(ctx, question("who?")); !errors.Is(err, context.Canceled) || len(busy.Requests()) != 1 {
			t.Errorf("before asking: got %v", err)
		}
	})
}

// Concurrent requests share the knowledge of the first one.
func TestConcurrentRequests(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		var refused atomic.Int64
		srv := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
			if strings.Contains(string(r.Raw), "temperature") {
				refused.Add(1)
				return modeltest.Status(400, `{"error":{"message":"Unsupported parameter","code":"unsupported_parameter","param":"temperature"}}`)
			}
			return modeltest.Say("ok")
		})
		zero := 0.0
		c, _ := newClient(t, srv.URL, func(cfg *Config) { set(cfg); cfg.Temperature = &zero })
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				if _, err := c.Ask(t.Context(), question("who?")); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		before := refused.Load()
		if _, err := c.Ask(t.Context(), question("who?")); err != nil || refused.Load() != before {
			t.Errorf("it asked with a temperature again: %v", err)
		}
	})
}
