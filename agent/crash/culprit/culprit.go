// Package culprit names the commits that may have introduced a crash.
package culprit

import (
	"context"

	"git-agent/agent/crash"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// Options say which commits may be named.
type Options struct {
	Since gitext.OID // only commits that this one does not reach; "" for all
	Max   int        // most suspects
}

// Found are the suspects, the likeliest first.
type Found struct {
	Suspects []suspect.Suspect
	Notes    []string // what could not be read, a sentence each
}

// Find names the commits behind the frames of a located report, whose files are
// ranked.
func Find(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, files []crash.File, opt Options) (*Found, error) {
	return &Found{}, nil
}
