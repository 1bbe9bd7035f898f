package gitext

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"git-agent/gitext/gitcmd"
)

// Stat counts the changes of one commit against its first parent.
type Stat struct {
	Commit                OID
	Files, Added, Deleted int
	Err                   error // why the lines could not be counted (see Unreadable); Files may still be right

	blobs []OID
}

// Stats counts the changes of many commits, in the order given, in one process
// and with rename detection. For a partly unreadable commit, Err is set; any
// other failure ends the call.
func (r *Repo) Stats(ctx context.Context, commits []OID) ([]Stat, error) {
	stats := make([]Stat, 0, len(commits))
	var failed error
	read := func(out *bufio.Reader, p *pair) error {
		p.stat = &Stat{Commit: p.commit}
		return readStat(out, p.stat)
	}
	emit := func(p *pair, err error) bool {
		if p.stat == nil {
			p.stat = &Stat{Commit: p.commit}
		}
		if err != nil && !Unreadable(err) {
			failed = fmt.Errorf("count the changes of %s: %w", p.commit.Short(), err)
			return false
		}
		p.stat.Err, p.stat.blobs = err, nil
		stats = append(stats, *p.stat)
		p.stat = nil
		return true
	}
	git := gitcmd.Call{
		Args: []string{
			"-r",
			"--raw",
			"--numstat",
			"-z",
			"-M",
			"-l1000",
			"--full-index",
			"--no-ext-diff",
			"--no-textconv",
			"--ignore-submodules=none",
			"--",
		},
	}
	for len(commits) > 0 {
		n := min(len(commits), patchBatch)
		if !r.eachPair(ctx, commits[:n], git, read, emit) {
			return nil, cmp.Or(failed, ctx.Err())
		}
		commits = commits[n:]
	}
	return stats, nil
}

// readStat reads the raw and numstat records of one commit, up to the mark.
func readStat(out *bufio.Reader, into *Stat) error {
	counted := 0
	for {
		first, err := out.Peek(1)
		if err == io.EOF || err == nil && first[0] == endMark {
			return nil
		}
		if err != nil {
			return err
		}
		record, err := gitcmd.ReadRecord(out)
		if err != nil {
			return err
		}
		if strings.HasPrefix(record, ":") {
			err = into.raw(out, record)
		} else {
			err = into.count(out, record, counted)
			counted++
		}
		if err != nil {
			return err
		}
	}
}

// raw reads a raw record. Its paths follow as separate records.
func (s *Stat) raw(out *bufio.Reader, record string) error {
	f := strings.Fields(strings.TrimPrefix(record, ":"))
	if len(f) != 5 {
		return fmt.Errorf("malformed raw record: %.200q", record)
	}
	change, err := rawMeta(f)
	if err != nil {
		return fmt.Errorf("malformed raw record: %.200q", record)
	}
	_, err = gitcmd.ReadRecord(out)
	if err == nil && (change.Status == 'R' || change.Status == 'C') {
		_, err = gitcmd.ReadRecord(out)
	}
	if !change.Submodule && s.Files < maxChanges/changeCost {
		s.blobs = append(s.blobs, change.OldOID, change.NewOID)
	}
	s.Files++
	return err
}

// count reads the n-th "added\tdeleted\tpath". Numstat records come in the order
// of the raw ones; a rename's two paths follow as separate records.
func (s *Stat) count(out *bufio.Reader, record string, n int) error {
	f := strings.SplitN(record, "\t", 3)
	if len(f) != 3 || n >= s.Files {
		return fmt.Errorf("malformed count of lines: %.200q", record)
	}
	if f[2] == "" {
		if _, err := gitcmd.ReadRecord(out); err != nil {
			return err
		}
		if _, err := gitcmd.ReadRecord(out); err != nil {
			return err
		}
	}
	if f[0] == "-" { // a binary file
		return nil
	}
	added, err1 := strconv.Atoi(f[0])
	deleted, err2 := strconv.Atoi(f[1])
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("malformed count of lines: %.200q", record)
	}
	s.Added += added
	s.Deleted += deleted
	return nil
}
