package szztrain

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
)

// judge prints the figures of a trained model on rows, and the reliability of its probabilities.
// Only the cases of repositories outside its training are a fair test. The others are left out
// unless -all is given, because a model knows the answers to its training cases.
func judge(args []string) error {
	fs := flag.NewFlagSet("judge", flag.ContinueOnError)
	file := fs.String("model", "", "judge the model in this `file` instead of the shipped one")
	all := fs.Bool("all", false, "keep the cases of repositories that the model was trained on")
	against := fs.String("against", "", "compare with the same cases in these `files` of rows, separated by commas")
	other := fs.String("against-model", "", "use the model in this `file` for the rows of -against")
	if err := fs.Parse(args); err != nil {
		return err
	}
	m, err := readModel(*file)
	if err != nil {
		return err
	}
	rows, err := readRows(fs.Args())
	if err != nil {
		return err
	}
	r := reporter{rows: rows}
	if *against != "" {
		theirs, err := readRows(strings.Split(*against, ","))
		if err != nil {
			return err
		}
		n, err := readModel(*other)
		if err != nil {
			return err
		}
		r.rows, r.others = inBoth(rows, theirs)
		if r.against, err = applied(n, r.others); err != nil {
			return err
		}
	}
	if r.runs, err = applied(m, r.rows); err != nil {
		return err
	}
	fair := func(ex rank.Example) bool { return *all || m.Made.Repos[ex.Repo] == 0 }
	r.print("judged", fair)
	r.printReliability(fair)
	return nil
}

// readModel reads a model file; the empty name means the shipped model.
func readModel(name string) (*rank.Model, error) {
	data, err := rank.ModelFile, error(nil)
	if name != "" {
		if data, err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	m := &rank.Model{}
	return m, json.Unmarshal(data, m)
}

// applied computes a model's probabilities for the candidates of rows.
func applied(m *rank.Model, rows []rank.Example) ([]validation, error) {
	if w := width(rows); w != len(m.Features) {
		return nil, fmt.Errorf("the rows have %d columns and the model %d: extract them with the program of the model", w, len(m.Features))
	}
	v := validation{from: nameThresholds{m.Threshold, m.GhostThreshold}, cal: m.Calibrator}
	for _, r := range rows {
		scores := scoreAll(&m.Trees, r)
		for j, x := range r.X {
			for f, name := range m.Features {
				scores[j] += m.Linear[name] * x[f]
			}
		}
		v.ps = append(v.ps, m.Probabilities(scores))
	}
	return []validation{v}, nil
}

// printReliability prints, for ranges of the first suspect's probability, the number of right
// first suspects.
func (r *reporter) printReliability(keep func(rank.Example) bool) {
	var part []int
	for i, ex := range r.rows {
		if keep(ex) {
			part = append(part, i)
		}
	}
	c := stat.NewCalibration(namedForecasts(talliesOfRuns(r.rows, r.runs, part, true)[0]))
	if c == nil {
		return
	}
	fmt.Printf(
		"first suspects: ECE %v; were every probability right: %.3f on average, at most %.3f in 95 %%\n",
		c.ECE,
		c.ByChance.Mean,
		c.ByChance.High,
	)
	for _, b := range c.Bins {
		fmt.Printf("  %.2f to %.2f: %4d suspects, mean probability %.3f, %.3f right\n", b.Low, b.High, b.N, b.Mean, b.Right)
	}
}
