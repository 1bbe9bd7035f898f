package mutate

import (
	"strings"
	"testing"
)

// JavaScript without semicolons ends its statements with their lines, unless the next line goes on.
func TestStatementsWithoutSemicolons(t *testing.T) {
	t.Parallel()
	text := `function find(node, list) {
  const found = list
    .map(f => f.x)
    .filter(Boolean)
  if (node.kind === 'a' || found.length) {
    return node.kind
      ? found[0]
      : list
  }
  report(node)
  list.length = 0
  return node.list
}
`
	fn := function(t, "a.ts", text, Clues{})
	if fn.ends {
		t.Error("the file is said to end its statements with semicolons")
	}
	var got []string
	for _, s := range fn.stmts {
		got = append(got, strings.Join(strings.Fields(s.text), " "))
	}
	if want := "const found = list .map(f => f.x) .filter(Boolean)|" +
		"if (node.kind === 'a' || found.length) { return node.kind ? found[0] : list }|" +
		"return node.kind ? found[0] : list|report(node)|list.length = 0|return node.list"; strings.Join(got, "|") != want {
		t.Errorf("%s", strings.Join(got, "|"))
	}
	for _, e := range fn.exits(10) {
		if strings.HasSuffix(e, ";") {
			t.Errorf("an exit with a semicolon: %q", e)
		}
	}
	if fn = function(t, "a.ts", strings.ReplaceAll(strings.ReplaceAll(text, "(node)\n", "(node);\n"), "list\n}", "list;\n}"), Clues{}); !fn.ends {
		t.Error("a file with semicolons is said to have none")
	}
	fn = function(t, "b.js", "function f(a) {\n  g(a)\n  return a.b\n}\n", Clues{})
	for i, tok := range fn.toks {
		if fn.is(tok, "return") {
			if rest := fn.span(fn.restOfStatement(i + 1)); rest != "a.b" {
				t.Errorf("%q", rest)
			}
		}
	}
}
