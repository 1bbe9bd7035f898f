package risk

import (
	"cmp"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// maxFiles bounds the files of a change whose history is read: those with most changed lines.
const maxFiles = 12

// A change is a change in the form for comparing it with others.
type change struct {
	files  []*gitext.FileChange // files that exist at the parent, most changed lines first, at most maxFiles
	blocks []block
	keys   keys

	paths                              map[string]bool // all old and new paths
	count, fresh, sources, tests       int             // files
	added, removed, code, testAddition int             // lines
	documents                          bool            // it changes documents alone
}

// A block is a run of changed lines.
type block struct {
	path           string // at the parent
	start, end     int    // lines at the parent that the change removes, or else those around it
	removed, added []gitext.PatchLine
}

// keys has the changed lines of a patch, by candidate.LineKey, without those that it only moves.
type keys struct{ added, removed map[string]bool }

func (k keys) size() int { return len(k.added) + len(k.removed) }

// reversed returns the keys of the reverse patch.
func (k keys) reversed() keys { return keys{k.removed, k.added} }

// shared returns the keys that both patches add or both remove.
func (k keys) shared(o keys) keys {
	both := func(a, b map[string]bool) map[string]bool {
		out := map[string]bool{}
		for key := range a {
			if b[key] {
				out[key] = true
			}
		}
		return out
	}
	return keys{both(k.added, o.added), both(k.removed, o.removed)}
}

// keysOf returns the changed lines of source code. Lines that nothing can be told from, such as
// braces and imports, are left out.
func keysOf(files []*gitext.FileChange) keys {
	k := keys{map[string]bool{}, map[string]bool{}}
	for _, f := range files {
		if source.FileKindOf(newestPath(f)) == source.OtherFile {
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if key := candidate.LineKey(l.Text); l.Op != ' ' && key != "" && telling(key) {
					if l.Op == '+' {
						k.added[key] = true
					} else {
						k.removed[key] = true
					}
				}
			}
		}
	}
	for key := range k.added {
		if k.removed[key] {
			delete(k.added, key)
			delete(k.removed, key)
		}
	}
	return k
}

// telling reports whether a line, as a key, has a name or two other words.
func telling(key string) bool {
	const short = 4 // least bytes of a word
	if source.IsImport(key) {
		return false
	}
	n := 0
	for w := range source.CodeWordsOf([]byte(key)) {
		if len(w) >= short && !source.IsKeyword(w) {
			n++
		}
	}
	return n >= 2
}

// readChange reads the patch of a change.
func readChange(fc *szz.FixContext) *change {
	c := &change{paths: map[string]bool{}, documents: true}
	var all []*gitext.FileChange
	for i := range fc.Patch.Files {
		f := &fc.Patch.Files[i]
		c.paths[f.OldPath], c.paths[f.NewPath] = true, true
		c.count++
		c.documents = c.documents && source.IsDocument(newestPath(f))
		kind := source.FileKindOf(newestPath(f))
		c.sources += int(stat.Flag(kind == source.SourceFile))
		c.tests += int(stat.Flag(kind == source.TestFile))
		if f.Status == 'A' {
			c.fresh++
		}
		c.countLines(f, kind)
		all = append(all, f)
		if f.Status != 'A' && !f.Submodule && !f.Binary && f.OldPath != "" {
			c.files = append(c.files, f)
		}
	}
	slices.SortStableFunc(c.files, func(a, b *gitext.FileChange) int { return cmp.Compare(changedLines(b), changedLines(a)) })
	c.files = c.files[:min(maxFiles, len(c.files))]
	for _, f := range c.files {
		c.addBlocks(f)
	}
	c.keys = keysOf(all)
	return c
}

// newestPath returns the path of a file after a change, or before its deletion.
func newestPath(f *gitext.FileChange) string {
	if f.Status == 'D' || f.NewPath == "" {
		return f.OldPath
	}
	return f.NewPath
}

// countLines counts the changed lines of a file.
func (c *change) countLines(f *gitext.FileChange, kind source.FileKind) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch {
			case l.Op == '+' && kind == source.TestFile:
				c.testAddition++
			case l.Op == '+':
				c.added++
				c.code += int(stat.Flag(kind == source.SourceFile))
			case l.Op == '-':
				c.removed++
				c.code += int(stat.Flag(kind == source.SourceFile))
			}
		}
	}
}

func changedLines(f *gitext.FileChange) int {
	n := 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != ' ' {
				n++
			}
		}
	}
	return n
}

// addBlocks adds the runs of changed lines of a file.
func (c *change) addBlocks(f *gitext.FileChange) {
	for _, h := range f.Hunks {
		last := h.OldStart - 1 // the line before the block, at the parent
		if h.OldLines == 0 {
			last = h.OldStart
		}
		var b *block
		end := func(next int) {
			if b != nil {
				b.close(next)
				c.blocks = append(c.blocks, *b)
				b = nil
			}
		}
		for _, l := range h.Lines {
			if l.Op == ' ' {
				end(l.Old)
				last = l.Old
				continue
			}
			if b == nil {
				b = &block{path: f.OldPath, start: last, end: last}
			}
			if l.Op == '-' {
				b.removed = append(b.removed, l)
				last = l.Old
			} else {
				b.added = append(b.added, l)
			}
		}
		end(0)
	}
}

// close sets the lines of the block. Until then, start and end are the line before it; next is the
// line behind it, 0 if the hunk ends there.
func (b *block) close(next int) {
	if n := len(b.removed); n > 0 {
		b.start, b.end = b.removed[0].Old, b.removed[n-1].Old
		return
	}
	if next > 0 {
		b.end = next
	}
	b.start = max(1, b.start)
	b.end = max(b.start, b.end)
}
