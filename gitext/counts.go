package gitext

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// FileCounts says how many files each commit changes against its first parent.
// Only trees are compared, so that a commit of any size costs little and no
// blob is needed. A commit whose trees are missing is left out.
func (r *Repo) FileCounts(ctx context.Context, commits []OID) (map[OID]int, error) {
	counts := make(map[OID]int, len(commits))
	var failed error
	n := 0
	read := func(out *bufio.Reader, _ *pair) error {
		var err error
		n, err = countRecords(out)
		return err
	}
	emit := func(p *pair, err error) bool {
		switch {
		case err == nil:
			counts[p.commit] = n
		case !errors.As(err, new(*MissingObjectError)):
			failed = fmt.Errorf("count the files of %s: %w", p.commit.Short(), err)
			return false
		}
		return true
	}
	git := call{args: []string{"-r", "--raw", "-z", "--no-renames", "--ignore-submodules=none", "--"}}
	for len(commits) > 0 {
		batch := min(len(commits), patchBatch)
		if !r.eachPair(ctx, commits[:batch], git, read, emit) {
			return counts, failed
		}
		commits = commits[batch:]
	}
	return counts, nil
}

// countRecords counts raw records up to the mark; each is followed by a path.
func countRecords(out *bufio.Reader) (int, error) {
	for n := 0; ; {
		first, err := out.Peek(1)
		if err == io.EOF || err == nil && first[0] == endMark {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		record, err := readRecord(out)
		if err != nil {
			return n, err
		}
		if strings.HasPrefix(record, ":") {
			n++
		}
	}
}
