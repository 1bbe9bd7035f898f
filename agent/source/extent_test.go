package source

import (
	"bytes"
	"strings"
	"testing"
)

// TestFunctionAround marks in each text the lines of the function with "|" before them, and the
// requested line with ">". In a text without "|", the requested line has no function.
func TestFunctionAround(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, text string }{
		"C, return type on its own line": {"a.c", `
 int x;
 
 /* Comment. */
|static int
|foo(struct a *a,
|    int b)
|{
|	if (a) {
>		a->b = b;
|	}
|
|out:
|	return 0;
|}
 
 int bar(void) { return 1; }`},
		"Java, all on one line": {"A.java", `
 class A {
|	@Override
>	public int f() { return g(); }
 
 	int g() {`},
		"Java, a class behind an annotation with a comment, as of google-java-format's JavaInputAstVisitor": {"A.java", `
 /** A pattern. */
 @SuppressWarnings({"unchecked", "rawtypes"}) // jdt uses rawtypes extensively
 public final class JavaInputAstVisitor extends ASTVisitor {
   /** Visitor method for {@link NumberLiteral}s. */
|  @Override
|  public boolean visit(NumberLiteral node) {
>    sync(node);
|    return false;
|  }
 }`},
		"C, all on one line": {"a.c", `
|static int
>foo(void) { return 1; }
 int bar(void)`},
		"C, an initializer": {"a.c", `
>int a[] = { f(1), 2 };
 int bar(void)`},
		"C, a heading": {"a.c", `
>int foo(int a)
|{
|	return a;
|}
 int y;`},
		"C, second line of a heading": {"a.c", `
|int
>foo(int a)
|{
|	return a;
|}`},
		"C, behind a directive and a label": {"a.c", `
|static void foo(void)
|{
|	a();
|#ifdef X
|	b();
|#endif
|out:
>	c();
|}
 #define Z 1`},
		"Go, a label with a comment": {"a.go", `
|func (n *node) getValue(path string) (value nodeValue) {
|	latestNode := n
|
|walk: // Outer loop for walking the tree
|	for {
>		prefix := n.path
|	}
|}
 var z int`},
		"C, the closing brace": {"a.c", `
|void foo(void)
|{
|	a();
>}`},
		"C, a loop macro": {"a.c", `
|void foo(void) {
|    LIST_FOR_EACH (a, b, &c) {
|        if (x
|            && y) {
>            z(a);
|        }
|    }
|}`},
		"GNU braces": {"a.c", `
|static int
|foo (int a)
|{
|  if (a)
|    {
>      b ();
|    }
|  return 0;
|}`},
		"C, between functions": {"a.c", `
 void foo(void)
 {
 	a();
 }
>int x;
 void bar(void)
 {
 }`},
		"C, a table": {"a.c", `
 static const struct x table[] = {
>	{ 1, "a" },
 };`},
		"C, a call in a function": {"a.c", `
|void foo(void)
|{
>	a(b,
|	  c);
|	for (;;) {
|		d();
|	}
|}`},
		"Go": {"a.go", `
 // Foo is a comment.
|func (t *T) Foo(a int) error {
|	go func() {
>		a++
|	}()
|	switch a {
|	case 1:
|		return nil
|	}
|	return nil
|}
 
 var x = 1`},
		"C++, a method in a class in a namespace": {"a.cc", `
 namespace n {
 class A : public B {
  public:
   A() : b_(1) {
     c();
   }
|  template <typename T>
|  int foo(T a) override {
|    run([&]() {
>      b(a);
|    });
|  }
  private:
   int b_;
 };
 }`},
		"C++, a method outside of its class": {"a.cpp", `
|void A::foo(int a) const
|{
>  b(a);
|}`},
		"Java": {"A.java", `
 public class A {
     private int x = 1;
 
     /** Comment. */
|    @Override
|    public void foo(int a)
|            throws E {
|        try {
>            b(a);
|        } finally {
|            c();
|        }
|    }
 
     void bar() {
     }
 }`},
		"Java, tabs and spaces": {"JSSConnection.java", `
 class JSSConnection {
|	public int sendRequest(String req)
|	    throws Exception {
|
|		try
|		{
|			Thread.sleep(100);
|		}
|		catch (Exception e) {
|            Debug.println("} in a string"); // } in a comment
|            char c = '}';
|        }
|
|		// Init the Reply stream
|		header = null;
>		initReadResponse();
|		return stat;
|	}
 
     /**
      * Retrieve the input stream
      */
 	public InputStream getInputStream()
 	    throws IOException {
 		return s.getInputStream();
 	}
 }`},
		"C, a branch of the preprocessor opens a brace again": {"a.c", `
|int f(int a)
|{
|#ifdef X
|    if (a) {
|#else
|    if (!a) {
|#endif
>	g();
|	}
|}
 int h(void)
 {
 }`},
		"Rust, a raw string and a lifetime": {"a.rs", `
|fn f<'a>(x: &'a str) -> String {
|    let s = r#"
|}
|"{"#;
>    g('{', s)
|}
 fn h() {}`},
		"JavaScript, a template and an expression": {"a.js", `
|function f(a) {
|    const s = \x60
|} ${a.map(x => { return \x60}${x}\x60 })}
|\x60;
>    return s.replace(/[{/]/g, "");
|}
 function g() { }`},
		"Java, a field": {"A.java", `
 public class A {
>    private int x = 1;
     void bar() {
     }
 }`},
		"Python": {"a.py", `
 class A(B):
|    @property
|    def foo(self, a,
|            b):
|        """Comment."""
|        for x in a:
>            b(x)
|
|        return (
|            1
|        )
 
     def bar(self):
         pass`},
		"Python, a line for each parameter": {"a.py", `
 class A(B):
|    def foo(
|        self,
|        a,
|    ) -> int:
>        return a
 
     def bar(self):
         pass`},
		"Python, a type of several lines": {"a.py", `
|def foo(
|    a,
|) -> Iterator[
|    tuple[
|        int,
|    ]
|]:
|    for x in a:
>        yield x
 
 def bar():
     pass`},
		"Python, a heading with a comment": {"a.py", `
 class A(B):  # b
     x = "#"
|    def foo(self, a="#", b=' # '):  # noqa: B006
>        return a
 
     def bar(self):  # b
         pass`},
		"Python, a call of several lines": {"a.py", `
 foo(
     a,
 )
>main()`},
		"Python, at the margin": {"a.py", `
|def foo():
|    if x:
>        y()
|    else:
|        z()
 
 main()`},
		"Python, outside": {"a.py", `
 def foo():
     pass
 
>main()`},
		"JavaScript, a wrapped file": {"a.js", `
|(function () {
|  function foo(a) {
>    b(a);
|  }
|})();`},
		"Rust": {"a.rs", `
 impl<T> A<T>
 where
     T: B,
 {
|    #[inline]
|    pub fn foo(&self, a: u8) -> Option<u8> {
|        match a {
>            1 => None,
|            _ => self.b(|c| {
|                c
|            }),
|        }
|    }
 }`},
	} {
		var lines [][]byte
		start, end, at := 0, 0, 0
		for i, l := range strings.Split(strings.ReplaceAll(strings.TrimPrefix(c.text, "\n"), `\x60`, "`"), "\n") {
			lines = append(lines, []byte(l[1:]))
			if l[0] == ' ' {
				continue
			}
			if l[0] == '>' {
				at = i + 1
			}
			if start == 0 {
				start = i + 1
			}
			end = i + 1
		}
		if strings.Count(c.text, "\n|") == 0 {
			start, end = 0, 0
		}
		got, ok := FunctionAround(c.path, lines, at)
		if got.Start != start || got.End != end || ok != (start > 0) {
			t.Errorf("%s: %+v %v, want %d-%d", name, got, ok, start, end)
		}
	}
}

