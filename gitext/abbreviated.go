package gitext

import (
	"context"
	"errors"
	"io"
	"strings"

	"git-agent/gitext/gitcmd"
)

// An Abbreviated is the commit for a full or abbreviated hash.
type Abbreviated struct {
	OID       OID  // "" if there are none or several
	Ambiguous bool // several commits begin with the word
}

// Abbreviated looks up hexadecimal words, each at least four digits of a hash, among all commits
// of the repository. An annotated tag stands for its commit; branch names are ignored. The
// answers are in the order of the words. One process looks up all words; each ambiguous word
// needs one more process.
func (r *Repo) Abbreviated(ctx context.Context, words []string) ([]Abbreviated, error) {
	out := make([]Abbreviated, len(words))
	var open []int // words that are not the beginning of exactly one commit
	var failed error
	r.objs.Each(ctx, "info", r.hexNames(words, "^{commit}"), func(i int, head gitcmd.ObjectHead, _ io.Reader, err error) {
		switch {
		case errors.Is(err, gitcmd.ErrMissing):
			open = append(open, i)
		case err != nil:
			failed = errors.Join(failed, err)
		case head.Kind == "commit":
			out[i].OID = OID(head.OID)
		}
	})
	rest := make([]string, len(open))
	for i, at := range open {
		rest[i] = words[at]
	}
	var several []int
	r.objs.Each(ctx, "info", r.hexNames(rest, ""), func(i int, _ gitcmd.ObjectHead, _ io.Reader, err error) {
		if errors.Is(err, gitcmd.ErrAmbiguous) {
			several = append(several, open[i])
		} else if err != nil && !errors.Is(err, gitcmd.ErrMissing) {
			failed = errors.Join(failed, err)
		}
	})
	for _, at := range several {
		yes, err := r.beginsCommits(ctx, words[at])
		out[at].Ambiguous, failed = yes, errors.Join(failed, err)
	}
	return out, failed
}

// hexNames returns words as names for cat-file. A word that is not hexadecimal becomes the id of
// the empty tree, which is no commit.
func (r *Repo) hexNames(words []string, suffix string) []string {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = w + suffix
		if strings.Trim(w, "0123456789abcdef") != "" {
			names[i] = string(r.emptyTree())
		}
	}
	return names
}

// beginsCommits reports whether any object whose id begins with word is a commit.
func (r *Repo) beginsCommits(ctx context.Context, word string) (found bool, err error) {
	text, err := r.shadow.Output(ctx, gitcmd.Call{Args: []string{"rev-parse", "--disambiguate=" + word}})
	if err != nil {
		return false, err
	}
	r.objs.Each(ctx, "info", strings.Fields(string(text)), func(_ int, head gitcmd.ObjectHead, _ io.Reader, err error) {
		found = found || err == nil && head.Kind == "commit"
	})
	return found, nil
}
