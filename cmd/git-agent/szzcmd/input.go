package szzcmd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
)

// maxRevision limits the length of a line of standard input, in bytes.
const maxRevision = 64 << 10

// questions returns the questions, in the order of the input, and their number,
// which is 0 if it depends on standard input.
func (c *Szz) questions(ctx context.Context, a *app.App, repo *gitext.Repo, agent *engine.Agent) (iter.Seq2[szz.Question, error], int, error) {
	if c.Journal != "" {
		return c.dealt(ctx, a, repo, agent)
	}
	fixes, total, err := c.fixes(ctx, a, repo)
	if err != nil {
		return nil, 0, err
	}
	complete, err := c.completed(ctx, a, repo, total == 1)
	if err != nil {
		return nil, 0, err
	}
	if c.Crash != "" && total != 1 {
		return nil, 0, app.Usagef("--crash goes with one fix, not with %d", total)
	}
	return func(yield func(szz.Question, error) bool) {
		for q, err := range fixes {
			if err == nil {
				q, err = c.hinted(ctx, a, repo, complete(q))
			}
			if !yield(q, err) || err != nil {
				return
			}
		}
	}, total, nil
}

// completed returns a function that adds the options to a question. single means that there is no
// other question.
func (c *Szz) completed(ctx context.Context, a *app.App, repo *gitext.Repo, single bool) (func(szz.Question) szz.Question, error) {
	paths, err := app.PathspecsIn(repo, a.Env).Paths(c.paths)
	if err != nil {
		return nil, err
	}
	var not []gitext.OID
	for _, name := range c.Not {
		oid, err := repo.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		not = append(not, oid)
	}
	return func(q szz.Question) szz.Question {
		q.Paths, q.Annotations, q.Algorithm, q.Max, q.Switches = paths, c.Annotations, c.Algorithm, c.maxSuspects(), c.Switches()
		q.Not = not
		q.Opinion, q.Index = c.opinion(a, single), repo.Indexed(ctx, q.Fix)
		return q
	}, nil
}

// fixes returns questions with only the fixes set, and their number.
func (c *Szz) fixes(ctx context.Context, a *app.App, repo *gitext.Repo) (iter.Seq2[szz.Question, error], int, error) {
	if c.Patch != "" {
		fix, err := c.patchedFix(ctx, a, repo)
		return func(yield func(szz.Question, error) bool) { yield(fix, nil) }, 1, err
	}
	if c.Staged || c.Worktree {
		head, err := repo.Resolve(ctx, "HEAD")
		if err != nil {
			return nil, 0, err
		}
		fix := szz.Question{Fix: head, Source: szz.SourceStaged}
		if c.Worktree {
			fix.Source = szz.SourceWorktree
		}
		return func(yield func(szz.Question, error) bool) { yield(fix, nil) }, 1, nil
	}
	oids, err := c.typedFixes(ctx, repo)
	if err != nil {
		return nil, 0, err
	}
	if !c.Stdin {
		all := len(oids)
		oids = oids[min(c.Skip, all):]
		switch {
		case all == 0:
			a.Say("no commit is in this range, so there is no fix to trace")
		case len(oids) == 0:
			a.Say("--skip=%d leaves none of %d %s, so there is no fix to trace", c.Skip, all, agent.PluralOf(all, "commit", "commits"))
		}
		return committed(slices.Values(oids)), len(oids), nil
	}
	return skipped(c.Skip, chained(committed(slices.Values(oids)), readFixes(ctx, a.Stdin, repo, c.Null))), 0, nil
}

// typedFixes returns the commits on the command line, or HEAD without commits there and on
// standard input. It also sets the paths if no "--" precedes them.
func (c *Szz) typedFixes(ctx context.Context, repo *gitext.Repo) ([]gitext.OID, error) {
	revisions := c.Revisions
	if c.paths == nil && len(revisions) > 0 {
		p := app.PathspecsIn(repo, nil)
		oids, err := repo.ResolveRevisions(ctx, revisions)
		if err == nil && !slices.ContainsFunc(revisions, p.IsFile) {
			return oids, nil
		}
		if revisions, c.paths, err = app.SplitArguments(ctx, repo, revisions); err != nil {
			return nil, err
		}
	}
	switch {
	case len(revisions) > 0:
		return repo.ResolveRevisions(ctx, revisions)
	case c.Stdin:
		return nil, nil
	}
	return repo.ResolveRevisions(ctx, []string{"HEAD"})
}

