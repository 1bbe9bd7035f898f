package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/agent/szz/investigate"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
)

// hesitant adds twelve fixes to a bench's repository, each with 16 culprits in
// its case, and serves a model that names all of them with little confidence,
// and others with less.
func (b *agentBench) hesitant() (server *modeltest.Server, file, clones string) {
	b.t.Helper()
	b.shell(`cd r
		say() { git add -A; GIT_AUTHOR_DATE="2024-02-01T00:00:$1Z" GIT_COMMITTER_DATE="2024-02-01T00:00:$1Z" git commit -q --no-verify --no-gpg-sign -m "$2"; }
		for i in $(seq 10 25); do echo "int v$i = $i;" >>v.c; say $i "v: add $i"; done
		for i in $(seq 27 38); do echo "int w$i = $i;" >>w.c; say $i "w: add $i"; done
		mkdir -p ../clones/o; git clone -q --bare . ../clones/o/r`)
	guilty := strings.Fields(b.git("rev-list", "HEAD~12", "^HEAD~28"))
	innocent := strings.Fields(b.git("rev-list", "HEAD~28"))
	var text, claims strings.Builder
	for _, fix := range strings.Fields(b.git("rev-list", "HEAD", "^HEAD~12")) {
		line, err := json.Marshal(map[string]any{"repo": "o/r", "fix": fix, "bics": guilty})
		if err != nil {
			b.t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	for i, oid := range append(guilty, innocent...) {
		sure := 0.5
		if i >= len(guilty) {
			sure = 0.2
		}
		fmt.Fprintf(&claims, `,{"commit":%q,"confidence":%g,"type":"introduction","reasoning":"perhaps"}`, oid, sure)
	}
	file = filepath.Join(b.home, "hesitant.jsonl")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return b.serve(always(modeltest.Call("report", `{"commits":[`+claims.String()[1:]+`]}`))), file, filepath.Join(b.home, "clones")
}

// szzOf is the answer for HEAD.
func (b *agentBench) szzOf(args ...string) (ans render.AnswerJSON, stderr string) {
	b.t.Helper()
	out, errs := b.run(app.ExitFound, append([]string{"szz", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &ans); err != nil {
		b.t.Fatal(err)
	}
	return ans, errs
}

// An evaluation writes a calibration; szz uses it for the model that it was made
// for, and for no other; later reports use it without a model.
func TestCalibrationFromEvalToSzz(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	server, cases, clones := b.hesitant()
	raw, _ := b.szzOf()
	if raw.Agent.Calibrated || raw.Agent.Calibration != "no calibration is set" || raw.Suspects[0].Probability > 0.6 {
		t.Fatalf("raw: %+v, suspect %+v", raw.Agent, raw.Suspects[0])
	}

	path := filepath.Join(b.home, "m1.json")
	out, errs := b.run(app.ExitFound, "eval", "szz", cases, "--repos="+clones, "--engine=agent", "--run=x", "--calibrate="+path)
	if !strings.Contains(out, "calibration of agent fitted on 240 suspects of 12 cases, 192 of them right; judged in 5 folds by case") ||
		!strings.Contains(errs, "git config --global agent.calibration "+path) {
		t.Errorf("stderr %q, stdout\n%s", errs, out)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := investigate.ParseCalibration(data)
	if err != nil || c.Model != "m1" || c.Runs != 1 || c.Predictions != 240 || c.OutOfFold.After.ECE >= c.OutOfFold.Before.ECE || fmt.Sprint(c.Files) != "[hesitant.jsonl]" {
		t.Fatalf("%v, calibration\n%s", err, data)
	}

	b.git("config", "--global", "agent.calibration", path)
	sure, errs := b.szzOf()
	if !sure.Agent.Calibrated || !strings.Contains(sure.Agent.Calibration, "240 suspects of 12 cases") || sure.Suspects[0].Probability < 0.9 || strings.Contains(errs, "warning") {
		t.Errorf("calibrated: %+v, suspect %+v, stderr %q", sure.Agent, sure.Suspects[0], errs)
	}
	if human, _ := b.run(app.ExitFound, "szz"); !strings.Contains(human, "note: the probabilities are calibrated on 240 suspects") {
		t.Errorf("for people:\n%s", human)
	}
	if out, _ := b.run(app.ExitFound, "doctor"); !strings.Contains(out, "ok   calibration   "+path+", for 1 run: on 240 suspects") {
		t.Errorf("doctor\n%s", out)
	}

	asked := len(server.Requests())
	var report struct{ Calibrated string }
	out, _ = b.run(app.ExitFound, "eval", "szz", "--run=x", "--json")
	if err := json.Unmarshal([]byte(out), &report); err != nil || !strings.Contains(report.Calibrated, "240 suspects") || len(server.Requests()) != asked {
		t.Errorf("%v, a later report is calibrated %q, after %d requests", err, report.Calibrated, len(server.Requests())-asked)
	}

	other, errs := b.szzOf("--model=m2")
	if other.Agent.Calibrated || other.Suspects[0].Probability != raw.Suspects[0].Probability ||
		!strings.Contains(other.Agent.Calibration, "it is for the model m1, and m2 is asked") ||
		!strings.Contains(errs, "is not used: it is for the model m1, and m2 is asked; make one with 'git agent eval szz") {
		t.Errorf("another model: %+v, suspect %+v, stderr %q", other.Agent, other.Suspects[0], errs)
	}
}

// An impossible fit is refused, and the old file stays.
func TestCalibrationThatCannotBe(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	_, cases, clones := b.hesitant()
	path := filepath.Join(b.home, "cal.json")
	if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs := b.run(app.ExitFatal, "eval", "szz", cases, "--repos="+clones, "--engine=agent", "--limit=3", "--calibrate="+path)
	if !strings.Contains(errs, "fatal: a calibration needs 200 suspects that the model named, at least 10 right and 10 wrong; there are 48 right and 12 wrong") || !strings.Contains(out, "precision") {
		t.Errorf("stderr %q, stdout\n%s", errs, out)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "{}" {
		t.Errorf("%v, the file is %q", err, data)
	}
	for _, args := range [][]string{
		{cases, "--repos=" + clones, "--algorithm=r", "--calibrate=" + path},
		{cases, "--repos=" + clones, "--engine=agent", "--calibrate=" + path, "--calibration=" + path},
	} {
		if _, errs := b.run(app.ExitUsage, append([]string{"eval", "szz"}, args...)...); !strings.Contains(errs, "--calibrate") {
			t.Errorf("%v: %q", args, errs)
		}
	}

	_, errs = b.run(app.ExitFatal, "szz", "--calibration="+path)
	if want := `fatal: the calibration of --calibration: "` + path + `" cannot be used: its schema is "", not "git-agent/calibration/1"`; !strings.HasPrefix(errs, want) && !strings.Contains(errs, "\n"+want) {
		t.Errorf("a broken file: %q", errs)
	}
	b.git("config", "--global", "agent.calibration", "cal.json")
	if _, errs = b.run(app.ExitFatal, "szz"); !strings.Contains(errs, `fatal: bad config value 'cal.json' for 'agent.calibration'`) {
		t.Errorf("a relative path: %q", errs)
	}
	b.git("config", "--global", "--unset", "agent.calibration")
	b.git("config", "agent.calibration", path) // of the repository
	if ans, errs := b.szzOf(); ans.Agent.Calibrated || !strings.Contains(errs, "warning: agent.calibration (local) is ignored: a repository may not set it") {
		t.Errorf("of the repository: %+v, %q", ans.Agent, errs)
	}
}
