package szz

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"

	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// Where a candidate came from. A candidate may have several sources.
type sourceSet uint8

const (
	fromDeleted  sourceSet = 1 << iota // owns a deleted line
	fromContext                        // owns a line within contextLines of a change
	fromFunction                       // owns another line of a changed function
	fromSecond                         // owned the line before its first owner rewrote it
	fromHistory                        // changed one of the fixed files
	fromNames                          // owns a line elsewhere that uses a rare name of the fix
	fromRecent                         // a recent commit elsewhere that reads like the fix
)

// A candidate is a commit and all that is known of it.
type candidate struct {
	oid      gitext.OID
	commit   gitext.Commit
	sources  sourceSet
	position int      // in the history of the fixed files, 0 = newest; -1 = not in it
	recent   int      // position among the repository's recent commits; -1 = not there
	files    int      // files that it changes
	paths    []string // the first of these
	diff     *commitDiff
}

// commitDiff is what a candidate did to the files of interest.
type commitDiff struct {
	added, removed           bag
	addedLines, removedLines map[string]bool // trimmed lines worth comparing
	nAdded, nRemoved         int
	paths                    []string // changed, by their new names
	creates                  bool     // adds one of the fixed files
	hunks                    map[string][]diffHunk
}

type diffHunk struct {
	oldPath                            string
	newStart, newEnd, oldStart, oldEnd int
	cosmetic                           bool   // same tokens out as in
	function                           string // name of the enclosing function, "" when git sees none
	in, out                            bag
	removed                            [][]byte // its first lines
	pairs                              bag      // of these lines, once somebody asked
}

// Bounds on how far candidates are looked for, chosen for their cost. With them
// a true commit is among the candidates of .92 of the training cases; deeper
// searches were not tried.
const (
	maxHistory     = 60
	maxRecent      = 400
	maxRecentFiles = 20 // of one commit
	maxRecentKept  = 8
	maxDiffBytes   = 2 << 20
	maxDiffsBytes  = 64 << 20 // of all candidates
)

// pool collects candidates; add never keeps a barred one.
type pool struct {
	byOID   map[gitext.OID]*candidate
	barred  map[gitext.OID]bool // the boundary of a shallow clone: never a suspect
	recents []bag               // words of the repository's recent subjects
	authors []gitext.Person     // of these commits
	pace    float64             // days that a commit of the repository takes, over the recent ones
	room    int64               // bytes of diffs that may still be kept
}

func (p *pool) add(oid gitext.OID, s sourceSet) *candidate {
	c := p.byOID[oid]
	if c == nil {
		c = &candidate{oid: oid, position: -1, recent: -1}
		if !p.barred[oid] {
			p.byOID[oid] = c
		}
	}
	c.sources |= s
	return c
}

// sorted lists the candidates by id, so that nothing depends on map order.
func (p *pool) sorted() []*candidate {
	list := make([]*candidate, 0, len(p.byOID))
	for _, c := range p.byOID {
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].oid < list[j].oid })
	return list
}

// gather finds the candidates of a fix and reads what they did.
func gather(ctx context.Context, repo *gitext.Repo, fc *FixContext, set *anchorSet) (*pool, error) {
	p := &pool{byOID: map[gitext.OID]*candidate{}, barred: repo.ShallowBoundary(), room: maxDiffsBytes}
	for i := range set.anchors {
		a := &set.anchors[i]
		p.add(a.owner, [...]sourceSet{roleDeleted: fromDeleted, roleContext: fromContext, roleFunction: fromFunction}[a.role])
	}
	paths := interestingPaths(fc, set)
	if err := p.addSearched(ctx, repo, fc, set, paths); err != nil {
		return nil, err
	}
	if err := p.read(ctx, repo, paths); err != nil {
		return nil, err
	}
	if err := p.traceOrigins(ctx, repo, set, paths); err != nil {
		return nil, err
	}
	if p.room < 0 {
		set.notes = append(set.notes, fmt.Sprintf("the candidates change more than %d MiB of text; what some of them changed was left out", maxDiffsBytes>>20))
	}
	return p, nil
}

