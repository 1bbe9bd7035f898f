package szztrain

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"strings"

	"git-agent/agent/szz/rank"
)

// params was chosen by cross-validation over all cases. Of seven settings tried
// (fewer and more rows in a leaf, faster learning, three models averaged), none
// differed by more than .008 in F1.
var params = Params{
	Rounds: 400, Leaves: 10, MinRows: 200, LearningRate: 0.05,
	L2: 40, FeatureShare: 0.5, RowShare: 0.7, Seed: 20261120,
}

// fit writes a model trained on all rows. Its calibration, thresholds and linear weights come
// from cross-validation, since a model is overconfident about the rows that trained it.
// With -onto, the rows are from extract with -indexed, and the model corrects the scores of a model
// trained on the same cases in the files of -onto.
func fit(args []string) error {
	fs := flag.NewFlagSet("fit", flag.ContinueOnError)
	onto := fs.String("onto", "", "correct the scores of a model that is trained on the rows in these `files`, separated by commas")
	if err := fs.Parse(args); err != nil {
		return err
	}
	rows, err := readTraining(fs.Args())
	if err != nil {
		return err
	}
	if *onto != "" {
		plain, err := readTraining(strings.Split(*onto, ","))
		if err != nil {
			return err
		}
		return fitCorrection(inBoth(rows, plain))
	}
	columns, err := columnsOf(rows, rank.FeatureNames(), rareFeatures)
	if err != nil {
		return err
	}
	families := familiesOf(rows)
	scores, w := crossScores(training{rows: rows, families: families, fold: assignFolds(families, 0), linear: columns, p: params})
	weights := caseWeights(rows, families)
	m := rank.Model{Features: rank.FeatureNames(), Calibrator: calibrate(rows, scores, weights), Linear: map[string]float64{}}
	for n, c := range columns {
		m.Linear[m.Features[c]] = math.Round(w[n]*100) / 100
	}
	ps := probabilities(m.Calibrator, scores)
	m.Threshold, m.GhostThreshold = thresholdOf(rows, ps), ghostThreshold
	m.Trees = *Train(flatten(hidden(rows, columns), weights, nil), params)
	shorten(&m.Trees)
	m.Made = provenance(rows, measure(rows, ps, nameThresholds{m.Threshold, m.GhostThreshold}))
	return json.NewEncoder(os.Stdout).Encode(m)
}

// fitCorrection writes the model that corrects scores if there is an index of changed lines. In
// its training, the scores come from models trained without the case's family, like the scores of
// an unknown repository.
func fitCorrection(rows, plain []rank.Example) error {
	columns, err := columnsOf(plain, rank.FeatureNames(), rareFeatures)
	if err != nil {
		return err
	}
	families := familiesOf(rows)
	t := training{rows: rows, plain: plain, families: families, fold: assignFolds(families, 0), linear: columns, p: params}
	scores, _ := crossScores(t)
	weights := caseWeights(rows, families)
	m := rank.Model{Features: rank.CorrectedNames(), Calibrator: calibrate(rows, scores, weights)}
	ps := probabilities(m.Calibrator, scores)
	m.Threshold, m.GhostThreshold = thresholdOf(rows, ps), ghostThreshold
	first := t.foldScores(hidden(plain, columns), hidden(rows, columns), nil, params)
	m.Trees = *Train(flatten(corrected(rows, first, false), weights, first), secondParams)
	shorten(&m.Trees)
	m.Made = provenance(rows, measure(rows, ps, nameThresholds{m.Threshold, m.GhostThreshold}))
	return json.NewEncoder(os.Stdout).Encode(m)
}

// thresholdOf returns half the F1 of naming one commit (see rank.Model).
func thresholdOf(rows []rank.Example, ps [][]float64) float64 {
	return math.Round(50*measure(rows, ps, firstOnly).F1) / 100
}

// ghostThreshold is lower than half the F1 on ghosts (.29): in cross-validation
// it raises their recall from .58 to .61 and costs .002 of the F1 on all fixes.
const ghostThreshold = 0.2

// shorten rounds the values of the trees to five digits, which does not change decisions.
func shorten(m *rank.Forest) {
	for _, t := range m.Trees {
		for i := range t {
			t[i].Value = math.Round(t[i].Value*1e5) / 1e5
		}
	}
}
