package gitext

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/pattern"
)

// Resolve returns the commit for a name that the user typed. It asks the user's repository, which
// has the refs.
func (r *Repo) Resolve(ctx context.Context, rev string) (OID, error) {
	if err := checkRevision(rev); err != nil {
		return "", err
	}
	spec := rev + "^{commit}"
	if strings.HasPrefix(rev, ":/") {
		spec = rev // the suffix would become part of the searched text
	}
	out, err := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"rev-parse", "--verify", "--end-of-options", spec}})
	lines := strings.Fields(string(out))
	if err != nil || len(lines) != 1 {
		return "", r.unknownRevision(ctx, rev, err)
	}
	oid, err := ParseOID(lines[0])
	if err != nil {
		return "", fmt.Errorf("%q is not one commit", rev) // ^X comes here
	}
	return oid, nil
}

// plainName matches a hash or the name of a branch or tag, followed by any
// number of ^ and ~N.
var plainName = pattern.Lazy(`^[^\x00-\x20\x7f~^:?*\[\\{}-][^\x00-\x20\x7f~^:?*\[\\{}]*(\^[0-9]*|~[0-9]*)*$`)

// maxPlainName bounds the length of a plain name.
const maxPlainName = 300

// ResolveName is Resolve for a name from an untrusted source: a model, or a client. It accepts
// hashes and names, followed by ^ and ~N. Names that search (:/text, ^{/text}), read the reflog
// (@{...}), or name a file or a range are refused before git sees them.
func (r *Repo) ResolveName(ctx context.Context, name string) (OID, error) {
	if len(name) > maxPlainName || strings.Contains(name, "..") || !plainName().MatchString(name) {
		return "", &gitcmd.Error{
			Exit: 128,
			Err:  fmt.Errorf("%.100q is not the name of a commit: give a hash, a branch, a tag or HEAD, with ^ or ~N behind it", name),
		}
	}
	return r.Resolve(ctx, name)
}

func checkRevision(rev string) error {
	if rev == "" || strings.ContainsAny(rev, "\x00\n") {
		return &gitcmd.Error{Exit: 128, Err: fmt.Errorf("%q is not a revision", rev)}
	}
	return nil
}

// unknownRevision explains a failure of rev-parse, whose own message ("Needed a
// single revision") helps nobody.
func (r *Repo) unknownRevision(ctx context.Context, rev string, err error) error {
	var gitErr *gitcmd.Error
	if err != nil && (!errors.As(err, &gitErr) || gitErr.Exit != 128) {
		return err
	}
	if lost := r.absentTarget(ctx, rev); lost != nil {
		return fmt.Errorf("%q: %w", rev, lost)
	}
	said := &gitcmd.Error{Exit: 128, Hint: r.revisionHint(rev), Err: &nameError{fmt.Sprintf("%q is not a commit", rev)}}
	if gitErr != nil && strings.Contains(gitErr.Stderr, "ambiguous") {
		said.Err = fmt.Errorf("%q is ambiguous", rev)
		said.Hint = "type more digits"
	}
	return said
}

// absentTarget returns the error for a ref whose object the clone lacks, nil for any other name.
func (r *Repo) absentTarget(ctx context.Context, rev string) error {
	if _, err := ParseOID(rev); err == nil {
		return nil // rev-parse takes any hash
	}
	out, err := answer(ctx, r.user, "rev-parse", "--verify", "--quiet", "--end-of-options", rev)
	oid, badOID := ParseOID(strings.TrimSpace(out))
	if err != nil || badOID != nil {
		return nil
	}
	if _, err := r.objs.Info(ctx, string(oid)); !errors.Is(err, gitcmd.ErrMissing) {
		return nil // a tree or a blob
	}
	return r.missing(ctx, oid)
}

// ErrUnknownRevision is wrapped by all errors about a name that stands for no commit.
var ErrUnknownRevision = errors.New("unknown revision")

// nameError is an ErrUnknownRevision with its own text.
type nameError struct{ text string }

func (e *nameError) Error() string { return e.text }
func (e *nameError) Unwrap() error { return ErrUnknownRevision }

// revisionHint suggests a replacement for a name that is no commit.
func (r *Repo) revisionHint(rev string) string {
	switch {
	case strings.Contains(rev, ".."):
		return "a single commit is needed here, not a range"
	case len(r.LostAlternates()) > 0:
		return LostAdvice(r.LostAlternates())
	case rev == "HEAD":
		return "the current branch has no commit yet"
	}
	if _, err := os.Lstat(filepath.Join(r.opt.Dir, rev)); err == nil {
		return "paths stand after the revision, behind '--'"
	}
	if r.Shallow() {
		return "this clone is shallow; 'git fetch --unshallow' gets the older commits"
	}
	return "'git log --oneline --all' lists what there is"
}

