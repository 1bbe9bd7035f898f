package main

import (
	"fmt"
	"testing"

	"git-agent/agent/model"
	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// Most of the tokens of an investigation are a prefix of an earlier request, so that a provider
// with a prompt cache reads them there, on every wire. The log has the shares.
func TestPromptCache(t *testing.T) {
	for _, wire := range model.Wires {
		s := newStudy(t)
		speaks(t, wire)
		var cache modeltest.PromptCache
		var sent, read, written int64
		turns := []modeltest.Reply{
			modeltest.Call("git_show", `{"commit":"HEAD"}`).And("git_show", `{"commit":"HEAD~1"}`).Saying("What did they change?"),
			modeltest.Call("git_log_search", `{"pattern":"<= n"}`).Thinking("Which commit wrote it?"),
			modeltest.Call("git_blame", `{"path":"sum.c","start":1,"end":40}`),
			modeltest.Call("git_grep", `{"pattern":"other_function_1"}`).And("git_show", `{"commit":"HEAD~2"}`),
			modeltest.Call("git_blame", `{"path":"sum.c","start":100,"end":180}`).Thinking("And elsewhere?"),
			modeltest.Call("report", fmt.Sprintf(`{"commits":[{"commit":%q,"confidence":0.9,"type":"introduction","reasoning":"It reads one too many."}]}`, s.culprit)),
		}
		server := modeltest.Serve(t, func(req modeltest.Request) modeltest.Reply {
			prompt, hit, stored := cache.Count(req)
			sent, read, written = sent+prompt, read+hit, written+stored
			return turns[req.Turn()].Counting(prompt, 60).Caching(hit, stored)
		})
		t.Setenv("GIT_AGENT_BASE_URL", server.URL)
		if code, out, errs := s.run(t, "szz", "--allow-unpriced", "--json", "HEAD"); code != app.ExitFound {
			t.Fatalf("%s: szz exits with %d\n%s%s", wire, code, out, errs)
		}
		share := float64(read) / float64(sent)
		// Reading costs a tenth at both makers; storing a quarter more at Anthropic.
		paid := (float64(sent-read-written) + 0.1*float64(read) + 1.25*float64(written)) / float64(sent)
		t.Logf("%-9s %d requests, %5d tokens sent, %5d read from the cache (%.0f %%), %4d stored, paid for like %.0f %%",
			wire, len(turns), sent, read, 100*share, written, 100*paid)
		if share < 0.65 || paid > 0.45 {
			t.Errorf("%s: a share of %.2f was read, and %.2f paid for", wire, share, paid)
		}
	}
}
