package lineindex

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"

	"git-agent/cache"

	"golang.org/x/sync/errgroup"
)

// A question is a condition on records. Its answer is the same if the removed and the
// added lines of a record change places.
type question struct {
	anyOf   []string // a record without any of these texts does not count; nil is no condition
	changed func(r *record) verdict
}

// verdict is a record's answer about its commit.
type verdict byte

const (
	no    verdict = iota
	maybe         // git decides
	yes
)

func containsAny(texts []byte, any []string) bool {
	for _, s := range any {
		if bytes.Contains(texts, []byte(s)) {
			return true
		}
	}
	return len(any) == 0
}

// A search asks a question of the possible blocks when a walk reaches their commits: a
// search for the newest few commits unpacks few blocks. Blocks with copies of records in
// the possible blocks are asked after those blocks.
type search struct {
	x       *Index
	ask     question
	has     []bool              // by block: its texts may answer
	needs   map[uint32][]uint32 // by block with copies: the possible blocks with their originals
	blocks  []uint32            // the possible blocks, by number
	settled []bool              // of blocks: found has all their answers
	left    int                 // the number of unsettled blocks
	read    []bool              // by block: its own records were asked
	records map[recordID]verdict
	found   map[uint32]verdict
}

// ahead is the number of blocks unpacked together.
const ahead = 16

func (x *Index) newSearch(ctx context.Context, q question) (*search, error) {
	some, err := x.blocksWith(ctx, q.anyOf)
	s := &search{x: x, ask: q, has: make([]bool, x.Header.Blocks), read: make([]bool, x.Header.Blocks),
		records: map[recordID]verdict{}, found: map[uint32]verdict{}}
	for _, n := range some {
		s.has[n] = true
	}
	s.needs = x.copiersOf(s.has)
	for n := range s.has {
		if s.has[n] || s.needs[uint32(n)] != nil {
			s.blocks = append(s.blocks, uint32(n))
		}
	}
	s.settled, s.left = make([]bool, len(s.blocks)), len(s.blocks)
	return s, err
}

// verdict returns the answer of the lines of a commit.
func (s *search) verdict(ctx context.Context, commit uint32) (verdict, error) {
	if s.left > 0 {
		first, last := s.x.blocksOf(commit)
		from, _ := slices.BinarySearch(s.blocks, first)
		for i := from; i < len(s.blocks) && s.blocks[i] <= last; i++ {
			if !s.settled[i] {
				if err := s.settleBelow(ctx, i); err != nil {
					return no, err
				}
			}
		}
	}
	return s.found[commit], nil
}

// settleBelow settles the block at this index and some blocks before it, which the walk
// reaches next.
func (s *search) settleBelow(ctx context.Context, index int) error {
	var some []int
	for i := index; i >= 0 && len(some) < ahead; i-- {
		if !s.settled[i] {
			some = append(some, i)
		}
	}
	return s.settle(ctx, some)
}

// settleAll settles the remaining blocks.
func (s *search) settleAll(ctx context.Context) error {
	var some []int
	for i, done := range s.settled {
		if !done {
			some = append(some, i)
		}
	}
	return s.settle(ctx, some)
}

// settle asks the question of some blocks, and of the blocks with their originals.
func (s *search) settle(ctx context.Context, some []int) error {
	var own, copiers []uint32
	for _, i := range some {
		n := s.blocks[i]
		if s.has[n] {
			own = append(own, n)
		}
		own = append(own, s.needs[n]...)
	}
	slices.Sort(own)
	own = slices.DeleteFunc(slices.Compact(own), func(n uint32) bool { return s.read[n] })
	if err := s.scan(ctx, own, s.readRecords); err != nil {
		return err
	}
	for _, i := range some {
		if n := s.blocks[i]; slices.ContainsFunc(s.x.copies[n], func(id recordID) bool { return s.records[id] != no }) {
			copiers = append(copiers, n)
		}
	}
	if err := s.scan(ctx, copiers, s.readCopies); err != nil {
		return err
	}
	for _, n := range own {
		s.read[n] = true
	}
	for _, i := range some {
		s.settled[i] = true
	}
	s.left -= len(some)
	return nil
}

// hits are the answers of a block: for its commits, and for its records, which may be
// originals of copies in other blocks.
type hits struct {
	commits map[uint32]verdict
	records map[recordID]verdict
}

// scan reads blocks, several at a time, and collects their answers.
func (s *search) scan(ctx context.Context, blocks []uint32, read func(n uint32, heads, texts []byte) (hits, error)) error {
	all := make([]hits, len(blocks))
	err := s.x.eachBlock(ctx, blocks, func(at int, part cache.Part) error {
		data, err := part.Value()
		if err != nil {
			return err
		}
		heads, texts, err := splitBlock(data)
		if err == nil {
			all[at], err = read(blocks[at], heads, texts)
		}
		return err
	})
	for _, h := range all {
		for commit, v := range h.commits {
			s.found[commit] = max(s.found[commit], v)
		}
		maps.Copy(s.records, h.records)
	}
	return err
}

