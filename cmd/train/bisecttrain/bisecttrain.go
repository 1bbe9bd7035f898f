// Package bisecttrain fits the model by which `git agent bisect` suspects commits when it has run
// only the failing one. It learns from regressions whose culprits were found by execution.
//
//	go run ./cmd/train bisect reproduce -repos DIR cases.jsonl... > failing.jsonl
//	go run ./cmd/train bisect reproduce -cover N [-whole] -repos DIR cases.jsonl... > covered.jsonl
//	go run ./cmd/train bisect rows -repos DIR -failing failing.jsonl.gz [-covered FILE] [-whole FILE] cases.jsonl... > rows.jsonl
//	go run ./cmd/train bisect cross [-each] rows.jsonl
//	go run ./cmd/train bisect replay [-even] [-show] -repos DIR -cases cases.jsonl rows.jsonl
//	go run ./cmd/train bisect fit rows.jsonl > agent/bisect/prior/model.json
//	go run ./cmd/train bisect cases -repos DIR cases.jsonl... > runnable.jsonl
//
// The cases are those of cmd/train/szztrain/testdata/executed.jsonl. The step reproduce runs the
// test of each fix once before the fix, and keeps the output and the files that it opened, with -cover also
// the lines that it executes. The
// step rows draws a range of commits for each case, and writes the features of its commits in
// several states of knowledge: with and without the output, the opened files and the text of the
// test. The step cross fits models without the repositories of a case's owner, and prints how much
// information they give about the culprit. The step fit writes the model. The step cases
// writes cases for git agent eval bisect whose tests are laid over each commit as the search for
// the culprit laid them.
package bisecttrain

import (
	"context"
	"errors"
	"fmt"
)

// Run runs the step that args[0] names with the rest of args.
func Run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: train bisect (reproduce | rows | cross | replay | fit | cases) <arguments>")
	}
	switch args[0] {
	case "reproduce":
		return reproduce(ctx, args[1:])
	case "rows":
		return rows(ctx, args[1:])
	case "cross":
		return cross(args[1:])
	case "replay":
		return replay(ctx, args[1:])
	case "fit":
		return fit(args[1:])
	case "cases":
		return cases(ctx, args[1:])
	}
	return fmt.Errorf("unknown step %q; the steps are reproduce, rows, cross, replay, fit and cases", args[0])
}
