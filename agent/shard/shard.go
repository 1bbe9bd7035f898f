// Package shard divides work among machines that share only a folder. It assigns cases to shards,
// stores the results of a shard in a plain file, its journal, and joins the journals of all
// shards.
//
// The package promises:
//   - The assignment depends only on the cases, not on their order, the machine or the
//     time. The shards differ by one case at most, and at most two of the repositories
//     of a shard are in other shards, too.
//   - An entry is on disk before Append returns. A journal that was cut off at any byte,
//     or has damaged lines, still yields all other entries.
//   - No locks are taken, so a journal can be on a network file system. If two
//     processes write to one journal by mistake and overwrite each other's entries,
//     checksums reveal the missing entries.
//   - Join returns a set only if each case was assigned to exactly one journal and
//     answered there, by one build with one set of options. Otherwise it lists the
//     problems.
//
// The caller defines the meaning of an entry.
package shard

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Shard is one part of the work. Shards count from 1.
type Shard struct{ Index, Of int }

// Whole is the only shard of undivided work.
var Whole = Shard{1, 1}

// maxShards limits the number of shards. It is more than a scheduler takes, and small enough that
// no product with a number of cases overflows.
const maxShards = 1_000_000

// Parse reads a shard in the form I/N, with I from 1 to N.
func Parse(s string) (Shard, error) {
	before, after, found := strings.Cut(s, "/")
	index, err := number(before)
	of, err2 := number(after)
	switch {
	case !found || err != nil || err2 != nil:
		return Shard{}, fmt.Errorf("a shard is <i>/<n>, such as 3/8, not %q", s)
	case of == 0 || of > maxShards:
		return Shard{}, fmt.Errorf("the number of shards is from 1 to %d, not %d", maxShards, of)
	case index == 0:
		return Shard{}, fmt.Errorf(
			"shards are counted from 1, so the first of %d is 1/%d and the last %d/%d; add 1 to an index that counts from 0",
			of,
			of,
			of,
			of,
		)
	case index > of:
		return Shard{}, fmt.Errorf("there is no shard %d of %d; the last is %d/%d", index, of, of, of)
	}
	return Shard{index, of}, nil
}

// number reads decimal digits only. strconv would accept signs.
func number(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Item is a case to assign. Items of one group are kept together.
type Item struct {
	Group string // the repository, whose caches and indexes serve all of its items
	ID    string // unique within the group
}

// Deal returns the indices of the items that belong to the shard, in ascending order.
//
// The items are sorted by group and, within a group, by a hash of their IDs, and cut into
// ranges of equal length. A hash of each item alone would not depend on the other items,
// but would send every repository to every machine.
func (s Shard) Deal(items []Item) []int {
	order := Order(items)
	n := len(items)
	own := slices.Clone(order[n*(s.Index-1)/s.Of : n*s.Index/s.Of])
	slices.Sort(own)
	return own
}

// Order returns the indices of the items in the order of assignment. The order of the input does
// not matter.
func Order(items []Item) []int {
	sums := make([][16]byte, len(items))
	order := make([]int, len(items))
	for i, item := range items {
		sum := sha256.Sum256([]byte(item.ID))
		copy(sums[i][:], sum[:])
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(items[a].Group, items[b].Group),
			slices.Compare(sums[a][:], sums[b][:]),
			cmp.Compare(items[a].ID, items[b].ID))
	})
	return order
}

// Digest computes a hash of a list of texts, to check whether two machines read the same.
type Digest struct{ sum [sha256.Size]byte }

// Add adds the next text of the list.
func (d *Digest) Add(text []byte) {
	h := sha256.New()
	h.Write(d.sum[:])
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
	h.Write(text)
	h.Sum(d.sum[:0])
}

// String returns the hash of the texts so far.
func (d *Digest) String() string { return hex.EncodeToString(d.sum[:16]) }
