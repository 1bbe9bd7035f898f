package gitext

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/pattern"
)

// refusal returns git's reason if it refused a patch.
func refusal(err error) (why string, ok bool) {
	var gitErr *gitcmd.Error
	if !errors.As(err, &gitErr) || gitErr.Exit != 1 && gitErr.Exit != 128 || gitErr.Stopped() {
		return "", false
	}
	why, _, _ = strings.Cut(strings.TrimPrefix(gitErr.Said(), "error: "), "\n")
	return why, true
}

// baseLine matches the line with which format-patch --base names the commit below a series.
var baseLine = pattern.Lazy(`(?m)^base-commit: ([0-9a-f]{40,64})\s*$`)

// maxBases bounds the commits of a history that are compared with the files of a patch.
const maxBases = 5000

// BaseOfMails finds the commit that patches were made for: the one that they name, else tip if
// they apply there, else the newest commit of the history of tip whose files are those that the
// patches begin with. The error is an *ApplyError if there is none.
func (r *Repo) BaseOfMails(ctx context.Context, tip OID, mails []Mail) (OID, error) {
	for _, m := range mails {
		found := baseLine().FindSubmatch(append([]byte(m.Message+"\n"), m.Diff...))
		if found == nil {
			continue
		}
		if c, err := r.Commit(ctx, OID(found[1])); err == nil {
			return c.OID, nil
		}
	}
	_, refused := r.PatchOfMails(ctx, tip, mails, PatchOptions{})
	if !errors.As(refused, new(*ApplyError)) {
		return tip, refused
	}
	before := preimages(mails)
	if len(before) == 0 {
		return "", refused
	}
	bases, err := r.commitsWith(ctx, tip, before)
	if err != nil {
		return "", err
	}
	for _, base := range bases {
		_, err := r.PatchOfMails(ctx, base, mails, PatchOptions{})
		if err == nil || !errors.As(err, new(*ApplyError)) {
			return base, err
		}
	}
	return "", refused
}

// preimages returns the abbreviated ids of the files that patches begin with, by path. The ids
// of new files are left out.
func preimages(mails []Mail) map[string]string {
	all := map[string]string{}
	for _, m := range mails {
		lead := "--- "
		if prefixParts(m.Diff) == 1 {
			lead = "--- a/"
		}
		path, file := "", ""
		for line := range bytes.Lines(m.Diff) {
			text := strings.TrimRight(string(line), "\r\n")
			switch {
			case strings.HasPrefix(text, "diff --git "):
				path, file = "", ""
			case strings.HasPrefix(text, "index ") && file == "":
				file, _, _ = strings.Cut(strings.TrimPrefix(text, "index "), "..")
			case strings.HasPrefix(text, lead) && path == "":
				path = strings.TrimPrefix(text, lead)
				if _, again := all[path]; !again && len(file) >= 4 && strings.Trim(file, "0") != "" {
					all[path] = file
				}
			}
		}
	}
	return all
}

// Bounds of the search for a base.
const (
	comparedBases = 500 // commits whose files are compared with those of a patch
	triedBases    = 5   // commits to which patches are applied
)

// commitsWith returns commits of the history of tip at which files have the given ids, the newest
// first. Each changes one of the files.
func (r *Repo) commitsWith(ctx context.Context, tip OID, ids map[string]string) ([]OID, error) {
	paths := slices.Sorted(maps.Keys(ids))
	fits := func(path string, oid OID) bool { return ids[path] != "" && strings.HasPrefix(string(oid), ids[path]) }
	var bases []OID
	compared := 0
	for e, err := range r.Log(ctx, LogOptions{Tip: tip, Paths: paths, Max: maxBases, Files: true, NoRenames: true}) {
		if err != nil {
			return nil, err
		}
		merge := len(e.Parents) > 1
		if !merge && !slices.ContainsFunc(e.Files, func(f FileChange) bool { return fits(f.NewPath, f.NewOID) }) {
			continue
		}
		if compared++; compared > comparedBases || len(bases) == triedBases {
			break
		}
		files, err := r.Tree(ctx, e.OID, paths...)
		if err != nil {
			return nil, err
		}
		if len(files) == len(paths) && !slices.ContainsFunc(files, func(f TreeEntry) bool { return !fits(f.Path, f.OID) }) {
			bases = append(bases, e.OID)
		}
	}
	return bases, nil
}
