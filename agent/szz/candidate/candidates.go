// Package candidate gathers the facts about a fix for the ranking and for the model's
// prompts: the lines that it changes and those near them, with their owners
// ([AnchorSet]), and the commits that may have introduced the bug, with their diffs
// ([Pool]). It judges none of them.
//
// If the clone lacks an object, the lines that need it are left out, and a note says so.
package candidate

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// A SourceSet is the set of searches that found a candidate.
type SourceSet uint16

// The searches.
const (
	FromDeleted  SourceSet = 1 << iota // owns a deleted line
	FromContext                        // owns a line within szz.ContextLines of a change
	FromFunction                       // owns another line of a changed function
	FromSecond                         // owned the line before its first owner rewrote it
	FromHistory                        // changed one of the fixed files
	FromNames                          // owns a line elsewhere that uses a rare name of the fix
	FromRecent                         // a recent commit elsewhere that reads like the fix
	FromBeside                         // owns a line in or near a change of a build or data file, beside source
	FromIndex                          // changed rare texts of the fix somewhere, at some time; found with an index of changed lines only
)

// FoundElsewhere are the searches that find commits in other files than the traced ones.
const FoundElsewhere = FromNames | FromRecent | FromBeside | FromIndex

// A Candidate is a commit that may have introduced the bug, and the known facts about it.
type Candidate struct {
	OID      gitext.OID
	Commit   gitext.Commit
	Sources  SourceSet
	Position int      // in the history of the fixed files, 0 = newest; -1 = not in it
	Recent   int      // position among the repository's recent commits; -1 = not there
	Files    int      // files that it changes
	Paths    []string // the first of these
	Diff     *CommitDiff
}

// CommitDiff is the change of a candidate in the files of InterestingPaths, or in all
// files if it was found by names or by its message.
type CommitDiff struct {
	Added, Removed           source.Bag
	AddedLines, RemovedLines map[string]bool // keys of lines, see LineKey
	NAdded, NRemoved         int
	Paths                    []string              // changed, by their new names
	Creates                  bool                  // adds one of the fixed files
	Hunks                    map[string][]DiffHunk // by new path
	index                    map[string]*hunkIndex // of Hunks; made on first use
	layouts                  map[string]layout     // of its files of code
}

// A DiffHunk is one hunk of a candidate's diff.
type DiffHunk struct {
	oldPath                            string
	newStart, newEnd, oldStart, oldEnd int
	Cosmetic                           bool       // it removes the same tokens that it adds
	Function                           string     // name of the enclosing function, "" when git sees none
	In, Out                            source.Bag // tokens of its added and of its removed lines
	removed                            [][]byte   // its first removed lines
	removedPairs                       source.Bag // pairs of tokens in removed; made on first use
}

// Bounds of the searches for candidates, chosen for their cost. With them a true commit
// is among the candidates in .92 of the training cases. Deeper searches were not tried.
const (
	maxHistory     = 60       // commits that changed a fixed file
	maxRecent      = 400      // newest commits of the repository
	maxRecentFiles = 20       // of one such commit
	maxRecentKept  = 8        // of them that become candidates
	MaxDiffBytes   = 2 << 20  // of one candidate
	maxDiffsBytes  = 64 << 20 // of all candidates
)

// A Pool holds the candidates of a fix.
type Pool struct {
	ByOID     map[gitext.OID]*Candidate
	boundary  map[gitext.OID]bool            // of a shallow clone; such a commit is no candidate
	Recents   []source.Bag                   // words of the subjects of the repository's newest commits
	Authors   []gitext.Person                // of these commits
	Pace      float64                        // days between two of these commits, on average
	Named     map[gitext.OID]*Naming         // the changes of commits to the texts of the fix; nil without an index of changed lines
	Texts     map[string][]gitext.TextChange // changes of lines with each text of the fix, newest first; nil likewise
	recent    []gitext.OID                   // the repository's newest commits
	alike     []gitext.OID                   // the ones among recent that read most like the fix and are no candidates yet
	bytesLeft int64                          // bytes of diffs that may still be kept
}

// add returns the candidate and notes another source of it. It returns a commit at the
// boundary of a shallow clone, but does not keep it.
func (p *Pool) add(oid gitext.OID, s SourceSet) *Candidate {
	c := p.ByOID[oid]
	if c == nil {
		c = &Candidate{OID: oid, Position: -1, Recent: -1}
		if !p.boundary[oid] {
			p.ByOID[oid] = c
		}
	}
	c.Sources |= s
	return c
}

