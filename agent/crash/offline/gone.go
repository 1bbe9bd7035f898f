package offline

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/gitext"
)

// maxGone bounds the paths that are looked up in the history.
const maxGone = 20

// goneTime bounds the search for files that the history had.
const goneTime = 3 * time.Second

// goneFiles looks in the history of a reading's commit for files of frames that were not mapped, and that are not new in
// the work tree: in directories that the commit has, or if it has no file of the report, in others, too. It returns the
// last commit that has all of them, and one of their names, or "" if there is no such file.
func goneFiles(ctx context.Context, repo *gitext.Repo, at *reading, files *locate.Files, report *crash.Report) (gitext.OID, string, error) {
	older, name, err := goneInPlace(ctx, repo, at, files, report)
	found := count(report, func(f crash.Frame) bool { return f.Line > 0 && f.File != "" && hasFile(f) })
	if err != nil || older != "" || found > 0 {
		return older, name, err
	}
	return goneAnywhere(ctx, repo, at, report)
}

// goneInPlace looks for the files of goneFiles in directories that the commit has.
func goneInPlace(ctx context.Context, repo *gitext.Repo, at *reading, files *locate.Files, report *crash.Report) (gitext.OID, string, error) {
	paths := slices.DeleteFunc(unmapped(files, report), func(p string) bool {
		return slices.ContainsFunc(at.work, func(w crash.WorkFile) bool { return w.New && w.Path == p })
	})
	if len(paths) == 0 {
		return "", "", nil
	}
	older, gone, err := lastWith(ctx, repo, gitext.LogOptions{Tip: at.commit, Paths: paths}, len(paths), func(p string) string {
		if slices.Contains(paths, p) {
			return p
		}
		return ""
	})
	if err != nil || len(gone) == 0 {
		return "", "", err
	}
	return older, gone[0], nil
}

// goneAnywhere looks in the history of a reading's commit for files that end as those of a report, of which it has none: in
// directories that it does not have any more, as the classes of a package with another name. It returns the last commit
// that has those that are found, and one of their names, or "".
func goneAnywhere(ctx context.Context, repo *gitext.Repo, at *reading, report *crash.Report) (gitext.OID, string, error) {
	wanted := map[string][]string{} // by base name
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			file := locate.Clean(f.File)
			isNew := slices.ContainsFunc(at.work, func(w crash.WorkFile) bool { return w.New && endsAlike(file, w.Path) })
			if base := path.Base(file); strings.Contains(file, "/") && !locate.Fetched(f) && !isNew &&
				(wanted[base] != nil || len(wanted) < maxGone) && !slices.Contains(wanted[base], file) {
				wanted[base] = append(wanted[base], file)
			}
		}
	}
	if len(wanted) == 0 {
		return "", "", nil
	}
	older, gone, err := lastWith(ctx, repo, gitext.LogOptions{Tip: at.commit}, len(wanted), func(p string) string {
		base := path.Base(p)
		if slices.ContainsFunc(wanted[base], func(file string) bool { return endsAlike(file, p) }) {
			return base
		}
		return ""
	})
	if err != nil || len(gone) == 0 {
		return "", "", err
	}
	return older, slices.Min(gone), nil
}

// lastWith looks in a history for the deletions of wanted files. which returns the wanted file that a path is, or "". It
// returns the last commit that has all files that it found in its time, and their paths, the last deleted one first.
func lastWith(
	ctx context.Context,
	repo *gitext.Repo,
	opt gitext.LogOptions,
	wanted int,
	which func(path string) string,
) (gitext.OID, []string, error) {
	within, cancel := context.WithTimeout(ctx, goneTime)
	defer cancel()
	opt.Files, opt.NoRenames, opt.NoMerges = true, true, true
	var deleted gitext.OID // by this commit, the oldest
	var gone []string
	found := map[string]bool{}
	for e, err := range repo.Log(within, opt) {
		if within.Err() != nil {
			break // what was found counts
		}
		if err != nil {
			return "", nil, err
		}
		for _, f := range e.Files {
			if f.Status != 'D' {
				continue
			}
			if file := which(f.OldPath); file != "" && !found[file] {
				found[file] = true
				gone, deleted = append(gone, f.OldPath), e.OID
			}
		}
		if len(gone) == wanted {
			break
		}
	}
	if len(gone) == 0 {
		return "", nil, ctx.Err()
	}
	c, err := repo.Commit(ctx, deleted)
	if err != nil {
		return "", nil, err
	}
	return c.Parents[0], gone, ctx.Err() // what deletes a file has a parent
}

// endsAlike reports whether one of two paths with a directory ends with the other.
func endsAlike(a, b string) bool {
	return strings.Contains(b, "/") && (strings.HasSuffix("/"+a, "/"+b) || strings.HasSuffix("/"+b, "/"+a))
}

// unmapped returns the paths that the files of unmapped frames would have in the repository, in
// directories that it has: as other frames were mapped, or if none was, with all ends of their
// paths.
func unmapped(files *locate.Files, report *crash.Report) []string {
	var paths []string
	roots := rootsOf(report)
	add := func(p, below string) {
		if p != "" && files.HasDir(topOf(p, below)) && !files.Has(p) && !slices.Contains(paths, p) && len(paths) < maxGone {
			paths = append(paths, p)
		}
	}
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if hasFile(f) || !strings.Contains(f.File, "/") || locate.Fetched(f) {
				continue
			}
			if own, named := files.InDart(f.File); named {
				add(own, "")
				continue
			}
			file := locate.Clean(f.File)
			for _, r := range roots {
				if rest, ok := strings.CutPrefix(file, r.reported); ok {
					add(r.tracked+rest, r.tracked)
				}
			}
			for rest := file; len(roots) == 0 && strings.Contains(rest, "/"); _, rest, _ = strings.Cut(rest, "/") {
				add(rest, "")
			}
		}
	}
	return paths
}

// hasFile reports whether a frame has a file of the commit. A class of Kotlin may have been one of Java when the program was built.
func hasFile(f crash.Frame) bool { return f.Path != "" && f.Rule != string(locate.RuleKotlin) }

// A root is a directory of the report and the same directory in the repository; both end with a
// slash or are empty.
type root struct{ reported, tracked string }

// rootsOf returns the roots by which frames were mapped, from the parts of both paths before the
// directories that they have in common.
func rootsOf(report *crash.Report) []root {
	var roots []root
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if f.Path == "" || f.File == "" {
				continue
			}
			reported, tracked := strings.Split(locate.Clean(f.File), "/"), strings.Split(f.Path, "/")
			n := 0
			for n < len(reported) && n < len(tracked) && reported[len(reported)-1-n] == tracked[len(tracked)-1-n] {
				n++
			}
			if n < 2 && n < len(tracked) {
				continue // the name of the file alone tells nothing about others
			}
			r := root{slashed(reported[:len(reported)-n]), slashed(tracked[:len(tracked)-n])}
			if !slices.Contains(roots, r) {
				roots = append(roots, r)
			}
		}
	}
	return roots
}

func slashed(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "/") + "/"
}

// topOf returns the first directory of a path below a root.
func topOf(p, root string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, root), "/")
	return root + first
}

// goneNote says why an older commit is read.
func goneNote(name string, commit gitext.OID) string {
	return fmt.Sprintf(
		"the report names %s, which HEAD does not have any more: it is read at %s, the last commit with all such files; "+
			"give the commit that crashed with --at",
		name,
		commit.Short(),
	)
}
