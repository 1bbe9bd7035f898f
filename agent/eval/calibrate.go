package eval

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
)

// What a calibration is fitted on at least: with fewer suspects its quality
// cannot be told (harness.md, section 5), and with fewer of one kind nothing
// is to be learnt of it.
const (
	minNamed    = minMarks
	minEachKind = 10 // right ones, and wrong ones
)

// calibrationFolds of about equal size; each is judged by what the others gave.
const calibrationFolds = 5

// A Fit is a calibration with the tables that show what it does, all of
// suspects that it was not fitted on.
type Fit struct {
	*detect.Calibration
	Algorithm string `json:"algorithm"`
	Raw       []Bin  `json:"raw"`        // reliability before
	Mapped    []Bin  `json:"calibrated"` // and after
}

// named is a suspect and where it is from.
type named struct {
	detect.Named
	repo, id string
}

// FitCalibration fits the probabilities that a model gave under the name of an
// algorithm to what came of them. It refuses answers that were given on
// different grounds, or are too few.
func FitCalibration(res *Results, algorithm string, now time.Time) (*Fit, error) {
	c := &detect.Calibration{Schema: detect.CalibrationSchema, Made: now.UTC().Truncate(time.Second), Files: []string{}}
	var all []named
	repos := map[string]bool{}
	for i, o := range res.Outcomes[algorithm] {
		if o.Work == nil || o.Work.Fallback != "" {
			continue // an annotation or the offline engine answered
		}
		if len(o.Votes) > 0 && o.Votes[0].Absent > 0 {
			continue // a vote of fewer runs, for which the calibration is not
		}
		switch {
		case o.Work.Basis == szz.Basis{}:
			return nil, fmt.Errorf("the answers of %s were kept by a build that did not note what they rest on; ask again under another --run", algorithm)
		case c.Cases > 0 && c.Basis != o.Work.Basis:
			return nil, fmt.Errorf("the answers of %s do not belong together: %s", algorithm, c.Differs(o.Work.Basis))
		}
		k := res.Cases[i]
		c.Basis, repos[k.Repo] = o.Work.Basis, true
		c.Cases++
		if !slices.Contains(c.Files, k.File) && k.File != "" {
			c.Files = append(c.Files, k.File)
		}
		for _, v := range o.Votes {
			c.Right += count(v.Right)
			all = append(all, named{v, k.Repo, k.ID})
		}
	}
	slices.Sort(c.Files)
	c.Repositories, c.Predictions = len(repos), len(all)
	if err := enough(c); err != nil {
		return nil, err
	}
	f := &Fit{Calibration: c, Algorithm: algorithm}
	f.judge(all)
	c.Coefficients = detect.FitCalibration(votesOf(all))
	return f, nil
}

// enough refuses what nothing can be learnt from.
func enough(c *detect.Calibration) error {
	if wrong := c.Predictions - c.Right; c.Predictions < minNamed || c.Right < minEachKind || wrong < minEachKind {
		return fmt.Errorf("a calibration takes %d suspects that the model named, at least %d right and %d wrong ones; here are %d right and %d wrong ones: measure more cases",
			minNamed, minEachKind, minEachKind, c.Right, wrong)
	}
	return nil
}

// judge fits without each fold in turn, and looks how the fold comes out.
func (f *Fit) judge(all []named) {
	by, group := "repository", func(n named) string { return n.repo }
	if f.Repositories == 1 {
		by, group = "case", func(n named) string { return n.id }
	}
	fold, folds := foldsOf(all, group)
	var before, after []Mark
	for k := range folds {
		var others []detect.Named
		for _, n := range all {
			if fold[group(n)] != k {
				others = append(others, n.Named)
			}
		}
		w := detect.FitCalibration(others)
		for _, n := range all {
			if fold[group(n)] == k {
				before = append(before, Mark{n.Raw, n.Right})
				after = append(after, Mark{w.Probability(n.Raw, n.Agreement), n.Right})
			}
		}
	}
	f.OutOfFold = detect.OutOfFold{By: by, Folds: folds}
	f.Raw, f.OutOfFold.Before = accuracyOf(before)
	f.Mapped, f.OutOfFold.After = accuracyOf(after)
}

// foldsOf deals the groups out, the largest first, each to the fold that has
// the fewest suspects. Equal input gives equal folds.
func foldsOf(all []named, group func(named) string) (fold map[string]int, folds int) {
	size := map[string]int{}
	for _, n := range all {
		size[group(n)]++
	}
	var names []string
	for name := range size {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(size[b], size[a]), strings.Compare(a, b)) })
	folds = min(calibrationFolds, len(names))
	fold, load := map[string]int{}, make([]int, folds)
	for _, name := range names {
		k := slices.Index(load, slices.Min(load))
		fold[name] = k
		load[k] += size[name]
	}
	return fold, folds
}

func accuracyOf(marks []Mark) ([]Bin, detect.Accuracy) {
	marks = pickMarks(nil, marksOf([][]Mark{marks}), nil) // sorted
	bins := reliability(marks)
	return bins, detect.Accuracy{ECE: ece(bins, len(marks)), Brier: brier(marks)}
}

func votesOf(all []named) []detect.Named {
	list := make([]detect.Named, len(all))
	for i, n := range all {
		list[i] = n.Named
	}
	return list
}

// ErrNoBetter is a calibration that makes nothing better where it was not
// fitted.
var ErrNoBetter = errors.New("on cases that it was not fitted on, the calibration is no better than the raw probabilities")

// Better is nil when the calibration is worth having.
func (f *Fit) Better() error {
	if f.OutOfFold.After.Brier < f.OutOfFold.Before.Brier || f.OutOfFold.After.ECE < f.OutOfFold.Before.ECE {
		return nil
	}
	return ErrNoBetter
}

// textFit shows what a calibration does to suspects that it was not fitted on.
func (r *Report) textFit(b *strings.Builder) {
	f := r.Fit
	if f == nil {
		return
	}
	fmt.Fprintf(b, "\ncalibration of %s fitted on %s of %s, %d of them right; judged in %s by %s\n", f.Algorithm,
		plural(f.Predictions, "suspect"), plural(f.Cases, "case"), f.Right, plural(f.OutOfFold.Folds, "fold"), f.OutOfFold.By)
	t := newTable("on suspects that it was not fitted on", "ECE", "Brier")
	t.add("raw", three(f.OutOfFold.Before.ECE), three(f.OutOfFold.Before.Brier))
	t.add("calibrated", three(f.OutOfFold.After.ECE), three(f.OutOfFold.After.Brier))
	t.write(b)
	textBins(b, "reliability, raw", f.Raw)
	textBins(b, "reliability, calibrated", f.Mapped)
}
