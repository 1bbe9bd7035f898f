package main

import (
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// The doctor reports the problem of a server instead of waiting for its end.
func TestDoctorGivesUpSoon(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	asked := 0
	b.serve(func(modeltest.Request) modeltest.Reply {
		asked++ // the doctor asks one question after the other
		return modeltest.Status(503, "the model is asleep", "Retry-After", "0")
	})
	out, _ := b.run(app.ExitNothing, "doctor", "--online")
	if !strings.Contains(out, "fail server ") || !strings.Contains(out, "the model is asleep") || asked != 2 {
		t.Errorf("after %d requests\n%s", asked, out)
	}
}
