package history

import (
	"bytes"
	"slices"
)

// splitLines splits a text into its lines, without line breaks.
func splitLines(text []byte) [][]byte {
	if len(text) == 0 {
		return [][]byte{}
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// mapBack returns for each line of a new text its number in the old text, from 1, or 0 for a
// new line. Space around a line does not count, as in blame -w.
//
// It is a patience diff: it first matches the common lines at both ends, then the longest
// sequence of lines that occur once in each text, in the same order, and repeats this between
// the matched lines. Ambiguous lines stay unmatched.
func mapBack(old, text [][]byte) []int {
	m := matcher{old: trimmed(old), text: trimmed(text), to: make([]int, len(text))}
	m.match(0, len(old), 0, len(text), 0)
	return m.to
}

func trimmed(lines [][]byte) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = string(bytes.TrimSpace(l))
	}
	return out
}

// A matcher matches lines, counted from 0. The numbers in to are counted from 1.
type matcher struct {
	old, text []string
	to        []int
}

const maxMatchDepth = 100

// match matches old[a:b] with text[c:d].
func (m *matcher) match(a, b, c, d, depth int) {
	for a < b && c < d && m.old[a] == m.text[c] {
		m.to[c] = a + 1
		a, c = a+1, c+1
	}
	for a < b && c < d && m.old[b-1] == m.text[d-1] {
		m.to[d-1] = b
		b, d = b-1, d-1
	}
	if a == b || c == d || depth == maxMatchDepth {
		return
	}
	anchors := m.anchors(a, b, c, d)
	if len(anchors) == 0 {
		return
	}
	for _, p := range anchors {
		m.to[p.text] = p.old + 1
		m.match(a, p.old, c, p.text, depth+1)
		a, c = p.old+1, p.text+1
	}
	m.match(a, b, c, d, depth+1)
}

type anchor struct{ old, text int }

// anchors returns the longest sequence of lines that occur once in old[a:b] and once in
// text[c:d], ascending in both.
func (m *matcher) anchors(a, b, c, d int) []anchor {
	type count struct{ old, text, at int }
	seen := map[string]count{}
	for i := a; i < b; i++ {
		n := seen[m.old[i]]
		seen[m.old[i]] = count{old: n.old + 1, at: i}
	}
	for i := c; i < d; i++ {
		n := seen[m.text[i]]
		n.text++
		seen[m.text[i]] = n
	}
	var all []anchor
	for i := c; i < d; i++ {
		if n := seen[m.text[i]]; n.old == 1 && n.text == 1 {
			all = append(all, anchor{n.at, i})
		}
	}
	return ascending(all)
}

// ascending returns the longest part of a list that ascends in old. The list itself ascends in
// text.
func ascending(all []anchor) []anchor {
	var last []int // for each length, the index of the smallest end of a sequence
	before := make([]int, len(all))
	for i, p := range all {
		n, _ := slices.BinarySearchFunc(last, p.old, func(at, old int) int { return all[at].old - old })
		before[i] = -1
		if n > 0 {
			before[i] = last[n-1]
		}
		if n == len(last) {
			last = append(last, i)
		} else {
			last[n] = i
		}
	}
	if len(last) == 0 {
		return nil
	}
	var out []anchor
	for i := last[len(last)-1]; i >= 0; i = before[i] {
		out = append(out, all[i])
	}
	slices.Reverse(out)
	return out
}
