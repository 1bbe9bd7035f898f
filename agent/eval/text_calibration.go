package eval

import (
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/stat"
)

// textFit shows the effect of a calibration on predictions outside its training data.
func (r *Report) textFit(b *strings.Builder) {
	if r.Fit == nil {
		return
	}
	f := r.Fit.Summary()
	fmt.Fprintf(b, "\ncalibration of %s fitted on %s of %s, %d of them right; judged in %s by %s\n", f.Algorithm,
		agent.Plural(f.Predictions, r.sheet.Named), agent.Plural(f.Cases, "case"), f.Right, agent.Plural(f.Folds, "fold"), f.By)
	t := newTable("on "+r.sheet.Named+"s that it was not fitted on", "ECE", "Brier")
	t.add("raw", three(f.Before.ECE), three(f.Before.Brier))
	t.add("calibrated", three(f.After.ECE), three(f.After.Brier))
	t.add("base rate", "-", three(f.RateBrier))
	t.write(b)
	r.textBins(b, "reliability, raw", f.Raw)
	r.textBins(b, "reliability, calibrated", f.Mapped)
}

func (r *Report) textCalibration(b *strings.Builder) {
	t := newTable("calibration", "ECE", "by chance", "Brier", "skill", "AUROC", "base rate", r.sheet.Named+"s")
	for _, a := range r.Algorithms {
		c := a.Calibration
		if c == nil {
			continue
		}
		n := fmt.Sprint(c.Forecasts)
		if !c.Enough {
			n += fmt.Sprintf(" (fewer than %d: no claim)", stat.MinForecasts)
		}
		t.add(
			a.Name,
			c.ECE.String(),
			fmt.Sprintf("%s, < %s", three(c.ByChance.Mean), three(c.ByChance.High)),
			three(c.Brier),
			threeOrDash(c.Skill),
			threeOrDash(c.AUROC),
			three(c.BaseRate),
			n,
		)
	}
	if len(t.rows) == 1 {
		return
	}
	b.WriteByte('\n')
	t.write(b)
	if r.Calibrated != "" {
		fmt.Fprintf(b, "the model's probabilities are calibrated %s\n", r.Calibrated)
	}
	for _, a := range r.Algorithms {
		if a.Calibration == nil {
			continue
		}
		if a.Calibration.Enough { // with few predictions the bins would be noise
			b.WriteByte('\n')
			r.textBins(b, "reliability of "+a.Name, a.Calibration.Bins)
		}
		r.textCoverage(b, a)
	}
}

func (r *Report) textCoverage(b *strings.Builder, a Algorithm) {
	last := 0.0
	for _, share := range []float64{0.5, 0.8} {
		p, ok := a.at(share)
		if !ok || p.Coverage <= last {
			continue
		}
		last = p.Coverage
		var values []string
		for i, at := range r.sheet.estimated() {
			values = append(values, fmt.Sprintf("%s %.3f", r.sheet.Metrics[at].Title, p.Values[i]))
		}
		fmt.Fprintf(b, "%s, answering only the surest %.0f%% of the cases: %s\n", a.Name, 100*p.Coverage, strings.Join(values, ", "))
	}
}

func (r *Report) textBins(b *strings.Builder, title string, bins []stat.Bin) {
	t := newTable(title, "stated", "true", r.sheet.Named+"s")
	for _, bin := range bins {
		t.add(fmt.Sprintf("%.3f to %.3f", bin.Low, bin.High), three(bin.Mean), three(bin.Right), fmt.Sprint(bin.N))
	}
	t.write(b)
}

// at returns the last point of the coverage curve with at most this share of answered cases.
func (a Algorithm) at(share float64) (CoveragePoint, bool) {
	for _, p := range slices.Backward(a.Coverage) {
		if p.Coverage <= share+1e-9 {
			return p, true
		}
	}
	return CoveragePoint{}, false
}
