package szz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/stat"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// A Source says where a fix is.
type Source int

// The places of a fix.
const (
	SourceCommit   Source = iota // a commit, against its first parent
	SourceStaged                 // the index, against HEAD
	SourceWorktree               // the work tree, against HEAD
	SourcePatch                  // patches that people sent, against the commit they apply to
)

// ContextOptions say how a fix is read and which parts an engine may see.
type ContextOptions struct {
	// NoAnnotations ignores every culprit that the message names and replaces the names of
	// commits with labels, see [Mask]. Evaluation uses it.
	NoAnnotations bool
	Paths         []string // limit the fix to these files, from the top of the tree: literal paths or, if one begins with ":(", pathspecs; nil is all
	Source        Source
	Mails         []gitext.Mail // of SourcePatch: patches that together are the fix
	Not           []gitext.OID  // commits that did not introduce the bug, as the user knows
	Index         bool          // the ranking asks the repository's index of changed lines, if there is one
	Hint          Hint          // what is known of the bug beside the fix
}

// ContextLines is the number of context lines in a patch, as in git. The ranker uses the
// same number of lines around a change.
const ContextLines = 3

// NewContext reads a fix. For SourceStaged, SourceWorktree and SourcePatch, the uncommitted fix is
// compared with the commit fix.
func NewContext(ctx context.Context, repo *gitext.Repo, fix gitext.OID, opt ContextOptions) (*FixContext, error) {
	fc, err := readFix(ctx, repo, fix, opt)
	if err != nil {
		return nil, err
	}
	fc.Not = opt.Not
	if err := fc.setGeneratedApart(ctx, repo); err != nil {
		return fc, err
	}
	if err := fc.annotate(ctx, repo, opt); err != nil {
		return fc, err
	}
	fc.take(opt.Hint)
	fc.Annotations = slices.DeleteFunc(fc.Annotations, func(a Annotation) bool { return fc.Excludes(a.Commit) })
	return fc, nil
}

// Excludes reports whether the user knows that a commit did not introduce the bug.
func (fc *FixContext) Excludes(commit gitext.OID) bool { return slices.Contains(fc.Not, commit) }

// annotate notes what cannot be traced, and reads the message of the fix.
func (fc *FixContext) annotate(ctx context.Context, repo *gitext.Repo, opt ContextOptions) (err error) {
	switch {
	case len(fc.Patch.Files) > 0:
		fc.Notes = append(fc.Notes, patchNotes(fc.Patch)...)
	case fc.leftOut: // the notes name the files
	case len(opt.Paths) > 0:
		fc.Notes = append(fc.Notes, "the fix changes nothing below the paths given")
	default:
		fc.Notes = append(fc.Notes, "the fix changes no file")
	}
	body, trailers := commitmsg.Trailers(fc.Commit.Message)
	if opt.NoAnnotations {
		return fc.hideNames(ctx, repo, body, trailers)
	}
	fc.Message, fc.Prose = body, body
	if fc.Annotations, err = findAnnotations(ctx, repo, fc, body, trailers); err != nil || slices.ContainsFunc(fc.Annotations, verified) {
		return err
	}
	referred, err := referredAnnotations(ctx, repo, fc, fc.Commit, body)
	if fc.Annotations = append(fc.Annotations, referred...); err != nil || len(referred) > 0 {
		return err
	}
	brought, err := broughtAnnotations(ctx, repo, fc)
	fc.Annotations = append(fc.Annotations, brought...)
	return err
}

// hasMagic reports whether a path is a pathspec in git's long form, such as :(glob)a/*.c.
func hasMagic(path string) bool { return strings.HasPrefix(path, ":(") }

// hideNames masks the message; body is the message without trailers. No engine sees the
// original.
func (fc *FixContext) hideNames(ctx context.Context, repo *gitext.Repo, body string, trailers []commitmsg.Trailer) error {
	named, err := findAnnotations(ctx, repo, fc, body, trailers)
	if err != nil {
		return err
	}
	if fc.Mask, err = newMask(ctx, repo, fc, body, named); err != nil {
		return err
	}
	fc.Message, fc.Prose = fc.Mask.ofFix(body), Prose(body, hashLikeWords(fc.Patch))
	fc.Commit.Message = fc.Message
	return nil
}

