package evalcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"git-agent/agent/eval"
	crasheval "git-agent/agent/eval/crash"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext/quote"
)

// report prints the report of a run. With --calibrate, and if the run is
// complete, it also fits a calibration and writes it.
func (c *evalSzzCmd) report(a *app.App, task eval.Task, about eval.About, res *eval.Results, whole bool) error {
	r := eval.NewReport(task, about, res)
	if c.Calibrate == "" || !whole {
		return c.show(a, r)
	}
	fit, err := c.fit(a, res)
	if err := c.showFit(a, r, c.Calibrate, fit, err); err != nil {
		return err
	}
	path, err := filepath.Abs(c.Calibrate)
	if err != nil {
		return err
	}
	a.Say("the calibration is written; to use it: git config --global agent.calibration %s", quote.Shell(path))
	return nil
}

// report prints the report of a run. With --calibrate, and if the run is complete, it
// also fits a calibration and writes it.
func (c *evalCrashCmd) report(a *app.App, task eval.Task, about eval.About, res *eval.Results, whole bool) error {
	r := eval.NewReport(task, about, res)
	if c.Calibrate == "" || !whole {
		return c.show(a, r)
	}
	i := slices.IndexFunc(res.Algorithms, crasheval.IsAgent)
	if i < 0 {
		return fmt.Errorf("run %q asked no model, and --calibrate is for a model's probabilities", c.RunName)
	}
	fit, err := crasheval.FitCalibration(res, res.Algorithms[i], a.Now())
	if err := c.showFit(a, r, c.Calibrate, fit, err); err != nil {
		return err
	}
	path, err := filepath.Abs(c.Calibrate)
	if err != nil {
		return err
	}
	a.Say("the calibration is written; to use it: git config --global %s %s", app.CrashCalibrationKey, quote.Shell(path))
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

// fit fits a calibration to the answers of the first algorithm with a model.
func (c *evalSzzCmd) fit(a *app.App, res *eval.Results) (*eval.Fit, error) {
	i := slices.IndexFunc(res.Algorithms, szzeval.IsAgent)
	if i < 0 {
		return nil, fmt.Errorf("run %q asked no model, and --calibrate is for a model's probabilities", c.RunName)
	}
	return szzeval.FitCalibration(res, res.Algorithms[i], a.Now())
}

func writeCalibration(w io.Writer, c *session.Calibration) error {
	enc := quote.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(c)
}

// calibration returns the calibration to apply to stored answers. It is nil if
// none is configured, or if one is to be fitted.
func (c *evalSzzCmd) calibration(ctx context.Context, a *app.App) (*session.Calibration, error) {
	return calibrationFor(ctx, a, c.Calibrate, c.Override, app.ReadCalibration)
}

func (c *evalCrashCmd) calibration(ctx context.Context, a *app.App) (*session.Calibration, error) {
	return calibrationFor(ctx, a, c.Calibrate, c.Override, app.ReadCrashCalibration)
}

// calibrationFor reads the configured calibration, unless a file for a new one is named.
func calibrationFor(ctx context.Context, a *app.App, fitInto string, override func(*session.Settings),
	read func(session.Settings) (*session.Calibration, error)) (*session.Calibration, error) {
	if fitInto != "" {
		return nil, nil
	}
	settings, err := a.ModelSettings(ctx)
	if err != nil {
		return nil, err
	}
	override(&settings)
	return read(settings)
}
