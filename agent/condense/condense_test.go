package condense

import (
	"fmt"
	"strings"
	"testing"
)

// longView has n lines in the full form, and one level that cannot be short.
func longView(n int) func(int) Layout {
	return func(detail int) Layout {
		v := Layout{Head: "head", Unit: "lines", Tail: 2, Last: detail == 1, Missing: ""}
		if detail == 1 {
			v.Missing = "nothing much"
		}
		for i := range n {
			section := fmt.Sprintf("part %d", i/100)
			v.Blocks = append(v.Blocks, Block{Text: fmt.Sprintf("line %04d of the long answer", i), Section: section})
		}
		return v
	}
}

func TestComposeShort(t *testing.T) {
	// A short answer is complete, with notes and without notice.
	got, err := Compose(longView(2), Full, 0, []string{"mind"}, "ask less")
	want := "head\nnote: mind\npart 0 (continued)\nline 0000 of the long answer\nline 0001 of the long answer\n"
	if got != (Answer{Text: want}) || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestComposeCondensed(t *testing.T) {
	// A long answer fits its bound, keeps its tail and says how to get the rest; and the
	// named pages hold every line exactly once.
	const lines = 1000
	got, err := Compose(longView(lines), Full, 0, nil, "ask for less")
	if err != nil || strings.Count(got.Full, "\n") != lines+2 { // a heading above, a section name
		t.Fatalf("%d lines in full, error %v", strings.Count(got.Full, "\n"), err)
	}
	body, notice, _ := strings.Cut(got.Text, "[condensed")
	if Runes(body) > Room {
		t.Errorf("%d characters", Runes(body))
	}
	for _, want := range []string{"line 0000", "line 0998", "line 0999", "lines left out ..."} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %s", want, body)
		}
	}
	for _, want := range []string{"ask for less", "page=1 to page=5", "(1000 lines)", "nothing much"} {
		if !strings.Contains(notice, want) {
			t.Errorf("no %q in %s", want, notice)
		}
	}
	seen := map[string]int{}
	for page := 1; page <= 5; page++ {
		got, err := Compose(longView(lines), Full, page, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		text := got.Text
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "line ") {
				seen[line]++
			}
		}
		if goesOn := strings.Contains(text, fmt.Sprintf("page=%d goes on", page+1)); goesOn != (page < 5) {
			t.Errorf("page %d ends with %q", page, text[len(text)-40:])
		}
	}
	if len(seen) != lines {
		t.Errorf("the pages hold %d of %d lines", len(seen), lines)
	}
	if _, err := Compose(longView(lines), Full, 6, nil, ""); err == nil || !strings.Contains(err.Error(), "no page 6") {
		t.Errorf("page 6: %v", err)
	}
}

func TestComposePlain(t *testing.T) {
	// Without compression a long answer is not condensed, only paged.
	got, err := Compose(longView(1000), Plain, 0, nil, "")
	if err != nil || got.Full != "" || strings.Count(got.Text, "\n") < 1000 {
		t.Errorf("error %v, %d lines, in full %q", err, strings.Count(got.Text, "\n"), got.Full)
	}
	got, _ = Compose(longView(5000), Plain, 0, nil, "")
	if got.Full == "" || !strings.HasSuffix(got.Text, "[page 1 of 3; page=2 goes on]\n") {
		t.Errorf("ends with %q", got.Text[len(got.Text)-40:])
	}
}

func TestComposeBoundsFull(t *testing.T) {
	// The kept part of a very long answer ends with a whole line and a notice.
	got, err := Compose(longView(20_000), Full, 0, nil, "")
	body, notice, _ := strings.Cut(got.Full, "\n[")
	if err != nil || len(body) > fullBytes || len(body) < fullBytes-100 || !strings.HasSuffix(body, "of the long answer") {
		t.Errorf("error %v, %d bytes that end with %q", err, len(body), body[max(0, len(body)-60):])
	}
	if !strings.HasSuffix(notice, "more bytes are not kept]\n") {
		t.Errorf("notice %q", notice)
	}
}

func TestLegendExplainsOnlyWhatIsShown(t *testing.T) {
	// The legend lists the commits that the shown blocks refer to, in order.
	legend := []Reference{{Commit: "aaaaaaaaaaaaaaaa", Line: "aaaa: one"}, {Commit: "bbbbbbbbbbbbbbbb", Line: "bbbb: two"}}
	got := write(Layout{Legend: legend}, []Block{{Text: "x", Refs: []string{"bbbbbbbbbbbbbbbb"}}}, nil)
	if !strings.Contains(got, "bbbb: two\n") || strings.Contains(got, "one") {
		t.Errorf("got %q", got)
	}
}
