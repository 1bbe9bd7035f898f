package gittool

import (
	"fmt"
	"strings"
	"testing"
)

// longView has n lines in the full form, and one level that cannot be short.
func longView(n int) func(int) layout {
	return func(detail int) layout {
		v := layout{head: "head", unit: "lines", tail: 2, last: detail == 1, missing: ""}
		if detail == 1 {
			v.missing = "nothing much"
		}
		for i := range n {
			section := fmt.Sprintf("part %d", i/100)
			v.blocks = append(v.blocks, block{text: fmt.Sprintf("line %04d of the long answer", i), section: section})
		}
		return v
	}
}

func TestComposeShort(t *testing.T) {
	// A short answer is told whole, with notes and without notice.
	got, err := compose(longView(2), detailFull, 0, []string{"mind"}, "ask less")
	want := "head\nnote: mind\npart 0 (continued)\nline 0000 of the long answer\nline 0001 of the long answer\n"
	if got != (rendered{text: want}) || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestComposeCondensed(t *testing.T) {
	// A long answer fits its bound, keeps its tail and says how to get the
	// rest; and the pages that it names hold every line exactly once.
	const lines = 1000
	got, err := compose(longView(lines), detailFull, 0, nil, "ask for less")
	if err != nil || strings.Count(got.full, "\n") != lines+2 { // a heading above, a section name
		t.Fatalf("%d lines in full, error %v", strings.Count(got.full, "\n"), err)
	}
	body, notice, _ := strings.Cut(got.text, "[condensed")
	if runes(body) > extractAbove {
		t.Errorf("%d characters", runes(body))
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
		got, err := compose(longView(lines), detailFull, page, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		text := got.text
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
	if _, err := compose(longView(lines), detailFull, 6, nil, ""); err == nil || !strings.Contains(err.Error(), "no page 6") {
		t.Errorf("page 6: %v", err)
	}
}

func TestComposePlain(t *testing.T) {
	// Without compression a long answer is not condensed, only paged.
	got, err := compose(longView(1000), detailPlain, 0, nil, "")
	if err != nil || got.full != "" || strings.Count(got.text, "\n") < 1000 {
		t.Errorf("error %v, %d lines, in full %q", err, strings.Count(got.text, "\n"), got.full)
	}
	got, _ = compose(longView(5000), detailPlain, 0, nil, "")
	if got.full == "" || !strings.HasSuffix(got.text, "[page 1 of 3; page=2 goes on]\n") {
		t.Errorf("ends with %q", got.text[len(got.text)-40:])
	}
}

func TestComposeBoundsFull(t *testing.T) {
	// What is kept of a very long answer ends with a whole line and says so.
	got, err := compose(longView(20_000), detailFull, 0, nil, "")
	body, notice, _ := strings.Cut(got.full, "\n[")
	if err != nil || len(body) > fullBytes || len(body) < fullBytes-100 || !strings.HasSuffix(body, "of the long answer") {
		t.Errorf("error %v, %d bytes that end with %q", err, len(body), body[max(0, len(body)-60):])
	}
	if !strings.HasSuffix(notice, "more bytes are not kept]\n") {
		t.Errorf("notice %q", notice)
	}
}

func TestLegendExplainsOnlyWhatIsShown(t *testing.T) {
	// The legend lists the commits that the shown blocks refer to, in order.
	legend := []reference{{oid: "aaaaaaaaaaaaaaaa", line: "aaaa: one"}, {oid: "bbbbbbbbbbbbbbbb", line: "bbbb: two"}}
	got := write(layout{legend: legend}, []block{{text: "x", refs: []string{"bbbbbbbbbbbbbbbb"}}}, nil)
	if !strings.Contains(got, "bbbb: two\n") || strings.Contains(got, "one") {
		t.Errorf("got %q", got)
	}
}
