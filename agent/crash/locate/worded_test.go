package locate

import (
	"strings"
	"testing"

	"git-agent/agent/crash/format"
)

// The line of a failure has the text of its message, or a panic of Rust is at the only line with it. The reports are
// nushell/nushell#13118, of which HEAD has other lines, and square/okhttp#4761.
func TestPlaceOfMessage(t *testing.T) {
	t.Parallel()
	const (
		panicked = "Error:   × Main thread panicked.\n  ├─▶ at crates/nu-protocol/src/engine/engine_state.rs:2:14\n  ╰─▶ internal error: missing span\n"
		thrown   = "java.lang.IllegalStateException: exchange != null\n\tat okhttp3.internal.connection.Transmitter.newExchange(Transmitter.java:3)\n"
		spans    = "fn get_span(&self) -> Span {\n    self.spans\n        .get(0)\n        .expect(\"internal error: missing span\")\n}\n"
	)
	for name, test := range map[string]struct {
		report, text string
		at           int
		sure, moved  bool
	}{
		"the statement has it":    {panicked, "fn get_span(&self) -> Span {\n    self.spans.expect(\n        \"internal error: missing span\",\n    )\n}\n", 2, true, false},
		"another function has it": {panicked, "fn a() {\n    1\n}\n\n" + spans, 8, true, true},
		"two others have it":      {panicked, "fn a() {\n    1\n}\n\n" + spans + "\n" + strings.Replace(spans, "get_", "find_", 1), 2, false, false},
		"the function has it":     {panicked, spans, 2, false, false},
		"a constant has it":       {panicked, "fn a() {\n    1\n}\n\nconst SPAN: &str = \"internal error: missing span\";\n", 2, false, false},
		"an exception":            {thrown, "class Transmitter {\n  Exchange newExchange() {\n    throw new IllegalStateException(\"exchange != null\");\n  }\n}\n", 3, true, false},
		"another method throws":   {thrown, "class Transmitter {\n  Exchange newExchange() {\n    other();\n  }\n  void other() {\n    throw new IllegalStateException(\"exchange != null\");\n  }\n}\n", 3, false, false},
	} {
		report, err := format.Read(strings.NewReader(test.report))
		if err != nil || len(report.Stacks) != 1 {
			t.Fatal(report, err)
		}
		f := &report.Stacks[0].Frames[0]
		f.Path = f.File
		for _, s := range Sites(report, f.Path, splitText(test.text)) {
			if s.At != test.at || s.sure != test.sure || s.Moved != test.moved {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}