// readFix reads the patch of a fix, and its commit if it has one.
func readFix(ctx context.Context, repo *gitext.Repo, fix gitext.OID, opt ContextOptions) (*FixContext, error) {
	popt := gitext.PatchOptions{Context: ContextLines, Renames: true, Paths: opt.Paths, Pathspecs: slices.ContainsFunc(opt.Paths, hasMagic)}
	c, err := repo.Commit(ctx, fix)
	if err != nil {
		return nil, err
	}
	fc := &FixContext{Date: c.Committer.Time, Index: opt.Index}
	switch opt.Source {
	case SourceStaged:
		fc.Parent = fix
		fc.Patch, err = repo.PatchStaged(ctx, popt)
	case SourceWorktree:
		fc.Parent = fix
		fc.Patch, err = repo.PatchWorktree(ctx, popt)
		fc.noteLeftOut()
	case SourcePatch:
		fc.Parent, fc.Commit = fix, mailedCommit(opt.Mails)
		if t := fc.Commit.Author.Time; !t.IsZero() {
			fc.Date = t
		}
		fc.Patch, err = repo.PatchOfMails(ctx, fix, opt.Mails, popt)
	default:
		fc.Fix, fc.Commit = fix, c
		if repo.ShallowBoundary()[fix] {
			fc.Patch = &gitext.Patch{Commit: fix}
			fc.Notes = append(fc.Notes, "this shallow clone is cut off at the fix, so nothing before it can be traced")
			return fc, nil
		}
		if len(c.Parents) > 0 {
			fc.Parent = c.Parents[0]
		}
		if len(c.Parents) > 1 {
			fc.Notes = append(fc.Notes, "the fix is a merge; it is compared with its first parent")
		}
		fc.Patch, err = repo.Patch(ctx, fc.Parent, fix, popt)
		if gitext.Unreadable(err) {
			fc.Patch, err = patchByFile(ctx, repo, fc, popt)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the patch of %s: %w", fix.Short(), err)
	}
	return fc, nil
}

// mailedCommit returns what the mails of patches say of the fix: the first author, and all
// messages, one after the other.
func mailedCommit(mails []gitext.Mail) gitext.Commit {
	var c gitext.Commit
	var messages []string
	for _, m := range mails {
		if m.Message != "" {
			messages = append(messages, m.Message)
		}
	}
	c.Message = strings.Join(messages, "\n\n")
	if len(mails) > 0 {
		c.Author = mails[0].Author
	}
	c.Committer = c.Author
	return c
}

// noteLeftOut notes the omitted files of the work tree, because a comparison of these
// files would run a program.
func (fc *FixContext) noteLeftOut() {
	if fc.Patch == nil {
		return // the patch could not be read
	}
	for _, f := range fc.Patch.LeftOut {
		fc.Notes = append(
			fc.Notes,
			fmt.Sprintf("%q was left out: comparing it would run your filter %q; 'git add' it and use --staged", f.Path, f.Filter),
		)
		fc.leftOut = true
	}
}

// Bounds of reading a patch file by file.
const (
	mostApart   = 1000 // files that are compared
	mostLeftOut = 20   // files that cannot be compared; after these, the rest is left out
)

// patchByFile reads the patch of a fix file by file, if the whole patch is unreadable
// because the clone lacks blobs or git met a bound. The notes name the files that cannot
// be compared.
func patchByFile(ctx context.Context, repo *gitext.Repo, fc *FixContext, opt gitext.PatchOptions) (*gitext.Patch, error) {
	p := &gitext.Patch{Commit: fc.Fix, Parent: fc.Parent}
	opt.Renames, opt.Copies = false, false // finding them needs all blobs
	note := func(format string, args ...any) {
		fc.Notes, fc.leftOut = append(fc.Notes, fmt.Sprintf(format, args...)), true
	}
	files, err := repo.Changes(ctx, fc.Parent, fc.Fix, opt)
	if gitext.Unreadable(err) && !errors.As(err, new(*gitext.MissingObjectError)) {
		note("the changes of the fix could not be read: %s", gitext.WhyUnread(err))
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	left := 0
	for i, f := range files {
		if i == mostApart || left == mostLeftOut {
			n := len(files) - i
			note("%d more %s of the fix %s left out", n, agent.PluralOf(n, "file", "files"), agent.PluralOf(n, "was", "were"))
			break
		}
		opt.Paths, opt.Pathspecs = []string{f.NewPath}, false
		part, err := repo.Patch(ctx, fc.Parent, fc.Fix, opt)
		if gitext.Unreadable(err) {
			note("%q was left out: %s", suspect.ShortPath(f.NewPath), gitext.WhyUnread(err))
			left++
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, part.Files...)
	}
	return p, nil
}

// patchNotes notes the parts of a patch that cannot be traced, a sentence each.
func patchNotes(p *gitext.Patch) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if p.Truncated {
		note("the patch is larger than what is read of one; only its first part was traced")
	}
	binary, renamed := 0, 0
	modes := modesOnly(p)
	for i := range p.Files {
		f := &p.Files[i]
		switch {
		case f.Submodule && f.Status == 'A':
			note("submodule %q was added at %s; its own history is not searched", f.NewPath, f.NewOID.Short())
		case f.Submodule && f.Status == 'D':
			note("submodule %q, which was at %s, was removed; its own history is not searched", f.OldPath, f.OldOID.Short())
		case f.Submodule:
			note("submodule %q was changed from %s to %s; its own history is not searched", f.NewPath, f.OldOID.Short(), f.NewOID.Short())
		case f.Binary:
			binary++
		case changesMode(f):
			if modes <= mostModeNotes {
				note("%q changes its mode only (%o to %o)", f.NewPath, f.OldMode, f.NewMode)
			}
		case len(f.Hunks) == 0 && f.Status == 'R':
			renamed++
		case crOnly(f):
			note("%q changes line ends only", f.NewPath)
		}
	}
	if binary > 0 {
		note(
			"%d %s not traced, because %s binary, or larger than 32 MiB",
			binary,
			agent.PluralOf(binary, "file was", "files were"),
			agent.PluralOf(binary, "it is", "they are"),
		)
	}
	if modes > mostModeNotes {
		note("%d files change their modes only", modes)
	}
	if renamed > 0 && !changesLines(p) {
		note("%d %s renamed without a change", renamed, agent.PluralOf(renamed, "file is", "files are"))
	}
	return notes
}

// mostModeNotes is the largest number of files of which a note tells the modes.
const mostModeNotes = 3

// changesMode reports whether a patch changes nothing of a file but its mode.
func changesMode(f *gitext.FileChange) bool {
	return len(f.Hunks) == 0 && f.OldMode != f.NewMode && f.Status == 'M' && !f.Binary && !f.Submodule
}

// modesOnly counts the files of which a patch changes only the mode.
func modesOnly(p *gitext.Patch) int {
	n := 0
	for i := range p.Files {
		n += stat.Count(changesMode(&p.Files[i]))
	}
	return n
}

// changesLines reports whether a patch adds or removes a line of text. A patch that only
// changes binaries, modes, names of files or submodules does not. A partly read patch
// counts as changing lines.
func changesLines(p *gitext.Patch) bool {
	return p.Truncated || slices.ContainsFunc(p.Files, func(f gitext.FileChange) bool {
		return len(f.Hunks) > 0 && !f.Submodule && !f.Binary
	})
}

// crOnly reports whether a file's hunks change nothing but line ends. Each block of
// changed lines is compared by itself, because a line that moves within a hunk is a
// change.
func crOnly(f *gitext.FileChange) bool {
	for _, h := range f.Hunks {
		var removed, added []string
		for _, l := range h.Lines {
			text := string(bytes.TrimSuffix(l.Text, []byte("\r")))
			switch l.Op {
			case '-':
				removed = append(removed, text)
			case '+':
				added = append(added, text)
			default:
				if !slices.Equal(removed, added) {
					return false
				}
				removed, added = nil, nil
			}
		}
		if !slices.Equal(removed, added) {
			return false
		}
	}
	return len(f.Hunks) > 0
}
