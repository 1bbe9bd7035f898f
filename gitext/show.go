package gitext

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"

	"git-agent/gitext/gitcmd"
)

// ShowOptions say what of a commit to show.
type ShowOptions struct {
	Paths   []string // literal; only these files
	Stat    bool     // counts of lines in place of the patch
	Context int      // lines of context; 0 is git's 3, negative is none
	Max     int64    // most bytes; 0 is 1 MiB
}

const (
	defaultContext   = 3
	defaultShowBytes = 1 << 20
)

// Show prints a commit's header, message and patch as git show does. The second
// result is true if the text was cut at Max.
func (r *Repo) Show(ctx context.Context, commit OID, opt ShowOptions) ([]byte, bool, error) {
	if err := errors.Join(commit.valid(), checkPaths(opt.Paths)); err != nil {
		return nil, false, err
	}
	limit := opt.Max
	if limit <= 0 {
		limit = defaultShowBytes
	}
	var text []byte
	cut := false
	err := r.shadow.Stream(ctx, gitcmd.Call{Args: opt.args(commit), Drivers: true}, func(out *bufio.Reader) error {
		var err error
		text, err = io.ReadAll(io.LimitReader(out, limit))
		if err != nil {
			return err
		}
		if _, err := out.Peek(1); err == nil {
			cut = true
			return gitcmd.ErrStop
		}
		return nil
	})
	if err != nil {
		return text, cut, r.explain(ctx, err, commit)
	}
	return text, cut, nil
}

func (o ShowOptions) args(commit OID) []string {
	context := o.Context
	switch {
	case context == 0:
		context = defaultContext
	case context < 0:
		context = 0
	}
	args := []string{"show", "--format=medium", "--encoding=UTF-8", "--no-color", "--no-ext-diff", "--no-textconv",
		"--no-show-signature", "--no-notes", "--no-mailmap", "--no-decorate", "--src-prefix=a/", "--dst-prefix=b/",
		"--submodule=short", "-M", "-l1000"}
	if o.Stat {
		args = append(args, "--stat", "--summary")
	} else {
		args = append(args, "-U"+strconv.Itoa(context))
	}
	return withPaths(append(args, "--end-of-options", string(commit)), o.Paths)
}
