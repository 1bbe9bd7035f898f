package mutate

import (
	"strings"
	"testing"
)

const pythonFunction = `def load(path, other, limit):
    try:
        text = read(path)
    except (ValueError, KeyError) as e:
        raise Broken("no {path}" " at {limit}" " or {}") from e
    except OSError:
        return None
    if other and not limit:
        return other
    if limit is not None or path is None:
        return "{path}".format(path=path)
    return self.text.issupserset(text) or text.issuperset(1)
`

// Python gets changes of its own: None instead of falsehood, an f before strings, and one more
// exception that the failing tests raise. A name that does not exist comes first.
func TestPythonEdits(t *testing.T) {
	t.Parallel()
	fn := function(t, "a.py", pythonFunction, Clues{Raised: []string{"OverflowError"}, Unknown: []string{"issupserset"}})
	all := results(fn)
	for _, c := range []struct {
		old, fresh string
		op         Op
	}{
		{"if other and", "if other is not None and", OpCompareNull},
		{"not limit:", "limit is None:", OpCompareNull},
		{"limit is not None or", "limit or", OpCompareNull},
		{"path is None:", "not path:", OpCompareNull},
		{`"no {path}" " at {limit}" " or {}"`, `f"no {path}" f" at {limit}" " or {}"`, OpFormat},
		{"(ValueError, KeyError) as e", "(ValueError, KeyError, OverflowError) as e", OpExcept},
		{"except OSError:", "except (OSError, OverflowError):", OpExcept},
	} {
		expect(t, fn, all, c.old, c.fresh, c.op)
	}
	for _, e := range fn.Edits() {
		if e.Op == OpFormat && e.Line > 10 || e.Op == OpCompareNull { // which follows from the probes of a condition
			t.Errorf("%s", e.Why)
		}
	}
	if e := fn.Edits()[0]; e.Text != "issuperset" {
		t.Errorf("the first edit %s", e.Why)
	}
}

// A name that does not exist is corrected at all of its places at once, and tests that end with several
// exceptions need them all.
func TestPythonEditsOfSeveralPlaces(t *testing.T) {
	t.Parallel()
	const text = `def f(a):
    try:
        return a.issupserset(1)
    except KeyError:
        return a.issuperset(2)


def g(b):
    return b.issupserset(3)
`
	fn := function(t, "a.py", text, Clues{Raised: []string{"OSError", "OverflowError"}, Unknown: []string{"issupserset"}})
	if got, want := string(fn.Edits()[0].Apply(fn.Content)), strings.ReplaceAll(text, "supserset", "superset"); got != want {
		t.Errorf("the first edit makes\n%s", got)
	}
	expect(t, fn, results(fn), "except KeyError", "except (KeyError, OSError, OverflowError)", OpExcept)
}

// A parameter that nothing uses stands for the literal that is its default.
func TestUnusedParameters(t *testing.T) {
	t.Parallel()
	fn := function(t, "a.py", "@cached(' ')\ndef f(args, sep=' ', end: str = \"x\", n=2, *, mark='-', base=None):\n"+
		"    args.append(f'{mark}-')\n    return ' '.join(args) + b' ' + 'x' + '-' + str(2)\n", Clues{})
	all := results(fn)
	expect(t, fn, all, "' '.join", "sep.join", OpParameter)
	expect(t, fn, all, "+ 'x'", "+ end", OpParameter)
	expect(t, fn, all, "str(2)", "str(n)", OpParameter)
	for _, e := range fn.Edits() {
		if e.Op == OpParameter && e.Text == "mark" {
			t.Errorf("it %s, which a string uses", e.Why)
		}
	}
	used := function(t, "a.py", "def f(args, sep=' '):\n    if sep:\n        return ' '.join(args)\n", Clues{})
	for _, e := range used.Edits() {
		if e.Op == OpParameter {
			t.Errorf("it %s, which is used", e.Why)
		}
	}
}

// No sign ends the last return of a function in Python, which changes like any other.
func TestTheLastReturnOfAPythonFunctionEndsAStatement(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"of the file":     "def f(a, b):\n    if a:\n        return b\n    return g(a) or b\n",
		"of the function": "def f(a, b):\n    return g(a) or b\n\n\ndef h():\n    return 1\n",
	} {
		fn := function(t, "a.py", text, Clues{})
		for i, tok := range fn.toks {
			if fn.is(tok, "return") && !fn.is(fn.toks[i+1], "b") {
				if got := fn.span(fn.restOfStatement(i + 1)); got != "g(a) or b" {
					t.Errorf("%s: %q", name, got)
				}
			}
		}
		expect(t, fn, results(fn), "g(a) or b", "not (g(a) or b)", OpNegate)
	}
}
