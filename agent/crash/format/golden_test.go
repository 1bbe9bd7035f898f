package format

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/crash"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what is read into the golden files")

// TestRead reads the reports in testdata. Each file contains the origin of its report, the
// report, and the expected result in the form of render.
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
			if len(a.Files) == 0 || a.Files[0].Name != "report" {
				t.Fatal("there is no report")
			}
			if len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Error("the file does not say where the report is from")
			}
			report, err := Read(bytes.NewReader(a.Files[0].Data))
			got := fmt.Sprintln(err)
			if err == nil {
				got = render(report)
			}
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

// render writes a report in a form for easy reading and comparison: a line for each problem,
// stack, and frame.
func render(r *crash.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "formats %s\n", strings.Join(r.Formats, " "))
	for i, p := range r.Problems {
		fmt.Fprintf(&b, "problem %d: %s", i, p.Kind)
		field(&b, "message", p.Message)
		if p.Signal != 0 {
			field(&b, "signal", fmt.Sprint(p.Signal))
		}
		field(&b, "address", p.Address)
		mark(&b, "null", p.Null)
		field(&b, "access", p.Access)
		field(&b, "detail", p.Detail)
		field(&b, "line", fmt.Sprint(p.Line))
		b.WriteByte('\n')
	}
	for _, s := range r.Stacks {
		fmt.Fprintf(&b, "stack %s: %s", s.Kind, s.Format)
		if s.Problem >= 0 {
			field(&b, "problem", fmt.Sprint(s.Problem))
		}
		field(&b, "thread", s.Thread)
		field(&b, "test", s.Test)
		field(&b, "title", s.Title)
		if s.Omitted > 0 {
			field(&b, "omitted", fmt.Sprint(s.Omitted))
		}
		b.WriteByte('\n')
		for _, f := range s.Frames {
			renderFrame(&b, f)
		}
	}
	if s := r.Severity; s != nil {
		fmt.Fprintf(&b, "severity %s %s\n", s.Class, s.Kind)
	}
	if r.Program != "" {
		fmt.Fprintf(&b, "program %s\n", r.Program)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

func renderFrame(b *strings.Builder, f crash.Frame) {
	fmt.Fprintf(b, "%4d  %s", f.ReportLine, orDash(f.Function))
	if f.File != "" {
		fmt.Fprintf(b, "  %s", f.File)
		if f.Line > 0 {
			fmt.Fprintf(b, ":%d", f.Line)
		}
		if f.Column > 0 {
			fmt.Fprintf(b, ":%d", f.Column)
		}
	}
	field(b, "module", f.Module)
	if f.Build != "" {
		field(b, "offset", f.Offset)
		field(b, "build", f.Build)
	}
	field(b, "symbol", f.Symbol)
	mark(b, "inline", f.Inline)
	mark(b, "assertion", f.Assertion)
	field(b, "null", f.NullArgument)
	b.WriteByte('\n')
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func field(b *strings.Builder, name, value string) {
	if value != "" {
		fmt.Fprintf(b, "  %s=%s", name, value)
	}
}

func mark(b *strings.Builder, name string, is bool) {
	if is {
		fmt.Fprintf(b, "  %s", name)
	}
}