// Sorted lists the candidates by id, so that nothing depends on map order.
func (p *Pool) Sorted() []*Candidate {
	list := make([]*Candidate, 0, len(p.ByOID))
	for _, c := range p.ByOID {
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].OID < list[j].OID })
	return list
}

// Gather finds the candidates of a fix and reads their changes.
func Gather(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, set *AnchorSet) (*Pool, error) {
	p := &Pool{ByOID: map[gitext.OID]*Candidate{}, boundary: repo.ShallowBoundary(), bytesLeft: maxDiffsBytes}
	for i := range set.Anchors {
		a := &set.Anchors[i]
		p.add(a.Owner, [...]SourceSet{RoleDeleted: FromDeleted, RoleContext: FromContext, RoleFunction: FromFunction}[a.Role])
	}
	paths := InterestingPaths(fc, set)
	if err := p.addSearched(ctx, repo, fc, set, paths); err != nil {
		return nil, err
	}
	p.addBeside(set.Beside)
	if err := p.read(ctx, repo, paths); err != nil {
		return nil, err
	}
	if err := p.findOrigins(ctx, repo, set, paths); err != nil {
		return nil, err
	}
	if p.bytesLeft < 0 {
		set.Notes = append(
			set.Notes,
			fmt.Sprintf("the candidates change more than %d MiB of text; what some of them changed was left out", maxDiffsBytes>>20),
		)
	}
	return p, nil
}

// addBeside adds the owners of lines that a fix removes from build and data files, and
// the owners of lines beside its insertions.
func (p *Pool) addBeside(set *AnchorSet) {
	if set == nil {
		return
	}
	for i := range set.Anchors {
		if a := &set.Anchors[i]; (a.Role == RoleDeleted || a.Inserts) && a.Kind != source.LineBlank {
			p.add(a.Owner, FromBeside)
		}
	}
}

