package app

import (
	"fmt"

	"git-agent/agent"
	"git-agent/agent/crash"
	crashinvestigate "git-agent/agent/crash/investigate"
	"git-agent/agent/session"
	szzinvestigate "git-agent/agent/szz/investigate"
	"git-agent/cmd/git-agent/doctor"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/disk"
)

// maxCalibration limits the size of a calibration file, which is usually a page
// long.
const maxCalibration = 1 << 20

// Calibration is what calibrates a model's probabilities for one verb.
type Calibration struct {
	doctor.Calibration
	Key string // the setting that names its file
}

// SzzCalibration calibrates the probabilities of szz.
var SzzCalibration = Calibration{
	doctor.Calibration{
		Name: "calibration", Again: "git agent eval szz --repos=<directory> --engine=agent --calibrate=<file> <cases>", Read: readSzzCalibrationFile,
		Path: func(s session.Settings) string { return s.Calibration },
		Basis: func(s session.Settings, runs int) (agent.Basis, error) {
			return szzinvestigate.BasisOf(szzinvestigate.Options{ModelName: s.Model, Sampling: s.Sampling(), Runs: runs})
		},
	},
	"agent.calibration",
}

// CrashCalibration calibrates the probabilities of crash.
var CrashCalibration = Calibration{
	doctor.Calibration{
		Name: "crash calibration", Again: "git agent eval crash --repos=<directory> --engine=agent --calibrate=<file> <cases>", Read: readCrashCalibrationFile,
		Path: func(s session.Settings) string { return s.CrashCalibration },
		Basis: func(s session.Settings, runs int) (agent.Basis, error) {
			return crashinvestigate.BasisOf(crash.Question{}, crashinvestigate.Options{ModelName: s.Model, Sampling: s.Sampling(), Runs: runs})
		},
	},
	"agent.crashCalibration",
}

// Configured reads the configured calibration, or returns nil if there is none.
func (c Calibration) Configured(s session.Settings) (*session.Calibration, error) {
	path := c.Path(s)
	if path == "" {
		return nil, nil
	}
	read, err := c.Read(path)
	if err != nil {
		return nil, WithHint(fmt.Errorf("the calibration of %s: %w", s.From[c.Key], err),
			"make another: %s\nor git config --global --unset %s", c.Again, c.Key)
	}
	return read, nil
}

// For is Configured for answers with a basis. It warns about a calibration for another model or
// method, which an engine ignores.
func (c Calibration) For(a *App, s session.Settings, basis func() (agent.Basis, error)) (*session.Calibration, error) {
	read, err := c.Configured(s)
	if read == nil || err != nil {
		return nil, err
	}
	now, err := basis()
	if err != nil {
		return nil, err
	}
	if why := read.Differs(now); why != "" {
		fmt.Fprintf(a.Stderr, "warning: the calibration %q (%s) is not used: %s; make one with '%s'\n", c.Path(s), s.From[c.Key], ui.Printable(why), c.Again)
	}
	return read, nil
}

func readSzzCalibrationFile(path string) (*session.Calibration, error) {
	return readCalibrationFile(path, szzinvestigate.ParseCalibration)
}

func readCrashCalibrationFile(path string) (*session.Calibration, error) {
	return readCalibrationFile(path, crashinvestigate.ParseCalibration)
}

func readCalibrationFile(path string, parse func([]byte) (*session.Calibration, error)) (*session.Calibration, error) {
	data, err := disk.ReadRegular(path, maxCalibration)
	if err != nil {
		return nil, err
	}
	c, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be used: %w", path, err)
	}
	return c, nil
}
