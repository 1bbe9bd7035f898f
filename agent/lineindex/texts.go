package lineindex

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"git-agent/agent/source"
	"git-agent/cache"
	"git-agent/gitext"
)

// mostBlocks is the largest number of blocks whose signatures may have a text.
// TextChanges does not search for a more frequent text, because such a text does not tell
// commits apart.
const mostBlocks = 64

// mostNewer is the largest number of commits missing from an index at which TextChanges
// is worth its cost: it reads each of them.
const mostNewer = 500

// Covers reports whether TextChanges knows the changes of all commits that the tip
// reaches. It is false if the index lacks more than MostNewer of them.
func (x *Index) Covers(ctx context.Context, tip gitext.OID) bool {
	_, g, err := x.reach(ctx, tip)
	return err == nil && g.len()-x.graph.len() <= mostNewer
}

// TextChanges lists for each text the commits reachable from the tip that change lines
// with the text as a word, newest first. A text in too many blocks is Common and has no
// changes. Commits whose lines are not stored are not listed. Git reads the commits that
// the index lacks.
func (x *Index) TextChanges(ctx context.Context, tip gitext.OID, texts []string) ([]gitext.TextHistory, error) {
	t := textSearch{x: x, list: make([]gitext.TextHistory, len(texts)), wanted: map[uint32][]int{}, records: map[recordID][]textCount{}}
	if err := t.choose(ctx, texts); err != nil {
		return nil, err
	}
	number, g, err := x.reach(ctx, tip)
	if err != nil {
		return nil, err
	}
	t.graph, t.place = g, places(g, number)
	if err = t.countBlocks(ctx); err == nil {
		err = t.countCopies(ctx)
	}
	if err == nil {
		err = t.countNewer(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, h := range t.list {
		slices.SortFunc(h.Changes, func(a, b gitext.TextChange) int {
			return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Path, b.Path), cmp.Compare(a.OldPath, b.OldPath))
		})
	}
	return t.list, nil
}

// A textSearch is the state of one TextChanges.
type textSearch struct {
	x      *Index
	wanted map[uint32][]int // the texts that may be in a block
	graph  *graph           // including the commits that the index lacks
	place  []uint32         // of each commit

	adding  sync.Mutex // guards list and records
	list    []gitext.TextHistory
	records map[recordID][]textCount // the counts of records that copies may name
}

// A textCount is the number of occurrences of a text in the lines of a record.
type textCount struct{ text, removed, added int }

// choose finds the possible blocks of each text, and the common texts.
func (t *textSearch) choose(ctx context.Context, texts []string) error {
	for i, text := range texts {
		t.list[i].Text = text
		if len(text) < gramSize {
			t.list[i].Common = true
			continue
		}
		blocks, err := t.x.blocksWith(ctx, []string{text})
		if err != nil {
			return err
		}
		if len(blocks) > mostBlocks {
			t.list[i].Common = true
			continue
		}
		for _, n := range blocks {
			t.wanted[n] = append(t.wanted[n], i)
		}
	}
	return nil
}

// countBlocks counts the texts in the blocks that may have them.
func (t *textSearch) countBlocks(ctx context.Context) error {
	blocks := slices.Sorted(maps.Keys(t.wanted))
	return t.x.eachBlock(ctx, blocks, func(at int, part cache.Part) error {
		data, err := part.Value()
		if err != nil {
			return err
		}
		return t.count(blocks[at], data, t.wanted[blocks[at]])
	})
}

// count counts the changes of some texts in the records of an encoded block.
func (t *textSearch) count(block uint32, data []byte, some []int) error {
	heads, all, err := splitBlock(data)
	if err != nil {
		return err
	}
	some = slices.DeleteFunc(slices.Clone(some), func(i int) bool { return !bytes.Contains(all, []byte(t.list[i].Text)) })
	if len(some) == 0 {
		return nil
	}
	return eachRecord(heads, all, func(number uint32, r *record) {
		reached, large := t.place[r.commit] != 0, r.size() >= minCopied
		if !reached && !large {
			return
		}
		for _, i := range some {
			c := textCount{i, countWord(r.removed, t.list[i].Text), countWord(r.added, t.list[i].Text)}
			if c.removed+c.added == 0 {
				continue
			}
			t.adding.Lock()
			if reached {
				t.note(r, c)
			}
			if large {
				id := recordID{block, number}
				t.records[id] = append(t.records[id], c)
			}
			t.adding.Unlock()
		}
	})
}

