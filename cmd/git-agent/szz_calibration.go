package main

import (
	"fmt"

	"git-agent/agent/session"
	"git-agent/agent/szz/investigate"
	"git-agent/gitext/openfile"
)

// maxCalibration limits the size of a calibration file, which is usually a page
// long.
const maxCalibration = 1 << 20

// recalibrateHint is the command that makes a calibration.
const recalibrateHint = "git agent eval szz --repos=<directory> --engine=agent --calibrate=<file> <cases>"

// readCalibration reads the configured calibration, or returns nil if there is
// none.
func readCalibration(s session.Settings) (*investigate.Calibration, error) {
	if s.Calibration == "" {
		return nil, nil
	}
	c, err := readCalibrationFile(s.Calibration)
	if err != nil {
		return nil, withHint(fmt.Errorf("the calibration of %s: %w", s.From["agent.calibration"], err),
			"make another: %s\nor git config --global --unset agent.calibration", recalibrateHint)
	}
	return c, nil
}

func readCalibrationFile(path string) (*investigate.Calibration, error) {
	data, err := openfile.ReadRegular(path, maxCalibration)
	if err != nil {
		return nil, err
	}
	c, err := investigate.ParseCalibration(data)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be used: %w", path, err)
	}
	return c, nil
}
