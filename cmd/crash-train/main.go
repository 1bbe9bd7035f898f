// Command crash-train fits the models by which `git agent crash` ranks files and
// commits, from case files with known answers. It is a development tool and is not installed with
// the plugin.
//
//	go run ./cmd/crash-train extract -repos DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/crash-train fit rows.jsonl... > agent/crash/rank/model.json
//	go run ./cmd/crash-train cross rows.jsonl...
//
// The steps of culprits do the same for the model by which it names suspect commits.
// They read the cases whose culprits are known:
//
//	go run ./cmd/crash-train culprits extract -repos DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/crash-train culprits fit rows.jsonl... > agent/crash/culprit/model.json
//	go run ./cmd/crash-train culprits cross [-each] rows.jsonl...
//
// The step mine makes case files of the reports that commit messages hold:
//
//	go run ./cmd/crash-train mine -repos DIR -skip known.jsonl owner/name... > mined.jsonl
//
// The step extract reads each report, maps it to the repository at the crash commit,
// and writes the features of its files. The step fit fits the model to all cases, and
// its calibration to what models fitted without the case's repository said. The step
// cross prints how those models did.
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
