package gitext

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"git-agent/gitext/gitcmd"
)

// PatchOptions define the comparison of two trees.
type PatchOptions struct {
	Context         int      // lines of context
	FunctionContext bool     // -W: the whole functions around a change
	Renames, Copies bool     // -M, -C
	IgnoreSpace     bool     // -w: lines that differ only in white space are context, with the new text
	Paths           []string // from the top of the tree; none is all
	Pathspecs       bool     // Paths are git's pathspecs, with their magic; otherwise they are literal
	MaxBytes        int64    // most bytes of one commit's hunks in memory; 0 is 64 MiB
}

const defaultPatchBytes = 64 << 20

// Patch has the changes of one commit against one parent.
type Patch struct {
	Commit, Parent OID // Parent "" is the empty tree
	Files          []FileChange
	Truncated      bool // MaxBytes was reached: all files are listed, but later hunks are missing
	LeftOut        []LeftOut
}

// LeftOut is a file of the work tree that cannot be compared without one of the
// user's programs: the filter in its attributes.
type LeftOut struct{ Path, Filter string }

// FileChange is one changed file.
type FileChange struct {
	Status           byte // A M D R C T
	Score            int  // similarity of a rename or copy, in percent
	OldPath, NewPath string
	OldMode, NewMode uint32
	OldOID, NewOID   OID  // all zeros for no file, or not known yet (work tree)
	Binary           bool // git's rule: NUL in the first 8000 bytes; or larger than the shadow's core.bigFileThreshold, 32 MiB
	Submodule        bool // a commit of another repository, on either side
	Hunks            []Hunk
}

// Hunk is one block of changes.
type Hunk struct {
	OldStart, OldLines, NewStart, NewLines int
	Section                                string // git's text after the second @@: the function's heading, at most 80 bytes
	Lines                                  []PatchLine
}

// PatchLine is one line of a hunk.
type PatchLine struct {
	Op        byte   // ' ' '-' '+'
	Text      []byte // without the line break; a CR before it stays
	Old, New  int    // line numbers from 1; 0: not on that side
	NoNewline bool   // the file ends here, without a line break
}

// args returns all options for git's diff machinery.
func (o PatchOptions) args() ([]string, error) {
	args := []string{"-r", "-p", "--raw", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv",
		"--submodule=short", "--ignore-submodules=none", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--inter-hunk-context=0",
		"-l1000", "-U" + strconv.Itoa(max(o.Context, 0))}
	args = append(args, o.similarity()...)
	if o.FunctionContext {
		args = append(args, "-W")
	}
	if o.IgnoreSpace {
		args = append(args, "-w")
	}
	return args, checkPaths(o.Paths)
}

// similarity returns the options for the detection of renames and copies.
func (o PatchOptions) similarity() []string {
	switch {
	case o.Copies:
		return []string{"-M", "-C"}
	case o.Renames:
		return []string{"-M"}
	}
	return []string{"--no-renames"}
}

func (o PatchOptions) bytes() int64 {
	if o.MaxBytes <= 0 {
		return defaultPatchBytes
	}
	return o.MaxBytes
}

// checkPaths refuses a path that is invalid as an argument or in a tree.
func checkPaths(paths []string) error {
	for _, p := range paths {
		if p == "" || strings.ContainsRune(p, 0) {
			return fmt.Errorf("%q is not a path", p)
		}
	}
	return nil
}

// withPaths appends "--" and the paths to a command line.
func withPaths(args, paths []string) []string { return append(append(args, "--"), paths...) }

// Patch compares a commit with a parent; parent "" is the empty tree.
func (r *Repo) Patch(ctx context.Context, parent, commit OID, opt PatchOptions) (*Patch, error) {
	old := parent
	if old == "" {
		old = r.emptyTree()
	}
	args, err := opt.args()
	if err = errors.Join(err, validAll(old, commit)); err != nil {
		return nil, err
	}
	args = append(append([]string{"diff-tree"}, args...), string(old), string(commit))
	patch := &Patch{Commit: commit, Parent: parent}
	err = r.shadow.Stream(
		ctx,
		gitcmd.Call{Args: withPaths(args, opt.Paths), Pathspecs: opt.Pathspecs, Drivers: opt.FunctionContext},
		func(out *bufio.Reader) error {
			reader := newPatchReader(out, opt)
			reader.alone = true
			return reader.patch(patch)
		},
	)
	if err != nil {
		return nil, r.explain(ctx, err, append(changed(patch), commit, old)...)
	}
	return patch, nil
}

// changed lists the blobs that git needed for a patch.
func changed(p *Patch) []OID {
	var oids []OID
	for _, f := range p.Files {
		if !f.Submodule {
			oids = append(oids, f.OldOID, f.NewOID)
		}
	}
	return oids
}

// patchBatch is the number of commits for one diff-tree process: many enough to
// make its start cheap, few enough to waste little if the caller stops early.
const patchBatch = 2048

