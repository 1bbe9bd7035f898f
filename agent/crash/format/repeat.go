package format

// A deep recursion prints a million frames of which only the first are kept. Reading each
// of them with the patterns of all formats takes many times as long as reading the lines,
// so once a stack is full, lines that look like those that were frames are only counted.

const (
	repeatsLearned = 64   // frames in a row, each a line of its own, before lines are compared
	maxShapes      = 1024 // of one stack
	exactWords     = 3    // words of a line that are compared with their letters
)

// A repeat knows how the frames of a full stack look.
type repeat struct {
	stack  int // how many stacks there were before this one
	row    int // frames in a row that were one line each
	number int // with which the last of them began, -1 if with none
	shapes map[string]bool
	buf    []byte
}

// repeats counts a line that looks like a frame of the open stack, if that is full. It
// reports false for a line that the formats have to read.
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

// full reports whether the open stack keeps no more frames.
func (s *scanner) full() bool { return s.Open != nil && len(s.Open.Frames) == maxFrames }

// learn notes how a line looks that the formats read, if it was one more frame of a full
// stack that had omitted some before.
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

// see puts the shape of a line into buf: runs of digits are one 0, and behind the first
// words, runs of letters and digits are one w. It returns the number that the line begins
// with, -1 if it begins with none.
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
		case c >= '0' && c <= '9', last == '0' && isHex(c) && words < exactWords:
			if words == 0 && (len(r.buf) == 0 || len(r.buf) == 1 && r.buf[0] == '#') && last != '0' {
				number = numberAt(raw[i:])
			}
			c = '0'
		}
		if words >= exactWords && isWordByte(c) {
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

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// numberAt returns the number that a text begins with, at most a billion; -1 if it is the
// beginning of something else, such as a date.
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
