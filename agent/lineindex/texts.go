package lineindex

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"git-agent/cache"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// mostBlocks is in how many blocks a text may be, by their signatures, to be looked for:
// who asks for many texts wants those that tell commits apart.
const mostBlocks = 64

// TextChanges lists for each of the texts the commits that the tip reaches and that change
// lines in which it occurs as a word, newest first. A text that occurs almost
// everywhere is Common and has no changes. Commits that the index lacks, or whose lines
// are not stored, are not listed.
func (x *Index) TextChanges(ctx context.Context, tip gitext.OID, texts []string) ([]gitext.TextHistory, error) {
	list := make([]gitext.TextHistory, len(texts))
	wanted := map[uint32][]int{} // the texts by block
	for i, text := range texts {
		list[i].Text = text
		if len(text) < gramSize {
			list[i].Common = true
			continue
		}
		blocks, err := x.blocksWith(ctx, []string{text})
		if err != nil {
			return nil, err
		}
		if len(blocks) > mostBlocks {
			list[i].Common = true
			continue
		}
		for _, n := range blocks {
			wanted[n] = append(wanted[n], i)
		}
	}
	if len(wanted) == 0 {
		return list, nil
	}
	number, g, err := x.reach(ctx, tip)
	if err != nil {
		return nil, err
	}
	place := x.places(g, number)
	var adding sync.Mutex
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n, some := range wanted {
		part, err := x.store.Read(within, cache.PartKey{Kind: kindBlock, Num: n})
		group.Go(func() error {
			if err != nil {
				return err
			}
			return x.countTexts(part, texts, some, func(i int, r *record, removed, added int) {
				if place[r.commit] == 0 {
					return
				}
				adding.Lock()
				defer adding.Unlock()
				list[i].Changes = append(list[i].Changes, gitext.TextChange{
					OID: x.graph.oid(r.commit), Path: string(r.path), OldPath: cmp.Or(string(r.old), string(r.path)),
					Removed: removed, Added: added, Place: int(place[r.commit]),
				})
			})
		})
	}
	if err := cmp.Or(group.Wait(), ctx.Err()); err != nil {
		return nil, err
	}
	for i := range list {
		slices.SortFunc(list[i].Changes, func(a, b gitext.TextChange) int {
			return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Path, b.Path))
		})
	}
	return list, nil
}

// places returns the place of each commit of the index in the order of git log from the
// tip, from 1 on; 0 is a commit that the tip does not reach.
func (x *Index) places(g *graph, tip uint32) []uint32 {
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

// countTexts calls take for each record of a block that has one of some texts as a word.
func (x *Index) countTexts(part cache.Part, texts []string, some []int, take func(i int, r *record, removed, added int)) error {
	data, err := part.Value()
	if err != nil {
		return err
	}
	heads, all, err := splitBlock(data)
	if err != nil {
		return err
	}
	some = slices.DeleteFunc(slices.Clone(some), func(i int) bool { return !bytes.Contains(all, []byte(texts[i])) })
	if len(some) == 0 {
		return nil
	}
	return eachRecord(heads, all, func(r *record) {
		for _, i := range some {
			if removed, added := countWord(r.removed, texts[i]), countWord(r.added, texts[i]); removed+added > 0 {
				take(i, r, removed, added)
			}
		}
	})
}

// countWord counts the occurrences of a text that are no parts of longer words.
func countWord(in []byte, text string) int {
	count := 0
	for from := 0; ; {
		at := bytes.Index(in[from:], []byte(text))
		if at < 0 {
			return count
		}
		at += from
		from = at + len(text)
		if at > 0 && wordByte(in[at-1]) && wordByte(text[0]) || from < len(in) && wordByte(in[from]) && wordByte(text[len(text)-1]) {
			continue
		}
		count++
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
