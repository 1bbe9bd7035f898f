package main

import (
	"strings"
	"testing"

	"git-agent/agent/model"
	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// top_p is sent on all wires: from the option, else from the configuration, else not. The runs
// record it.
func TestTopP(t *testing.T) {
	t.Parallel()
	for _, wire := range model.Wires {
		b := newAgentBench(t)
		server := b.serve(func(modeltest.Request) modeltest.Reply { return reports(b.bug) })
		b.git("config", "--global", "agent.wire", string(wire))
		last := func() string {
			list := server.Requests()
			return string(list[len(list)-1].Raw)
		}
		if b.run(app.ExitFound, "szz", "--engine=agent", "--no-cache", "HEAD"); strings.Contains(last(), "top_p") {
			t.Errorf("%s: it is sent: %s", wire, last())
		}
		b.git("config", "--global", "agent.topP", "0.95")
		if b.run(app.ExitFound, "szz", "--engine=agent", "--no-cache", "HEAD"); !strings.Contains(last(), `"top_p":0.95`) {
			t.Errorf("%s: configured, and not sent: %s", wire, last())
		}
		if b.run(app.ExitFound, "szz", "--no-cache", "--top-p=0.5", "HEAD"); !strings.Contains(last(), `"top_p":0.5`) {
			t.Errorf("%s: an option, and not sent: %s", wire, last())
		}
		for _, bad := range []string{"0", "1.5", "NaN", "-1"} {
			b.run(app.ExitUsage, "szz", "--top-p="+bad, "HEAD")
		}
		b.git("config", "--global", "agent.topP", "2")
		if _, errs := b.run(app.ExitFatal, "szz", "--engine=agent", "HEAD"); !strings.Contains(errs, "agent.topP") {
			t.Errorf("stderr %q", errs)
		}
	}
}
