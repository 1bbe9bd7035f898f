package gitext

import (
	"context"
	"strings"

	"git-agent/gitext/gitcmd"
)

// Tag is a tag of a commit.
type Tag struct {
	Name   string // without refs/tags/
	Commit OID
}

// Tags lists the tags of commits in the user's repository, in the order of their names. Tags of
// other objects are left out.
func (r *Repo) Tags(ctx context.Context) ([]Tag, error) {
	return r.commitRefs(ctx, "refs/tags")
}

// commitRefs lists the refs of commits in the user's repository: those below the prefixes, or all.
func (r *Repo) commitRefs(ctx context.Context, prefixes ...string) ([]Tag, error) {
	const format = "--format=%(refname:lstrip=2) %(objecttype) %(objectname) %(*objecttype) %(*objectname)"
	args := append([]string{"for-each-ref", format}, prefixes...)
	out, err := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: args})
	if err != nil {
		return nil, err
	}
	var refs []Tag
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[1] == "commit":
			refs = append(refs, Tag{f[0], OID(f[2])})
		case len(f) == 5 && f[3] == "commit":
			refs = append(refs, Tag{f[0], OID(f[4])})
		}
	}
	return refs, nil
}

// RemoteURLs lists the URLs of the remotes in the user's repository.
func (r *Repo) RemoteURLs(ctx context.Context) ([]string, error) {
	settings, err := r.settings(ctx, `^remote\..*\.url$`)
	if err != nil {
		return nil, err
	}
	var urls []string
	for _, values := range settings {
		for _, v := range values {
			urls = append(urls, v.Value)
		}
	}
	return urls, nil
}
