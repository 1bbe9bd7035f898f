package testcmd

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

func TestCureOf(t *testing.T) {
	// The cure is the command of the package manager that the files of the tree name, in
	// the directory where the command runs.
	t.Parallel()
	for name, c := range map[string]struct {
		files   gittest.Files
		lacks   fix.Lack
		lacking string
		command string
		how     string
		want    Cure
	}{
		"nothing":                       {lacks: "", want: Cure{}},
		"go":                            {lacks: fix.LackGo, want: Cure{Install: "go mod download"}},
		"go below":                      {lacks: fix.LackGo, command: "cd 'a b' && go test ./...", want: Cure{Install: "cd 'a b' && go mod download"}},
		"no go.mod":                     {lacks: fix.LackGoMod, lacking: "go: cannot find main module, but found .git/config in /w", want: Cure{Advice: makesGoMod}},
		"go.mod":                        {lacks: fix.LackGoMod, lacking: "a.go:1:2: no required module provides package example.com/u; to add it:", want: Cure{Advice: "go get example.com/u adds it to go.mod"}},
		"npm":                           {files: gittest.Files{"package-lock.json": "{}", "package.json": "{}"}, lacks: fix.LackNode, want: Cure{Install: "npm ci"}},
		"npm without a lock":            {files: gittest.Files{"package.json": "{}"}, lacks: fix.LackNode, want: Cure{Install: "npm install"}},
		"pnpm":                          {files: gittest.Files{"pnpm-lock.yaml": "", "package.json": "{}"}, lacks: fix.LackNode, want: Cure{Install: "pnpm install --frozen-lockfile"}},
		"pnpm, the root of a workspace": {files: gittest.Files{"pnpm-lock.yaml": "", "library/package.json": "{}"}, lacks: fix.LackNode, command: "cd library && npx --no-install vitest run", want: Cure{Install: "cd library && pnpm install --frozen-lockfile"}},
		"no pnpm":                       {files: gittest.Files{"pnpm-lock.yaml": "", "package.json": "{}"}, lacks: fix.LackProgram, lacking: "sh: 1: pnpm: not found", command: "pnpm test", want: Cure{Advice: "install it with npm install --global pnpm, or name another command with --test"}},
		"no bun":                        {files: gittest.Files{"bun.lock": "", "package.json": "{}"}, lacks: fix.LackProgram, lacking: "sh: 1: bunx: not found", command: "bunx --no-install vitest --run", want: Cure{Advice: "install Bun, with npm install --global bun, and the packages with bun install; or name another command with --test"}},
		"no pnpm of a version":          {files: gittest.Files{"package.json": `{"packageManager":"pnpm@8.10.2+sha512.00"}`, "a/package.json": "{}"}, lacks: fix.LackProgram, lacking: "sh: 1: pnpm: not found", command: "cd a && pnpm exec vitest run", want: Cure{Advice: "install it with npm install --global pnpm@8.10.2, or name another command with --test"}},
		"no node":                       {files: gittest.Files{"package.json": "{}"}, lacks: fix.LackProgram, lacking: "sh: 1: npx: not found", command: "npx --no-install jest", want: Cure{Advice: "install Node.js, and put it on PATH"}},
		"a program of a package":        {files: gittest.Files{"yarn.lock": "", "package.json": `{"devDependencies":{"vitest":"1"}}`}, lacks: fix.LackNode, lacking: "Error: Cannot find module 'node_modules/vitest/dist/cli.js'", want: Cure{Install: "yarn install --frozen-lockfile"}},
		"a package of the workspace": {
			files: gittest.Files{
				"package.json":     `{"workspaces":["p/*"]}`,
				"p/a/package.json": `{"name":"@x/a","dependencies":{"@x/b":"1","lodash":"4"}}`, "p/b/package.json": `{"name":"@x/b","scripts":{"build":"tsc"},"devDependencies":{"@x/c":"1"}}`,
				"p/c/package.json": `{"name":"@x/c","scripts":{"build":"tsc"},"dependencies":{"@x/a":"1"}}`,
			},
			lacks: fix.LackNode, lacking: "a.ts(1,2): error TS2307: Cannot find module '@x/b' or its corresponding type declarations.",
			command: "cd p/a && npx --no-install mocha",
			want:    Cure{Advice: "it is the package in p/b: npm install links it, and --build='(cd p/c && npm run build) && (cd p/b && npm run build)' builds it"},
		},
		"a build of the workspace":  {files: gittest.Files{"pnpm-lock.yaml": "", "package.json": `{"scripts":{"build":"tsc -b"}}`, "a/package.json": "{}"}, lacks: fix.LackBuilt, command: "cd a && npx --no-install vitest run", want: Cure{Advice: "--build='pnpm run build' builds it"}},
		"a file of a build":         {files: gittest.Files{"package.json": `{"scripts":{"build":"node esbuild.config.js"}}`, "src/marked.ts": ""}, lacks: fix.LackBuilt, lacking: "Cannot find module 'lib/marked.esm.js' imported from test/unit/Hooks.test.js", want: Cure{Advice: "--build='npm run build' builds it"}},
		"a file without its ending": {files: gittest.Files{"package.json": `{"scripts":{"build":"tsc"}}`, "runtime.js": ""}, lacks: fix.LackBuilt, lacking: "Cannot find module 'runtime' imported from node_modules/mocha/lib/nodejs/esm-utils.js", want: Cure{Advice: "there is runtime.js: this version of the tool wants the name with its ending"}},
		"a file that no commit has": {files: gittest.Files{"package.json": `{"scripts":{"build":"tsc"}}`, "src/a.js": ""}, lacks: fix.LackBuilt, lacking: "Cannot find module 'src/b.js' imported from test/b.test.js", want: Cure{Advice: "the other files of src are there: add this one, or name another command with --test"}},
		"yarn of another version":   {files: gittest.Files{"package.json": `{"packageManager":"yarn@4.12.0"}`}, lacks: fix.LackTool, lacking: `error This project's package.json defines "packageManager": "yarn@4.12.0". However the current global version of Yarn is 1.22.22.`, want: Cure{Advice: "corepack enable lets yarn be the version that package.json names; npm install --global corepack brings it"}},
		"a directory":               {lacks: fix.LackCommand, command: "cd x && npm test", want: Cure{Advice: "commands begin at the top of the work tree: let this one begin with cd and a directory of the tree; ignored ones are not copied"}},
		"a script":                  {files: gittest.Files{"package.json": "{}"}, lacks: fix.LackScript, command: "npm run unit", want: Cure{Advice: "name another command with --test"}},
		"a program of npm":          {files: gittest.Files{"package.json": `{"devDependencies":{"mocha":"1"}}`, "yarn.lock": ""}, lacks: fix.LackProgram, lacking: "sh: 1: mocha: not found", command: "make test", want: Cure{Install: "yarn install --frozen-lockfile"}},
		"no meson":                  {files: gittest.Files{"meson.build": ""}, lacks: fix.LackProgram, lacking: "sh: 1: meson: not found", command: "meson test -C _build", want: Cure{Advice: "install it with python3 -m pip install meson ninja, or name another command with --test"}},
		"a program":                 {lacks: fix.LackProgram, lacking: "make: valgrind: No such file or directory", command: "make test", want: Cure{Advice: "install valgrind, or name another command with --test"}},
		"requirements":              {files: gittest.Files{"requirements.txt": "", "m.py": ""}, lacks: fix.LackPython, lacking: "ModuleNotFoundError: No module named 'requests'", want: Cure{Install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"}},
		"requirements and tox": {
			files: gittest.Files{
				"requirements.txt": "", "setup.py": "", "ci/t.txt": "",
				"tox.ini": "[tox]\nenvlist = py3\n\n[testenv]\ncommands = pytest\ndeps = pytest>=7\n    mock  # old\n    py27: enum34\n    -r ci/t.txt\n    -r requirements.txt\n    -r no.txt\n    {toxinidir}\nsetenv =\n    A=b\n\n[testenv:lint]\ndeps = ruff\n",
			},
			lacks: fix.LackPython, lacking: "ModuleNotFoundError: No module named 'mock'",
			want: Cure{Install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt 'pytest>=7' mock -r ci/t.txt"},
		},
		"pytest and a project":                  {files: gittest.Files{"pyproject.toml": "[project.optional-dependencies]\ntest = [\"pytest\"]\n"}, lacks: fix.LackPython, lacking: "python3: No module named pytest", want: Cure{Install: "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' pytest"}},
		"pytest and a group":                    {files: gittest.Files{"pyproject.toml": "[project]\nname = \"m\"\n\n[dependency-groups]\ndev = [\n    \"pytest>=8\",\n]\n\n[tool.x]\ntest = []\n"}, lacks: fix.LackPython, lacking: "python3: No module named pytest", want: Cure{Install: "python3 -m venv .venv && .venv/bin/pip install 'pip>=25.1' && .venv/bin/pip install -e . --group dev pytest"}},
		"pytest and another table":              {files: gittest.Files{"pyproject.toml": "[project]\nname = \"m\"\n\n[tool.hatch.envs]\ndev = []\n"}, lacks: fix.LackPython, lacking: "python3: No module named pytest", want: Cure{Install: "python3 -m venv .venv && .venv/bin/pip install -e . pytest", Instead: "where hatch has installed them elsewhere than in .venv, hatch run git agent fix uses them"}},
		"pytest and setup.cfg":                  {files: gittest.Files{"setup.py": "", "setup.cfg": "[options.extras_require]\ndev =\n    pytest\n"}, lacks: fix.LackPython, lacking: "python3: No module named pytest", want: Cure{Install: "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' pytest"}},
		"a module of its own":                   {files: gittest.Files{"src/m/a.py": ""}, lacks: fix.LackPython, lacking: "ModuleNotFoundError: No module named 'm'", want: Cure{Advice: "it is the project's own: begin the command with PYTHONPATH=src"}},
		"no package is guessed":                 {files: gittest.Files{"m.py": ""}, lacks: fix.LackPython, lacking: "ModuleNotFoundError: No module named 'evil'", want: Cure{Advice: "install the package of the module evil; a virtual environment .venv at the top is used"}},
		"maven":                                 {files: gittest.Files{"pom.xml": ""}, lacks: fix.LackMaven, lacking: "x", want: Cure{Install: "mvn -B test -Dtest='*#none' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"}},
		"maven with modules":                    {files: gittest.Files{"pom.xml": "<modules><module>a</module></modules>"}, lacks: fix.LackMaven, lacking: "x", want: Cure{Install: "mvn -B -fn test -Dtest='*#none' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"}},
		"gradle":                                {files: gittest.Files{"gradlew": ""}, lacks: fix.LackGradle, want: Cure{Install: "sh ./gradlew testClasses"}},
		"cargo":                                 {lacks: fix.LackCargo, want: Cure{Install: "cargo fetch"}},
		"bundler":                               {lacks: fix.LackRuby, want: Cure{Install: "bundle install"}},
		"a program of bundler":                  {files: gittest.Files{"Gemfile": ""}, lacks: fix.LackProgram, lacking: "sh: 1: rspec: not found", want: Cure{Install: "bundle install"}},
		"the network":                           {lacks: fix.LackNetwork, want: Cure{Advice: "--network lets the commands use it"}},
		"another version":                       {lacks: fix.LackTool, want: Cure{Advice: "install the version that it asks for, and put it first on PATH"}},
		"a program of a test tool":              {files: gittest.Files{"requirements.txt": ""}, lacks: fix.LackProgram, lacking: "sh: 1: pytest: not found", want: Cure{Install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt pytest"}},
		"a wrapper of maven":                    {files: gittest.Files{"pom.xml": "", "mvnw": ""}, command: "sh ./mvnw -B -o test", lacks: fix.LackMaven, want: Cure{Install: "sh ./mvnw -B test -Dtest='*#none' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"}},
		"a check of maven":                      {lacks: fix.LackCheck, lacking: "Failed to execute goal org.apache.rat:apache-rat-plugin:0.15:check (rat-check) on project x: Too many files", want: Cure{Advice: "add -Drat.skip to the command"}},
		"a newer JDK":                           {lacks: fix.LackJDK, lacking: "Fatal error compiling: error: release version 25 not supported", want: Cure{Advice: "install JDK 25 or later, and let JAVA_HOME name it"}},
		"classes of a newer JDK":                {lacks: fix.LackJDK, lacking: "UnsupportedClassVersionError: a has been compiled by a more recent version of the Java Runtime (class file version 65.0)", want: Cure{Advice: "install JDK 21 or later, and let JAVA_HOME name it"}},
		"an older JDK":                          {lacks: fix.LackJDK, lacking: "Unsupported class file major version 65", want: Cure{Advice: "let JAVA_HOME name a JDK older than 21, or update the tool that reads the classes"}},
		"a JRE":                                 {lacks: fix.LackJDK, lacking: "No compiler is provided in this environment.", want: Cure{Advice: "this is a JRE: install a JDK, which has javac, and let JAVA_HOME name it"}},
		"an old source level":                   {lacks: fix.LackJDK, lacking: "Source option 5 is no longer supported. Use 7 or later.", want: Cure{Advice: "add -Dmaven.compiler.source=8 -Dmaven.compiler.target=8 to the command, or let JAVA_HOME name an older JDK"}},
		"a source level that the pom.xml names": {files: gittest.Files{"pom.xml": "<configuration><source>1.6</source></configuration>"}, command: "mvn -B test", lacks: fix.LackJDK, lacking: "Source option 6 is no longer supported. Use 7 or later.", want: Cure{Advice: "the pom.xml sets the level itself, so that no option changes it: let JAVA_HOME name an older JDK, or raise the level there"}},
		"a source level of the pom.xml":         {command: "mvn -B test -Dmaven.compiler.source=8 -Dmaven.compiler.target=8", lacks: fix.LackJDK, lacking: "Source option 5 is no longer supported. Use 7 or later.", want: Cure{Advice: "the pom.xml sets the level itself, so that no option changes it: let JAVA_HOME name an older JDK, or raise the level there"}},
		"JAVA_HOME":                             {lacks: fix.LackJDK, lacking: "The JAVA_HOME environment variable is not defined correctly,", want: Cure{Advice: "let JAVA_HOME name the directory of a JDK, or unset it"}},
		"no build file":                         {files: gittest.Files{"b/pom.xml": "", "a/c/pom.xml": ""}, command: "mvn test", lacks: fix.LackCommand, lacking: "there is no POM in this directory (/src/calc).", want: Cure{Advice: "begin the command with cd b &&"}},
		"no such task":                          {files: gittest.Files{"build.gradle": ""}, command: "./gradlew tset", lacks: fix.LackCommand, lacking: "Task 'tset' not found in root project 'tree'. Some candidates are: 'test'.", want: Cure{Advice: "name a task that the build has, such as test"}},
		"no build file at all":                  {command: "./gradlew test", lacks: fix.LackCommand, lacking: "Directory '/src' does not contain a Gradle build.", want: Cure{Advice: "no directory of the tree has a build.gradle, so name another command with --test"}},
		"an option of the JVM":                  {lacks: fix.LackProcess, lacking: "Unrecognized VM option 'MaxPermSize=64m'", want: Cure{Advice: "use a JDK that knows the option, or take it out of argLine"}},
		"plugins of pytest":                     {files: gittest.Files{"pyproject.toml": "", "uv.lock": ""}, lacks: fix.LackPython, lacking: "python -m pytest: error: unrecognized arguments: --cov=lib --timeout=3 -n4", want: Cure{Install: "python3 -m venv .venv && .venv/bin/pip install -e . pytest-cov pytest-timeout pytest-xdist pytest"}},
		"poetry":                                {files: gittest.Files{"pyproject.toml": "", "poetry.lock": ""}, lacks: fix.LackPython, lacking: "ModuleNotFoundError: No module named 'requests'", want: Cure{Install: "POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install", Instead: "where poetry has installed them elsewhere than in .venv, poetry run git agent fix uses them"}},
		"a newer Python":                        {files: gittest.Files{"pyproject.toml": "[project]\nrequires-python = \">=3.12\"\n"}, how: "does not build (exit 2): lib.py:1: invalid syntax", want: Cure{Advice: "correct it, or put a Python that knows this syntax first on PATH (pyproject.toml asks for >=3.12)"}},
		"an extension":                          {files: gittest.Files{"setup.py": "", "fast/_speed.c": ""}, how: "does not build (exit 2): fast/__init__.py:1: ImportError: cannot import name '_speed' from partially initialized module 'fast' (most likely due to a circular import) (fast/__init__.py)", want: Cure{Advice: "it is built from fast/_speed.c: --build='python3 setup.py build_ext --inplace' builds it in each copy"}},
		"a name":                                {how: "does not build (exit 2): tests/test_lib.py:1: ImportError: cannot import name 'g' from 'lib' (lib.py)", want: Cure{Advice: "lib has no g: write it first, or name a test that does not import it"}},
		"no test":                               {how: "runs no test (exit 5)", want: Cure{Advice: "name tests that exist with --test"}},
		"no directory":                          {lacks: fix.LackCommand, lacking: "sh: 1: cd: can't cd to x", want: Cure{Advice: "commands begin at the top of the work tree: let this one begin with cd and a directory of the tree; ignored ones are not copied"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.files == nil {
				c.files = gittest.Files{"README": "\n"}
			}
			h := gittest.New(t)
			tree := fix.Tree{Commit: h.Commit("c", c.files)}
			state := fix.State("")
			if c.how != "" {
				state = fix.Broken
			}
			got, err := CureOf(t.Context(), h.Open(), tree, fix.Reproduction{Command: c.command, Lacks: c.lacks, Lacking: c.lacking, How: c.how, State: state})
			text := Cure{Install: got.Install, Advice: got.Text(), Instead: got.Instead}
			if err != nil || text != c.want {
				t.Errorf("got %+v, %v", got, err)
			}
			for _, option := range []Option{Build, Setup} {
				if strings.Contains(got.Advice, string(option)) != (got.Option == option) {
					t.Errorf("%+v hides its option", got)
				}
			}
			if strings.Contains(got.Advice, "another command") || strings.Contains(got.Advice, "with --test") {
				t.Errorf("%+v has an option of fix in what other verbs say, too", got)
			}
		})
	}
}

// A note says nothing of options that the verb lacks: bisect has no --setup, szz none of them. --test of cargo is no
// option of fix.
func TestNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cure Cure
		want string
	}{
		{Cure{Install: "bundle install"}, "this gets what is missing, here: bundle install"},
		{Cure{Advice: "install it with pip", Test: anotherTest}, "install it with pip"},
		{Cure{Test: "name another command with --test"}, ""},
		{Cure{Advice: "--build='make' builds it", Option: Build}, "--build='make' builds it"},
		{Cure{Advice: "--setup='gem install a' installs it", Option: Setup}, ""},
		{Cure{Advice: "--test must name a target of this package"}, "--test must name a target of this package"},
		{Cure{Advice: "name tests that exist"}, "name tests that exist"},
		{Cure{}, ""},
	} {
		if got := c.cure.Note("here", Build); got != c.want {
			t.Errorf("%+v: %q, want %q", c.cure, got, c.want)
		}
	}
}
