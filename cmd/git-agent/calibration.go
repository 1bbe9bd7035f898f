package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
	"git-agent/gitext"
)

// maxCalibration bounds what is read of a calibration, which is a page long.
const maxCalibration = 1 << 20

// recalibrateHint says how to make a calibration.
const recalibrateHint = "git agent eval szz --repos=<directory> --engine=agent --calibrate=<file> <cases>"

// setCalibration takes a path that means the same wherever the command runs.
func setCalibration(to *string, v string) error {
	if rest, ok := strings.CutPrefix(v, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		v = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(v) {
		return errors.New("it must be a path from / or ~/")
	}
	*to = v
	return nil
}

// calibration reads what is set for the probabilities of the model, nil when
// nothing is.
func (s modelSettings) calibration() (*detect.Calibration, error) {
	if s.Calibration == "" {
		return nil, nil
	}
	c, err := readCalibration(s.Calibration)
	if err != nil {
		return nil, withHint(fmt.Errorf("the calibration of %s: %w", s.from["agent.calibration"], err),
			"make another: %s\nor git config --global --unset agent.calibration", recalibrateHint)
	}
	return c, nil
}

func readCalibration(path string) (*detect.Calibration, error) {
	data, err := gitext.ReadRegular(path, maxCalibration)
	if err != nil {
		return nil, err
	}
	c, err := detect.ParseCalibration(data)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be used: %w", path, err)
	}
	return c, nil
}

// calibrate reads the calibration for a detective. One that was made for
// something else is warned about, and not used by the engine.
func (a *app) calibrate(d *detective, basis szz.Basis) error {
	c, err := d.settings.calibration()
	if c == nil || err != nil {
		return err
	}
	if why := c.Differs(basis); why != "" {
		fmt.Fprintf(a.stderr, "warning: the calibration %q (%s) is not used: %s; make one with '%s'\n",
			d.settings.Calibration, d.settings.from["agent.calibration"], printable(why), recalibrateHint)
	}
	d.calibration = c
	return nil
}

// checkCalibration looks whether the calibration that is set can be used for
// a single run of the method as it is.
func checkCalibration(s modelSettings) finding {
	const name = "calibration"
	if s.Calibration == "" {
		return ok(name, "none: a model's probabilities are its own mixed with the ranking's")
	}
	c, err := readCalibration(s.Calibration)
	if err != nil {
		return fail(name, recalibrateHint, "%v", err)
	}
	basis, err := detect.BasisOf(detect.Options{ModelName: s.Model, Sampling: s.sampling(), Runs: c.Runs})
	if err != nil {
		return fail(name, "", "%v", err)
	}
	if why := c.Differs(basis); why != "" {
		return warn(name, recalibrateHint, "%s is not used: %s", s.Calibration, why)
	}
	return ok(name, "%s, for %s: %s", s.Calibration, plural(c.Runs, "run"), c.About())
}
