// Command szz-train trains the model of `git agent szz`'s ranker from case files
// with known answers. It is a development tool and is not installed with the
// plugin.
//
//	go run ./cmd/szz-train mine -repos DIR owner/name... > cases.jsonl
//	go run ./cmd/szz-train execute -repos DIR -journal J owner/name...
//	go run ./cmd/szz-train execute -journal J -print > executed.jsonl
//	go run ./cmd/szz-train extract -repos DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/szz-train fit rows.jsonl... > agent/szz/rank/model.json
//	go run ./cmd/szz-train fit -onto rows.jsonl,... indexed.jsonl... > agent/szz/rank/index_model.json
//	go run ./cmd/szz-train cross [-on cases.jsonl,...] [-without feature,...] rows.jsonl...
//	go run ./cmd/szz-train judge rows.jsonl...
//	go run ./cmd/szz-train reach -repos DIR cases.jsonl...
//
//	go run ./cmd/szz-train purpose -repos DIR cases.jsonl... > purpose.rows
//	go run ./cmd/szz-train fixlike purpose.rows...
//	go run ./cmd/szz-train floor -repos DIR cases.jsonl...
//	go run ./cmd/szz-train confirm -repos DIR tests.jsonl... > tests.rows
//	go run ./cmd/szz-train ratios tests.rows...
//
// The step mine finds fixes whose messages name the commit that introduced the bug. The step
// execute finds fixes with a test, and runs the test through history to find the commit at which
// it begins to fail. The step extract computes the features of every candidate, which takes
// minutes to hours of git. The step fit trains on all rows. The step cross reports the figures of
// the method on repositories outside its training. The step judge reports the figures of the
// shipped model or another one. The step reach compares searches of an index of changed lines by
// the true commits that they find; with -indexed, extract also writes the features from such an
// index. Both use indexes made by git agent index build.
//
// The other steps are for further estimates. The steps purpose and fixlike fit the weights of
// package fixlike, floor measures the reliability of a suspect's probability, and confirm and
// ratios measure the evidence of a test's result about a suspect.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"git-agent/agent/sandbox"
	"git-agent/cmd/szz-train/execute"
)

func main() {
	sandbox.Helper() // confirm runs commands in sandboxes
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "szz-train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf(
			"usage: szz-train (mine | extract | fit | cross | judge | reach | purpose | fixlike | floor | confirm | ratios) <arguments>",
		)
	}
	switch args[0] {
	case "mine":
		return mine(ctx, args[1:])
	case "execute":
		return execute.Run(ctx, args[1:])
	case "extract":
		return extract(ctx, args[1:])
	case "fit":
		return fit(args[1:])
	case "cross":
		return cross(args[1:])
	case "judge":
		return judge(args[1:])
	case "reach":
		return reach(ctx, args[1:])
	case "purpose":
		return purpose(ctx, args[1:])
	case "floor":
		return floor(ctx, args[1:])
	case "fixlike":
		return fitPurpose(args[1:])
	case "ratios":
		return ratios(args[1:])
	case "confirm":
		return confirm(ctx, args[1:])
	}
	return fmt.Errorf(
		"unknown step %q; the steps are mine, execute, extract, fit, cross, judge, reach, purpose, fixlike, floor, confirm and ratios",
		args[0],
	)
}