// Patches compares many commits, each with its first parent (a root commit with
// the empty tree), in the order given, in one diff-tree process. An error belongs
// to its commit: after a *MissingObjectError, the other commits follow.
func (r *Repo) Patches(ctx context.Context, commits []OID, opt PatchOptions) iter.Seq2[*Patch, error] {
	return func(yield func(*Patch, error) bool) {
		args, err := opt.args()
		if err != nil {
			yield(nil, err)
			return
		}
		read := func(out *bufio.Reader, p *pair) error {
			p.patch = &Patch{Commit: p.commit, Parent: p.parent}
			reader := newPatchReader(out, opt)
			return reader.patch(p.patch)
		}
		emit := func(p *pair, err error) bool {
			if err != nil {
				return yield(nil, fmt.Errorf("patch of %s: %w", p.commit.Short(), err))
			}
			return yield(p.patch, nil)
		}
		git := gitcmd.Call{Args: withPaths(args, opt.Paths), Pathspecs: opt.Pathspecs, Drivers: opt.FunctionContext}
		for len(commits) > 0 {
			n := min(len(commits), patchBatch)
			if !r.eachPair(ctx, commits[:n], git, read, emit) {
				return
			}
			commits = commits[n:]
		}
	}
}

// A pair is a commit and the parent to compare it with.
type pair struct {
	commit, parent OID
	patch          *Patch
	stat           *Stat
	err            error
}

// suspects lists the objects of this pair whose absence may have stopped git.
func (p *pair) suspects() []OID {
	oids := []OID{p.commit, p.parent}
	if p.patch != nil {
		oids = append(oids, changed(p.patch)...)
	}
	if p.stat != nil {
		oids = append(oids, p.stat.blobs...)
	}
	return oids
}

// endMark begins an input line that diff-tree --stdin echoes because it is no
// object id. The echoed line ends the output for one commit, even an empty one,
// and makes git flush.
const endMark = '='

// eachPair writes commits to diff-tree --stdin and reads the answers one after
// the other. If git dies at a commit (a blob is missing), that commit gets the
// error and a new process continues after it. A commit on which git hits a bound
// takes seconds, so after maxCutPairs such commits the rest get the same error.
// eachPair returns false if the caller wants no more.
func (r *Repo) eachPair(
	ctx context.Context,
	commits []OID,
	git gitcmd.Call,
	read func(*bufio.Reader, *pair) error,
	emit func(*pair, error) bool,
) bool {
	return r.comparePairs(ctx, r.pairs(ctx, commits), git, read, emit)
}

// comparePairs is eachPair for commits whose parents are known.
func (r *Repo) comparePairs(
	ctx context.Context,
	pairs []pair,
	git gitcmd.Call,
	read func(*bufio.Reader, *pair) error,
	emit func(*pair, error) bool,
) bool {
	next, more, cuts := 0, true, 0
	git.Args = append([]string{"diff-tree", "--stdin", "--root", "--no-commit-id"}, git.Args...)
	for more && next < len(pairs) {
		git.Stdin = strings.NewReader(pairLines(pairs[next:]))
		err := r.shadow.Stream(ctx, git, func(out *bufio.Reader) error {
			for next < len(pairs) {
				p := &pairs[next]
				if err := errors.Join(read(out, p), skipMark(out)); err != nil {
					return err
				}
				next++
				if more = emit(p, p.err); !more {
					return gitcmd.ErrStop
				}
			}
			return nil
		})
		if err == nil || next == len(pairs) {
			continue
		}
		p := &pairs[next]
		next++
		more = emit(p, r.explain(ctx, err, p.suspects()...)) && ctx.Err() == nil
		if gitcmd.Bounded(err) {
			cuts++
		}
		for ; cuts == maxCutPairs && more && next < len(pairs); next++ {
			more = emit(&pairs[next], err)
		}
	}
	return more
}

// maxCutPairs is the number of commits of a batch that may hit a bound before the
// rest fail too.
const maxCutPairs = 2

// pairLines builds the input of diff-tree. An unreadable commit gets only the
// mark, so that its answer is empty.
func pairLines(pairs []pair) string {
	var b strings.Builder
	for _, p := range pairs {
		if p.err == nil {
			b.WriteString(string(p.commit))
			if p.parent != "" {
				b.WriteByte(' ')
				b.WriteString(string(p.parent))
			}
			b.WriteByte('\n')
		}
		b.WriteByte(endMark)
		b.WriteByte('\n')
	}
	return b.String()
}

func skipMark(out *bufio.Reader) error {
	line, err := out.ReadString('\n')
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	if err == nil && line != string(endMark)+"\n" {
		err = fmt.Errorf("unexpected line from diff-tree: %.100q", line)
	}
	return err
}

// pairs finds the first parent of each commit. Commits at the boundary of a
// shallow clone have none.
func (r *Repo) pairs(ctx context.Context, commits []OID) []pair {
	pairs := make([]pair, len(commits))
	r.eachRawCommit(ctx, commits, func(i int, c Commit, _ string, err error) {
		pairs[i] = pair{commit: commits[i], err: err}
		if len(c.Parents) > 0 && !r.boundary[commits[i]] {
			pairs[i].parent = c.Parents[0]
		}
	})
	return pairs
}
