package format

import (
	"bytes"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The code of a frame is kept if a mail took the indentation: it tells which version of the file crashed.
func TestQuoteWithoutIndentation(t *testing.T) {
	t.Parallel()
	a, err := txtar.ParseFile("testdata/python_flat.txtar")
	if err != nil {
		t.Fatal(err)
	}
	report, err := Read(bytes.NewReader(a.Files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"doc.get_foia().get_absolute_url()).encode('utf8'),", "return self.run(*args, **kwargs)"} {
		if got := report.Stacks[0].Frames[i].Quote; got != want {
			t.Errorf("frame %d: %q, want %q", i, got, want)
		}
	}
}

// The code of a frame is the row of a box of Rich that has its number, without the guides of the indentation and the values beside it.
func TestQuoteInBox(t *testing.T) {
	t.Parallel()
	a, err := txtar.ParseFile("testdata/python_rich.txtar")
	if err != nil {
		t.Fatal(err)
	}
	report, err := Read(bytes.NewReader(a.Files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"raise OSError(error)", "theme.apply_css(self)"} {
		if got := report.Stacks[i].Frames[0].Quote; got != want {
			t.Errorf("stack %d: %q, want %q", i, got, want)
		}
	}
}
