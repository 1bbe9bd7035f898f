package app

import (
	"fmt"

	"git-agent/agent/crash"
	crashinvestigate "git-agent/agent/crash/investigate"
	"git-agent/agent/session"
	szzinvestigate "git-agent/agent/szz/investigate"
	"git-agent/cmd/git-agent/doctor"
	"git-agent/gitext/disk"
)

// maxCalibration limits the size of a calibration file, which is usually a page
// long.
const maxCalibration = 1 << 20

// These are the commands that make calibrations.
const (
	RecalibrateHint      = "git agent eval szz --repos=<directory> --engine=agent --calibrate=<file> <cases>"
	recalibrateCrashHint = "git agent eval crash --repos=<directory> --engine=agent --calibrate=<file> <cases>"
)

// These are the settings that name calibrations.
const (
	calibrationKey      = "agent.calibration"
	CrashCalibrationKey = "agent.crashCalibration"
)

// Calibrations lists the calibrations that doctor checks.
var Calibrations = []doctor.Calibration{
	{
		Name: "calibration", Again: RecalibrateHint, Read: readSzzCalibrationFile,
		Path: func(s session.Settings) string { return s.Calibration },
		Basis: func(s session.Settings, runs int) (session.Basis, error) {
			return szzinvestigate.BasisOf(szzinvestigate.Options{ModelName: s.Model, Sampling: s.Sampling(), Runs: runs})
		},
	},
	{
		Name: "crash calibration", Again: recalibrateCrashHint, Read: readCrashCalibrationFile,
		Path: func(s session.Settings) string { return s.CrashCalibration },
		Basis: func(s session.Settings, runs int) (session.Basis, error) {
			return crashinvestigate.BasisOf(crash.Question{}, crashinvestigate.Options{ModelName: s.Model, Sampling: s.Sampling(), Runs: runs})
		},
	},
}

// ReadCalibration reads the configured calibration of szz, or returns nil if there is none.
func ReadCalibration(s session.Settings) (*session.Calibration, error) {
	return configuredCalibration(s, calibrationKey, s.Calibration, readSzzCalibrationFile, RecalibrateHint)
}

// ReadCrashCalibration reads the configured calibration of crash, or returns nil if there is
// none.
func ReadCrashCalibration(s session.Settings) (*session.Calibration, error) {
	return configuredCalibration(s, CrashCalibrationKey, s.CrashCalibration, readCrashCalibrationFile, recalibrateCrashHint)
}

func configuredCalibration(
	s session.Settings,
	key, path string,
	read func(string) (*session.Calibration, error),
	again string,
) (*session.Calibration, error) {
	if path == "" {
		return nil, nil
	}
	c, err := read(path)
	if err != nil {
		return nil, WithHint(fmt.Errorf("the calibration of %s: %w", s.From[key], err),
			"make another: %s\nor git config --global --unset %s", again, key)
	}
	return c, nil
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
