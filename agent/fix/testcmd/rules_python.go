package testcmd

import (
	"path"
	"strings"

	"git-agent/agent/source"
)

// pythonConfigs are the files that suggest pytest, in order.
var pythonConfigs = []string{"pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "setup.py", "conftest.py", "tests/conftest.py", "tests/", "test/"}

// proposePython proposes pytest and unittest with the Python of the active environment, which
// is .venv where a package manager makes one. Managers that keep environments elsewhere run
// their own, if python3 cannot run the tests.
func proposePython(d directory) []Proposal {
	var out []Proposal
	django := d.djangoTests()
	from := d.pythonConfig()
	if django != nil && !strings.Contains(d.text(from), "DJANGO_SETTINGS_MODULE") {
		return django
	}
	below := d.path != "." // directories with the name tests are everywhere
	if from == "" || below && strings.HasSuffix(from, "/") || !d.hasPythonTests() {
		return django
	}
	env := ""
	if d.hasBelow("src", ".py") && !strings.Contains(d.text("pyproject.toml"), "pythonpath") {
		env = "PYTHONPATH=src "
	}
	unit, says := d.unittest()
	if says != "" {
		out = append(out, Proposal{Test: env + unit, From: says})
	}
	pytest := "python3 -m pytest -q" + d.pytestUncovered()
	out = append(out, Proposal{Test: env + pytest, From: from})
	if says == "" && !strings.Contains(d.text(from), "pytest") && !d.has("conftest.py", "tests/conftest.py", "test/conftest.py") {
		out = append(out, Proposal{Test: env + "python3 -m unittest discover", From: from})
	}
	out = append(out, django...)
	usual := pytest
	if says != "" {
		usual = unit
	}
	for _, m := range []struct{ file, run string }{
		{"poetry.lock", "poetry run"}, {"pdm.lock", "pdm run"}, {"Pipfile.lock", "pipenv run"}, {"uv.lock", "uv run --offline --no-sync"},
	} {
		if d.has(m.file) {
			out = append(out, Proposal{Test: env + m.run + " " + strings.Replace(usual, "python3", "python", 1), From: m.file})
		}
	}
	if strings.Contains(d.text("pyproject.toml"), "[tool.hatch.envs") {
		out = append(out, Proposal{Test: env + "hatch run " + strings.Replace(usual, "python3", "python", 1), From: "pyproject.toml"})
	}
	return out
}

// unittestCall matches what runs unittest in a file, and the rest of its line up to arguments of the user.
var unittestCall = source.Lazy(`-m["', ]+unittest\b([^\n{}$#;&|]*)`)

// unittestArguments returns the arguments of unittest at the beginning of a text; the end of a quoted command ends them.
func unittestArguments(text string) string {
	list, ok := words(text)
	if !ok || strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'") {
		list, _ = words(text[:max(strings.IndexAny(text, `"'`), 0)])
	}
	if len(list) == 0 {
		return ""
	}
	return " " + strings.Join(raws(list), " ")
}

// unittest returns the command of unittest that a file names which says how to test, and the file; "" if none does, or
// one of them names pytest.
func (d directory) unittest() (command, from string) {
	for _, name := range []string{"tox.ini", "noxfile.py", "pyproject.toml", "setup.cfg", "Makefile", "pytest.ini"} {
		text := d.text(name)
		if strings.Contains(text, "pytest") {
			return "", ""
		}
		if m := unittestCall().FindStringSubmatch(text); m != nil && from == "" {
			command, from = "python3 -m unittest"+unittestArguments(m[1]), name
		}
	}
	return command, from
}

// pythonConfig returns the file that suggests pytest: the first one that names it, or else the
// first one; "" if there is none.
func (d directory) pythonConfig() string {
	first := ""
	for _, name := range pythonConfigs {
		if !d.has(name) {
			continue
		}
		if strings.Contains(d.text(name), "pytest") {
			return name
		}
		if first == "" {
			first = name
		}
	}
	return first
}

// djangoTests proposes the test runners of Django's projects and applications.
func (d directory) djangoTests() []Proposal {
	switch {
	case d.djangoCall() != "":
		return []Proposal{{Test: d.djangoCall(), From: "tox.ini"}}
	case d.has("manage.py"):
		return []Proposal{{Test: "python3 manage.py test", From: "manage.py"}}
	case d.has("runtests.py"):
		return []Proposal{{Test: "python3 runtests.py", From: "runtests.py"}}
	case d.has("tests/runtests.py"):
		return []Proposal{{Test: "PYTHONPATH=. python3 tests/runtests.py", From: "tests/runtests.py"}}
	}
	return nil
}

// djangoTest matches what runs the tests of an application with the settings that it has for them, without arguments of the user.
var djangoTest = source.Lazy(`(?:-m django|\bdjango-admin(?:\.py)?) test\b([^\n{}$#;&|]*?--settings[= ][\w.]+)`)

// djangoCall returns the command of Django that tox runs; "" if there is none.
func (d directory) djangoCall() string {
	m := djangoTest().FindStringSubmatch(d.text("tox.ini"))
	if m == nil {
		return ""
	}
	return "python3 -m django test" + unittestArguments(m[1])
}

// hasPythonTests reports whether pytest or unittest would find test files below the directory.
func (d directory) hasPythonTests() bool {
	for p := range d.modes {
		if name := path.Base(p); strings.HasSuffix(name, ".py") && d.holds(p) &&
			(strings.HasPrefix(name, "test") || strings.HasSuffix(name, "_test.py")) {
			return true
		}
	}
	return false
}
