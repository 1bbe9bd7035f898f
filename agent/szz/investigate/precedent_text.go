package investigate

import (
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file compares lines for the check of a claim.

// renames counts, for each pair of an old and a new name, the lines of a commit in which
// only names differ and the new name replaces the old one.
type renames map[[2]string]int

// renameLines is the least number of lines in which a name replaces another and so counts
// as its new name.
const renameLines = 4

// renamesOf counts the renames in a patch. It compares the lines of each change with as
// many new lines as old ones, one by one.
func renamesOf(p *gitext.Patch) renames {
	count := renames{}
	for i := range p.Files {
		for _, r := range candidate.ChangesOf(i, &p.Files[i]) {
			if len(r.Removed) != len(r.Added) {
				continue
			}
			for j := range r.Removed {
				for _, pair := range replaced(lexemes(r.Removed[j].Text), lexemes(r.Added[j].Text)) {
					count[pair]++
				}
			}
		}
	}
	return count
}

// replaced lists the names of old that differ in now, each with its new name, each pair
// once. It returns nil if more than names differs.
func replaced(old, now []string) [][2]string {
	if len(old) != len(now) {
		return nil
	}
	var pairs [][2]string
	for i := range old {
		if old[i] == now[i] {
			continue
		}
		pair := [2]string{old[i], now[i]}
		if !source.IsIdentByte(old[i][0]) || !source.IsIdentByte(now[i][0]) {
			return nil
		}
		if !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// explain reports whether a line became another by renaming alone.
func (n renames) explain(old, now []string) bool {
	pairs := replaced(old, now)
	for _, p := range pairs {
		if n[p] < renameLines {
			return false
		}
	}
	return len(pairs) > 0
}

// holdsAll reports whether tokens has all pieces.
func holdsAll(tokens []string, pieces [][]string) bool {
	for _, p := range pieces {
		if !holds(tokens, p) {
			return false
		}
	}
	return true
}

// changes lists the pieces of old that are missing in now, and the places in old where
// now has additional tokens, each with one token of old on both sides.
func changes(old, now []string) [][]string {
	var pieces [][]string
	i, j := 0, 0
	for _, m := range append(commonTokens(old, now), [2]int{len(old), len(now)}) {
		switch {
		case m[0] > i:
			pieces = append(pieces, old[max(0, i-1):min(len(old), m[0]+1)])
		case m[1] > j:
			pieces = append(pieces, old[max(0, i-1):min(len(old), i+1)])
		}
		i, j = m[0]+1, m[1]+1
	}
	return pieces
}

// commonTokens returns a longest common subsequence, as pairs of places.
func commonTokens(x, y []string) [][2]int {
	n := make([][]int, len(x)+1)
	n[len(x)] = make([]int, len(y)+1)
	for i := len(x) - 1; i >= 0; i-- {
		n[i] = make([]int, len(y)+1)
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case n[i+1][j] >= n[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// lexemes cuts a line into names, numbers and single signs. It reads only the beginning
// of a very long line.
func lexemes(line []byte) []string {
	const most = 120
	var out []string
	for i := 0; i < len(line) && len(out) < most; {
		j := i
		for j < len(line) && source.IsIdentByte(line[j]) {
			j++
		}
		if j == i {
			j++
		}
		if s := string(line[i:j]); strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
		i = j
	}
	return out
}

// dice returns the share of common tokens of two lines by Dice's definition: 0 to 1.
func dice(x, y []string) float64 {
	if len(x)+len(y) == 0 {
		return 0
	}
	count := map[string]int{}
	for _, t := range x {
		count[t]++
	}
	shared := 0
	for _, t := range y {
		if count[t] > 0 {
			count[t]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(x)+len(y))
}

// holds reports whether piece is in tokens, without a gap.
func holds(tokens, piece []string) bool {
	for i := 0; i+len(piece) <= len(tokens); i++ {
		if slices.Equal(tokens[i:i+len(piece)], piece) {
			return true
		}
	}
	return false
}
