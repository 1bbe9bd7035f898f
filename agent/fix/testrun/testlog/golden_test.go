package testlog

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what is read into the golden files")

// TestRead reads the outputs in testdata. Each file names the tool, and contains its output and
// the expected report in the form of render.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) == 0 || a.Files[0].Name != "output" || len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Fatal("there is no output, or it does not say where the output is from")
			}
			got := render(Read(a.Files[0].Data))
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) != 2 || string(a.Files[1].Data) != got {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// render writes a report with one line for each fact.
func render(r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ran %d\n", r.Ran)
	for _, list := range []struct {
		word  string
		names []string
	}{{"fail", r.Failing}, {"pass", r.Passing}, {"unbuilt", r.Unbuilt}, {"in set-up", r.SetUp}} {
		for _, name := range list.names {
			fmt.Fprintf(&b, "%s %s\n", list.word, name)
		}
	}
	for _, p := range r.BuildErrors {
		fmt.Fprintf(&b, "error %s:%d %s\n", p.File, p.Line, p.Text)
	}
	for _, p := range r.Places {
		fmt.Fprintf(&b, "place %s:%d  test=%s  %s\n", p.File, p.Line, p.Test, p.Text)
	}
	for _, flag := range []struct {
		word string
		is   bool
	}{{"build failed", r.Build}, {"panicked", r.Panicked}, {"cut", r.Cut}} {
		if flag.is {
			fmt.Fprintln(&b, flag.word)
		}
	}
	if r.Refusal != "" {
		fmt.Fprintf(&b, "ended by %s\n", r.Refusal)
	}
	if r.Unselected != "" {
		fmt.Fprintf(&b, "unselected %s\n", r.Unselected)
	}
	if r.Lacks != "" {
		fmt.Fprintf(&b, "lacks %s: %s\n", r.Lacks, r.Missing)
	}
	return b.String()
}
