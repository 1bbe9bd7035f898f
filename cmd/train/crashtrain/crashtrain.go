// Package crashtrain fits the models of `git agent crash` for ranking files and commits, from
// case files with known answers.
//
//	go run ./cmd/train crash extract -repos DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/train crash fit rows.jsonl... > agent/crash/rank/model.json
//	go run ./cmd/train crash cross rows.jsonl...
//
// The steps of culprits do the same for the model of suspect commits. They read the cases with
// known culprits:
//
//	go run ./cmd/train crash culprits extract -repos DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/train crash culprits fit rows.jsonl... > agent/crash/culprit/model.json
//	go run ./cmd/train crash culprits cross [-each] rows.jsonl...
//
// The step mine makes case files from the reports in commit messages:
//
//	go run ./cmd/train crash mine -repos DIR -skip known.jsonl owner/name... > mined.jsonl
//
// The step extract reads each report, maps it to the repository at the crash commit, and writes
// the features of its files. The step fit fits the model to all cases, and its calibration to the
// predictions of models fitted without the case's repository. The step cross prints the accuracy
// of those models.
package crashtrain

import (
	"context"
	"fmt"
)

// Run runs the step that args[0] names with the rest of args.
func Run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: train crash (mine | extract | fit | cross | culprits) <arguments>")
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
