package szzeval

import (
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/szz"
	"git-agent/agent/szz/investigate"
)

// CalibratedOn describes the training data of the task's calibration. It returns "" if the
// calibration applies to none of the answers.
func (t Task) CalibratedOn(res *eval.Results) string {
	return eval.CalibratedOn(t.Calibration, res, basisOf)
}

// basisOf returns the basis of the probabilities of an outcome.
func basisOf(o eval.Outcome) szz.Basis {
	row, _ := o.Row.(scoreRow)
	return row.Basis
}

// FitCalibration fits a calibration to a model's probabilities for an algorithm. It returns an
// error if the answers have different bases or are too few.
func FitCalibration(res *eval.Results, algorithm string, now time.Time) (*eval.Fit, error) {
	return eval.Calibratable{Schema: investigate.CalibrationSchema, Basis: basisOf}.Fit(res, algorithm, now)
}
