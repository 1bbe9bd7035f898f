package crasheval

import (
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash/investigate"
	"git-agent/agent/eval"
	"git-agent/agent/stat"
)

// CalibratedOn describes the training data of the task's calibration. It returns "" if the
// calibration applies to none of the answers.
func (t Task) CalibratedOn(res *eval.Results) string {
	return eval.CalibratedOn(t.Calibration, res, basisOf)
}

// FitCalibration fits a calibration to the votes for files in a model's answers for an algorithm.
// It returns an error if the answers have different bases or are too few.
func FitCalibration(res *eval.Results, algorithm string, now time.Time) (*eval.Fit, error) {
	return eval.Calibratable{Schema: investigate.CalibrationSchema, Named: "file", Basis: basisOf}.Fit(res, algorithm, now)
}

// basisOf returns the basis of the probabilities of an outcome.
func basisOf(o eval.Outcome) agent.Basis {
	row, _ := o.Row.(scoreRow)
	return row.basis
}

// basis returns the basis of the probabilities of an answer.
func (p Prediction) basis() agent.Basis {
	if p.Basis == nil {
		return agent.Basis{}
	}
	return *p.Basis
}

// probability returns the probability of a file of an answer. It is calibrated if the task's
// calibration is valid for the answer and each run has an answer.
func (t Task) probability(p Prediction, f File) float64 {
	if t.Calibration == nil || f.Vote == nil || p.absent(f) > 0 || t.Calibration.Differs(p.basis()) != "" {
		return f.Probability
	}
	return t.Calibration.Probability(f.Vote.Offline, f.Vote.Share())
}

// absent returns the number of runs without an answer.
func (p Prediction) absent(f File) int { return max(0, len(p.Ballots)-f.Vote.Of) }

// votesOf returns the votes for the files that the runs name.
func votesOf(c Case, p Prediction) []eval.Vote {
	var votes []eval.Vote
	for _, f := range p.Files {
		if f.Vote == nil {
			continue
		}
		v := stat.Voted{Raw: f.Vote.Offline, Agreement: f.Vote.Share(), Right: slices.Contains(c.FixFiles, f.Path), Stated: f.Probability}
		votes = append(votes, eval.Vote{Voted: v, Absent: p.absent(f)})
	}
	return votes
}
