package testcmd

import (
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
)

// pythonManagers are the files of managers of Python packages, and the commands that install a
// project's packages in .venv.
var pythonManagers = []struct{ file, install string }{
	{"uv.lock", "uv sync"},
	{"poetry.lock", "POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install"},
	{"pdm.lock", "pdm install"},
	{"Pipfile.lock", "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev"},
}

// insteadOfInstall names the command that runs others in the environment which a manager makes by itself, outside of
// the project and by the project's path, so that commands in a copy do not find it.
func (d directory) insteadOfInstall() string {
	for _, manager := range []struct {
		is   bool
		name string
	}{
		{d.has("poetry.lock"), "poetry"}, {d.has("Pipfile.lock"), "pipenv"},
		{strings.Contains(d.text("pyproject.toml"), "[tool.hatch.envs"), "hatch"},
	} {
		if manager.is {
			return "where " + manager.name + " has installed them elsewhere than in .venv, " + manager.name +
				" run git agent fix uses them"
		}
	}
	return ""
}

// pluginOptions maps the beginnings of pytest's options to the packages of the plugins that
// have them.
var pluginOptions = []struct{ option, plugin string }{
	{"--cov", "pytest-cov"}, {"--no-cov", "pytest-cov"}, {"--timeout", "pytest-timeout"}, {"--numprocesses", "pytest-xdist"},
	{"--dist", "pytest-xdist"}, {"-n", "pytest-xdist"}, {"--reruns", "pytest-rerunfailures"}, {"--asyncio-mode", "pytest-asyncio"},
	{"--randomly", "pytest-randomly"}, {"--benchmark", "pytest-benchmark"}, {"--mypy", "pytest-mypy"}, {"--html", "pytest-html"},
	{"--ds", "pytest-django"}, {"--reuse-db", "pytest-django"}, {"--forked", "pytest-forked"}, {"--json-report", "pytest-json-report"},
	{"--disable-socket", "pytest-socket"}, {"--doctest-plus", "pytest-doctestplus"}, {"--mpl", "pytest-mpl"},
}

// pytestPlugins returns the packages that have the options of an error message of pytest.
func pytestPlugins(line string) []string {
	_, options, ok := strings.Cut(line, "unrecognized arguments: ")
	if !ok {
		return nil
	}
	var list []string
	for _, word := range strings.Fields(options) {
		for _, o := range pluginOptions {
			exact := word == o.option || strings.HasPrefix(word, o.option+"=") || strings.HasPrefix(word, o.option+"-")
			if (exact || len(o.option) == 2 && strings.HasPrefix(word, o.option)) && !slices.Contains(list, o.plugin) {
				list = append(list, o.plugin)
			}
		}
	}
	return list
}

var (
	pythonSyntax = source.Lazy(`\S+\.py:\d+: (?:\w*SyntaxError: )?(?:.*(?:invalid syntax|invalid decimal literal|expected ':'|f-string|[Pp]arenthes|cannot assign|positional patterns).*)$`)
	pythonName   = source.Lazy(`ImportError: cannot import name '(\w+)' from (?:partially initialized module )?'([\w.]+)'`)
	pythonWants  = source.Lazy(`(?m)^\s*(?:requires-python|python_requires|python)\s*=\s*["']?([^"'\n]+)`)
)

// brokenCure returns the cure for a command that lacks nothing and cannot be judged, by the
// predicate that describes its end.
func (d directory) brokenCure(how string) Cure {
	if m := pythonName().FindStringSubmatch(how); m != nil {
		return d.importCure(m[1], m[2])
	}
	switch {
	case strings.HasPrefix(how, testrun.RunsNoTest):
		return Cure{Advice: "name tests that exist", Test: " with --test"}
	case pythonSyntax().MatchString(how):
		wants := ""
		for _, name := range []string{"pyproject.toml", "setup.cfg", "setup.py"} {
			if m := pythonWants().FindStringSubmatch(d.text(name)); m != nil {
				wants = fmt.Sprintf(" (%s asks for %s)", name, strings.TrimSpace(m[1]))
				break
			}
		}
		return Cure{Advice: "correct it, or put a Python that knows this syntax first on PATH" + wants}
	case strings.HasPrefix(how, testrun.DoesNotBuild):
		return Cure{Advice: "make it build", Test: ", or let --test run only what does"}
	}
	return Cure{}
}

// importCure returns the cure for a name that a module does not have: it is an extension that
// was not built, or the tests belong to another version of the program.
func (d directory) importCure(name, module string) Cure {
	for _, ext := range []string{".c", ".cpp", ".cc", ".pyx", ".rs", ".cu"} {
		for p := range d.modes {
			if d.holds(p) && strings.HasSuffix(p, "/"+name+ext) {
				build := "python3 -m pip install --no-build-isolation --no-deps -e ."
				if d.has("setup.py") {
					build = "python3 setup.py build_ext --inplace"
				}
				return Cure{Advice: "it is built from " + p + ": --build=" + quote(build) + " builds it in each copy", Option: Build}
			}
		}
	}
	return Cure{Advice: module + " has no " + name + ": write it first, or name a test that does not import it"}
}

