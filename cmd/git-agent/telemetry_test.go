package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"git-agent/cmd/git-agent/app"
)

// spansCollector collects the names and the ids of spans, in the order of their arrival.
type spansCollector struct {
	mu    sync.Mutex
	names []string
	ids   []string
	texts []string // whole documents
}

func (c *spansCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "what is this?", http.StatusBadRequest)
		return
	}
	names, ids := spansOf(body)
	c.names, c.ids, c.texts = append(c.names, names...), append(c.ids, ids...), append(c.texts, string(body))
}

// spansOf returns the names and the ids of the spans in a document of OTLP.
func spansOf(body []byte) (names, ids []string) {
	var doc struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct{ TraceID, SpanID, ParentSpanID, Name string }
			}
		}
	}
	if json.Unmarshal(body, &doc) != nil {
		return []string{"no JSON"}, nil
	}
	for _, r := range doc.ResourceSpans {
		for _, s := range r.ScopeSpans {
			for _, span := range s.Spans {
				names = append(names, span.Name)
				ids = append(ids, strings.Join([]string{span.TraceID, span.ParentSpanID, span.SpanID}, "/"))
			}
		}
	}
	return names, ids
}

// A run is sent span by span as it happens if the user wants it, and not otherwise. The spans are those
// that trace export has later, and hold no text of the conversation.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	b.serve(looksFirst)
	got := &spansCollector{}
	server := httptest.NewServer(got)
	t.Cleanup(server.Close)
	b.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	b.run(app.ExitFound, "crash", "--runs=1", "--no-cache", report)
	b.git("config", "agent.otel", "true")
	if _, errs := b.run(app.ExitFound, "crash", "--runs=1", "--no-cache", report); len(got.names) > 0 || !strings.Contains(errs, "agent.otel") {
		t.Fatalf("sent without being asked: %q, %q", got.names, errs)
	}
	b.git("config", "--unset", "agent.otel")
	b.git("config", "--global", "agent.otel", "true")
	b.run(app.ExitFound, "crash", "--runs=1", "--no-cache", report)
	want := []string{"chat m1", "execute_tool get_nearby_code", "chat m1", "execute_tool report", "invoke_agent git-agent.crash"}
	if !slices.Equal(got.names, want) {
		t.Errorf("spans %q, want %q", got.names, want)
	}
	if text := strings.Join(got.texts, ""); strings.Contains(text, "null pointer") || strings.Contains(text, "count(0)") || !strings.Contains(text, `"found"`) {
		t.Errorf("sent %s", text)
	}
	later, _ := b.run(app.ExitFound, "trace", "export", "--format=otel")
	_, ids := spansOf([]byte(later))
	slices.Sort(ids)
	sent := slices.Sorted(slices.Values(got.ids))
	if !slices.Equal(sent, ids) {
		t.Errorf("sent the ids %q, and later they are %q", sent, ids)
	}
}

// A collector that fails, or is not there, costs a warning.
func TestTelemetryFails(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	b.serve(looksFirst)
	b.git("config", "--global", "agent.otel", "true")
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no \x1b[31mroom", http.StatusTooManyRequests)
	}))
	t.Cleanup(refuses.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for url, want := range map[string]string{refuses.URL: "429 Too Many Requests no \\x1b[31mroom", gone.URL: "connection refused", "localhost:4318": "is no address such as"} {
		b.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
		out, errs := b.run(app.ExitFound, "crash", "--runs=1", "--no-cache", report)
		if strings.Count(errs, "warning: ") != 1 || !strings.Contains(errs, want) || !strings.Contains(out, "main.c") {
			t.Errorf("%s: %q", url, errs)
		}
	}
	b.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	b.git("config", "--global", "agent.otel", "perhaps")
	if _, errs := b.run(app.ExitFatal, "crash", "--runs=1", report); !strings.Contains(errs, "agent.otel") {
		t.Errorf("a bad value: %q", errs)
	}
}
