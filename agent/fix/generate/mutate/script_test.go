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
	exits, _ := fn.exits(10)
	for _, e := range exits {
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

// A loop is rather gone on with than the function left, and a block outside of loops has no exits of one.
func TestExitsOfALoopComeFirst(t *testing.T) {
	t.Parallel()
	fn := function(t, "a.js", `function pairs(query, params) {
	if (!query) {
		return params;
	}
	for (const value of query) {
		params.append(value);
	}
	return params;
}
`, Clues{})
	best := map[int]Edit{}
	for _, e := range fn.guards() {
		if e.Weight > best[e.Line].Weight {
			best[e.Line] = e
		}
	}
	for line, want := range map[int]string{2: "return params;", 6: "continue;", 8: "return params;"} {
		if !strings.Contains(best[line].Text, want) {
			t.Errorf("line %d: %q instead of %q comes first", line, best[line].Text, want)
		}
	}
}
