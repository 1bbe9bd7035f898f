package lineindex

import (
	"bytes"
	"slices"
)

// A signature is a set of the sequences of gramSize bytes in the lines of a block: each
// sequence is hashed to one of sigBits bits. In a block of 256 KB of source code about a
// third of the bits are set, so a text of 15 bytes seems to be in one wrong block of
// 100,000.
const (
	gramSize = 5
	sigShift = 17
	sigBits  = 1 << sigShift
	sigBytes = sigBits / 8
)

// hashGram returns the bit of the sequence whose bytes are the low 40 bits of v.
func hashGram(v uint64) uint32 { return uint32(v * 0x9e3779b97f4a7c15 >> (64 - sigShift)) }

const gramMask = 1<<(8*gramSize) - 1

// signatureOf returns the signature of the lines in texts.
func signatureOf(texts []byte) []byte {
	sig := make([]byte, sigBytes)
	var v uint64
	run := 0
	for _, c := range texts {
		if c == '\n' {
			run = 0
			continue
		}
		v = (v<<8 | uint64(c)) & gramMask
		if run++; run >= gramSize {
			h := hashGram(v)
			sig[h>>3] |= 1 << (h & 7)
		}
	}
	return sig
}

// maxGrams is the largest number of sequences looked up for a text.
const maxGrams = 24

// gramsOf returns the bits that the signature of every block with the text has; none for
// a short text. For a long text it returns an even selection of maxGrams bits.
func gramsOf(text string) []uint32 {
	var bits []uint32
	var v uint64
	for i := range len(text) {
		v = (v<<8 | uint64(text[i])) & gramMask
		if i >= gramSize-1 {
			bits = append(bits, hashGram(v))
		}
	}
	slices.Sort(bits)
	bits = slices.Compact(bits)
	if len(bits) <= maxGrams {
		return bits
	}
	some := make([]uint32, 0, maxGrams)
	for i := range maxGrams {
		some = append(some, bits[i*len(bits)/maxGrams])
	}
	return some
}

// hasGrams reports whether the signature has all bits.
func hasGrams(sig []byte, bits []uint32) bool {
	for _, h := range bits {
		if sig[h>>3]&(1<<(h&7)) == 0 {
			return false
		}
	}
	return true
}

// The signatures of segmentBlocks blocks make a segment: each bit has a row that lists
// the blocks with this bit. So a search reads a few rows instead of all signatures. A
// segment is stored in pieces of consecutive rows.
const (
	segmentBlocks = 256
	rowBytes      = segmentBlocks / 8
	pieceRows     = 2048
	segmentPieces = sigBits / pieceRows
)

// transpose returns the pieces of the segment for these signatures.
func transpose(sigs [][]byte) [][]byte {
	rows := make([]byte, sigBits*rowBytes)
	for n, sig := range sigs {
		at, mask := n>>3, byte(1)<<(n&7)
		for i, c := range sig {
			if c == 0 {
				continue
			}
			for bit := range 8 {
				if c&(1<<bit) != 0 {
					rows[(i*8+bit)*rowBytes+at] |= mask
				}
			}
		}
	}
	return slices.Collect(slices.Chunk(rows, pieceRows*rowBytes))
}

// blocksOfRows returns the blocks of a segment that are in all rows.
func blocksOfRows(rows [][]byte) []int {
	all := bytes.Repeat([]byte{0xff}, rowBytes)
	for _, row := range rows {
		for i := range all {
			all[i] &= row[i]
		}
	}
	var blocks []int
	for n := range segmentBlocks {
		if all[n>>3]&(1<<(n&7)) != 0 {
			blocks = append(blocks, n)
		}
	}
	return blocks
}
