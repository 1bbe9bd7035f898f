package evalcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"git-agent/agent/eval"
	crasheval "git-agent/agent/eval/crash"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext/quote"
)

// calibrator calibrates the probabilities of a verb.
type calibrator struct {
	app.Calibration
	isAgent func(algorithm string) bool
	fit     func(res *eval.Results, algorithm string, now time.Time) (*eval.Fit, error)
}

var (
	szzCalibrator   = calibrator{app.SzzCalibration, szzeval.IsAgent, szzeval.FitCalibration}
	crashCalibrator = calibrator{app.CrashCalibration, crasheval.IsAgent, crasheval.FitCalibration}
)

// reportFit prints the report of a run. If a file for a calibration is named, and the run is
// complete, it also fits a calibration to the answers of the first algorithm with a model, and
// writes it.
func (f *evalFlags) reportFit(a *app.App, r *eval.Report, res *eval.Results, whole bool, with calibrator, file string) error {
	if file == "" || !whole {
		return f.show(a, r)
	}
	var fit *eval.Fit
	err := fmt.Errorf("run %q asked no model, and --calibrate is for a model's probabilities", f.RunName)
	if i := slices.IndexFunc(res.Algorithms, with.isAgent); i >= 0 {
		fit, err = with.fit(res, res.Algorithms[i], a.Now())
	}
	if err := f.showFit(a, r, file, fit, err); err != nil {
		return err
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	a.Say("the calibration is written; to use it: git config --global %s %s", with.Key, quote.Shell(path))
	return nil
}

// showFit prints a report with the fit of a calibration, and writes the calibration to a file if
// it improves the probabilities. err is the reason why no fit was possible.
func (f *reportFlags) showFit(a *app.App, r *eval.Report, file string, fit *eval.Fit, err error) error {
	if fit != nil {
		r.Fit = fit
	}
	if err := errors.Join(err, f.show(a, r)); err != nil {
		return err
	}
	if err := fit.Better(); err != nil {
		return fmt.Errorf("%w; it is not written", err)
	}
	if err := app.WriteFile(file, 0o644, func(w io.Writer) error { return writeCalibration(w, fit.Calibration) }); err != nil {
		return fmt.Errorf("write the calibration: %w", err)
	}
	return nil
}

func writeCalibration(w io.Writer, c *session.Calibration) error {
	enc := quote.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(c)
}

// toApply returns the calibration to apply to stored answers. It is nil if none is configured, or
// if one is to be fitted into a file.
func (c calibrator) toApply(ctx context.Context, a *app.App, fitInto string, override func(*session.Settings)) (*session.Calibration, error) {
	if fitInto != "" {
		return nil, nil
	}
	settings, err := a.ModelSettings(ctx)
	if err != nil {
		return nil, err
	}
	override(&settings)
	return c.Configured(settings)
}
