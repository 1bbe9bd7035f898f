package fixtool

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Files returns the patch so far, by path, or an *agent.CallError if commands made the work
// tree unreadable. The patch has the files that the edit tool changed, in the form that it
// wrote. In the bash set, it has the changed files of the problem's tree and new source files,
// without tests, lock files and probable scripts for the repair.
func (b *Box) Files(ctx context.Context) ([]gitext.Overlay, error) {
	if b.opt.Style == fix.Bash {
		return b.shellFiles(ctx)
	}
	var list []gitext.Overlay
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		f := b.files[name]
		if f.existed && bytes.Equal(f.before, f.now) {
			continue
		}
		list = append(list, gitext.Overlay{Path: name, Mode: treeMode(f.mode), Content: f.now})
	}
	return list, nil
}

// treeMode returns the mode of a regular file in a tree.
func treeMode(mode fs.FileMode) uint32 {
	if mode&0o100 != 0 {
		return 0o100755
	}
	return 0o100644
}

// goMod is a file that builds with -mod=mod change.
const goMod = "go.mod"

func (b *Box) shellFiles(ctx context.Context) ([]gitext.Overlay, error) {
	changes, err := b.space.Changes(ctx)
	if err != nil {
		return nil, unreadableTree(ctx, err)
	}
	list := slices.DeleteFunc(changes.Tracked, func(o gitext.Overlay) bool {
		return b.forbidden(o.Path) != nil || path.Base(o.Path) == goMod || !(o.Mode == 0 || o.Mode == 0o100644 || o.Mode == 0o100755)
	})
	names := slices.DeleteFunc(changes.Untracked, func(name string) bool { return !b.newSource(name) })
	added, err := gitext.ReadOverlays(b.space.Dir(), names)
	if err != nil {
		return nil, unreadableTree(ctx, err)
	}
	for _, o := range added {
		if (o.Mode == 0o100644 || o.Mode == 0o100755) && !generated(o.Content) && !binary(o.Content) && !bytes.HasPrefix(o.Content, []byte("#!")) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(x, y gitext.Overlay) int { return strings.Compare(x.Path, y.Path) })
	return list, nil
}

// unreadableTree returns the answer to the model for an unreadable work tree, which the model
// itself most likely caused.
func unreadableTree(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return refuse(
		finishName,
		"the work tree cannot be read any more: %s; put back what is in the way, or finish with status failure",
		agent.Shorten(agent.CleanLine(err.Error()), 300),
	)
}

// These match the names of files that are not part of a patch.
var (
	builtDirs = strings.Fields("node_modules vendor build dist target out bin obj __pycache__ venv .venv site-packages coverage")
	scratchy  = source.Lazy(`(?i)^(repro(duce|duction)?|debug|scratch|tmp|temp|demo|check|verify|poc|try|main_test|test)[0-9_-]*[a-z0-9_-]*\.\w+$`)
)

// maxNewFile is the size of the largest new file of a patch, in bytes.
const maxNewFile = 256 << 10

// newSource reports whether a file made by a command may be a new source file of the repair.
func (b *Box) newSource(name string) bool {
	if b.forbidden(name) != nil || source.FileKindOf(name) != source.SourceFile || scratchy().MatchString(path.Base(name)) {
		return false
	}
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if slices.Contains(builtDirs, part) {
			return false
		}
	}
	root, err := b.root()
	if err != nil {
		return false
	}
	defer root.Close()
	info, err := root.Lstat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxNewFile
}

// original restores a file of the problem's tree.
func (b *Box) original(ctx context.Context, name string) error {
	o := gitext.Overlay{Path: name, Mode: 0o100644}
	if i := slices.IndexFunc(b.problem.Tree.Over, func(x gitext.Overlay) bool { return x.Path == name }); i >= 0 {
		o = b.problem.Tree.Over[i]
	} else {
		entries, err := b.repo.Tree(ctx, b.problem.Tree.Commit, name)
		if err != nil {
			return err
		}
		if len(entries) != 1 {
			return nil
		}
		o.Mode, o.OID = entries[0].Mode, entries[0].OID
	}
	if o.Mode != 0o100644 && o.Mode != 0o100755 {
		return nil // a link, or a file that the problem removes
	}
	if o.OID != "" {
		data, err := b.repo.Blob(ctx, o.OID, maxFile)
		if err != nil {
			return fmt.Errorf("put %q back: %w", name, err)
		}
		o.Content = data
	}
	mode := fs.FileMode(0o644)
	if o.Mode == 0o100755 {
		mode = 0o755
	}
	return b.write(name, o.Content, mode)
}
