package terminal

import (
	"errors"
	"io"
	"strings"
	"testing"
)

type fakePager struct{ strings.Builder }

func (*fakePager) Close() error { return nil }

// Text that fits on the screen goes to it; longer text goes to the pager, all
// of it; a pager that does not start costs nothing but itself.
func TestPagedOutput(t *testing.T) {
	for name, c := range map[string]struct {
		lines        int
		text         string
		broken       bool
		out, inPager string
	}{
		"fits":       {lines: 4, text: "1\n2\n3\n", out: "1\n2\n3\n"},
		"too long":   {lines: 3, text: "1\n2\n3\n4\n", inPager: "1\n2\n3\n4\n"},
		"at once":    {lines: 0, text: "1\n", inPager: "1\n"},
		"broken":     {lines: 2, text: "1\n2\n3\n", broken: true, out: "1\n2\n3\n"},
		"no newline": {lines: 2, text: "1", out: "1"},
	} {
		var out strings.Builder
		inPager := &fakePager{}
		p := &Pager{out: &out, Lines: c.lines, start: func() (io.WriteCloser, error) {
			if c.broken {
				return nil, errors.New("no such program")
			}
			return inPager, nil
		}}
		for line := range strings.Lines(c.text) {
			if n, err := p.Write([]byte(line)); n != len(line) || err != nil {
				t.Errorf("%s: Write = %d, %v", name, n, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if out.String() != c.out || inPager.String() != c.inPager {
			t.Errorf("%s: screen %q, pager %q", name, out.String(), inPager.String())
		}
	}
}