// readRecords asks the question of the records that have lines.
func (s *search) readRecords(n uint32, heads, texts []byte) (hits, error) {
	h := hits{map[uint32]verdict{}, map[recordID]verdict{}}
	if !containsAny(texts, s.ask.anyOf) {
		return h, nil
	}
	err := eachRecord(heads, texts, func(number uint32, r *record) {
		if r.flags&isCopy != 0 {
			return
		}
		if v := s.ask.changed(r); v != no {
			h.commits[r.commit] = max(h.commits[r.commit], v)
			if r.size() >= minCopied {
				h.records[recordID{n, number}] = v
			}
		}
	})
	return h, err
}

// readCopies gives the copies in a block the answers of their originals. It reads only
// the collected answers of other blocks.
func (s *search) readCopies(_ uint32, heads, texts []byte) (hits, error) {
	h := hits{commits: map[uint32]verdict{}}
	err := eachRecord(heads, texts, func(_ uint32, r *record) {
		if r.flags&isCopy == 0 {
			return
		}
		if v := s.records[r.from]; v != no {
			h.commits[r.commit] = max(h.commits[r.commit], v)
		}
	})
	return h, err
}

// eachBlock reads blocks in their order and calls do with each block and its index in the
// list, several at a time. It returns the first error, or that of ctx.
func (x *Index) eachBlock(ctx context.Context, blocks []uint32, do func(at int, part cache.Part) error) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for at, n := range blocks {
		part, err := x.store.Read(within, cache.PartKey{Kind: kindBlock, Num: n})
		group.Go(func() error {
			if err != nil {
				return err
			}
			return do(at, part)
		})
		if within.Err() != nil {
			break
		}
	}
	return cmp.Or(group.Wait(), ctx.Err())
}

// blocksWith returns the blocks that may have one of the texts, by their signatures.
func (x *Index) blocksWith(ctx context.Context, anyOf []string) ([]uint32, error) {
	possible := make([]bool, x.Header.Blocks)
	if len(anyOf) == 0 {
		anyOf = []string{""}
	}
	for _, text := range anyOf {
		bits := gramsOf(text)
		if len(bits) == 0 {
			return allBlocks(x.Header.Blocks), nil
		}
		if err := x.markSegments(ctx, bits, possible); err != nil {
			return nil, err
		}
		if err := x.markTails(ctx, bits, possible); err != nil {
			return nil, err
		}
	}
	var blocks []uint32
	for n, is := range possible {
		if is {
			blocks = append(blocks, uint32(n))
		}
	}
	return blocks, nil
}

func allBlocks(count int) []uint32 {
	all := make([]uint32, count)
	for n := range all {
		all[n] = uint32(n)
	}
	return all
}

// markSegments marks the blocks of segments that have all bits.
func (x *Index) markSegments(ctx context.Context, bits []uint32, possible []bool) error {
	for segment := range x.Header.Segments {
		var rows [][]byte
		var piece []byte
		last := uint32(segmentPieces)
		for _, h := range bits { // sorted, so each piece is read once
			if at := h / pieceRows; at != last {
				var err error
				piece, err = x.store.Get(ctx, cache.PartKey{Kind: kindSegment, Num: uint32(segment*segmentPieces) + at})
				if err != nil {
					return err
				}
				if len(piece) != pieceRows*rowBytes {
					return errBlock
				}
				last = at
			}
			row := int(h%pieceRows) * rowBytes
			rows = append(rows, piece[row:row+rowBytes])
		}
		for _, n := range blocksOfRows(rows) {
			possible[segment*segmentBlocks+n] = true
		}
	}
	return nil
}

// markTails marks the blocks after the segments whose signatures have all bits.
func (x *Index) markTails(ctx context.Context, bits []uint32, possible []bool) error {
	for n := x.Header.Segments * segmentBlocks; n < x.Header.Blocks; n++ {
		sig, err := x.store.Get(ctx, cache.PartKey{Kind: kindSignature, Num: uint32(n)})
		if err != nil {
			return err
		}
		if len(sig) != sigBytes {
			return errBlock
		}
		possible[n] = possible[n] || hasGrams(sig, bits)
	}
	return nil
}

// changesCount returns the question whether a record changes the count of a text.
func changesCount(text string) question {
	needle, exact := []byte(text), inRuns(text)
	return question{anyOf: []string{text}, changed: func(r *record) verdict {
		if r.flags&isPartial != 0 || r.flags&isBinary != 0 && !exact {
			return maybe
		}
		if bytes.Count(r.added, needle) != bytes.Count(r.removed, needle) {
			return yes
		}
		return no
	}}
}
