package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
)

// The doctor names what ails a server instead of waiting for it to pass.
func TestDoctorGivesUpSoon(t *testing.T) {
	b := newAgentBench(t)
	asked := 0
	b.serve(func(modeltest.Request) modeltest.Reply {
		asked++ // the doctor asks one question after the other
		return modeltest.Status(503, "the model is asleep", "Retry-After", "0")
	})
	out, _ := b.run(exitNothing, "doctor", "--online")
	if !strings.Contains(out, "fail server ") || !strings.Contains(out, "the model is asleep") || asked != onlineAttempts {
		t.Errorf("after %d requests\n%s", asked, out)
	}
}

// What an interruption spoils is not blamed on the repository.
func TestDoctorInterrupted(t *testing.T) {
	newAgentBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	a := &app{env: os.LookupEnv, stdout: &out, stderr: io.Discard}
	if err := (&doctorCmd{}).Run(ctx, a); !errors.Is(err, context.Canceled) || strings.Contains(out.String(), "repository") {
		t.Errorf("error %v, and\n%s", err, &out)
	}
}
