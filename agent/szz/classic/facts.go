package classic

import (
	"bytes"
	"context"
	"path"
	"strings"

	"git-agent/gitext"
)

// commitFacts decide whether blame looks through a commit.
type commitFacts struct {
	commit   gitext.Commit
	stat     gitext.Stat
	merge    bool
	cosmetic map[string]bool // paths (in the commit) with a format-only change
	meta     map[string]bool // paths that it renamed or copied, or whose mode it changed
	patch    *gitext.Patch   // for the search for refactorings; nil if not needed, or no longer needed
}

// factPatchBytes bounds the patch of one commit. A larger change of few files is
// generated text, and counts neither as cosmetic nor as refactoring.
const factPatchBytes = 4 << 20

// readFacts reads the facts about all new commits that are blamed for lines of the files.
// It needs one bulk read of the commits, one diff-tree for their sizes and one for the
// needed patches.
func (t *tracer) readFacts(ctx context.Context, files []*traceFile) error {
	fresh := t.unknown(files)
	if len(fresh) == 0 {
		return nil
	}
	if err := t.readCommits(ctx, fresh); err != nil {
		return err
	}
	if !t.rules.cosmetic && !t.rules.meta {
		return nil
	}
	var small []gitext.OID
	for _, o := range fresh {
		if k := t.known[o]; !k.merge && k.stat.Files <= massFiles {
			small = append(small, o)
		}
	}
	return t.readPatches(ctx, small)
}

// unknown returns the blamed commits whose facts were not read.
func (t *tracer) unknown(files []*traceFile) []gitext.OID {
	set := map[gitext.OID]bool{}
	for _, f := range files {
		for _, l := range f.lines {
			if t.known[l.blame.Commit] == nil {
				set[l.blame.Commit] = true
			}
		}
	}
	return sortedOIDs(set)
}

func (t *tracer) readCommits(ctx context.Context, oids []gitext.OID) error {
	commits, err := t.repo.Commits(ctx, oids)
	if err != nil {
		return err
	}
	stats, err := t.repo.Stats(ctx, oids)
	if err != nil {
		return err
	}
	byOID := make(map[gitext.OID]gitext.Stat, len(stats))
	for _, s := range stats {
		byOID[s.Commit] = s
	}
	for _, c := range commits {
		t.known[c.OID] = &commitFacts{
			commit: c, stat: byOID[c.OID], merge: len(c.Parents) > 1,
			cosmetic: map[string]bool{}, meta: map[string]bool{},
		}
	}
	return nil
}

// readPatches reads the patches of commits. Blame does not look through a commit with an
// unreadable patch, nor through one of unknown size.
func (t *tracer) readPatches(ctx context.Context, oids []gitext.OID) error {
	if len(oids) == 0 {
		return nil
	}
	opt := gitext.PatchOptions{Renames: true, Copies: true, MaxBytes: factPatchBytes}
	for p, err := range t.repo.Patches(ctx, oids, opt) {
		switch {
		case err == nil:
			t.addPatch(p)
		case gitext.Unreadable(err):
			t.note("%s: commits that need it are not looked through", gitext.WhyUnread(err))
		default:
			return err
		}
	}
	return nil
}

func (t *tracer) addPatch(p *gitext.Patch) {
	k := t.known[p.Commit]
	if t.rules.refactor && !p.Truncated {
		k.patch = p
	}
	for i := range p.Files {
		f := &p.Files[i]
		k.meta[f.NewPath] = isMeta(f)
		k.cosmetic[f.NewPath] = !p.Truncated && isCosmetic(f)
	}
}

// lookThrough adds to f.ignore the blamed commits that blame looks through. It reports
// whether the file has to be blamed again.
func (t *tracer) lookThrough(f *traceFile) bool {
	again := false
	for _, l := range f.lines {
		c := l.blame.Commit
		if f.ignore[c] {
			continue
		}
		see, drop := t.looksThrough(c, l.blame.Path)
		if !see {
			continue
		}
		if f.ignore == nil {
			f.ignore, f.drop = map[gitext.OID]bool{}, map[gitext.OID]bool{}
		}
		f.ignore[c], again = true, true
		if drop {
			f.drop[c] = true
		}
	}
	return again
}

// looksThrough reports whether blame looks through a commit's change of a path (see), and
// whether lines that git still blames on the commit are left out (drop).
func (t *tracer) looksThrough(c gitext.OID, path string) (see, drop bool) {
	k := t.known[c]
	r := t.rules
	switch {
	case k == nil:
		return false, false
	case r.mass && !k.merge && k.stat.Files > massFiles,
		r.meta && k.merge:
		return true, true
	case r.cosmetic && k.cosmetic[path]:
		return true, true
	case r.meta && k.meta[path]:
		return true, false
	}
	return false, false
}

// isMeta reports whether a change renames or copies a file or changes its mode, possibly
// among other changes.
func isMeta(f *gitext.FileChange) bool {
	switch f.Status {
	case 'R', 'C':
		return true
	case 'M':
		return f.OldMode != f.NewMode
	}
	return false
}

// isCosmetic reports whether all changes of the file are format only.
func isCosmetic(f *gitext.FileChange) bool {
	found := false
	for _, h := range f.Hunks {
		for _, r := range changedBlocks(h.Lines) {
			if !formatOnly(f.OldPath, r) {
				return false
			}
			found = true
		}
	}
	return found && f.Status != 'A' && f.Status != 'D'
}

// changedBlocks returns the blocks of removed and added lines in a hunk.
func changedBlocks(lines []gitext.PatchLine) [][]gitext.PatchLine {
	var out [][]gitext.PatchLine
	start := -1
	for i, l := range lines {
		switch {
		case l.Op == ' ' && start >= 0:
			out = append(out, lines[start:i])
			start = -1
		case l.Op != ' ' && start < 0:
			start = i
		}
	}
	if start >= 0 {
		out = append(out, lines[start:])
	}
	return out
}

// formatOnly reports whether a change keeps the same characters in the same order, except
// white space:
//
//	-if (a) { f(x); }
//	+if (a) {
//	+    f( x );
//	+}
//
// If indentation is syntax, only line ends, trailing space and blank lines count as
// format.
func formatOnly(file string, block []gitext.PatchLine) bool {
	var removed, added []byte
	indented := indentIsSyntax(file)
	for _, l := range block {
		text := bytes.TrimRight(l.Text, " \t\r\f\v")
		switch {
		case len(text) == 0:
			continue
		case indented:
			text = append(bytes.Clone(text), '\n')
		default:
			text = withoutSpace(text)
		}
		if l.Op == '-' {
			removed = append(removed, text...)
		} else {
			added = append(added, text...)
		}
	}
	return bytes.Equal(removed, added)
}

func withoutSpace(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		if c != ' ' && (c < '\t' || c > '\r') {
			out = append(out, c)
		}
	}
	return out
}

// indentIsSyntax reports whether a file's language gives indentation a meaning, so that
// moving a line to the right can be the whole bug or the whole fix.
func indentIsSyntax(file string) bool {
	switch strings.ToLower(path.Base(file)) {
	case "makefile", "gnumakefile", "sconstruct", "sconscript", "build", "workspace":
		return true
	}
	switch strings.ToLower(path.Ext(file)) {
	case ".py", ".pyi", ".pyx", ".pxd", ".bzl", ".yml", ".yaml", ".hs", ".nim", ".coffee", ".pug", ".jade",
		".haml", ".slim", ".sass", ".styl", ".fs", ".fsx", ".elm", ".mk", ".rst", ".gd":
		return true
	}
	return false
}
