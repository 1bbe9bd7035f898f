// Package szztrain trains the model of `git agent szz`'s ranker from case files
// with known answers.
//
//	go run ./cmd/train szz mine -repos DIR owner/name... > cases.jsonl
//	go run ./cmd/train szz execute -repos DIR -journal J owner/name...
//	go run ./cmd/train szz execute -journal J -print > executed.jsonl
//	go run ./cmd/train szz extract -repos DIR cases.jsonl... > rows.jsonl
//	go run ./cmd/train szz fit rows.jsonl... > agent/szz/rank/model.json
//	go run ./cmd/train szz fit -onto rows.jsonl,... indexed.jsonl... > agent/szz/rank/index_model.json
//	go run ./cmd/train szz cross [-on cases.jsonl,...] [-without feature,...] rows.jsonl...
//	go run ./cmd/train szz judge rows.jsonl...
//	go run ./cmd/train szz lists rows.jsonl...
//	go run ./cmd/train szz reach -repos DIR cases.jsonl...
//
//	go run ./cmd/train szz purpose -repos DIR cases.jsonl... > purpose.rows
//	go run ./cmd/train szz fixlike purpose.rows...
//	go run ./cmd/train szz floor -repos DIR cases.jsonl...
//	go run ./cmd/train szz confirm -repos DIR tests.jsonl... > tests.rows
//	go run ./cmd/train szz ratios tests.rows...
//	go run ./cmd/train szz plant -repos DIR owner/name...
//	go run ./cmd/train szz plant rank -repos DIR owner/name... > ranked.rows
//	go run ./cmd/train szz plant pairs -repos DIR [-ranked ranked.rows] owner/name... > pairs.rows
//	go run ./cmd/train szz plant fit pairs.rows... > agent/szz/check/model.json
//	go run ./cmd/train szz plant judge [-cross] pairs.rows...
//	go run ./cmd/train szz plant missing ranked.rows...
//	go run ./cmd/train szz risk rows -repos DIR owner/name... > risk.rows
//	go run ./cmd/train szz risk fit risk.rows... > agent/szz/risk/model.json
//	go run ./cmd/train szz risk judge [-cross] other.rows...
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
// ratios measure the evidence of a test's result about a suspect. The step plant measures szz
// --check by trailers of repositories, and by faults that it plants into them; its own steps
// fit and measure when a trailer is doubted or missed. The step risk fits and
// measures szz --risk: it compares commits that a later trailer names with other commits of their
// authors.
package szztrain

import (
	"context"
	"fmt"

	"git-agent/cmd/train/szztrain/execute"
)

// Run runs the step that args[0] names with the rest of args.
func Run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf(
			"usage: train szz (mine | execute | extract | fit | cross | judge | lists | reach | purpose | fixlike | floor | confirm | ratios | plant | risk) <arguments>",
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
	case "plant":
		return plant(ctx, args[1:])
	case "risk":
		return riskSteps(ctx, args[1:])
	case "judge":
		return judge(args[1:])
	case "lists":
		return lists(args[1:])
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
		"unknown step %q; the steps are mine, execute, extract, fit, cross, judge, lists, reach, purpose, fixlike, floor, confirm, ratios, plant and risk",
		args[0],
	)
}
