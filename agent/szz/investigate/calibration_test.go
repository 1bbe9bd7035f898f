package investigate

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
)

// sample is a calibration for the defaults of Trace.
func sample(t *testing.T) *Calibration {
	t.Helper()
	basis, err := BasisOf(Options{ModelName: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	return &Calibration{Schema: CalibrationSchema, Basis: basis, Cases: 200, Repositories: 7, Predictions: 230, Platt: stat.Platt{Raw: 2, Agreement: 1, Constant: -1}}
}

func TestParseCalibration(t *testing.T) {
	// A written calibration is read again; an unusable one is refused with the reason.
	t.Parallel()
	data, err := json.Marshal(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseCalibration(data)
	if err != nil || c.ID() != sample(t).ID() || c.Platt != sample(t).Platt {
		t.Fatalf("%+v, %v", c, err)
	}
	good := string(data)
	for broken, want := range map[string]string{
		"":                 "no calibration",
		"[1]":              "no calibration",
		"{}":               `its schema is ""`,
		good[1:]:           "no calibration",
		good[:len(good)/2]: "no calibration",
		strings.Replace(good, "calibration/1", "calibration/2", 1):   "calibration/2",
		strings.Replace(good, `"raw":2`, `"raw":-2`, 1):              "out of range",
		strings.Replace(good, `"constant":-1`, `"constant":1e9`, 1):  "out of range",
		strings.Replace(good, `"model":"scripted"`, `"model":""`, 1): "what it was fitted for",
	} {
		if _, err := ParseCalibration([]byte(broken)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", broken, err, want)
		}
	}
}

func TestDetectCalibrates(t *testing.T) {
	// A calibration for the basis is used, and one for another basis is not: the raw
	// probability stays, and the answer gives the reason.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	v, _ := h.detect(fix, Options{}, accuse(string(origin)))
	raw := v.Suspects[0].Probability
	if v.Agent.Calibrated || v.Agent.Calibration != "no calibration is set" || v.Suspects[0].Vote.Raw != raw || v.Suspects[0].Vote.Agreement != 1 {
		t.Errorf("without a calibration: %+v, %+v", v.Agent, v.Suspects[0].Vote)
	}
	c := sample(t)
	v, _ = h.detect(fix, Options{Calibration: c}, accuse(string(origin)))
	if got, want := v.Suspects[0].Probability, c.Probability(raw, 1); got != want || got == raw || !v.Agent.Calibrated || v.Suspects[0].Vote.Raw != raw {
		t.Errorf("calibrated: %v, want %v; %+v", got, want, v.Agent)
	}
	if notes := strings.Join(v.Notes, "\n"); !strings.Contains(notes, "calibrated on 230 suspects of 200 cases") || strings.Contains(notes, "not calibrated") {
		t.Errorf("notes %q", notes)
	}
	v, _ = h.detect(fix, Options{Calibration: c, Runs: 2}, accuse(string(origin)), accuse(string(origin)))
	if v.Agent.Calibrated || !strings.Contains(v.Agent.Calibration, "it is for 1 run, and there are 2") {
		t.Errorf("two runs: %+v", v.Agent)
	}
	v, _ = h.detect(fix, Options{Calibration: c, Switches: szz.Switches{NoTools: true}}, accuse(string(origin)))
	if v.Agent.Calibrated || !strings.Contains(v.Agent.Calibration, "the method with no-tools") || v.Suspects[0].Probability == c.Probability(v.Suspects[0].Vote.Raw, 1) {
		t.Errorf("no tools: %+v", v.Agent)
	}
	v, _ = h.detect(fix, Options{Calibration: c})
	if v.Agent.Calibrated || v.Agent.Fallback == "" || len(v.Suspects) == 0 || v.Suspects[0].Vote != nil {
		t.Errorf("the offline answer passes for calibrated: %+v", v.Agent)
	}
}

func TestVotersCount(t *testing.T) {
	// A run that says that no commit is to blame votes against every suspect; one without
	// an answer does not vote, and the calibration, which is for more voters, is not
	// used.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	c := sample(t)
	c.Runs = 3
	ended := func(status string) szz.Run { return szz.Run{RunReport: agent.RunReport{Status: status}} }
	bic := szz.Run{RunReport: agent.RunReport{Status: agent.StatusFound}, Claims: []szz.Claim{{Commit: origin, Type: "omission", Confidence: 0.8}}}
	none, lost, spent := ended(agent.StatusNothing), ended(agent.StatusFailed), ended(agent.StatusLimit)
	for name, test := range map[string]struct {
		changedBlocks []szz.Run
		agreement     float64 // of the vote
		absent        int
		text          string
		calibrated    string
	}{
		"all":        {[]szz.Run{bic, bic, bic}, 1, 0, "3 of 3 investigations name it", "on 230 suspects"},
		"one denies": {[]szz.Run{bic, none, bic}, 2.0 / 3, 0, "2 of 3 investigations name it", "on 230 suspects"},
		"two deny":   {[]szz.Run{none, bic, none}, 1.0 / 3, 0, "1 of 3 investigations name it", "on 230 suspects"},
		"one lost":   {[]szz.Run{bic, lost, bic}, 1, 1, "2 of the 2 investigations with an answer name it", "it is for 3 runs, and here 2 gave an answer"},
		"two lost":   {[]szz.Run{bic, spent, lost}, 1, 2, "the only investigation with an answer names it", "it is for 3 runs, and here 1 gave an answer"},
		"not begun":  {[]szz.Run{bic, none}, 0.5, 1, "1 of the 2 investigations with an answer name it", "it is for 3 runs, and here 2 gave an answer"},
	} {
		opt := Options{ModelName: "scripted", Runs: 3, Calibration: c}.WithDefaults()
		report, err := newAgentReport(&opt)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newInvestigation(t.Context(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), opt)
		if err != nil {
			t.Fatal(err)
		}
		report.Runs = test.changedBlocks
		v, err := d.conclude(t.Context(), report)
		if err != nil || len(v.Suspects) != 1 || v.Suspects[0].Vote == nil {
			t.Errorf("%s: %v, %s, %+v", name, err, szztest.Subjects(v), v.Agent)
			continue
		}
		s := v.Suspects[0]
		if s.Vote.Absent != test.absent || math.Abs(s.Vote.Agreement-test.agreement) > 1e-9 {
			t.Errorf("%s: vote %+v of %+v", name, s.Vote, v.Agent)
		}
		if last := s.Evidence[len(s.Evidence)-1].Text; last != test.text {
			t.Errorf("%s: %q", name, last)
		}
		want := s.Vote.Raw
		if test.absent == 0 {
			want = c.Probability(s.Vote.Raw, s.Vote.Agreement)
		}
		if v.Agent.Calibrated != (test.absent == 0) || !strings.Contains(v.Agent.Calibration, test.calibrated) || s.Probability != want {
			t.Errorf("%s: %v, want %v; %+v", name, s.Probability, want, v.Agent)
		}
		if alone := test.absent == 2; (v.Agent.Agreement == 0) != alone {
			t.Errorf("%s: agreement %v", name, v.Agent.Agreement)
		}
	}
}
