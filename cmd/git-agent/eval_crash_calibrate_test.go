package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// An evaluation writes a calibration of crash, which crash uses for the same model. A useless
// calibration is shown but not written.
func TestCalibrationFromEvalToCrash(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	b.serve(func(req modeltest.Request) modeltest.Reply { return namesFour })
	file, clones := b.manyCrashes(55)
	path := filepath.Join(b.home, "crash.json")
	out, errs := b.run(app.ExitFound, "eval", "crash", file, "--repos="+clones, "--engine=agent", "--runs=1", "--run=x", "--no-suspects", "--calibrate="+path)
	if !strings.Contains(out, "calibration of agent fitted on 220 files of 55 cases, 55 of them right; judged in 5 folds by case") || !strings.Contains(errs, "git config --global agent.crashCalibration "+path) {
		t.Fatalf("stderr %q, stdout\n%s", errs, out)
	}
	raw := crashAnswer(t, first(b.run(app.ExitFound, "crash", "--json", "--runs=1", report)))
	sure := crashAnswer(t, first(b.run(app.ExitFound, "crash", "--json", "--runs=1", "--calibration="+path, report)))
	if raw.Agent.Calibrated || !strings.Contains(raw.Agent.Calibration, "base rate") || !sure.Agent.Calibrated || !strings.Contains(sure.Agent.Calibration, "on 220 files of 55 cases") ||
		sure.Files[0].Probability <= raw.Files[0].Probability {
		t.Errorf("%+v, %g and %+v, %g", raw.Agent, raw.Files[0].Probability, sure.Agent, sure.Files[0].Probability)
	}
	if _, errs := b.run(app.ExitFound, "crash", "--runs=2", "--calibration="+path, report); !strings.Contains(errs, "is not used: it is for 1 run, and there are 2") {
		t.Errorf("two runs: %q", errs)
	}
	if out, _ := b.run(app.ExitFound, "eval", "crash", "--run=x", "--calibration="+path); !strings.Contains(out, "the model's probabilities are calibrated on 220 files") {
		t.Errorf("a stored run\n%s", out)
	}
	b.git("config", "--global", "agent.crashCalibration", path)
	if conf := crashAnswer(t, first(b.run(app.ExitFound, "crash", "--json", "--runs=1", report))); !conf.Agent.Calibrated || conf.Files[0].Probability != sure.Files[0].Probability {
		t.Errorf("configured: %+v", conf.Agent)
	}
	if out, _ := b.run(app.ExitFound, "eval", "crash", "--run=x"); !strings.Contains(out, "the model's probabilities are calibrated on 220 files") {
		t.Errorf("a stored run, configured\n%s", out)
	}
	if out, _ := b.run(app.ExitFound, "doctor", "--json"); !strings.Contains(out, `"check":"crash calibration"`) || !strings.Contains(out, "it is for 1 run") && !strings.Contains(out, "on 220 files of 55 cases") {
		t.Errorf("doctor\n%s", out)
	}
	journal := filepath.Join(b.home, "crash.journal")
	b.run(app.ExitFound, "eval", "crash", file, "--repos="+clones, "--engine=agent", "--runs=1", "--no-suspects", "--limit=3", "--journal="+journal)
	if out, _ := b.run(app.ExitFound, "eval", "merge", journal); !strings.Contains(out, "the model's probabilities are calibrated on 220 files") {
		t.Errorf("merged\n%s", out)
	}
	b.git("config", "--global", "agent.crashCalibration", report)
	if _, errs := b.run(app.ExitFatal, "crash", report); !strings.Contains(errs, "agent.crashCalibration") || !strings.Contains(errs, "cannot be used") {
		t.Errorf("a bad file is configured: %q", errs)
	}
	if out, _ := b.run(app.ExitNothing, "doctor"); !strings.Contains(out, "crash calibration") {
		t.Errorf("doctor\n%s", out)
	}
	b.git("config", "--global", "--unset", "agent.crashCalibration")
	for args, want := range map[string]string{"--algorithm=rank --calibrate=x": "no algorithm asks a model", "--engine=agent --calibrate=x --calibration=" + path: "goes with neither"} {
		if _, errs := b.run(app.ExitUsage, append([]string{"eval", "crash", file, "--repos=" + clones}, strings.Fields(args)...)...); !strings.Contains(errs, want) {
			t.Errorf("%s: %q", args, errs)
		}
	}
	if _, errs := b.run(app.ExitFatal, "crash", "--calibration="+report, report); !strings.Contains(errs, "cannot be used") {
		t.Errorf("no calibration: %q", errs)
	}
}

// namesFour names four files, a.c first.
var namesFour = modeltest.Call("report", `{"explanation":"It passes a null pointer.","files":[{"path":"a.c","reason":"It follows it."},{"path":"main.c","reason":"It calls count with 0."},{"path":"b.c","reason":"Perhaps."},{"path":"d.c","reason":"Perhaps."}],"commits":[]}`)

func first(out, _ string) string { return out }

// manyCrashes writes a case file with n crashes of the bench's repository, caused by a.c.
func (b *agentBench) manyCrashes(n int) (file, clones string) {
	b.t.Helper()
	clones = filepath.Join(b.home, "clones")
	b.shell(`cd r; echo "int b;" >b.c; echo "int d;" >d.c; git add -A; git commit -q --no-verify --no-gpg-sign -m 'more'; cd ..; mkdir -p clones/o && cp -r r clones/o/r`)
	head, text := b.git("rev-parse", "HEAD"), ""
	for i := range n {
		line, err := json.Marshal(map[string]any{"id": fmt.Sprint("c", i), "repo": "o/r", "crash_commit": head, "report": crashReport, "fix_files": []string{"a.c"}})
		if err != nil {
			b.t.Fatal(err)
		}
		text += string(line) + "\n"
	}
	file = filepath.Join(b.home, "many.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return file, clones
}
