package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/model"
	"git-agent/agent/model/modeltest"
)

// BenchmarkLoop measures the cost of a turn beside the model: 15 turns, each with one
// call and an answer of 3,000 characters. "server" adds the client and a server on a
// loopback port that answers at once.
func BenchmarkLoop(b *testing.B) {
	const turns = 15
	answer := Result{Text: strings.Repeat("L123: 0123456789ab | return x;\n", 100)}
	srv := modeltest.Serve(b, func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == turns-1 {
			return modeltest.Call("report", `{"commit":"abc"}`)
		}
		return modeltest.Call("look", fmt.Sprintf(`{"at":%d}`, req.Turn()))
	})
	client, err := model.New(model.Config{BaseURL: srv.URL, Model: "m", Wire: model.WireChat})
	if err != nil {
		b.Fatal(err)
	}
	for _, bm := range []struct {
		name    string
		journal bool
		server  bool
	}{{"alone", false, false}, {"journal", true, false}, {"server", false, true}, {"journal and server", true, true}} {
		b.Run(bm.name, func(b *testing.B) {
			_, traces := journalIn(b, b.TempDir())
			for b.Loop() {
				s := &script{turns: append(busy(turns-1), call("report", `{"commit":"abc"}`))}
				l := newTestLoop(s)
				l.Tools[0] = fake{"look", func(context.Context, json.RawMessage) (Result, error) { return answer, nil }}
				if bm.server {
					l.Model = client
				}
				if bm.journal {
					run, err := traces.StartRun(b.Context(), "bench", "")
					if err != nil {
						b.Fatal(err)
					}
					l.Journal = NewTraceJournal(traces, run)
				}
				if out, err := l.Run(b.Context()); err != nil || out.Turns != turns {
					b.Fatal(out, err)
				}
			}
			b.ReportMetric(1000*b.Elapsed().Seconds()/float64(b.N*turns), "ms/turn")
		})
	}
}