// interestingPaths are the fixed files under the names that their owners knew.
func interestingPaths(fc *FixContext, set *anchorSet) []string {
	seen := map[string]bool{}
	for _, f := range set.files {
		seen[f.OldPath] = true
	}
	for i := range set.anchors {
		seen[set.anchors[i].path] = true
	}
	if len(seen) == 0 { // nothing to blame: files that the fix adds
		for _, f := range fc.Patch.Files {
			seen[f.NewPath] = true
		}
	}
	paths := make([]string, 0, len(seen))
	for path := range seen {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// addSearched runs the searches that need no one's answer side by side, and
// adds what they find in a fixed order.
func (p *pool) addSearched(ctx context.Context, repo *gitext.Repo, fc *FixContext, set *anchorSet, paths []string) error {
	var history, recent []gitext.LogEntry
	var uses []named
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		if len(paths) > 0 {
			history, err = collectLog(repo.Log(gctx, gitext.LogOptions{Tip: fc.Parent, Paths: paths, Max: maxHistory, NoMerges: true}))
		}
		return err
	})
	g.Go(func() (err error) {
		recent, err = collectLog(repo.Log(gctx, gitext.LogOptions{Tip: fc.Parent, Max: maxRecent, NoMerges: true, Files: true, NoRenames: true, MaxFiles: maxRecentFiles}))
		return err
	})
	g.Go(func() (err error) {
		uses, err = namedLines(gctx, repo, fc, set)
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	for i, e := range history {
		p.add(e.OID, fromHistory).position = i
	}
	set.named = slices.DeleteFunc(uses, func(u named) bool { return p.barred[u.owner] })
	for _, u := range set.named {
		p.add(u.owner, fromNames)
	}
	p.addRecent(fc, recent)
	return nil
}

// collectLog reads a log, as far as it can be read.
func collectLog(seq iter.Seq2[gitext.LogEntry, error]) ([]gitext.LogEntry, error) {
	var entries []gitext.LogEntry
	for e, err := range seq {
		if gitext.Unreadable(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// addRecent looks among the newest commits of the whole repository for those
// that read like the fix: a source that finds culprits in files that the fix
// does not touch.
func (p *pool) addRecent(fc *FixContext, entries []gitext.LogEntry) {
	p.pace = paceOf(entries)
	docs := make([]bag, len(entries))
	weights := newIDF()
	for i, e := range entries {
		docs[i] = bag{}
		docs[i].addWords(e.Subject)
		p.recents = append(p.recents, maps.Clone(docs[i]))
		p.authors = append(p.authors, gitext.Person{Name: e.AuthorName, Email: e.AuthorEmail})
		for _, f := range e.Files {
			for w := range pathWords(f.NewPath) {
				docs[i][w]++
			}
		}
		weights.add(docs[i])
		if c := p.byOID[e.OID]; c != nil {
			c.recent = i
		}
	}
	query := fixWords(fc)
	type scored struct {
		i     int
		score float64
	}
	var best []scored
	for i := range docs {
		if s := weights.overlap(docs[i], query); s > 0 && p.byOID[entries[i].OID] == nil {
			best = append(best, scored{i, s})
		}
	}
	sort.SliceStable(best, func(a, b int) bool { return best[a].score > best[b].score })
	for _, b := range best[:min(len(best), maxRecentKept)] {
		p.add(entries[b.i].OID, fromRecent).recent = b.i
	}
}

// fixWords are the words of the fix's message and of the paths it changes.
func fixWords(fc *FixContext) bag {
	b := bag{}
	b.addWords(fc.Message)
	for _, f := range fc.Patch.Files {
		for w := range pathWords(f.NewPath) {
			b[w]++
		}
	}
	return b
}

// read fills in metadata and diffs of the candidates that lack them.
func (p *pool) read(ctx context.Context, repo *gitext.Repo, paths []string) error {
	var oids, elsewhere []gitext.OID
	for _, c := range p.sorted() {
		if c.diff != nil {
			continue
		}
		if c.sources&^(fromRecent|fromNames) == 0 {
			elsewhere = append(elsewhere, c.oid)
		} else {
			oids = append(oids, c.oid)
		}
	}
	all := append(slices.Clone(oids), elsewhere...)
	if len(all) == 0 {
		return nil
	}
	commits, err := repo.Commits(ctx, all)
	if err != nil {
		return err
	}
	for i, c := range commits {
		p.byOID[all[i]].commit = c
	}
	if err := p.readFiles(ctx, repo, all); err != nil {
		return err
	}
	if err := p.readDiffs(ctx, repo, oids, paths); err != nil {
		return err
	}
	return p.readDiffs(ctx, repo, elsewhere, nil)
}

// readFiles lists the files that candidates change, most of huge commits left out.
func (p *pool) readFiles(ctx context.Context, repo *gitext.Repo, oids []gitext.OID) error {
	const most = 200
	touched, err := repo.Touched(ctx, oids, most)
	if err != nil {
		return err
	}
	for oid, t := range touched {
		p.byOID[oid].files, p.byOID[oid].paths = t.Files, t.Paths
	}
	return nil
}

func (p *pool) readDiffs(ctx context.Context, repo *gitext.Repo, oids []gitext.OID, paths []string) error {
	if len(oids) == 0 {
		return nil
	}
	for patch, err := range repo.Patches(ctx, oids, gitext.PatchOptions{Renames: true, Paths: paths, MaxBytes: maxDiffBytes}) {
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return err
		}
		if p.room -= sizeOf(patch); p.room < 0 {
			continue
		}
		if c := p.byOID[patch.Commit]; c != nil {
			c.diff = digest(patch)
		}
	}
	for _, oid := range oids {
		if c := p.byOID[oid]; c.diff == nil { // it could not be read
			c.diff = digest(&gitext.Patch{})
		}
	}
	return nil
}

// sizeOf is the size of a patch's text.
func sizeOf(p *gitext.Patch) int64 {
	var size int64
	for i := range p.Files {
		for _, h := range p.Files[i].Hunks {
			for _, l := range h.Lines {
				size += int64(len(l.Text))
			}
		}
	}
	return size
}

// digest keeps of a patch what the features ask for.
func digest(p *gitext.Patch) *commitDiff {
	d := &commitDiff{
		added: bag{}, removed: bag{},
		addedLines: map[string]bool{}, removedLines: map[string]bool{},
		hunks: map[string][]diffHunk{},
	}
	for i := range p.Files {
		f := &p.Files[i]
		d.paths = append(d.paths, f.NewPath)
		d.creates = d.creates || f.Status == 'A'
		if f.Submodule { // its text is git's
			continue
		}
		for _, h := range f.Hunks {
			d.addHunk(f, &h)
		}
	}
	return d
}

func (d *commitDiff) addHunk(f *gitext.FileChange, h *gitext.Hunk) {
	in, out := bag{}, bag{}
	var removed [][]byte
	for _, l := range h.Lines {
		switch l.Op {
		case '+':
			d.nAdded++
			in.addCode(l.Text)
			d.addedLines[lineKey(l.Text)] = true
		case '-':
			d.nRemoved++
			out.addCode(l.Text)
			d.removedLines[lineKey(l.Text)] = true
			if len(removed) <= maxRewrite && len(l.Text) <= maxPairedLine {
				removed = append(removed, bytes.Clone(l.Text)) // lest the whole patch stays
			}
		}
	}
	for t, n := range in {
		d.added[t] += n
	}
	for t, n := range out {
		d.removed[t] += n
	}
	d.hunks[f.NewPath] = append(d.hunks[f.NewPath], diffHunk{
		oldPath:  f.OldPath,
		newStart: h.NewStart, newEnd: h.NewStart + h.NewLines - 1,
		oldStart: h.OldStart, oldEnd: h.OldStart + h.OldLines - 1,
		cosmetic: len(out) > 0 && len(in.minus(out)) == 0 && len(out.minus(in)) == 0,
		function: functionName(h.Section), in: in, out: out, removed: removed,
	})
}

// lineKey is a line as compared across commits: white space folded. Short lines
// are the same everywhere, so they share one empty key.
func lineKey(text []byte) string {
	const minLine = 8
	if len(text) > 400 {
		text = text[:400]
	}
	s := string(bytes.Join(bytes.Fields(text), []byte(" ")))
	if len(s) < minLine {
		return ""
	}
	return strings.Clone(s)
}

// hunkAt finds the hunk of path that wrote line.
func (d *commitDiff) hunkAt(path string, line int) *diffHunk {
	hs := d.hunks[path]
	i := sort.Search(len(hs), func(i int) bool { return hs[i].newEnd >= line })
	if i < len(hs) && hs[i].newStart <= line {
		return &hs[i]
	}
	return nil
}
