package sandbox

import "fmt"

// bounded is a writer that keeps the first and the last max bytes and counts the others.
type bounded struct {
	max  int
	head []byte
	tail []byte // a ring once it is full
	next int    // index of the next byte in the ring
	lost int64
}

func newBounded(max int) *bounded {
	if max <= 0 {
		max = defaultMaxOutput
	}
	return &bounded{max: max}
}

// Write never fails, so that the command does not notice when output is
// dropped.
func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	if room := b.max - len(b.head); room > 0 {
		take := min(room, len(p))
		b.head = append(b.head, p[:take]...)
		p = p[take:]
	}
	if skip := len(p) - b.max; skip > 0 {
		b.lost += int64(skip)
		p = p[skip:]
	}
	for len(p) > 0 && len(b.tail) < b.max {
		take := min(b.max-len(b.tail), len(p))
		b.tail = append(b.tail, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		took := copy(b.tail[b.next:], p)
		b.next = (b.next + took) % b.max
		b.lost += int64(took)
		p = p[took:]
	}
	return n, nil
}

// bytes returns the kept bytes, with a line instead of the dropped ones, and the number of
// dropped bytes.
func (b *bounded) bytes() ([]byte, int64) {
	out := append([]byte(nil), b.head...)
	if b.lost > 0 {
		out = fmt.Appendf(out, "\n[%d bytes left out]\n", b.lost)
	}
	out = append(out, b.tail[b.next:]...)
	return append(out, b.tail[:b.next]...), b.lost
}
