package eval

import (
	"fmt"
	"strings"

	"git-agent/agent"
)

// textFit shows the effect of a calibration on predictions that it was not fitted
// on.
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
	t.write(b)
	r.textBins(b, "reliability, raw", f.Raw)
	r.textBins(b, "reliability, calibrated", f.Mapped)
}
