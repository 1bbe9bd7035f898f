// Command fix-train fits the model of `git agent fix` for ordering suspected functions, from bugs
// with known fixes. It is a development tool and is not installed with the plugin.
//
//	go run ./cmd/fix-train measure -repos DIR -into DIR cases.jsonl...
//	go run ./cmd/fix-train extract -repos DIR -measured DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/fix-train cross rows.jsonl
//	go run ./cmd/fix-train judge rows.jsonl
//	go run ./cmd/fix-train fit rows.jsonl > agent/fix/localize/model.json
//
// The step measure runs the failing command of each case without a sandbox, with and without
// coverage, and writes a file for each. It skips cases with such a file. The step extract writes
// the features of all functions of a case in several states of knowledge: with and without a
// report, a stack, and coverage. The step fit fits the model to all of these, with the same
// weight for each case. The step cross prints the accuracy of models fitted without the case's
// repository, and the step judge prints the accuracy of the program's own model on repositories
// outside its training; both with intervals at 95 %.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"git-agent/agent/sandbox"
)

func main() {
	sandbox.Helper()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fix-train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: fix-train (measure | extract | cross | judge | fit) <arguments>")
	}
	switch args[0] {
	case "measure":
		return measure(ctx, args[1:])
	case "extract":
		return extract(ctx, args[1:])
	case "cross":
		return cross(args[1:])
	case "judge":
		return judge(args[1:])
	case "fit":
		return fit(args[1:])
	}
	return fmt.Errorf("unknown step %q; the steps are measure, extract, cross, judge and fit", args[0])
}
