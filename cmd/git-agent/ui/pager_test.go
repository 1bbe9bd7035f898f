package ui

import (
	"errors"
	"io"
	"strings"
	"testing"

	"git-agent/gitext/usercmd"
)

type fakePager struct {
	strings.Builder
	writing, closing error
}

func (p *fakePager) Write(b []byte) (int, error) {
	if p.writing != nil {
		return 0, p.writing
	}
	return p.Builder.Write(b)
}

func (p *fakePager) Close() error { return p.closing }

// Text that fits on the screen is written there; longer text goes completely to the pager; if the
// pager does not start, the text is still written.
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

// A missing pager is detected at a write or at Close; then the whole text is written to the
// screen, once.
func TestPagerThatDoesNotExist(t *testing.T) {
	for name, pager := range map[string]*fakePager{
		"at once": {writing: usercmd.ErrNoPager}, "at the end": {closing: usercmd.ErrNoPager},
	} {
		var out strings.Builder
		p := &Pager{out: &out, start: func() (io.WriteCloser, error) { return pager, nil }}
		for _, line := range []string{"1\n", "2\n", "3\n"} {
			if n, err := p.Write([]byte(line)); n != len(line) || err != nil {
				t.Errorf("%s: Write = %d, %v", name, n, err)
			}
		}
		if err := p.Close(); err != nil || out.String() != "1\n2\n3\n" {
			t.Errorf("%s: %q, %v", name, out.String(), err)
		}
	}
}
