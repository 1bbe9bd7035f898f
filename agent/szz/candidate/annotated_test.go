package candidate

import (
	"strings"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/gitext"
)

func TestOnlyTypes(t *testing.T) {
	// In scrapy, "Type spider-related test modules" led with .71 for the fix b660f2f1f160, and "Full typing for
	// scrapy/extensions, part 2" with .40 for 56f4afd84e4a.
	t.Parallel()
	const says = "Add typing for scrapy/commands (#6268)"
	for _, c := range []struct {
		subject, path, change string
		want                  bool
	}{
		{"Type spider-related test modules (#7968)", "tests/spiders.py", "-    def parse(self, response):\n+    def parse(self, response: Response) -> Iterator[Any]:", true},
		{says, "a.py", "-def f(a, b=3, *args, **kwargs):\n+def f(\n+    a: Dict[str, int], b: int = 3, *args: Any, **kwargs: Any\n+) -> None:  # types", true},
		{says, "a.py", "-def f(a, b):\n+def f(\n+    a: str | None,\n+    b: \"Crawler\",\n+) -> tuple[int, ...]:", true},
		{says, "a.py", "-    self.port = listen(range, host)\n+    self.port: Port = listen(range, host)", true},
		{says, "a.py", "-    x = {}  # type: Dict[str, int]\n+    x: Dict[str, int] = {}", true},
		{says, "a.ts", "-function f(a, b) {\n+function f(a: Map<string, number>, b?: (c: string) => void): void {", true},
		{says, "a.py", "-    def set(self, field: Union[Field, str], value: Any) -> \"QueryBuilder\":\n+    def set(self, field: Union[Field, str], value: Any) -> None:", true},
		{says, "a.py", "-def f(a: int = g(1, 2), b: \"B\" = {}):\n+def f(\n+    a: Optional[int] = g(1, 2),\n+    b: B = {},\n+):", true},
		{says, "a.py", "-def f(a: int) -> None:\n+def f(a: int, b: int) -> None:", false},
		{says, "a.py", "-def f(a: int) -> None: return g(a)\n+def f(a: str) -> None: return h(a)", false},
		{says, "a.py", "-def f(a, b=3):\n+def f(a: int, b: int = 4) -> None:", false},
		{says, "a.py", "-def f(a):\n+def f(a: int, b: int) -> None:", false},
		{says, "a.py", "-    return a\n+    return cast(int, a)", false},
		{says, "a.py", "-    return a\n+    return a if a else b", false},
		{says, "a.py", "-    return {a, b}\n+    return {a: 1 + 2, b}", false},
		{says, "a.py", "-def f(a): \n+def f(a):", false},
		{says, "a.py", "+def g(a: int) -> int:", false},
		{says, "a.c", "-f(a)\n+f(a: b)", false},
		{"Parse faster", "a.py", "-def f(a):\n+def f(a: int) -> None:", false},
	} {
		h := gitext.Hunk{OldStart: 7, NewStart: 7}
		for _, l := range strings.Split(c.change, "\n") {
			h.Lines = append(h.Lines, gitext.PatchLine{Op: l[0], Text: []byte(l[1:])})
			if l[0] == '-' {
				h.OldLines++
			} else {
				h.NewLines++
			}
		}
		patch := &gitext.Patch{Files: []gitext.FileChange{{Status: 'M', OldPath: c.path, NewPath: c.path, Hunks: []gitext.Hunk{h}}}}
		lines := []suspect.OwnedLine{{Path: c.path, OrigLine: 7, Text: []byte("x")}, {Path: c.path, OrigLine: 700, Text: []byte("x")}}
		if got := onlyTypes(gitext.Commit{Message: c.subject}, patch, lines); got != c.want {
			t.Errorf("%s: %s %s: only types: %t", c.subject, c.path, c.change, got)
		}
	}
}
