package mutate

import (
	"strings"
	"testing"
)

// defuLoop is of src/defu.ts in unjs/defu, where four patches that emptied an if passed the tests.
const defuLoop = `function _defu(baseObject, defaults, namespace, merger) {
  for (const key of Object.keys(baseObject)) {
    if (key === "__proto__" || key === "constructor") {
      continue; // not a property
    }
    const value = baseObject[key];
    if (merger && merger(object, key, value, namespace)) { continue }
    log(key);
    object[key] = value;
  }
  return object;
}
`

// A block is empty after a removal if nothing but comments is left in it.
func TestEmpties(t *testing.T) {
	t.Parallel()
	const python = "def f(x):\n    \"\"\"Says x.\"\"\"\n    say(x)\n\n\ndef g(x):\n    if x:\n        say(x)\n    return x\n"
	const rust = "impl Reader {\n    fn trim(&mut self) {\n        // ends are trimmed\n        self.end = true;\n    }\n    fn two(&self) {\n        a();\n        b();\n    }\n}\n"
	for _, c := range []struct {
		path, content, old, new string
		want                    bool
	}{
		{"defu.ts", defuLoop, "      continue; // not a property\n", "", true},
		{"defu.ts", defuLoop, "      continue; // not a property\n", "      // not a property\n", true},
		{"defu.ts", defuLoop, "continue }", "; }", true},
		{"defu.ts", defuLoop, "continue }", "return }", false},
		{"defu.ts", defuLoop, "    log(key);\n", "", false},
		{"defu.ts", defuLoop, "    if (merger && merger(object, key, value, namespace)) { continue }\n", "", false},
		{"defu.ts", defuLoop, defuLoop[strings.Index(defuLoop, "    if (key"):strings.Index(defuLoop, "  }\n  return")], "", true},
		{"defu.ts", defuLoop, "      continue; // not a property\n", "      continue;\n", false},
		{"lib.rs", rust, "        self.end = true;\n", "", true},
		{"lib.rs", rust, "        a();\n", "", false},
		{"lib.rs", rust, "        a();\n        b();\n", "", true},
		{"a.py", python, "    say(x)\n\n\n", "\n\n", true},
		{"a.py", python, "        say(x)\n    return", "        pass\n    return", true},
		{"a.py", python, "    return x\n", "", false},
		{"a.go", "package p\n\nfunc f() {\n\tg()\n}\n", "\tg()\n", "", true},
		{"a.c", "void f(void)\n{\n\tif (x) {\n\t\tg();\n\t}\n\th();\n}\n", "\t\tg();\n", "", true},
		{"A.java", "class A { void f() { g(); } }\n", "g(); ", "", true},
	} {
		f, ok := Read(c.path, []byte(c.content))
		if !ok || strings.Count(c.content, c.old) != 1 {
			t.Fatalf("%s: %q is there %d times", c.path, c.old, strings.Count(c.content, c.old))
		}
		if got := f.Empties([]byte(strings.Replace(c.content, c.old, c.new, 1))); got != c.want {
			t.Errorf("%s: %q for %q: %v", c.path, c.new, c.old, got)
		}
	}
}
