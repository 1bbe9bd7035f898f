package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// A repeatedRow is a row of the means of repeated runs.
type repeatedRow struct {
	Name   string
	Values []struct{ Value *float64 }
}

func repeatedIn(t *testing.T, out string) []repeatedRow {
	t.Helper()
	var r struct{ Repeats struct{ Rows []repeatedRow } }
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return r.Repeats.Rows
}

// With --repeat, the model of each verb answers each case that many times, and algorithms without
// a model answer once. The report has the mean; stored repetitions are not repeated, and an
// earlier stored run counts as the first.
func TestEvalRepeats(t *testing.T) {
	t.Parallel()
	for verb, known := range map[string]func(*agentBench) []told{"szz": (*agentBench).knownSzz, "crash": (*agentBench).knownCrashes, "fix": (*agentBench).knownBugs} {
		t.Run(verb, func(t *testing.T) {
			b := newAgentBench(t)
			cases := known(b)
			files := b.casesFile(cases)
			var asked atomic.Int32 // conversations
			server := b.serve(func(req modeltest.Request) modeltest.Reply {
				if req.Turn() == 0 {
					asked.Add(1)
				}
				for _, c := range cases {
					if strings.Contains(req.Messages[1].Text, c.mark) {
						return c.reply(req)
					}
				}
				return modeltest.Say("?")
			})
			args := append([]string{"eval", verb, "--json", "--run=x", "--limit=1", "--jobs=1"}, files...)
			other := map[string]string{"szz": "r", "crash": "baseline1", "fix": "developers"}[verb]
			arm := map[string]string{"szz": "agent", "crash": "agent", "fix": "agent-none"}[verb]
			if args = append(args, "--algorithm="+arm+","+other); verb == "fix" {
				args = append(args, "--sandbox=none")
			} else {
				args = append(args, "--runs=1")
			}
			b.run(app.ExitFound, args...)
			first := int(asked.Load())
			rows := filepath.Join(b.home, "rows.jsonl")
			out, _ := b.run(app.ExitFound, append(args, "--repeat=3", "--rows="+rows)...)
			if n := int(asked.Load()); first < 1 || n != 3*first {
				t.Errorf("%d conversations, and %d at first", n, first)
			}
			table := repeatedIn(t, out)
			if len(table) != 2 || table[0].Name != arm || *table[0].Values[0].Value != 3 || table[1].Name != other || *table[1].Values[0].Value != 1 {
				t.Fatalf("%+v", table)
			}
			text, err := os.ReadFile(rows)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{arm, arm + "#2", arm + "#3"} {
				if n := strings.Count(string(text), `"algorithm":"`+name+`"`); n != 1 {
					t.Errorf("%d rows of %s", n, name)
				}
			}
			n := len(server.Requests())
			b.run(app.ExitFound, append(args, "--repeat=2")...)
			if out, _ := b.run(app.ExitFound, "eval", verb, "--json", "--run=x"); len(server.Requests()) != n || len(repeatedIn(t, out)) != 2 {
				t.Errorf("%d more requests, or no repetitions in %s", len(server.Requests())-n, out)
			}
			b.run(app.ExitUsage, append(args, "--algorithm="+arm+"#2")...)
			b.run(app.ExitUsage, append(slices.Clone(args[:len(args)-2]), "--algorithm="+other, "--repeat=2")...)
		})
	}
}

// The mean of different repetitions is between them, and an interrupted repetition is continued.
func TestEvalRepetitionsDiffer(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones := b.cases()
	right := b.git("rev-parse", "HEAD~3") // of the case that --limit=1 chooses
	var conversations, refuse atomic.Int32
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			conversations.Add(1)
			return modeltest.Call("git_blame", `{"path":"a.c"}`)
		}
		n := conversations.Load()
		if n == 2 && refuse.CompareAndSwap(0, 1) {
			return modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"no"}}`)
		}
		if n == 3 {
			return reports(b.bug)
		}
		return reports(right)
	})
	args := []string{"eval", "szz", "--json", file, "--repos=" + clones, "--algorithm=agent-no-claim-check", "--repeat=3", "--run=x", "--limit=1", "--jobs=1", "--runs=1"}
	b.run(app.ExitModel, args...)
	stopped := len(server.Requests())
	out, _ := b.run(app.ExitFound, args...)
	table := repeatedIn(t, out)
	if len(table) != 1 || *table[0].Values[0].Value != 3 {
		t.Fatalf("%s", out)
	}
	var mean *float64
	for i := 1; i+3 < len(table[0].Values); i += 4 { // mean, deviation, least, greatest
		if v := table[0].Values[i : i+4]; v[3].Value != nil && *v[2].Value < *v[3].Value {
			mean = v[0].Value
		}
	}
	if mean == nil || *mean < 0.6 || *mean > 0.7 {
		t.Errorf("no measure has the mean 2/3 in %s", out)
	}
	if n := int(conversations.Load()); n != 3 {
		t.Errorf("%d conversations began, and the second was to go on; %d requests before it stopped, %d in all", n, stopped, len(server.Requests()))
	}
}