// ResolveRevisions turns revisions and ranges into commits. A single revision stands for that one
// commit. Ranges (A..B, A...B, A^!) are walked newest first, as git rev-list does. Beside a ^A, a
// single revision stands for all commits reachable from it. No commit is listed twice.
func (r *Repo) ResolveRevisions(ctx context.Context, revs []string) ([]OID, error) {
	var lone, walk []string // walk is the input of rev-list: oids and ^oids
	negative := false
	for _, rev := range revs {
		ends, err := r.endpoints(ctx, rev)
		if err != nil {
			return nil, err
		}
		if len(ends) == 1 && !strings.HasPrefix(ends[0], "^") {
			lone = append(lone, ends[0])
			continue
		}
		negative = negative || (len(ends) == 1)
		walk = append(walk, ends...)
	}
	if negative {
		walk, lone = append(walk, lone...), nil
	}
	oids := make([]OID, 0, len(lone))
	seen := map[OID]bool{}
	add := func(text string) {
		if oid := OID(text); !seen[oid] {
			seen[oid] = true
			oids = append(oids, oid)
		}
	}
	for _, oid := range lone {
		add(oid)
	}
	if len(walk) == 0 {
		return oids, nil
	}
	out, err := r.shadow.Output(ctx, gitcmd.Call{Args: append(append([]string{"rev-list"}, walk...), "--")})
	if err != nil {
		return nil, r.explain(ctx, err)
	}
	for line := range strings.FieldsSeq(string(out)) {
		add(line)
	}
	return oids, nil
}

// endpoints translates one argument for rev-list: commits, and commits to exclude with a caret.
func (r *Repo) endpoints(ctx context.Context, rev string) ([]string, error) {
	if err := checkRevision(rev); err != nil {
		return nil, err
	}
	if strings.HasPrefix(rev, "-") {
		return nil, &gitcmd.Error{Exit: 129, Err: fmt.Errorf("%q is an option, not a revision", rev)}
	}
	if !rangeLike(rev) {
		oid, err := r.Resolve(ctx, rev)
		return []string{string(oid)}, err
	}
	out, err := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"rev-parse", "--end-of-options", rev, "--"}})
	if err != nil {
		return nil, unknownRange(rev, err)
	}
	var ends []string
	for line := range strings.FieldsSeq(string(out)) {
		if _, err := ParseOID(strings.TrimPrefix(line, "^")); err == nil { // not "--end-of-options", which is echoed
			ends = append(ends, line)
		}
	}
	if len(ends) == 0 { // A^@ of a root commit
		return nil, unknownRange(rev, nil)
	}
	return r.peel(ctx, rev, ends)
}

// peel replaces annotated tags among the end points by their commits.
func (r *Repo) peel(ctx context.Context, rev string, ends []string) ([]string, error) {
	for i, end := range ends {
		bare, negative := strings.CutPrefix(end, "^")
		oid, err := r.Resolve(ctx, bare)
		if err != nil {
			return nil, unknownRange(rev, err)
		}
		ends[i] = string(oid)
		if negative {
			ends[i] = "^" + string(oid)
		}
	}
	return ends, nil
}

// rangeLike reports whether a revision may stand for more or less than one
// commit. A false positive costs one process and does not change the answer.
func rangeLike(rev string) bool {
	return strings.HasPrefix(rev, "^") || strings.Contains(rev, "..") ||
		strings.Contains(rev, "^!") || strings.Contains(rev, "^@") || strings.Contains(rev, "^-")
}

func unknownRange(rev string, err error) error {
	var gitErr *gitcmd.Error
	if err != nil && (!errors.As(err, &gitErr) || gitErr.Exit != 128) {
		return err
	}
	return &gitcmd.Error{
		Exit: 128, Hint: "'git log --oneline --all' lists what there is",
		Err: &nameError{fmt.Sprintf("%q is not a revision or a range of them", rev)},
	}
}

// IsAncestor reports whether ancestor is in the history of descendant. A commit is its own
// ancestor.
func (r *Repo) IsAncestor(ctx context.Context, ancestor, descendant OID) (bool, error) {
	if err := validAll(ancestor, descendant); err != nil {
		return false, err
	}
	_, err := r.shadow.Output(ctx, gitcmd.Call{Args: []string{"merge-base", "--is-ancestor", string(ancestor), string(descendant)}})
	var gitErr *gitcmd.Error
	if errors.As(err, &gitErr) && gitErr.Exit == 1 {
		return false, nil
	}
	if err != nil {
		return false, r.explain(ctx, err)
	}
	return true, nil
}

// explain turns a failure of git into a *MissingObjectError if this clone lacks an object that
// git needed. It does not interpret git's message: it checks whether the ids in the message, and
// the suspects, exist.
func (r *Repo) explain(ctx context.Context, err error, suspects ...OID) error {
	var gitErr *gitcmd.Error
	if !errors.As(err, &gitErr) || gitErr.Stopped() {
		return err
	}
	if oid := r.lacking(ctx, gitErr.Stderr, suspects...); oid != "" {
		return r.missing(ctx, oid)
	}
	return err
}

// lacking returns the first missing object among the ids in git's stderr and the suspects, or "".
// For a commit, it also checks the tree: if the tree is unreadable, git names the commit.
func (r *Repo) lacking(ctx context.Context, stderr string, suspects ...OID) OID {
	for _, oid := range append(hexIn([]byte(stderr), r.oidDigits()), suspects...) {
		if oid.zero() || oid == r.emptyTree() {
			continue
		}
		head, err := r.objs.Info(ctx, string(oid))
		if err == nil && head.Kind == "commit" {
			if c, readErr := r.Commit(ctx, oid); readErr == nil {
				oid = c.Tree
				_, err = r.objs.Info(ctx, string(oid))
			}
		}
		if errors.Is(err, gitcmd.ErrMissing) && oid != r.emptyTree() {
			return oid
		}
	}
	return ""
}