// lackedModule matches a missing module in a Python error.
var lackedModule = source.Lazy(`(?:No module named '?|No package metadata was found for )([A-Za-z_]\w*)`)

// pythonCure returns the cure that installs the packages of a Python project in .venv. Commands
// find the programs of .venv first.
func (d directory) pythonCure(line string) Cure {
	module := ""
	if m := lackedModule().FindStringSubmatch(line); m != nil {
		module = m[1]
	}
	plugins := pytestPlugins(line)
	for _, manager := range pythonManagers {
		if d.has(manager.file) && len(plugins) == 0 {
			return Cure{Install: manager.install, Instead: d.insteadOfInstall()}
		}
	}
	var what []string
	for _, name := range []string{"requirements.txt", "requirements-dev.txt", "requirements-test.txt", "dev-requirements.txt", "test-requirements.txt", "requirements/dev.txt", "requirements/test.txt", "tests/requirements.txt"} {
		if d.has(name) {
			what = append(what, "-r "+name)
		}
	}
	pip, forTests := "", len(what) > 1 || len(what) == 1 && !d.has("requirements.txt")
	own := module != "" && d.has(module+".py", module+"/", "src/"+module+".py", "src/"+module+"/")
	switch {
	case d.has("setup.py", "pyproject.toml") && (own || len(what) == 0):
		arguments, group := d.own()
		if what = append([]string{arguments}, what...); group {
			pip = ".venv/bin/pip install 'pip>=25.1' && "
		}
		forTests = forTests || arguments != "-e ."
	case own && d.has("src/"+module+".py", "src/"+module+"/"):
		return Cure{Advice: "it is the project's own: begin the command with PYTHONPATH=src"}
	case own:
		return Cure{Advice: "it is the project's own: begin the command with PYTHONPATH=."}
	}
	if !forTests {
		what = agent.Unique(append(what, d.toxDeps()...))
	}
	what = append(what, plugins...)
	if !slices.Contains(what, "pytest") && (module == "pytest" || len(what) > 0 && strings.Contains(line, "pytest")) {
		what = append(what, "pytest")
	}
	switch { // the name of a module may differ from its package, and must not be guessed
	case len(what) > 0:
	case module != "":
		return Cure{Advice: "install the package of the module " + module + "; a virtual environment .venv at the top is used"}
	default:
		return Cure{Advice: "install them; a virtual environment .venv at the top is used"}
	}
	return Cure{
		Install: "python3 -m venv .venv && " + pip + ".venv/bin/pip install " + strings.Join(what, " "), Instead: d.insteadOfInstall(),
	}
}

// pythonExtras are the usual names of extras, and of groups, with dependencies of tests.
var pythonExtras = []string{"test", "tests", "testing", "dev", "develop"}

// own returns the arguments of pip that install the project with the extra for tests, or with the
// group, which pip knows since version 25.1.
func (d directory) own() (arguments string, group bool) {
	extras := section(d.text("pyproject.toml"), "[project.optional-dependencies]", "[tool.poetry.extras]") +
		section(d.text("setup.cfg"), "[options.extras_require]")
	groups := section(d.text("pyproject.toml"), "[dependency-groups]")
	for _, name := range pythonExtras {
		switch {
		case defines(extras, name):
			return "-e '.[" + name + "]'", false
		case defines(groups, name):
			return "-e . --group " + name, true
		}
	}
	return "-e .", false
}

// plainDep matches a line of tox.ini that names a package, or a file of packages, without a condition of tox.
var plainDep = source.Lazy(`^(?:-r *[\w./-]+|[A-Za-z][\w.-]*(?:\[[\w, -]+\])? *(?:[<>=!~;][^{}:]*)?)$`)

// toxDeps returns the packages that tox installs for the tests, as arguments of pip.
func (d directory) toxDeps() (deps []string) {
	inside := false
	for line := range strings.Lines(section(d.text("tox.ini"), "[testenv]")) {
		text, _, _ := strings.Cut(line, "#")
		if name, rest, ok := strings.Cut(text, "="); ok && text[0] > ' ' {
			inside, text = strings.TrimSpace(name) == "deps", rest
		}
		text = strings.TrimSpace(text)
		switch file, isFile := strings.CutPrefix(text, "-r"); {
		case !inside || !plainDep().MatchString(text):
		case isFile && d.has(strings.TrimSpace(file)):
			deps = append(deps, "-r "+strings.TrimSpace(file))
		case !isFile:
			deps = append(deps, quote(text))
		}
	}
	return deps
}

// section returns the lines of a TOML or INI file below some headings.
func section(text string, headings ...string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") {
			inside = slices.Contains(headings, strings.TrimSpace(line))
		} else if inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

// defines reports whether lines of a TOML or INI file define a key.
func defines(lines, key string) bool {
	for line := range strings.Lines(lines) {
		if name, _, ok := strings.Cut(line, "="); ok && strings.Trim(strings.TrimRight(name, " \t"), `"'`) == key {
			return true
		}
	}
	return false
}
