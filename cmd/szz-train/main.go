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
// The step mine finds fixes whose messages name the commit that introduced the bug.
// The step execute finds fixes that bring a test, and runs the test through history to
// the commit at which it begins to fail. The step extract computes the features of every candidate, which takes minutes to
// hours of git. The step fit trains on all rows. The step cross reports how well the
// method does on repositories that it was not trained on. The step judge reports how well
// the shipped model, or another one, does. The step reach says which searches of an index
// of changed lines find the true commits; with -indexed, extract also writes the features
// that such an index gives. Both use the indexes that git agent index build made.
//
// The other steps are for estimates beside the ranker's. The steps purpose and fixlike
// fit the weights of package fixlike, floor measures from which probability on a
// suspect can be relied on, and confirm and ratios measure what the result of a test
// says about a suspect.
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
