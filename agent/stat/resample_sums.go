package stat

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
)

// ResampleSums calls use with the sum of the rows of each bootstrap sample. The samples are the
// same as in Resample. The sum is valid only until use returns. Shorter rows count as if they
// ended with zeros.
//
// Millions of cases have few different rows. If all numbers are whole, a sum does not depend on
// the order of its terms, so it is enough to count how often a sample picks each different row.
func ResampleSums[Row ~[]float64](rows []Row, use func(sum Row)) {
	if len(rows) < 2 {
		return
	}
	t := newRowTable(rows)
	add := t.addInOrder
	if t.whole(len(rows)) {
		add = t.addCounted
	}
	sum := make(Row, t.width)
	d := newDraws(len(rows))
	for range Resamples {
		clear(sum)
		add(d, sum)
		use(sum)
	}
}

// rowTable holds the different rows of a list, and for each entry of the list the index of its
// row.
type rowTable struct {
	width  int
	flat   []float64 // the different rows, one after the other
	kinds  []uint32  // index of the row by entry of the list
	few    []uint16  // kinds, if they fit: reads are random, so a small array fits better into the processor's caches
	counts []uint32  // how often a sample picks each row
}

func newRowTable[Row ~[]float64](rows []Row) *rowTable {
	t := &rowTable{kinds: make([]uint32, len(rows))}
	for _, row := range rows {
		t.width = max(t.width, len(row))
	}
	kindOf := map[string]uint32{}
	wide := make([]float64, t.width)
	key := make([]byte, 0, 8*t.width)
	for i, row := range rows {
		clear(wide[copy(wide, row):])
		key = key[:0]
		for _, x := range wide {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
		}
		kind, ok := kindOf[string(key)]
		if !ok {
			kind = uint32(len(kindOf))
			kindOf[string(key)] = kind
			t.flat = append(t.flat, wide...)
		}
		t.kinds[i] = kind
	}
	t.counts = make([]uint32, len(kindOf))
	if len(kindOf) <= 1<<16 {
		t.few = make([]uint16, len(rows))
		for i, kind := range t.kinds {
			t.few[i] = uint16(kind)
		}
	}
	return t
}

// whole reports whether all numbers are whole and so small that the sum of n of them is exact in
// any order.
func (t *rowTable) whole(n int) bool {
	const exact = 1 << 53
	for _, x := range t.flat {
		if x != math.Trunc(x) || !(math.Abs(x) <= float64(exact/n)) {
			return false
		}
	}
	return true
}

// addCounted adds the rows of a sample to sum.
func (t *rowTable) addCounted(d *draws, sum []float64) {
	clear(t.counts)
	for pick := range d.sample() {
		if t.few != nil {
			count(t.counts, t.few, pick)
		} else {
			count(t.counts, t.kinds, pick)
		}
	}
	for kind, n := range t.counts {
		if n == 0 {
			continue
		}
		for j, x := range t.row(kind) {
			sum[j] += float64(n) * x
		}
	}
}

// count counts the picked entries by kind.
func count[Kind uint16 | uint32](counts []uint32, kinds []Kind, pick []uint32) {
	for _, i := range pick {
		counts[kinds[i]]++
	}
}

// addInOrder adds the rows of a sample to sum in the order of the picks.
func (t *rowTable) addInOrder(d *draws, sum []float64) {
	for pick := range d.sample() {
		for _, i := range pick {
			for j, x := range t.row(int(t.kinds[i])) {
				sum[j] += x
			}
		}
	}
}

func (t *rowTable) row(kind int) []float64 { return t.flat[kind*t.width : (kind+1)*t.width] }

// draws makes the bootstrap samples of n cases.
type draws struct {
	source *rand.PCG
	n      uint64
	some   [1024]uint32
}

func newDraws(n int) *draws {
	return &draws{source: rand.NewPCG(Seed, uint64(n)), n: uint64(n)}
}

// sample yields the indices of the next sample in slices. A slice is valid until the next one is
// yielded.
func (d *draws) sample() func(yield func(pick []uint32) bool) {
	return func(yield func(pick []uint32) bool) {
		for left := int(d.n); left > 0; left -= len(d.some) {
			pick := d.some[:min(left, len(d.some))]
			d.fill(pick)
			if !yield(pick) {
				return
			}
		}
	}
}

// fill draws the next indices. They equal those of rand.Rand.IntN, but fill takes half the time,
// because it does not call the source through an interface.
func (d *draws) fill(pick []uint32) {
	n := d.n
	if n&(n-1) == 0 {
		for i := range pick {
			pick[i] = uint32(d.source.Uint64() & (n - 1))
		}
		return
	}
	unfair := -n % n // below this, a number would be drawn more often than others
	for i := range pick {
		high, low := bits.Mul64(d.source.Uint64(), n)
		for low < unfair {
			high, low = bits.Mul64(d.source.Uint64(), n)
		}
		pick[i] = uint32(high)
	}
}
