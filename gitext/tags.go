package gitext

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext/disk"
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

// A Branch is a local or remote branch.
type Branch struct {
	Name   string // as git branch -a prints it, without remotes/: "main", "origin/main"
	Ref    string
	Commit OID
}

// Branches lists the local and remote branches of the user's repository whose names, with or
// without the name of the remote, match one of the patterns, as in git branch --list. References
// to other branches, such as origin/HEAD, are left out.
func (r *Repo) Branches(ctx context.Context, patterns []string) ([]Branch, error) {
	args := []string{"for-each-ref", "--format=%(refname) %(objecttype) %(objectname) %(symref)"}
	for _, p := range patterns {
		args = append(args, "refs/heads/"+p, "refs/remotes/"+p, "refs/remotes/*/"+p)
	}
	if len(patterns) == 0 {
		return nil, nil
	}
	out, err := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: args})
	if err != nil {
		return nil, err
	}
	var branches []Branch
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[1] != "commit" {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(f[0], "refs/heads/"), "refs/remotes/")
		branches = append(branches, Branch{Name: name, Ref: f[0], Commit: OID(f[2])})
	}
	return branches, nil
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

// Replaced counts the objects that git takes for others in the user's repository, by git replace and by the file
// grafts. The package applies none of them.
func (r *Repo) Replaced(ctx context.Context) (int, error) {
	out, err := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"for-each-ref", "--format=%(refname)", "refs/replace/"}})
	if err != nil {
		return 0, err
	}
	n := strings.Count(string(out), "\n")
	const most = 1 << 20 // bytes of grafts
	grafts, err := disk.ReadRegular(filepath.Join(r.CommonDir(), "info", "grafts"), most)
	if err != nil {
		return n, nil // there is none, or git could not read it, either
	}
	for line := range strings.Lines(string(grafts)) {
		if id, _, _ := strings.Cut(strings.TrimSpace(line), " "); id != "" {
			if _, err := ParseOID(id); err == nil {
				n++
			}
		}
	}
	return n, nil
}

// RemoteURLs lists the URLs of the remotes in the user's repository: those of origin first, then in
// the order of the names.
func (r *Repo) RemoteURLs(ctx context.Context) ([]string, error) {
	settings, err := r.settings(ctx, `^remote\..*\.url$`)
	if err != nil {
		return nil, err
	}
	var urls []string
	add := func(key string) {
		for _, v := range settings[key] {
			urls = append(urls, v.Value)
		}
		delete(settings, key)
	}
	add("remote.origin.url")
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		add(key)
	}
	return urls, nil
}