func TestFunctionAroundOfAnyText(t *testing.T) {
	// Text without a structure has no function, and is read once.
	t.Parallel()
	for _, text := range []string{"", "\n", "{\n{\n{", strings.Repeat("{\n", 20000), strings.Repeat(" ", 20000) + "x", strings.Repeat("f(\n", 20000), strings.Repeat("\tf(x) {\n", 9000), "f({\n  a,\n// }\n", "// (\n  a,\n}\n"} {
		lines := bytes.Split([]byte(text), []byte("\n"))
		for _, path := range []string{"a.c", "a.py", "a.go", "a.ts", "a"} {
			for _, line := range []int{-1, 0, 1, len(lines) / 2, len(lines), len(lines) + 1} {
				if e, ok := FunctionAround(path, lines, line); ok && (e.Start < 1 || e.End > len(lines) || e.Start > line || e.End < line) {
					t.Errorf("%q %s %d: %+v", text[:min(len(text), 20)], path, line, e)
				}
			}
		}
	}
}

// Functions with the deepest possible nesting, each as long as the file, are read a bounded
// number of times. Otherwise this test would exceed its time limit.
func TestFunctionAroundNestedDeeply(t *testing.T) {
	t.Parallel()
	for path, heading := range map[string]string{"a.c": "int f(int a) {", "a.js": "function f(a) {", "a.py": "def f(a):"} {
		var lines [][]byte
		for depth := range 900 {
			lines = append(lines, []byte(strings.Repeat(" ", depth)+heading))
		}
		for range 4000 {
			lines = append(lines, []byte(strings.Repeat(" ", 990)+"x = 1;"))
		}
		if e, ok := FunctionAround(path, lines, 3000); !ok || e.Start > 900 || e.End < 3000 {
			t.Errorf("%s: %+v %v", path, e, ok)
		}
	}
}