// InterestingPaths returns the fixed files, and their names in the commits that own their
// lines.
func InterestingPaths(fc *szz.FixContext, set *AnchorSet) []string {
	seen := map[string]bool{}
	for _, f := range set.Files {
		seen[f.OldPath] = true
	}
	for i := range set.Anchors {
		seen[set.Anchors[i].Path] = true
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

// addSearched runs the independent searches at the same time, and adds their results in a
// fixed order.
func (p *Pool) addSearched(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, set *AnchorSet, paths []string) error {
	var history, recent []gitext.LogEntry
	var elsewhere []gitext.OID
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		names, err := historicNames(gctx, repo, fc, set, paths)
		if err != nil || len(names) == 0 {
			return err
		}
		history, err = collectLog(repo.Log(gctx, gitext.LogOptions{Tip: fc.Parent, Paths: names, Max: maxHistory, NoMerges: true}))
		return err
	})
	g.Go(func() (err error) {
		recent, err = collectLog(
			repo.Log(gctx, gitext.LogOptions{Tip: fc.Parent, Max: maxRecent, NoMerges: true, Files: true, NoRenames: true, MaxFiles: maxRecentFiles}),
		)
		return err
	})
	g.Go(func() (err error) {
		elsewhere, err = ownersElsewhere(gctx, repo, fc, set)
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	for i, e := range history {
		p.add(e.OID, FromHistory).Position = i
	}
	set.Elsewhere = slices.DeleteFunc(elsewhere, func(owner gitext.OID) bool { return p.boundary[owner] })
	for _, owner := range set.Elsewhere {
		p.add(owner, FromNames)
	}
	p.addRecent(fc, recent)
	return nil
}

// collectLog returns the entries of a log up to the first unreadable one.
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

// addRecent adds some of the repository's newest commits: those whose subjects and paths
// share most words with the fix. It finds culprits in files that the fix does not touch.
func (p *Pool) addRecent(fc *szz.FixContext, entries []gitext.LogEntry) {
	p.Pace = paceOf(entries)
	docs := make([]source.Bag, len(entries))
	weights := source.NewIDF()
	for i, e := range entries {
		docs[i] = source.Bag{}
		docs[i].AddWords(e.Subject)
		p.Recents = append(p.Recents, maps.Clone(docs[i]))
		p.Authors = append(p.Authors, gitext.Person{Name: e.AuthorName, Email: e.AuthorEmail})
		for _, f := range e.Files {
			for w := range source.PathWords(f.NewPath) {
				docs[i][w]++
			}
		}
		weights.Add(docs[i])
		p.recent = append(p.recent, e.OID)
		if c := p.ByOID[e.OID]; c != nil {
			c.Recent = i
		}
	}
	query := fixWords(fc)
	type scored struct {
		i     int
		score float64
	}
	var best []scored
	for i := range docs {
		if s := weights.Overlap(docs[i], query); s > 0 && p.ByOID[entries[i].OID] == nil {
			best = append(best, scored{i, s})
		}
	}
	sort.SliceStable(best, func(a, b int) bool { return best[a].score > best[b].score })
	for _, b := range best[:min(len(best), maxRecentKept)] {
		p.add(entries[b.i].OID, FromRecent).Recent = b.i
	}
	for _, b := range best[min(len(best), maxRecentKept):min(len(best), maxRecentKept+maxAlike)] {
		p.alike = append(p.alike, entries[b.i].OID)
	}
}

// fixWords returns the words of the fix's message and of the paths it changes.
func fixWords(fc *szz.FixContext) source.Bag {
	b := source.Bag{}
	b.AddWords(fc.Prose)
	for _, f := range fc.Patch.Files {
		for w := range source.PathWords(f.NewPath) {
			b[w]++
		}
	}
	return b
}

// read reads the missing commits and diffs of the candidates. The diffs are limited to
// paths, except for candidates that were found elsewhere.
func (p *Pool) read(ctx context.Context, repo *gitext.Repo, paths []string) error {
	var oids, elsewhere []gitext.OID
	for _, c := range p.Sorted() {
		if c.Diff != nil {
			continue
		}
		if c.Sources&^FoundElsewhere == 0 {
			elsewhere = append(elsewhere, c.OID)
		} else {
			oids = append(oids, c.OID)
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
		p.ByOID[all[i]].Commit = c
	}
	if err := p.readFiles(ctx, repo, all); err != nil {
		return err
	}
	if err := p.readDiffs(ctx, repo, oids, paths); err != nil {
		return err
	}
	if err := p.readRenames(ctx, repo, oids, paths); err != nil {
		return err
	}
	return p.readDiffs(ctx, repo, elsewhere, nil)
}

// readFiles reads which files candidates change. For huge commits it keeps the first
// files and the number.
func (p *Pool) readFiles(ctx context.Context, repo *gitext.Repo, oids []gitext.OID) error {
	const most = 200
	touched, err := repo.Touched(ctx, oids, most)
	if err != nil {
		return err
	}
	for oid, t := range touched {
		p.ByOID[oid].Files, p.ByOID[oid].Paths = t.Files, t.Paths
	}
	return nil
}

// readDiffs reads the diffs of commits. An unreadable diff counts as empty.
func (p *Pool) readDiffs(ctx context.Context, repo *gitext.Repo, oids []gitext.OID, paths []string) error {
	if len(oids) == 0 {
		return nil
	}
	for patch, err := range repo.Patches(ctx, oids, gitext.PatchOptions{Renames: true, Paths: paths, MaxBytes: MaxDiffBytes}) {
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return err
		}
		if p.bytesLeft -= sizeOf(patch); p.bytesLeft < 0 {
			continue
		}
		if c := p.ByOID[patch.Commit]; c != nil {
			c.Diff = digest(patch)
		}
	}
	for _, oid := range oids {
		if c := p.ByOID[oid]; c.Diff == nil { // it could not be read
			c.Diff = digest(&gitext.Patch{})
		}
	}
	return nil
}

// sizeOf returns the bytes of text in a patch.
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

// digest reduces a patch to the inputs of the features.
func digest(p *gitext.Patch) *CommitDiff {
	d := &CommitDiff{
		Added: source.Bag{}, Removed: source.Bag{},
		AddedLines: map[string]bool{}, RemovedLines: map[string]bool{},
		Hunks: map[string][]DiffHunk{},
	}
	for i := range p.Files {
		f := &p.Files[i]
		d.Paths = append(d.Paths, f.NewPath)
		d.Creates = d.Creates || f.Status == 'A'
		if f.Submodule { // git wrote the text of a submodule, not the author
			continue
		}
		d.addLayout(f)
		for _, h := range f.Hunks {
			d.addHunk(f, &h)
		}
	}
	return d
}

func (d *CommitDiff) addHunk(f *gitext.FileChange, h *gitext.Hunk) {
	in, out := source.Bag{}, source.Bag{}
	var removed [][]byte
	for _, l := range h.Lines {
		switch l.Op {
		case '+':
			d.NAdded++
			in.AddCode(l.Text)
			d.AddedLines[LineKey(l.Text)] = true
		case '-':
			d.NRemoved++
			out.AddCode(l.Text)
			d.RemovedLines[LineKey(l.Text)] = true
			if len(removed) <= maxRewrite && len(l.Text) <= source.MaxPairedLine {
				removed = append(removed, bytes.Clone(l.Text)) // a copy, so that the whole patch does not stay in memory
			}
		}
	}
	for t, n := range in {
		d.Added[t] += n
	}
	for t, n := range out {
		d.Removed[t] += n
	}
	d.Hunks[f.NewPath] = append(d.Hunks[f.NewPath], DiffHunk{
		oldPath:  f.OldPath,
		newStart: h.NewStart, newEnd: h.NewStart + h.NewLines - 1,
		oldStart: h.OldStart, oldEnd: h.OldStart + h.OldLines - 1,
		Cosmetic: len(out) > 0 && len(in.Minus(out)) == 0 && len(out.Minus(in)) == 0,
		Function: source.FunctionName(h.Section), In: in, Out: out, removed: removed,
	})
}

// Empties reports whether the file has no line after the hunk, as when the commit deletes
// the file.
func (h *DiffHunk) Empties() bool { return h.newStart == 0 }

// FirstRemoved returns the first line that the hunk removes and that is as wanted. Of a large hunk, it knows the first lines.
func (h *DiffHunk) FirstRemoved(wanted func(line []byte) bool) (line []byte, ok bool) {
	i := slices.IndexFunc(h.removed, wanted)
	if i < 0 {
		return nil, false
	}
	return h.removed[i], true
}

// NewLines returns the lines of the hunk after the commit, or the lines around it if the
// hunk only removes.
func (h *DiffHunk) NewLines() gitext.LineRange {
	if h.newEnd >= h.newStart {
		return gitext.LineRange{Start: h.newStart, End: h.newEnd}
	}
	return gitext.LineRange{Start: max(1, h.newStart), End: max(1, h.newStart) + 1}
}

// LineKey returns the form of a line for comparison across commits, with white space
// folded. Short lines are the same everywhere: their key is "".
func LineKey(text []byte) string {
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

// HunkAt returns the hunk that wrote a line, nil if none did. path and line are those
// after the commit.
func (d *CommitDiff) HunkAt(path string, line int) *DiffHunk {
	hs := d.Hunks[path]
	i := sort.Search(len(hs), func(i int) bool { return hs[i].newEnd >= line })
	if i < len(hs) && hs[i].newStart <= line {
		return &hs[i]
	}
	return nil
}

// paceOf returns the average number of days between two entries. The newest comes first.
func paceOf(entries []gitext.LogEntry) float64 {
	if len(entries) < 2 {
		return 0
	}
	span := entries[0].CommitTime.Sub(entries[len(entries)-1].CommitTime).Hours() / 24
	return max(0, span) / float64(len(entries)-1)
}

// A ShareKind is one way to count lines or words for the commits that own them. The
// shares of a kind sum to one over all candidates, or to zero if there are no such lines.
type ShareKind int

// The kinds of shares. A comment names the counted things, and the commit that they count
// for if it is not the owner.
const (
	ShareDeleted       ShareKind = iota // deleted lines of code
	ShareTrivial                        // deleted blank, comment, brace and import lines
	ShareTokens                         // deleted tokens (MV-SZZ votes by token)
	ShareChanges                        // changes in which the candidate owns a deleted line
	ShareContext                        // lines around every change, by 1/distance
	ShareInsertion                      // lines around pure insertions, by 1/distance
	ShareFunction                       // other lines of changed functions, by 1/distance
	ShareRelated                        // lines near insertions, by the names they share with the added lines
	ShareSecond                         // lines that the owner of a deleted line had replaced
	ShareNames                          // lines of other files that use the fix's rarer names
	ShareCosmetic                       // deleted lines that the owner only moved or re-indented
	ShareOrigin                         // deleted words, for the commit that wrote them, before all rewrites
	ShareRelatedOrigin                  // words beside insertions that the added lines repeat, likewise
	ShareGoneNewest                     // names that the fix removes, for the last commit to bring them
	ShareGoneFirst                      // names that the fix removes, for the first commit to bring them
	ShareFreshNewest                    // names that the fix adds, for the last commit to bring them elsewhere
	ShareFreshFirst                     // names that the fix adds, for the first commit to bring them elsewhere
	ShareRestorer                       // names that the fix adds, for the last commit to remove them
	ShareRestoredLines                  // lines that the fix adds, for the last commit to remove them
	ShareSaid                           // names in the fix's message, for the last commit to bring them
	ShareInside                         // names that the fix adds or removes, for the last commit to bring them into the function
	ShareBeside                         // lines that the fix removes from build and data files, beside source
	NumShares
)