// takesAsPaths turns the arguments of an uncommitted fix into its paths. It returns false, and
// changes nothing, if one of them cannot be a path: a revision is a mistake there.
func (c *Szz) takesAsPaths() bool {
	dir, err := os.Getwd()
	p := app.Pathspecs{Dir: dir}
	if err != nil || slices.ContainsFunc(c.Revisions, func(arg string) bool { return !p.Exists(arg) }) {
		return false
	}
	c.Revisions, c.paths = nil, c.Revisions
	return true
}

// opinion decides when the ranking is asked about an annotation: never for output without a place
// for its opinion, and always with -v. For several fixes, an annotation is the answer without the
// ranking, which takes about twenty times as long.
func (c *Szz) opinion(a *app.App, single bool) szz.Opinion {
	switch {
	case c.Trailer || c.Format != nil:
		return szz.OpinionNever
	case a.Flags.Verbose > 0:
		return szz.OpinionAlways
	case single:
		return szz.OpinionUnsure
	}
	return szz.OpinionNever
}

// committed returns a question for each commit.
func committed(oids iter.Seq[gitext.OID]) iter.Seq2[szz.Question, error] {
	return func(yield func(szz.Question, error) bool) {
		for oid := range oids {
			if !yield(szz.Question{Fix: oid}, nil) {
				return
			}
		}
	}
}

// readFixes yields the commits named in each line of in as soon as the line is read, so that a
// program can wait for an answer before it writes the next line.
func readFixes(ctx context.Context, in io.Reader, repo *gitext.Repo, nul bool) iter.Seq2[szz.Question, error] {
	return func(yield func(szz.Question, error) bool) {
		next := readLines(ctx, in, nul)
		for {
			rev, err := next()
			if err == io.EOF {
				return
			}
			var oids []gitext.OID
			if err == nil {
				oids, err = repo.ResolveRevisions(ctx, []string{rev})
			}
			if err != nil {
				yield(szz.Question{}, err)
				return
			}
			for fix := range committed(slices.Values(oids)) {
				if !yield(fix, nil) {
					return
				}
			}
		}
	}
}

// readLines returns a function that returns the next non-empty line, and io.EOF at the end. The
// function also returns when ctx ends during a read; the goroutine that reads standard input then
// remains until the end of the process.
func readLines(ctx context.Context, in io.Reader, nul bool) func() (string, error) {
	type result struct {
		text string
		err  error
	}
	read := make(chan result)
	go func() {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxRevision)
		if nul {
			lines.Split(splitNul)
		}
		for lines.Scan() {
			if lines.Text() != "" {
				read <- result{text: lines.Text()}
			}
		}
		err := lines.Err()
		if err == nil {
			err = io.EOF
		} else {
			err = fmt.Errorf("read standard input: %w", err)
		}
		read <- result{err: err}
	}()
	return func() (string, error) {
		select {
		case r := <-read:
			return r.text, r.err
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// splitNul is like bufio.ScanLines, but for lines that end with NUL.
func splitNul(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// chained yields one sequence after the other.
func chained(seqs ...iter.Seq2[szz.Question, error]) iter.Seq2[szz.Question, error] {
	return func(yield func(szz.Question, error) bool) {
		for _, seq := range seqs {
			for fix, err := range seq {
				if !yield(fix, err) || err != nil {
					return
				}
			}
		}
	}
}

// skipped leaves out the first n fixes.
func skipped(n int, seq iter.Seq2[szz.Question, error]) iter.Seq2[szz.Question, error] {
	return func(yield func(szz.Question, error) bool) {
		for fix, err := range seq {
			if n > 0 && err == nil {
				n--
				continue
			}
			if !yield(fix, err) {
				return
			}
		}
	}
}
