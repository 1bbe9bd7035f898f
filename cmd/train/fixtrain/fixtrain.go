// Package fixtrain fits the model of `git agent fix` for ordering suspected functions, from bugs
// with known fixes.
//
//	go run ./cmd/train fix measure -repos DIR -into DIR cases.jsonl...
//	go run ./cmd/train fix extract -repos DIR -measured DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/train fix reports -repos DIR [-most N] owner/name... > reports.rows.jsonl
//	go run ./cmd/train fix cross rows.jsonl
//	go run ./cmd/train fix judge rows.jsonl
//	go run ./cmd/train fix fit rows.jsonl > agent/fix/localize/model.json
//	go run ./cmd/train fix fit reports.rows.jsonl > agent/fix/localize/report.json
//	go run ./cmd/train fix count -repos DIR -ext .ts,.tsx [-misses N] owner/name...
//	go run ./cmd/train fix generated -repos DIR [-measured DIR] [-like TEXT] cases.jsonl...
//	go run ./cmd/train fix bugsinpy -from CHECKOUT project... > cases.jsonl
//	go run ./cmd/train fix defects4j -from CHECKOUT project... > cases.jsonl
//	go run ./cmd/train fix autofl -from CHECKOUT -runs FOLDER,... [-cases FILE -repos DIR] [-check FILE] [project...] > answers.jsonl
//
// The step measure runs the failing command of each case without a sandbox, with and without
// coverage, and writes a file for each. It skips cases with such a file. The step extract writes
// the features of all functions of a case in several states of knowledge: with and without a
// report, a stack, and coverage. The step reports does so for fixes of histories, with the subject as all that is known, for
// the model of that state. The step fit fits the model to all of these, with the same
// weight for each case. The step cross prints the accuracy of models fitted without the case's
// repository, and the step judge prints the accuracy of the program's own model on repositories
// outside its training; both with intervals at 95 %. The step count tells how often each kind of
// the offline engine's edits is exactly a small fix of a history, from which the weights of
// package mutate come, and shows fixes that no edit makes. The step generated tells for each case
// whether its fix is among the candidates of the offline engine, and where. The steps bugsinpy and defects4j make
// case files for `git agent eval fix` from the metadata of these benchmarks. The step autofl makes a
// file for its option --answers from the published results of an agent, coinse/autofl.
package fixtrain

import (
	"context"
	"fmt"
	"os"
)

// Run runs the step that args[0] names with the rest of args.
func Run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: train fix (measure | extract | reports | cross | judge | fit | count | generated | bugsinpy | defects4j | autofl) <arguments>")
	}
	switch args[0] {
	case "measure":
		return measure(ctx, args[1:])
	case "extract":
		return extract(ctx, args[1:])
	case "reports":
		return reports(ctx, args[1:])
	case "cross":
		return cross(args[1:])
	case "judge":
		return judge(args[1:])
	case "fit":
		return fit(args[1:])
	case "count":
		return count(ctx, args[1:])
	case "generated":
		return generated(ctx, args[1:], os.Stdout)
	case "bugsinpy":
		return benchmark(args[1:], bugsInPy)
	case "defects4j":
		return benchmark(args[1:], defects4J)
	case "autofl":
		return autofl(ctx, args[1:])
	}
	return fmt.Errorf("unknown step %q; the steps are measure, extract, reports, cross, judge, fit, count, generated, bugsinpy, defects4j and autofl", args[0])
}
