package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
)

// With --engine=agent, the exit code shows that the model gave no answer; the
// offline answer is still printed and marked. With --engine=auto, the offline
// answer counts like others.
func TestSzzExitWithoutTheModelsAnswer(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	looks := modeltest.Call("git_show", `{"commit":"HEAD~2"}`)
	asked := 0
	for _, tt := range []struct {
		name   string
		answer func(modeltest.Request) modeltest.Reply
		args   []string
		code   int
	}{
		{"a redirect", always(modeltest.Status(http.StatusFound, "", "Location", "http://127.0.0.1:1/")), nil, app.ExitModel},
		{"no tools there", always(modeltest.Status(http.StatusBadRequest, `{"error":{"message":"\"auto\" tool choice requires --enable-auto-tool-choice"}}`)), nil, app.ExitModel},
		{"a content filter", always(modeltest.Status(http.StatusBadRequest, `{"error":{"code":"content_filter","message":"the prompt was flagged"}}`)), nil, app.ExitModel},
		{"a limit", always(looks), []string{"--turns=2"}, app.ExitLimit},
		{"a last word", func(req modeltest.Request) modeltest.Reply {
			if req.Turn() == 0 {
				return looks
			}
			return reports(b.bug)
		}, []string{"--turns=2"}, app.ExitFound},
		{"nothing named", always(modeltest.Call("report", `{"commits":[]}`)), []string{"--turns=4"}, app.ExitFound},
		{"words only", always(modeltest.Say("It is hard to say.")), nil, app.ExitFound},
		{"one of a vote", func(modeltest.Request) modeltest.Reply {
			if asked++; asked%2 == 1 {
				return reports(b.bug)
			}
			return modeltest.Status(http.StatusBadRequest, `{}`)
		}, []string{"--runs=2", "--no-cache"}, app.ExitFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.t = t
			b.serve(tt.answer)
			b.run(app.ExitFound, append([]string{"szz"}, tt.args...)...)
			for _, form := range []string{"", "--json", "--trailer", "--format=%H"} {
				args := append([]string{"szz", "--engine=agent"}, tt.args...)
				if form != "" {
					args = append(args, form)
				}
				if out, _ := b.run(tt.code, args...); out == "" {
					t.Errorf("%v prints nothing", args)
				}
			}
			b.git("config", "--global", "agent.engine", "agent")
			b.run(tt.code, append([]string{"szz"}, tt.args...)...)
			b.git("config", "--global", "--unset", "agent.engine")
		})
	}
}

// A server that refuses one fix weighs more than a limit at another, and both
// more than a fix without a suspect.
func TestSzzExitOfSeveralFixes(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	refuse := true
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if refuse && strings.Contains(req.Messages[1].Text, "a: count from one again") {
			return modeltest.Status(http.StatusBadRequest, `{}`)
		}
		return modeltest.Call("git_show", `{"commit":"HEAD~2"}`)
	})
	fixes := []string{"szz", "--engine=agent", "--turns=2", "--json", "HEAD", "HEAD~1", "HEAD~3"}
	out, _ := b.run(app.ExitModel, fixes...)
	var engines []string
	for line := range strings.Lines(out) {
		var ans render.AnswerJSON
		if err := json.Unmarshal([]byte(line), &ans); err != nil {
			t.Fatal(err)
		}
		if ans.Agent != nil && ans.Agent.Fallback == "" {
			t.Errorf("no fallback in %s", line)
		}
		engines = append(engines, ans.Engine)
	}
	if len(engines) != 3 {
		t.Errorf("%d answers: %s", len(engines), out)
	}
	refuse = false
	b.run(app.ExitLimit, fixes...)
	b.run(app.ExitNothing, append(fixes, "--engine=auto")...)
}

// So does who resumes a run.
func TestTraceResumeExitsAsSzz(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.setenv("GIT_AGENT_API_KEY", "wrong")
	status := http.StatusUnauthorized
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("git_show", `{"commit":"HEAD~2"}`)
		}
		return modeltest.Status(status, `{}`)
	})
	b.run(app.ExitModel, "szz")
	status = http.StatusBadRequest
	if out, _ := b.run(app.ExitModel, "trace", "resume"); !strings.Contains(out, "the answer is the offline engine's") {
		t.Errorf("got %q", out)
	}
}
