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

// PatchOptions say how two trees are compared.
type PatchOptions struct {
	Context         int      // lines of context
	FunctionContext bool     // -W: the whole functions around a change
	Renames, Copies bool     // -M, -C
	IgnoreSpace     bool     // -w: lines that differ in white space alone are context, with the new text
	Paths           []string // from the top of the tree; none is all
	Pathspecs       bool     // Paths are git's pathspecs, with their magic; otherwise they are literal
	MaxBytes        int64    // most bytes of one commit's hunks in memory; 0 is 64 MiB
}

const defaultPatchBytes = 64 << 20

// Patch is what one commit changes against one parent.
type Patch struct {
	Commit, Parent OID // Parent "" is the empty tree
	Files          []FileChange
	Truncated      bool // MaxBytes was reached: all files are listed, later hunks are missing
	LeftOut        []LeftOut
}

// LeftOut is a file of the work tree that could not be compared without running
// a program of the user's: the filter that its attributes name.
type LeftOut struct{ Path, Filter string }

// FileChange is one changed file.
type FileChange struct {
	Status           byte // A M D R C T
	Score            int  // similarity of a rename or copy, in percent
	OldPath, NewPath string
	OldMode, NewMode uint32
	OldOID, NewOID   OID  // all zeros where there is none, or not known yet (work tree)
	Binary           bool // git's rule: NUL in the first 8000 bytes; or larger than the shadow's core.bigFileThreshold, 32 MiB
	Submodule        bool // a commit of another repository, on either side
	Hunks            []Hunk
}

// Hunk is one block of changes.
type Hunk struct {
	OldStart, OldLines, NewStart, NewLines int
	Section                                string // what git prints after the second @@: the function's heading, at most 80 bytes
	Lines                                  []PatchLine
}

// PatchLine is one line of a hunk.
type PatchLine struct {
	Op        byte   // ' ' '-' '+'
	Text      []byte // without the line break; a CR before it stays
	Old, New  int    // line numbers from 1; 0: not on that side
	NoNewline bool   // the file ends here, without a line break
}

// args spells out all options of git's diff machinery.
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

// similarity returns the options that say how to look for renames and copies.
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

// checkPaths refuses a path that cannot be an argument or stand in a tree.
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
		old = r.EmptyTree()
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

// changed lists the blobs that git needed to make a patch.
func changed(p *Patch) []OID {
	var oids []OID
	for _, f := range p.Files {
		if !f.Submodule {
			oids = append(oids, f.OldOID, f.NewOID)
		}
	}
	return oids
}

// patchBatch is how many commits one diff-tree process is given: so many that
// its start does not matter, so few that little is wasted when the caller stops
// early.
const patchBatch = 2048

// Patches compares many commits, each with its first parent (a root commit with
// the empty tree), in the order given, in one diff-tree process. An error
// belongs to the commit that it comes with: after a *MissingObjectError the
// other commits follow.
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

// A pair is a commit with the parent that it is compared with.
type pair struct {
	commit, parent OID
	patch          *Patch
	stat           *Stat
	err            error
}

// suspects lists the objects whose absence may have stopped git at this pair.
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

// endMark begins a line that diff-tree --stdin echoes because it is not an
// object id. It marks the end of the output for one commit, even if there is
// none, and makes git flush.
const endMark = '='

// eachPair writes commits to diff-tree --stdin and reads the answers one after
// the other. If git dies at a commit (a blob is missing), that commit gets the
// error and a new process continues after it. Commits on which git hits a bound
// take seconds each, so after maxCutPairs of them the rest get the same error.
// It returns false if the caller wants no more.
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

// maxCutPairs is how many commits of a batch may hit a bound before the rest
// are given up.
const maxCutPairs = 2

// pairLines builds the input of diff-tree. For a commit that cannot be read it
// holds only the mark, so that its answer is empty.
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