// note adds the change of a text by a record of a commit.
func (t *textSearch) note(r *record, c textCount) {
	t.list[c.text].Changes = append(t.list[c.text].Changes, gitext.TextChange{
		OID: t.graph.oid(r.commit), Path: string(r.path), OldPath: cmp.Or(string(r.old), string(r.path)),
		Removed: c.removed, Added: c.added, Place: int(t.place[r.commit]),
	})
}

// countCopies counts the texts in the copies of records, like count.
func (t *textSearch) countCopies(ctx context.Context) error {
	var blocks []uint32
	for n, names := range t.x.copies {
		if slices.ContainsFunc(names, func(id recordID) bool { return t.records[id] != nil }) {
			blocks = append(blocks, uint32(n))
		}
	}
	return t.x.eachBlock(ctx, blocks, func(_ int, part cache.Part) error {
		data, err := part.Value()
		if err != nil {
			return err
		}
		heads, all, err := splitBlock(data)
		if err != nil {
			return err
		}
		return eachRecord(heads, all, func(_ uint32, r *record) {
			if r.flags&isCopy == 0 || t.place[r.commit] == 0 {
				return
			}
			for _, c := range t.records[r.from] {
				if r.flags&isReversed != 0 {
					c.removed, c.added = c.added, c.removed
				}
				t.adding.Lock()
				t.note(r, c)
				t.adding.Unlock()
			}
		})
	})
}

// countNewer counts the texts in the commits that the index lacks, like count.
func (t *textSearch) countNewer(ctx context.Context) error {
	known := t.x.graph.len()
	if t.graph.len() == known {
		return nil
	}
	n := newerLines{t: t, next: uint32(known)}
	for i := range t.list {
		if !t.list[i].Common {
			n.some = append(n.some, i)
		}
	}
	err := t.x.repo.ChangedLines(ctx, t.graph.commits(known, t.graph.len()), &n)
	n.flush()
	return cmp.Or(err, n.err, ctx.Err())
}

// noBlock is the block number of lines outside all blocks. No copy names it.
const noBlock = math.MaxUint32

// A newerLines counts the texts in the lines that git reads. It implements
// gitext.LinesTaker.
type newerLines struct {
	t    *textSearch
	some []int // the texts
	next uint32
	open block
	err  error
}

// File adds a record of the next commit.
func (n *newerLines) File(f *gitext.FileLines) {
	r := recordOf(n.next, f)
	if n.open.add(&r); n.open.size() >= blockSize {
		n.flush()
	}
}

// Commit ends the reading after an error.
func (n *newerLines) Commit(gitext.Ancestor, error) bool {
	n.next++
	return n.err == nil
}

func (n *newerLines) flush() {
	if n.open.records > 0 {
		n.err = cmp.Or(n.err, n.t.count(noBlock, n.open.encode(), n.some))
	}
	n.open = block{}
}

// places returns the position of each commit in the order of git log from the tip, from 1
// on; 0 is a commit that the tip does not reach.
func places(g *graph, tip uint32) []uint32 {
	place := make([]uint32, g.len())
	w := newWalk(g, tip, 0, 0)
	for at := uint32(1); ; at++ {
		n, more := w.next()
		if !more {
			return place
		}
		place[n] = at
	}
}

// countWord counts the occurrences of a text that are not parts of longer words.
func countWord(in []byte, text string) int {
	count := 0
	for from := 0; ; {
		at := bytes.Index(in[from:], []byte(text))
		if at < 0 {
			return count
		}
		at += from
		from = at + len(text)
		if at > 0 && source.IsIdentByte(in[at-1]) && source.IsIdentByte(text[0]) ||
			from < len(in) && source.IsIdentByte(in[from]) && source.IsIdentByte(text[len(text)-1]) {
			continue
		}
		count++
	}
}
