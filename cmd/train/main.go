// Command train fits the shipped models of the verbs from cases with known answers,
// measures them, and mines cases. It is a development tool and is not installed with the plugin.
//
//	go run ./cmd/train szz mine -repos DIR owner/name... > cases.jsonl
//	go run ./cmd/train crash cross rows.jsonl...
//	go run ./cmd/train fix fit rows.jsonl > agent/fix/localize/model.json
//
// Most models have the same steps: mine (find cases), extract (compute the features of the
// candidates of each case), cross (print the figures of models that were fitted without the
// case's repository), judge (print the figures of the shipped model) and fit (write the model).
// The packages szztrain, crashtrain, fixtrain and bisecttrain describe the steps of each verb.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"git-agent/agent/sandbox"
	"git-agent/cmd/train/bisecttrain"
	"git-agent/cmd/train/crashtrain"
	"git-agent/cmd/train/fixtrain"
	"git-agent/cmd/train/szztrain"
)

func main() {
	sandbox.Helper() // some steps run commands in sandboxes
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// run runs a step of the verb that args[0] names.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "szz":
			return szztrain.Run(ctx, args[1:])
		case "crash":
			return crashtrain.Run(ctx, args[1:])
		case "fix":
			return fixtrain.Run(ctx, args[1:])
		case "bisect":
			return bisecttrain.Run(ctx, args[1:])
		}
	}
	return errors.New("usage: train (szz | crash | fix | bisect) <step> <arguments>")
}
