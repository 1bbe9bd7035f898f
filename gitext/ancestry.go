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

// Ancestor is a commit of a history, with the fields that a walk needs.
type Ancestor struct {
	OID     OID
	Parents []OID // none at the boundary of a shallow clone
	Time    int64 // the committer's time, in seconds since 1970, as git reads it
}

// Ancestry lists the commits reachable from tips but not from the commits in not. Parents come
// before their children. Ids in not that name no object of this clone are ignored. An error comes
// last and ends the listing.
func (r *Repo) Ancestry(ctx context.Context, tips, not []OID) iter.Seq2[Ancestor, error] {
	return func(yield func(Ancestor, error) bool) {
		if err := validAll(append(tips[:len(tips):len(tips)], not...)...); err != nil {
			yield(Ancestor{}, err)
			return
		}
		args := []string{"rev-list", "--parents", "--timestamp", "--ignore-missing", "--stdin", "--topo-order", "--reverse"}
		var revs strings.Builder
		for _, oid := range tips {
			fmt.Fprintln(&revs, oid)
		}
		for _, oid := range not {
			fmt.Fprintln(&revs, "^"+oid)
		}
		stopped := false
		err := r.shadow.Stream(
			ctx,
			gitcmd.Call{Args: args, Stdin: strings.NewReader(revs.String()), Total: gitcmd.BuildTotal},
			func(out *bufio.Reader) error {
				lines := gitcmd.NewLineReader(out)
				for {
					line, err := lines.Next()
					if err == io.EOF {
						return nil
					}
					if err != nil {
						return err
					}
					a, err := parseAncestor(string(line))
					if err != nil {
						return err
					}
					if stopped = !yield(a, nil); stopped {
						return gitcmd.ErrStop
					}
				}
			},
		)
		if err != nil && !stopped {
			yield(Ancestor{}, r.explain(ctx, err))
		}
	}
}

// parseAncestor reads "time commit [parent...]".
func parseAncestor(line string) (Ancestor, error) {
	f := strings.Fields(line)
	if len(f) < 2 {
		return Ancestor{}, fmt.Errorf("unexpected line from rev-list: %.100q", line)
	}
	seconds, err := strconv.ParseInt(f[0], 10, 64)
	a := Ancestor{OID: OID(f[1]), Time: seconds}
	for _, p := range f[2:] {
		a.Parents = append(a.Parents, OID(p))
	}
	if err = errors.Join(err, a.OID.valid(), validAll(a.Parents...)); err != nil {
		return Ancestor{}, fmt.Errorf("unexpected line from rev-list: %.100q", line)
	}
	return a, nil
}

// Tips lists the commits at HEAD and at the branches, remote branches and tags of the user's
// repository, each once. Other refs are left out, because a mirror of a forge has a ref for each
// proposed change.
func (r *Repo) Tips(ctx context.Context) ([]OID, error) {
	tips, err := r.refTips(ctx, "refs/heads", "refs/remotes", "refs/tags")
	if err != nil {
		return nil, err
	}
	seen := map[OID]bool{}
	if head, err := r.Resolve(ctx, "HEAD"); err == nil { // an unborn branch has no commit
		tips = append(tips, head)
	}
	var once []OID
	for _, oid := range tips {
		if !seen[oid] {
			seen[oid] = true
			once = append(once, oid)
		}
	}
	return once, nil
}
