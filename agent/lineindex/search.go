package lineindex

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"git-agent/cache"

	"golang.org/x/sync/errgroup"
)

// A question is what a search asks of the records.
type question struct {
	anyOf   []string // a record without one of these texts does not count; none is no condition
	changed func(r *record) verdict
}

// verdict is what a record says about its commit.
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

// A search asks a question of the blocks that may answer it, when a walk comes to their
// commits: who wants the newest few commits has few blocks unpacked.
type search struct {
	x       *Index
	ask     question
	blocks  []uint32 // that may answer, by number
	scanned []bool   // of blocks
	left    int      // how many of blocks are not scanned
	found   map[uint32]verdict
}

// ahead is how many blocks are unpacked together.
const ahead = 16

func (x *Index) newSearch(ctx context.Context, q question) (*search, error) {
	blocks, err := x.blocksWith(ctx, q.anyOf)
	return &search{x: x, ask: q, blocks: blocks, scanned: make([]bool, len(blocks)), left: len(blocks), found: map[uint32]verdict{}}, err
}

// verdict returns what the lines of a commit say.
func (s *search) verdict(ctx context.Context, commit uint32) (verdict, error) {
	if s.left > 0 {
		first, last := s.x.blocksOf(commit)
		from, _ := slices.BinarySearch(s.blocks, first)
		for i := from; i < len(s.blocks) && s.blocks[i] <= last; i++ {
			if !s.scanned[i] {
				if err := s.scanBelow(ctx, i); err != nil {
					return no, err
				}
			}
		}
	}
	return s.found[commit], nil
}

// scanBelow scans the block of this index and some before it, which the walk will come
// to next.
func (s *search) scanBelow(ctx context.Context, index int) error {
	var some []int
	for i := index; i >= 0 && len(some) < ahead; i-- {
		if !s.scanned[i] {
			some = append(some, i)
		}
	}
	return s.scan(ctx, some)
}

// scanAll scans the blocks that are left.
func (s *search) scanAll(ctx context.Context) error {
	var some []int
	for i, done := range s.scanned {
		if !done {
			some = append(some, i)
		}
	}
	return s.scan(ctx, some)
}

// scan asks the question of some of the blocks, several at a time.
func (s *search) scan(ctx context.Context, some []int) error {
	numbers := make([]uint32, len(some))
	for n, i := range some {
		numbers[n] = s.blocks[i]
	}
	var adding sync.Mutex
	return s.x.eachBlock(ctx, numbers, func(n int, part cache.Part) error {
		hits, err := s.look(part)
		adding.Lock()
		defer adding.Unlock()
		for commit, v := range hits {
			s.found[commit] = max(s.found[commit], v)
		}
		s.scanned[some[n]] = true
		s.left--
		return err
	})
}

// eachBlock reads blocks in their order and calls do with each, and with its place in the
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

// look asks the question of one block.
func (s *search) look(part cache.Part) (map[uint32]verdict, error) {
	data, err := part.Value()
	if err != nil {
		return nil, err
	}
	heads, texts, err := splitBlock(data)
	if err != nil || !containsAny(texts, s.ask.anyOf) {
		return nil, err
	}
	hits := map[uint32]verdict{}
	err = eachRecord(heads, texts, func(r *record) {
		if v := s.ask.changed(r); v != no {
			hits[r.commit] = max(hits[r.commit], v)
		}
	})
	return hits, err
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

// markSegments marks the blocks whose rows have all bits.
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

// markTails marks the blocks behind the segments whose signatures have all bits.
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

// changesCount returns the question whether the count of a text changes.
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
