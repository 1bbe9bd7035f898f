package szztrain

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz/rank"
)

// folds is the number of parts for cross-validation. A family of repositories
// is never in both the training and the test part.
const folds = 5

// cross prints the figures of the method on repositories outside its training: overall, by style
// of label, and for the cases of each file of -on. With -without, the figures show the value of
// the omitted features. With -against, they are compared with the figures of other rows of the
// same cases.
func cross(args []string) error {
	fs := flag.NewFlagSet("cross", flag.ContinueOnError)
	on := fs.String("on", "", "report on the cases of these `files` too, separated by commas")
	without := fs.String("without", "", "leave out the features with these `names`, separated by commas")
	linear := fs.String("linear", rareFeatures, "give the features with these `names` a linear weight, and hide them from the trees")
	against := fs.String("against", "", "compare with the same cases in these `files` of rows, separated by commas")
	onto := fs.Bool(
		"onto",
		false,
		"train on the rows of -against, and correct their scores with second trees, which read what an index of changed lines gives",
	)
	all := fs.Bool("all", false, "have these second trees read the other features, too")
	repeat := fs.Int("repeat", 1, "repeat `n` times, with other assignments to folds and seeds, and print means and standard deviations")
	if err := fs.Parse(args); err != nil {
		return err
	}
	rows, err := readTraining(fs.Args())
	if err != nil {
		return err
	}
	var others []rank.Example
	if *against != "" {
		if others, err = readTraining(strings.Split(*against, ",")); err != nil {
			return err
		}
		rows, others = inBoth(rows, others)
	}
	families := familiesOf(rows)
	r := reporter{rows: rows, others: others}
	columns, err := columnsOf(others, namesOf(others), *linear)
	if err != nil {
		return err
	}
	r.against = repeated(training{rows: others, families: families, linear: columns}, *repeat)
	left, err := leaveOut(rows, *without)
	if err != nil {
		return err
	}
	if columns, err = columnsOf(rows, left, keptOf(*linear, left)); err != nil {
		return err
	}
	t := training{rows: rows, families: families, linear: columns}
	if *onto {
		t.plain, t.all = others, *all
	}
	r.runs = repeated(t, *repeat)
	fmt.Printf("%d families of repositories, calibrator %+v, thresholds %.2f, linear weights %.2f\n",
		len(slices.Compact(slices.Sorted(slices.Values(families)))), r.runs[0].cal, r.runs[0].from, r.runs[0].linear)
	r.print("all", func(rank.Example) bool { return true })
	return r.printOn(listed(*on))
}

// printOn prints the figures for the cases of each file.
func (r *reporter) printOn(files []string) error {
	for _, file := range files {
		cases, err := szzeval.ReadCaseFiles(context.Background(), []string{file})
		if err != nil {
			return err
		}
		in := map[string]bool{}
		for _, c := range cases {
			in[c.ID] = true
		}
		r.print(filepath.Base(file), func(ex rank.Example) bool { return in[ex.ID] })
	}
	return nil
}

// inBoth returns the common cases of two lists, in the same order.
func inBoth(a, b []rank.Example) (fromA, fromB []rank.Example) {
	byID := map[string]rank.Example{}
	for _, ex := range b {
		byID[ex.ID] = ex
	}
	for _, ex := range a {
		if other, ok := byID[ex.ID]; ok {
			fromA, fromB = append(fromA, ex), append(fromB, other)
		}
	}
	return fromA, fromB
}

// A validation is one cross-validation: the probabilities of each case's candidates, from a model
// trained without the case's family.
type validation struct {
	ps     [][]float64
	from   nameThresholds
	cal    rank.Calibrator // fitted to all cases
	linear []float64       // likewise
}

// repeated cross-validates n times. The first run has the usual seed and assignment to
// folds.
func repeated(t training, n int) []validation {
	if len(t.rows) == 0 {
		return nil
	}
	weights := caseWeights(t.rows, t.families)
	var runs []validation
	for i := range n {
		t.fold, t.p = assignFolds(t.families, uint64(i)), params
		t.p.Seed += uint64(i)
		scores, w := crossScores(t)
		v := validation{ps: heldOut(t.rows, t.families, t.fold, scores, weights), cal: calibrate(t.rows, scores, weights), linear: w}
		v.from = nameThresholds{thresholdOf(t.rows, v.ps), ghostThreshold}
		runs = append(runs, v)
	}
	return runs
}
