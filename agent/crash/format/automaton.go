package format

import (
	"encoding/binary"

	"git-agent/agent/source"
)

// An automaton finds whether a text contains one of many patterns, in one pass.
type automaton struct {
	class   [256]uint8 // classes of bytes that no pattern distinguishes
	classes int
	next    []uint16 // the next state for each state and class
}

// accepting is the state after a pattern was found. The start state is 0.
const accepting = 1

// maxStates limits the states of an automaton.
const maxStates = 1 << 14

// A patternState is a set of patterns, each with the number of bytes matched so far.
type patternState []struct{ pattern, seen uint16 }

// newAutomaton builds the automaton of the patterns. See marks for the meaning of their bytes.
func newAutomaton(patterns []string) *automaton {
	a := &automaton{}
	var sets [][]byteSet
	for _, p := range patterns {
		if p == "" {
			continue
		}
		var steps []byteSet
		for i := range len(p) {
			steps = append(steps, setOfMark(p[i]))
		}
		sets = append(sets, steps)
	}
	samples := a.classify(sets)
	a.build(sets, samples)
	return a
}

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 == 1 }

// setOfMark returns the bytes that match a byte of a pattern.
func setOfMark(m byte) byteSet {
	var s byteSet
	for i := range 256 {
		c := byte(i)
		digit := source.IsDigit(c)
		word := digit || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
		switch {
		case m == '%' && digit, m == '^' && !word, (m == ' ' || m == '~') && (c == ' ' || c == '\t'),
			m >= 'a' && m <= 'z' && c|0x20 == m && word,
			c == m && m != '%' && m != '^' && m != '~':
			s.add(c)
		}
	}
	return s
}

// classify assigns the same class to bytes that are in the same sets. It returns one byte of each
// class.
func (a *automaton) classify(sets [][]byteSet) (samples []byte) {
	distinct := map[byteSet]bool{}
	var all []byteSet
	for _, steps := range sets {
		for _, s := range steps {
			if !distinct[s] {
				distinct[s] = true
				all = append(all, s)
			}
		}
	}
	seen := map[string]uint8{}
	for i := range 256 {
		var key []byte
		for j := range all {
			if all[j].has(byte(i)) {
				key = binary.LittleEndian.AppendUint16(key, uint16(j))
			}
		}
		class, ok := seen[string(key)]
		if !ok {
			class = uint8(len(samples))
			seen[string(key)] = class
			samples = append(samples, byte(i))
		}
		a.class[i] = class
	}
	a.classes = len(samples)
	return samples
}

// build makes the states, which are the sets of partly matched patterns.
func (a *automaton) build(sets [][]byteSet, samples []byte) {
	index := map[string]uint16{"": 0}
	states := []patternState{nil, nil} // the start, and accepting
	for at := 0; at < len(states); at++ {
		for _, c := range samples {
			if at == accepting {
				a.next = append(a.next, accepting)
				continue
			}
			to, found := step(states[at], sets, c)
			if found {
				a.next = append(a.next, accepting)
				continue
			}
			key := to.key()
			id, ok := index[key]
			if !ok {
				if len(states) == maxStates {
					panic("format: the marks make too many states")
				}
				id = uint16(len(states))
				index[key] = id
				states = append(states, to)
			}
			a.next = append(a.next, id)
		}
	}
}

// step returns the state after a byte, and whether a pattern ended.
func step(from patternState, sets [][]byteSet, c byte) (to patternState, found bool) {
	for _, p := range from {
		if sets[p.pattern][p.seen].has(c) {
			p.seen++
			if int(p.seen) == len(sets[p.pattern]) {
				return nil, true
			}
			to = append(to, p)
		}
	}
	for i, steps := range sets {
		if steps[0].has(c) {
			if len(steps) == 1 {
				return nil, true
			}
			to = append(to, struct{ pattern, seen uint16 }{uint16(i), 1})
		}
	}
	return to, false
}

func (s patternState) key() string {
	var b []byte
	for _, p := range s {
		b = binary.LittleEndian.AppendUint16(b, p.pattern)
		b = binary.LittleEndian.AppendUint16(b, p.seen)
	}
	return string(b)
}

// Match reports whether a line contains a pattern. The automaton starts as after a line end.
func (a *automaton) Match(line []byte) bool {
	classes := a.classes
	state := int(a.next[int(a.class['\n'])])
	for _, c := range line {
		state = int(a.next[state*classes+int(a.class[c])])
		if state == accepting {
			return true
		}
	}
	return false
}
