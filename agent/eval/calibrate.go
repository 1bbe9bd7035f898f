package eval

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/agent/stat"
)

// A calibration is fitted only to at least this many suspects. With fewer than
// minNamed its quality cannot be measured. With fewer than
// minEachKind right or wrong ones nothing can be learnt about that kind.
const (
	minNamed    = stat.MinForecasts
	minEachKind = 10
)

// A Fit is a calibration with tables of its effect on suspects outside its training data.
type Fit struct {
	*session.Calibration
	Algorithm string     `json:"algorithm"`
	Raw       []stat.Bin `json:"raw"`        // reliability before calibration
	Mapped    []stat.Bin `json:"calibrated"` // reliability after calibration
}

// Summary returns the part of the fit that a report shows.
func (f *Fit) Summary() FitSummary {
	return FitSummary{Algorithm: f.Algorithm, Cases: f.Cases, Predictions: f.Predictions, Right: f.Right, RateBrier: f.rateBrier(),
		Validated: stat.Validated{OutOfFold: f.OutOfFold, Raw: f.Raw, Mapped: f.Mapped}}
}

// named is the vote for a suspect, with its repository and case.
type named struct {
	Vote
	repo, id string
}

// CalibratedOn describes the training data of a calibration. It returns "" if there is no
// calibration, or if it applies to none of the answers. basis returns the basis of an answer's
// probabilities.
func CalibratedOn(c *session.Calibration, res *Results, basis func(Outcome) agent.Basis) string {
	if c == nil {
		return ""
	}
	for _, rows := range res.Outcomes {
		for _, o := range rows {
			if o.Work != nil && c.Differs(basis(o)) == "" {
				return c.About()
			}
		}
	}
	return ""
}

// Calibratable describes the calibration of a task and the basis of its answers.
type Calibratable struct {
	Schema string
	Named  string // the thing that answers name, such as "file"; "" for suspects
	Basis  func(Outcome) agent.Basis
}

// Fit fits a calibration to the probabilities that a model gave for an algorithm. It returns an
// error if the answers have different bases or are too few.
func (k Calibratable) Fit(res *Results, algorithm string, now time.Time) (*Fit, error) {
	c := &session.Calibration{Schema: k.Schema, Named: k.Named, Made: now.UTC().Truncate(time.Second), Files: []string{}}
	var all []named
	repos := map[string]bool{}
	for i, o := range res.Outcomes[algorithm] {
		if o.Work == nil || o.Work.Fallback != "" {
			continue // an annotation or the offline engine answered
		}
		if len(o.Votes) > 0 && o.Votes[0].Absent > 0 {
			continue // a run gave no answer, and the calibration is for complete votes
		}
		basis := k.Basis(o)
		switch {
		case basis == agent.Basis{}:
			return nil, fmt.Errorf(
				"the answers of %s are from a build that did not record what their probabilities are based on; evaluate again with another --run",
				algorithm,
			)
		case c.Cases > 0 && c.Basis != basis:
			return nil, fmt.Errorf("the answers of %s cannot be calibrated together: %s", algorithm, c.Differs(basis))
		}
		of := res.Cases[i].Head()
		c.Basis, repos[of.Repo] = basis, true
		c.Cases++
		if !slices.Contains(c.Files, of.File) && of.File != "" {
			c.Files = append(c.Files, of.File)
		}
		for _, v := range o.Votes {
			c.Right += stat.Count(v.Right)
			all = append(all, named{v, of.Repo, of.ID})
		}
	}
	slices.Sort(c.Files)
	c.Repositories, c.Predictions = len(repos), len(all)
	if err := enough(c); err != nil {
		return nil, err
	}
	f := &Fit{Calibration: c, Algorithm: algorithm}
	f.judge(all)
	c.Platt = stat.FitPlatt(votesOf(all))
	return f, nil
}

// enough returns an error if there are too few suspects for a calibration.
func enough(c *session.Calibration) error {
	if wrong := c.Predictions - c.Right; c.Predictions < minNamed || c.Right < minEachKind || wrong < minEachKind {
		return fmt.Errorf(
			"a calibration needs %d %ss that the model named, at least %d right and %d wrong; there are %d right and %d wrong; evaluate more cases",
			minNamed,
			cmp.Or(c.Named, "suspect"),
			minEachKind,
			minEachKind,
			c.Right,
			wrong,
		)
	}
	return nil
}

// judge measures the fit by cross-validation. The folds consist of whole repositories, or of
// whole cases if there is only one repository.
func (f *Fit) judge(all []named) {
	by, group := "repository", func(n named) string { return n.repo }
	if f.Repositories == 1 {
		by, group = "case", func(n named) string { return n.id }
	}
	groups := make([]string, len(all))
	for i, n := range all {
		groups[i] = group(n)
	}
	v := stat.CrossValidate(votesOf(all), groups)
	v.By = by
	f.OutOfFold, f.Raw, f.Mapped = v.OutOfFold, v.Raw, v.Mapped
}

func votesOf(all []named) []stat.Voted {
	list := make([]stat.Voted, len(all))
	for i, n := range all {
		list[i] = n.Voted
	}
	return list
}

// ErrNoBetter is the error for a calibration that does not improve the probabilities of cases
// outside its training data.
var ErrNoBetter = errors.New("on cases that it was not fitted on, the calibration is no better than the raw probabilities")

// ErrNoBetterThanRate is the error for a calibration that predicts worse than the share of right
// predictions.
var ErrNoBetterThanRate = errors.New("on cases that it was not fitted on, the calibration is no better than always stating the share that is right")

// Better returns nil if the calibration lowers the Brier score or the ECE, and has a
// lower Brier score than the base rate.
func (f *Fit) Better() error {
	if f.OutOfFold.After.Brier >= f.OutOfFold.Before.Brier && f.OutOfFold.After.ECE >= f.OutOfFold.Before.ECE {
		return ErrNoBetter
	}
	if f.OutOfFold.After.Brier >= f.rateBrier() {
		return ErrNoBetterThanRate
	}
	return nil
}

// rateBrier returns the Brier score of always stating the share of right predictions.
func (f *Fit) rateBrier() float64 {
	rate := stat.Ratio(f.Right, f.Predictions)
	return rate * (1 - rate)
}
