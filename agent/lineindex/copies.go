package lineindex

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"

	"git-agent/cache"
)

// Histories repeat themselves: a tag in the form of a folder adds a whole tree again, a
// commit is picked to another branch, an added file is deleted. If an earlier record has
// the same lines, they are not stored again: a copy names that record, its original.
// Every question to a record has the same answer if the removed and the added lines
// change places, so restored lines are a copy, too.

// minCopied is the smallest size of lines that may become a copy, in bytes: a copy and
// the entry of its original take space, too. Tests change it.
var minCopied = 1 << 10

// mostOriginals bounds the number of originals, because each takes 56 bytes of memory
// during a build.
const mostOriginals = 4 << 20

// A recordID names a record: its block, and its number in the block.
type recordID struct{ block, number uint32 }

func (a recordID) compare(b recordID) int {
	return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.number, b.number))
}

// linesSum identifies lines, in either direction of the change.
type linesSum [16]byte

// sumOf returns the sum of the stored lines of a record. reversed tells the two
// directions apart.
func sumOf(flags byte, removed, added []byte) (sum linesSum, reversed bool) {
	one, other := sha256.Sum256(removed), sha256.Sum256(added)
	if reversed = bytes.Compare(one[:], other[:]) > 0; reversed {
		one, other = other, one
	}
	both := append(append([]byte{flags}, one[:]...), other[:]...)
	all := sha256.Sum256(both)
	return linesSum(all[:len(sum)]), reversed
}

// An original is a record that copies may name.
type original struct {
	sum      linesSum
	at       recordID
	reversed bool
}

// originals are the records that copies may name, in the order of their blocks.
type originals struct {
	list  []original
	bySum map[linesSum]uint32 // the index in list
	saved int                 // the number of permanently stored elements of list
}

// find returns the original that has the lines, nil if there is none.
func (o *originals) find(sum linesSum) *original {
	if at, ok := o.bySum[sum]; ok {
		return &o.list[at]
	}
	return nil
}

func (o *originals) add(one original) {
	if len(o.list) >= mostOriginals {
		return
	}
	if o.bySum == nil {
		o.bySum = map[linesSum]uint32{}
	}
	o.bySum[one.sum] = uint32(len(o.list))
	o.list = append(o.list, one)
}

const (
	originalsPart = 4096 // originals of one part
	originalBytes = len(linesSum{}) + 9
)

// parts packs the originals that are not yet stored permanently.
func (o *originals) parts(pack func(cache.PartKey, []byte) cache.Part) []cache.Part {
	var parts []cache.Part
	first := o.saved / originalsPart * originalsPart
	for ; first < len(o.list); first += originalsPart {
		var out []byte
		for _, one := range o.list[first:min(first+originalsPart, len(o.list))] {
			out = append(out, one.sum[:]...)
			out = binary.BigEndian.AppendUint32(out, one.at.block)
			out = binary.BigEndian.AppendUint32(out, one.at.number)
			if one.reversed {
				out = append(out, 1)
			} else {
				out = append(out, 0)
			}
		}
		parts = append(parts, pack(cache.PartKey{Kind: kindOriginals, Num: uint32(first / originalsPart)}, out))
	}
	o.saved = len(o.list)
	return parts
}

// readOriginals reads the originals stored by a build.
func readOriginals(ctx context.Context, from getter, count int) (originals, error) {
	var o originals
	for n := uint32(0); len(o.list) < count; n++ {
		data, err := from.Get(ctx, cache.PartKey{Kind: kindOriginals, Num: n})
		if err != nil {
			return o, err
		}
		if len(data) == 0 || len(data)%originalBytes != 0 {
			return o, errBlock
		}
		for one := range slices.Chunk(data, originalBytes) {
			rest := one[len(linesSum{}):]
			o.add(original{sum: linesSum(one), reversed: rest[8] != 0,
				at: recordID{binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])}})
		}
	}
	if len(o.list) != count {
		return o, errBlock
	}
	o.saved = len(o.list)
	return o, nil
}

// encodeCopies encodes the originals of the copies in each block of a segment.
func encodeCopies(blocks [][]recordID) []byte {
	var out []byte
	for _, names := range blocks {
		names = slices.Clone(names)
		slices.SortFunc(names, recordID.compare)
		names = slices.Compact(names)
		out = binary.AppendUvarint(out, uint64(len(names)))
		var last recordID
		for _, id := range names {
			if id.block != last.block {
				last.number = 0
			}
			out = binary.AppendUvarint(out, uint64(id.block-last.block))
			out = binary.AppendUvarint(out, uint64(id.number-last.number))
			last = id
		}
	}
	return out
}

// decodeCopies reads the output of encodeCopies.
func decodeCopies(data []byte) ([][]recordID, error) {
	var blocks [][]recordID
	for len(data) > 0 {
		count, ok := number(&data)
		if !ok || count > uint64(len(data)) {
			return nil, errBlock
		}
		var names []recordID
		var last recordID
		for range count {
			block, ok1 := number(&data)
			record, ok2 := number(&data)
			if !ok1 || !ok2 {
				return nil, errBlock
			}
			if block != 0 {
				last.number = 0
			}
			last = recordID{last.block + uint32(block), last.number + uint32(record)}
			names = append(names, last)
		}
		blocks = append(blocks, names)
	}
	return blocks, nil
}

// readCopies reads the originals of the copies in each block, from a segment on.
func readCopies(ctx context.Context, from getter, h Header, segment int) ([][]recordID, error) {
	var blocks [][]recordID
	for ; segment*segmentBlocks < h.Blocks; segment++ {
		data, err := from.Get(ctx, cache.PartKey{Kind: kindCopies, Num: uint32(segment)})
		if errors.Is(err, fs.ErrNotExist) {
			err = errBlock
		}
		var some [][]recordID
		if err == nil {
			some, err = decodeCopies(data)
		}
		if err == nil && len(some) != min(h.Blocks-segment*segmentBlocks, segmentBlocks) {
			err = errBlock
		}
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, some...)
	}
	return blocks, nil
}

// copiersOf lists the blocks with copies of records in the given blocks. Each listed
// block has the numbers of the given blocks that it needs.
func (x *Index) copiersOf(has []bool) map[uint32][]uint32 {
	list := map[uint32][]uint32{}
	for n, names := range x.copies {
		for i, id := range names { // sorted
			if i > 0 && names[i-1].block == id.block {
				continue
			}
			if int(id.block) < len(has) && has[id.block] && id.block != uint32(n) {
				list[uint32(n)] = append(list[uint32(n)], id.block)
			}
		}
	}
	return list
}
