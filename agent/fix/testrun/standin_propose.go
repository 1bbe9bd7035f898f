package testrun

import (
	"context"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

type Proposal struct{ Build, Test, Suite, From string }

func Propose(ctx context.Context, repo *gitext.Repo, tree fix.Tree) ([]Proposal, error) {
	return []Proposal{{Test: "go test ./...", From: "go.mod"}}, nil
}
