package gitext

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"git-agent/gitext/gitcmd"
)

// Touched lists the files that a commit changes against its first parent.
type Touched struct {
	Files int
	Paths []string // the first ones, in git's order
}

// Touched counts the files that each commit changes and names up to most of them.
// It compares only trees, so a commit of any size is cheap and no blob is needed.
// Commits with unreadable trees are left out.
func (r *Repo) Touched(ctx context.Context, commits []OID, most int) (map[OID]Touched, error) {
	touched := make(map[OID]Touched, len(commits))
	var failed error
	var one Touched
	read := func(out *bufio.Reader, _ *pair) error {
		var err error
		one, err = readTouched(out, most)
		return err
	}
	emit := func(p *pair, err error) bool {
		switch {
		case err == nil:
			touched[p.commit] = one
		case !Unreadable(err):
			failed = fmt.Errorf("list the files of %s: %w", p.commit.Short(), err)
			return false
		}
		return true
	}
	git := gitcmd.Call{Args: []string{"-r", "--raw", "-z", "--no-renames", "--ignore-submodules=none", "--"}}
	for len(commits) > 0 {
		batch := min(len(commits), patchBatch)
		if !r.eachPair(ctx, commits[:batch], git, read, emit) {
			return touched, failed
		}
		commits = commits[batch:]
	}
	return touched, nil
}

// readTouched reads the raw records of one commit, up to the mark. After each
// record comes its path as a separate record, which may begin like a raw record
// or like the mark.
func readTouched(out *bufio.Reader, most int) (Touched, error) {
	var t Touched
	for {
		first, err := out.Peek(1)
		if err == io.EOF || err == nil && first[0] == endMark {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		if _, err := gitcmd.ReadRecord(out); err != nil {
			return t, err
		}
		path, err := gitcmd.ReadRecord(out)
		if err != nil {
			return t, err
		}
		t.Files++
		if len(t.Paths) < most {
			t.Paths = append(t.Paths, path)
		}
	}
}
