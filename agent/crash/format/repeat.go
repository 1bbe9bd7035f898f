package format

import "git-agent/agent/source"

// A deep recursion prints a million frames, and only the first are kept. Matching each of them
// with the patterns of all formats takes many times as long as reading the lines. So once a stack
// is full, lines that look like earlier frames are only counted.

const (
	repeatsLearned = 64   // frames in a row, each a line of its own, before lines are compared
	maxShapes      = 1024 // of one stack
	exactWords     = 3    // first words of a line that are compared with their letters
)

// A repeat stores the line shapes of a full stack's frames.
type repeat struct {
	stack  int // number of stacks before this one
	row    int // consecutive frames of one line each
	number int // number at the beginning of the last of these frames, -1 if none
	shapes map[string]bool
	buf    []byte
}

// repeats counts a line that looks like a frame of the open stack, if that stack is full. It
// returns false for a line that the formats have to read.
func (s *scanner) repeats(n int, raw []byte) bool {
	r := &s.repeat
	if !s.full() || r.row < repeatsLearned || r.stack != len(s.Report.Stacks)+s.left.stacks {
		return false
	}
	number := r.see(raw)
	if number >= 0 && number <= r.number || !r.shapes[string(r.buf)] {
		return false // a smaller number begins another stack
	}
	r.number = number
	s.Last = n
	s.Open.Omitted++
	s.sieve.taken(n)
	return true
}

// full reports whether the open stack has the maximum of frames.
func (s *scanner) full() bool { return s.Open != nil && len(s.Open.Frames) == maxFrames }

// learn stores the shape of a line, if the formats read the line as one more frame of a full
// stack.
func (s *scanner) learn(raw []byte, wasFull bool, omitted int) {
	r := &s.repeat
	stack := len(s.Report.Stacks) + s.left.stacks
	if !wasFull || !s.full() || s.Open.Omitted != omitted+1 || r.stack != stack {
		r.stack, r.row = stack, 0
		clear(r.shapes)
		return
	}
	if r.row++; r.row < repeatsLearned {
		return
	}
	r.number = r.see(raw)
	if r.shapes == nil {
		r.shapes = map[string]bool{}
	}
	if len(r.shapes) < maxShapes {
		r.shapes[string(r.buf)] = true
	}
}

// see puts the shape of a line into buf: runs of digits become one 0, and after the first words,
// runs of letters and digits become one w. It returns the number at the beginning of the line, or
// -1.
func (r *repeat) see(raw []byte) (number int) {
	r.buf = r.buf[:0]
	number = -1
	words, last := 0, byte(' ')
	for i, c := range raw {
		switch {
		case c == ' ' || c == '\t':
			if last != ' ' {
				words++
			}
			c = ' '
			if last == ' ' && words > 0 {
				continue
			}
			if words == 0 {
				continue // indentation shrinks as numbers grow
			}
		case source.IsDigit(c), last == '0' && isHex(c) && words < exactWords:
			if words == 0 && (len(r.buf) == 0 || len(r.buf) == 1 && r.buf[0] == '#') && last != '0' {
				number = numberAt(raw[i:])
			}
			c = '0'
		}
		if words >= exactWords && source.IsIdentByte(c) {
			c = 'w'
		}
		if c != last || c != '0' && c != 'w' {
			r.buf = append(r.buf, c)
		}
		last = c
	}
	return number
}

func isHex(c byte) bool { return c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == 'x' }

// numberAt returns the number at the beginning of a text, at most a billion. It returns -1 for
// the beginning of anything else, such as a date.
func numberAt(text []byte) int {
	n := 0
	for _, c := range text {
		switch {
		case c == ' ' || c == '\t' || c == ':':
			return n
		case c < '0' || c > '9':
			return -1
		case n < 1e8:
			n = n*10 + int(c-'0')
		}
	}
	return n
}
