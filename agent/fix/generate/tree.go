package generate

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/generate/mutate"
	"git-agent/gitext"
)

// maxFileBytes bounds the size of a read file.
const maxFileBytes = 1 << 20

// A tree reads and caches the files of the problem's tree.
type tree struct {
	ctx  context.Context
	repo *gitext.Repo
	fix.Tree
	over    map[string]gitext.Overlay
	known   map[string][]byte // nil for a file that cannot be read
	sources map[string]*mutate.File
	entries []gitext.TreeEntry
	modes   map[string]uint32
}

func newTree(ctx context.Context, repo *gitext.Repo, t fix.Tree) *tree {
	out := &tree{ctx: ctx, repo: repo, Tree: t, over: map[string]gitext.Overlay{}, known: map[string][]byte{}, sources: map[string]*mutate.File{}}
	for _, o := range t.Over {
		out.over[o.Path] = o
	}
	return out
}

// read returns a file. It reports false if the file does not exist or is too large.
func (t *tree) read(p string) ([]byte, bool) {
	if content, ok := t.known[p]; ok {
		return content, content != nil
	}
	content := t.load(p)
	t.known[p] = content
	return content, content != nil
}

func (t *tree) load(p string) []byte {
	var content []byte
	var err error
	o, over := t.over[p]
	switch {
	case over && o.Mode == 0:
		return nil
	case over && o.OID != "":
		content, err = t.repo.Blob(t.ctx, o.OID, maxFileBytes)
	case over:
		content = o.Content
	default:
		content, err = t.repo.BlobAt(t.ctx, t.Commit, p, maxFileBytes)
	}
	if err != nil || len(content) > maxFileBytes {
		return nil
	}
	if content == nil {
		content = []byte{}
	}
	return content
}

// source returns a file prepared for changes; nil if its language is unknown.
func (t *tree) source(p string) *mutate.File {
	if f, ok := t.sources[p]; ok {
		return f
	}
	var f *mutate.File
	if content, ok := t.read(p); ok {
		f, _ = mutate.Read(p, content)
	}
	t.sources[p] = f
	return f
}

// files returns the paths of the tree in order.
func (t *tree) files() []string {
	t.list()
	var paths []string
	for _, e := range t.entries {
		if o, ok := t.over[e.Path]; !e.Submodule && !(ok && o.Mode == 0) {
			paths = append(paths, e.Path)
		}
	}
	for p, o := range t.over {
		if _, ok := t.modes[p]; !ok && o.Mode != 0 {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// list reads the list of the commit's files once.
func (t *tree) list() {
	if t.modes != nil {
		return
	}
	t.modes = map[string]uint32{}
	t.entries, _ = t.repo.Tree(t.ctx, t.Commit)
	for _, e := range t.entries {
		t.modes[e.Path] = e.Mode
	}
}

// beside returns the other files in a file's directory with the same extension.
func (t *tree) beside(p string) []string {
	var list []string
	for _, other := range t.files() {
		if other != p && path.Dir(other) == path.Dir(p) && path.Ext(other) == path.Ext(p) {
			list = append(list, other)
		}
	}
	return list
}

// overlay returns the new content of a file in the form of a patch.
func (t *tree) overlay(p string, content []byte) gitext.Overlay {
	t.list()
	mode := t.modes[p]
	if o, ok := t.over[p]; ok {
		mode = o.Mode
	}
	if mode == 0 {
		mode = 0o100644
	}
	return gitext.Overlay{Path: p, Mode: mode, Content: content}
}

// changed reports whether a file differs from the commit's version.
func (t *tree) changed(p string) bool { _, ok := t.over[p]; return ok }

// joinLines is the reverse of source.SplitLines.
func joinLines(lines [][]byte) []byte {
	if len(lines) == 0 {
		return nil
	}
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

// replaceLines returns a file with a range of lines replaced; from and to are counted from 1.
// If to is from-1, the lines are inserted before from.
func replaceLines(lines [][]byte, from, to int, with [][]byte) []byte {
	return joinLines(slices.Concat(lines[:from-1], with, lines[to:]))
}

// words returns the strings of the overlaid tests and of the failing tests' output, the
// shortest first.
func words(in Input) []string {
	set := map[string]bool{}
	collect := func(text string) {
		for _, quote := range []string{`"`, `'`, "`"} {
			for i, part := range strings.Split(text, quote) {
				if i%2 == 1 && part != "" && len(part) < 120 && !strings.Contains(part, "\n") {
					set[part] = true
				}
			}
		}
	}
	for line := range strings.Lines(string(in.Output[:min(len(in.Output), 64<<10)])) {
		collect(line)
	}
	for _, o := range in.Problem.Tree.Over {
		for line := range strings.Lines(string(o.Content[:min(len(o.Content), maxFileBytes)])) {
			collect(line)
		}
	}
	list := make([]string, 0, len(set))
	for w := range set {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return list
}
