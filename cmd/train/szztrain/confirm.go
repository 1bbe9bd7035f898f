package szztrain

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/offline"
	"git-agent/agent/szz/verify"
	"git-agent/agent/trial"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// A testedCase is a fix with a command that fails before it and passes at it.
type testedCase struct {
	ID      string       `json:"id"`
	Repo    string       `json:"repo"`
	Fix     gitext.OID   `json:"fix"`
	Command string       `json:"test_cmd"`
	BICs    []gitext.OID `json:"bics"` // the true culprits; empty if unknown
}

func (c testedCase) String() string { return c.ID }

// A testedRow has the results of the command for the suspects of a case.
type testedRow struct {
	ID       string          `json:"id"`
	Suspects []testedSuspect `json:"suspects"`
	Bisected gitext.OID      `json:"bisected,omitempty"` // the first failing commit; "" if none was found
	Notes    []string        `json:"notes"`
}

type testedSuspect struct {
	Commit      gitext.OID `json:"commit"`
	Probability float64    `json:"probability"` // before the command ran
	Status      string     `json:"status"`      // of suspect.Confirmation; "" if the command was not run
	Culprit     bool       `json:"culprit"`     // the commit is one of the case's BICs
}

// confirm runs the command of each case at the suspects of the offline engine, and writes the
// results. If no suspect is confirmed, it bisects.
func confirm(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("confirm", flag.ContinueOnError)
	root := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 5, "try at most `n` suspects of a case")
	bisect := fs.Bool("bisect", false, "bisect a case of which no suspect is confirmed")
	cacheDir := fs.String("cache", "", "`folder` for what Go compiles, which all cases share")
	if err := fs.Parse(args); err != nil {
		return err
	}
	cases, err := material.ReadTraining("szz", fs.Args(), func(c testedCase) string { return c.Repo })
	if err != nil {
		return err
	}
	return material.WriteEach(ctx, cases, func(c testedCase, out *json.Encoder) error {
		compiling, _ := testcmd.CompileOnly(c.Command)
		row, err := confirmCase(ctx, *root, c, *most, verify.Options{All: true, Bisect: *bisect, Options: trial.Options{
			Command: c.Command, Compiled: *cacheDir, Compiling: compiling, Timeout: 3 * time.Minute, MaxRuns: 60,
		}})
		if err == nil {
			out.Encode(row)
		}
		return err
	})
}

func confirmCase(ctx context.Context, root string, c testedCase, most int, opt verify.Options) (*testedRow, error) {
	repo, err := material.Open(ctx, root, c.Repo)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	fc, err := szz.NewContext(ctx, repo, c.Fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		return nil, err
	}
	v, err := offline.Trace(ctx, repo, fc, "", most)
	if err != nil {
		return nil, err
	}
	before := map[gitext.OID]float64{}
	for _, s := range v.Suspects {
		before[s.Commit.OID] = s.Probability
	}
	for _, oid := range c.BICs { // culprits that the engine does not name are tested, too
		if _, named := before[oid]; !named {
			commit, err := repo.Commit(ctx, oid)
			if err != nil {
				return nil, err
			}
			before[oid] = 0
			v.Suspects = append(v.Suspects, szz.Suspect{Suspect: suspect.Suspect{Commit: commit}})
		}
	}
	opt.MaxSuspects = len(v.Suspects)
	if err := verify.Suspects(ctx, repo, fc, v, opt); err != nil {
		return nil, err
	}
	row := &testedRow{ID: c.ID, Notes: v.Notes}
	for _, s := range v.Suspects {
		status := ""
		if s.Confirmation != nil {
			status = s.Confirmation.Status
		}
		if status == suspect.Confirmed {
			row.Bisected = cmp.Or(row.Bisected, s.Commit.OID)
		}
		if _, ranked := before[s.Commit.OID]; ranked {
			row.Suspects = append(row.Suspects, testedSuspect{s.Commit.OID, before[s.Commit.OID], status, slices.Contains(c.BICs, s.Commit.OID)})
		}
	}
	return row, nil
}

// ratios prints, from rows of confirm, the frequencies of the command's results for culprits and
// for other suspects, and the likelihood ratios for package verify. One artificial commit of each
// class is added to each result (Laplace's rule), because the counts are small.
func ratios(args []string) error {
	counts, cases, err := countResults(args)
	if err != nil {
		return err
	}
	fmt.Printf("%d cases\n", cases)
	for _, result := range results {
		fmt.Printf("%-10s %3.0f of %3.0f culprits, %3.0f of %3.0f others: ratio %.2f\n", result, counts[true][result], total(counts[true]),
			counts[false][result], total(counts[false]), smoothed(counts[true], result)/smoothed(counts[false], result))
	}
	return nil
}

// countResults counts the results of culprits and of other suspects. A row counts if one of its
// suspects is a culprit with a clear result.
func countResults(files []string) (counts map[bool]map[string]float64, cases int, err error) {
	rows, err := eval.ReadLines[testedRow](files...)
	if err != nil {
		return nil, 0, err
	}
	counts = map[bool]map[string]float64{true: {}, false: {}}
	for _, row := range rows {
		tried := slices.ContainsFunc(row.Suspects, func(s testedSuspect) bool { return s.Status != "" })
		if !tried || !slices.ContainsFunc(row.Suspects, func(s testedSuspect) bool { return s.Culprit }) {
			continue
		}
		cases++
		for _, s := range row.Suspects {
			counts[s.Culprit][s.Status]++
		}
	}
	return counts, cases, nil
}

// results are the possible results of a command for a suspect.
var results = []string{suspect.Confirmed, suspect.Refuted, suspect.Unclear}

func smoothed(counts map[string]float64, result string) float64 {
	return (counts[result] + 1) / (total(counts) + float64(len(results)))
}

func total(counts map[string]float64) (n float64) {
	for _, result := range results {
		n += counts[result]
	}
	return n
}
