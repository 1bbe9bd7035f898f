// Command crash-train fits the models of `git agent crash` for ranking files and commits, from
// case files with known answers. It is a development tool and is not installed with the plugin.
//
//	go run ./cmd/crash-train extract -repos DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/crash-train fit rows.jsonl... > agent/crash/rank/model.json
//	go run ./cmd/crash-train cross rows.jsonl...
//
// The steps of culprits do the same for the model of suspect commits. They read the cases with
// known culprits:
//
//	go run ./cmd/crash-train culprits extract -repos DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/crash-train culprits fit rows.jsonl... > agent/crash/culprit/model.json
//	go run ./cmd/crash-train culprits cross [-each] rows.jsonl...
//
// The step mine makes case files from the reports in commit messages:
//
//	go run ./cmd/crash-train mine -repos DIR -skip known.jsonl owner/name... > mined.jsonl
//
// The step extract reads each report, maps it to the repository at the crash commit, and writes
// the features of its files. The step fit fits the model to all cases, and its calibration to the
// predictions of models fitted without the case's repository. The step cross prints the accuracy
// of those models.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "crash-train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: crash-train (mine | extract | fit | cross | culprits) <arguments>")
	}
	switch args[0] {
	case "mine":
		return mine(ctx, args[1:])
	case "extract":
		return extract(ctx, args[1:])
	case "fit":
		return fit(args[1:])
	case "cross":
		return cross(args[1:])
	case "culprits":
		return culprits(ctx, args[1:])
	}
	return fmt.Errorf("unknown step %q; the steps are mine, extract, fit, cross and culprits", args[0])
}
