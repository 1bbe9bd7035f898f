package testcmd

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// propose returns the proposals for a repository with these files, one per line.
func propose(t *testing.T, files gittest.Files, near string, over ...gitext.Overlay) string {
	t.Helper()
	var lines []string
	for _, p := range proposals(t, files, near, over...) {
		line := p.From + ": " + p.Test
		if p.Build != "" {
			line = p.From + ": " + p.Build + "; " + p.Test
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func proposals(t *testing.T, files gittest.Files, near string, over ...gitext.Overlay) []Proposal {
	t.Helper()
	h := gittest.New(t)
	list, err := Propose(t.Context(), h.Open(), fix.Tree{Commit: h.Commit("c", files), Over: over}, near)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestProposeKnowsEcosystems(t *testing.T) {
	// Each set of files gets the commands of its ecosystem, the most likely first.
	t.Parallel()
	for name, c := range map[string]struct {
		files gittest.Files
		want  string
	}{
		"go with make": {gittest.Files{"go.mod": "module m\n", "a.go": "package m\n", "Makefile": "X := 1\ncheck: test lint\ntest:\n\tgo test\n"},
			"go.mod: go test ./...\nMakefile: make test\nMakefile: make check"},
		"npm's own script is none": {gittest.Files{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, ""},
		"npm": {gittest.Files{"package.json": `{"scripts":{"pretest":"npm run lint","test":"npm run tests-only","tests-only":"nyc tape 'test/**/*.js'"}}`},
			"package.json: npx --no-install tape 'test/**/*.js'\npackage.json: npm test\npackage.json: npm run tests-only"},
		"npm, linters before the tests": {gittest.Files{"package.json": `{"scripts":{"lint":"eslint .","test":"npm run lint && cross-env NODE_ENV=test mocha --exit"}}`},
			"package.json: NODE_ENV=test npx --no-install mocha --exit\npackage.json: npm test"},
		"npm, linters that a hook runs": {gittest.Files{"package.json": `{"scripts":{"pretest":"standard && tsc","test":"node --test","posttest":"npm audit"}}`},
			"package.json: npx --no-install tsc; node --test\npackage.json: npm test"},
		"pnpm, linters after the tests": {gittest.Files{"package.json": `{"scripts":{"check":"npm run lint && npm run types","lint":"biome ci","types":"tsc --noEmit","test":"vitest run && pnpm run check"}}`, "pnpm-lock.yaml": "\n"},
			"package.json: pnpm exec vitest run\npackage.json: npx --no-install vitest run\npackage.json: pnpm test"},
		"pnpm, types before the tests": {gittest.Files{"package.json": `{"packageManager":"pnpm@10.33.0","scripts":{"lint":"oxlint src","test":"pnpm lint && pnpm test:types && pnpm vitest run","test:types":"tsgo --noEmit"}}`},
			"package.json: pnpm exec vitest run\npackage.json: npx --no-install vitest run\npackage.json: pnpm test"},
		"yarn, a script of a script": {gittest.Files{"package.json": `{"scripts":{"test":"yarn lint && yarn testonly --runInBand","lint":"eslint src","testonly":"jest"}}`, "yarn.lock": "\n"},
			"package.json: yarn run jest --runInBand\npackage.json: npx --no-install jest --runInBand\npackage.json: yarn test"},
		"pnpm, vitest that checks types": {gittest.Files{"package.json": `{"scripts":{"test":"pnpm lint && vitest run --typecheck --retry 2"}}`, "pnpm-lock.yaml": "\n"},
			"package.json: pnpm exec vitest run --retry 2\npackage.json: npx --no-install vitest run --retry 2\npackage.json: pnpm test"},
		"npm, jest that measures coverage": {gittest.Files{"package.json": `{"scripts":{"test":"eslint . && jest --coverage --ci"}}`},
			"package.json: npx --no-install jest --ci\npackage.json: npm test"},
		"django, settings of tests": {gittest.Files{"pyproject.toml": "[project]\n", "tests/tests.py": "import unittest\n",
			"tox.ini": "[testenv]\ncommands =\n    coverage run -m django test --settings=tests.settings {posargs}\n    coverage report\n"},
			"tox.ini: python3 -m django test --settings=tests.settings"},
		"cmake, tests that are off": {gittest.Files{"CMakeLists.txt": "option(WITH_TESTS \"Unit tests\" OFF)\noption(P_WITHOUT_TESTS \"No tests\" OFF)\noption(BUILD_TESTING \"\" ON)\nenable_testing()\n"},
			"CMakeLists.txt: cmake -S . -B _build -DWITH_TESTS=ON && cmake --build _build -j2; ctest --test-dir _build --output-on-failure"},
		"npm, tests behind a build": {gittest.Files{"package.json": `{"scripts":{"pretest":"rimraf build && tsc -p tsconfig.test.json","test":"c8 mocha test/*.mjs"}}`},
			"package.json: npm test\npackage.json: npx --no-install rimraf build && npx --no-install tsc -p tsconfig.test.json; npx --no-install mocha test/*.mjs"},
		"npm, tap 16 that measures coverage": {gittest.Files{"package.json": `{"scripts":{"test":"tap","posttest":"eslint ."},"devDependencies":{"tap":"^16.0.0"}}`},
			"package.json: npx --no-install tap --no-coverage\npackage.json: npm test"},
		"npm, tap 21 that measures coverage": {gittest.Files{"package.json": `{"scripts":{"test":"tap --100 test/*.js"},"devDependencies":{"tap":"~21.1"}}`},
			"package.json: npx --no-install tap test/*.js --disable-coverage\npackage.json: npm test"},
		"npm, a step before the tests, and others behind them": {
			gittest.Files{"package.json": `{"scripts":{"pretest":"npm run generate","generate":"openapi-typescript -c x.yaml","test":"npm run test:js && npm run test:exports",
				"test:js":"vitest run","test:exports":"unbuild && attw --pack ."}}`},
			"package.json: npm run generate; npx --no-install vitest run\npackage.json: npx --no-install vitest run\npackage.json: npm test",
		},
		"npm, lab that measures coverage and lints": {gittest.Files{"package.json": `{"scripts":{"test":"lab -a @hapi/code -t 100 -L -Y -v test/unit"}}`},
			"package.json: npx --no-install lab -a @hapi/code -v test/unit\npackage.json: npm test"},
		"npm, nyc around a script, and a test of types": {
			gittest.Files{"package.json": `{"scripts":{"test":"nyc npm run unit && npm run ts","unit":"tape \"test/*.js\"","ts":"tstyche"}}`},
			"package.json: npm run unit\npackage.json: npm test",
		},
		"npm, c8 with a reporter around a script": {
			gittest.Files{"package.json": `{"scripts":{"build":"tsc --build","format":"remark . && xo --fix","test-api":"node --conditions development test/index.js",
				"test-coverage":"c8 --100 --reporter lcov npm run test-api","test":"npm run build && npm run format && npm run test-coverage"}}`},
			"package.json: npm run build; node --conditions development test/index.js\npackage.json: npm test\npackage.json: npm run test-api",
		},
		"npm, a configuration that measures coverage": {
			gittest.Files{
				"package.json": `{"scripts":{"test":"vitest run --coverage.provider=v8"}}`, "vite.config.ts": "test: {\n coverage: {\n provider: 'v8', enabled: true\n}}\n",
			},
			"package.json: npx --no-install vitest run --coverage.enabled=false\npackage.json: npm test",
		},
		"npm, mocha below nyc": {gittest.Files{"package.json": `{"scripts":{"test":"nyc --check-coverage npx mocha test","unit":"c8 --reporter lcov mocha"}}`},
			"package.json: npx --no-install mocha test\npackage.json: npm test\npackage.json: npm run unit"},
		"npm, a check of coverage behind the tests": {gittest.Files{"package.json": `{"scripts":{"test":"nyc mocha && npm run cover","cover":"nyc check-coverage --lines 100"}}`},
			"package.json: npx --no-install mocha\npackage.json: npm test"},
		"npm, vitest by its file, and the types behind it": {gittest.Files{"package.json": `{"scripts":{"test":"node --expose-gc ./node_modules/vitest/dist/cli.js --run && vitest --run --typecheck.only"}}`},
			"package.json: node --expose-gc ./node_modules/vitest/dist/cli.js --run\npackage.json: npm test"},
		"npm, jest by its file": {gittest.Files{"package.json": `{"scripts":{"test":"eslint . && node --experimental-vm-modules node_modules/.bin/jest --coverage -i"}}`},
			"package.json: node --experimental-vm-modules node_modules/.bin/jest -i\npackage.json: npm test"},
		"npm, mocha by its path": {gittest.Files{"package.json": `{"scripts":{"test":" node_modules/.bin/mocha"}}`},
			"package.json: npx --no-install mocha\npackage.json: npm test"},
		"bun, its tests before other things": {gittest.Files{"package.json": `{"scripts":{"test":"bun run test:unit && bun run test:node","test:unit":"bun test && bun run test/types.ts","test:node":"npm install && node test/index.js"}}`, "bun.lock": "\n"},
			"package.json: bun test\npackage.json: bun run test\npackage.json: bun run test:unit\npackage.json: bun run test:node"},
		"npm, mocha that needs nyc": {gittest.Files{"package.json": `{"scripts":{"test":"nyc mocha"},"nyc":{"require":["ts-node/register"]}}`},
			"package.json: npx --no-install nyc mocha\npackage.json: npm test"},
		"yarn, packages in archives": {gittest.Files{"package.json": `{"scripts":{"test":"vitest --run"}}`, "yarn.lock": "\n", ".pnp.cjs": "\n"},
			"package.json: yarn run vitest --run\npackage.json: yarn test"},
		"bun, its types and vitest": {gittest.Files{"package.json": `{"scripts":{"test":"tsc -p tsconfig.spec.json && vitest --run"}}`, "bun.lock": "\n"},
			"package.json: bunx --no-install vitest --run\npackage.json: npx --no-install vitest --run\npackage.json: bun run test"},
		"node's runner with tsx": {gittest.Files{"package.json": `{"scripts":{"test":"xo && node --import=tsx/esm --test test/*.ts && tsd"}}`},
			"package.json: node --import=tsx/esm --test test/*.ts\npackage.json: npm test"},
		"mocha with assignments": {gittest.Files{"package.json": `{"scripts":{"test":"cross-env NODE_OPTIONS=--import=tsx mocha test/*.ts"}}`},
			"package.json: NODE_OPTIONS=--import=tsx npx --no-install mocha test/*.ts\npackage.json: npm test"},
		"npm, only tests": {gittest.Files{"package.json": `{"scripts":{"test":"tsc && mocha dist"}}`}, "package.json: npm test"},
		"npm, a pipe":     {gittest.Files{"package.json": `{"scripts":{"test":"eslint . && tape t.js | tap-spec"}}`}, "package.json: npm test"},
		"yarn, watching":  {gittest.Files{"package.json": `{"scripts":{"test":"react-scripts test"}}`, "yarn.lock": "\n"}, "package.json: CI=true yarn test"},
		"npm, watching":   {gittest.Files{"package.json": `{"scripts":{"test":"kcd-scripts test"}}`}, "package.json: CI=true npm test"},
		"pnpm, tests of the build": {gittest.Files{"package.json": `{"scripts":{"build":"tsc","test":"mocha dist/test"}}`, "pnpm-lock.yaml": "\n"},
			"package.json: pnpm run build; pnpm test"},
		"bun":         {gittest.Files{"package.json": `{"scripts":{"test":"bun test"}}`, "bun.lock": "\n"}, "package.json: bun test\npackage.json: bun run test"},
		"broken json": {gittest.Files{"package.json": `{"scripts":`}, ""},
		"pytest below src": {gittest.Files{"pyproject.toml": "[tool.pytest.ini_options]\n", "src/m/a.py": "x=1\n", "tests/test_a.py": "import m\n"},
			"pyproject.toml: PYTHONPATH=src python3 -m pytest -q"},
		"pytest that measures coverage": {
			gittest.Files{"pyproject.toml": "[tool.pytest.ini_options]\naddopts = [\n    \"-ra\",\n    \"--cov-fail-under=90\",\n]\n", "pdm.lock": "\n", "tests/test_a.py": "\n"},
			"pyproject.toml: python3 -m pytest -q --no-cov\npdm.lock: pdm run python -m pytest -q --no-cov",
		},
		"unittest of tox": {
			gittest.Files{"tox.ini": "[testenv]\ncommands = {envpython} -m unittest -v {posargs}\n", "m.py": "\n", "tests/test_a.py": "import unittest\n"},
			"tox.ini: python3 -m unittest -v\ntox.ini: python3 -m pytest -q",
		},
		"unittest of nox": {
			gittest.Files{"noxfile.py": "session.run(\"python\", \"-m\", \"unittest\", *args)\n", "setup.py": "\n", "tests/test_a.py": "\n"},
			"noxfile.py: python3 -m unittest\nsetup.py: python3 -m pytest -q",
		},
		"unittest of hatch": {
			gittest.Files{"pyproject.toml": "[tool.hatch.envs.default.scripts]\ntest = \"python -m unittest discover -v\"\n", "tests/test_a.py": "\n"},
			"pyproject.toml: python3 -m unittest discover -v\npyproject.toml: python3 -m pytest -q\npyproject.toml: hatch run python -m unittest discover -v",
		},
		"unittest of tox, with directories": {
			gittest.Files{"tox.ini": "[testenv]\ncommands =\n    python -m unittest discover -s tests -p \"test_*.py\"\n", "tests/test_a.py": "\n"},
			"tox.ini: python3 -m unittest discover -s tests -p \"test_*.py\"\ntox.ini: python3 -m pytest -q",
		},
		"unittest":          {gittest.Files{"setup.py": "\n", "m.py": "\n", "tests/test_a.py": "import unittest\n"}, "setup.py: python3 -m pytest -q\nsetup.py: python3 -m unittest discover"},
		"django":            {gittest.Files{"manage.py": "\n", "app/tests.py": "\n"}, "manage.py: python3 manage.py test"},
		"django and pytest": {gittest.Files{"manage.py": "\n", "app/tests.py": "\n", "pytest.ini": "[pytest]\nDJANGO_SETTINGS_MODULE = a.settings\n"}, "pytest.ini: python3 -m pytest -q\nmanage.py: python3 manage.py test"},
		"runtests.py":       {gittest.Files{"setup.py": "\n", "tests/runtests.py": "\n", "tests/test_a.py": "\n"}, "tests/runtests.py: PYTHONPATH=. python3 tests/runtests.py"},
		"poetry":            {gittest.Files{"pyproject.toml": "[tool.pytest.ini_options]\n", "poetry.lock": "\n", "tests/test_a.py": "\n"}, "pyproject.toml: python3 -m pytest -q\npoetry.lock: poetry run python -m pytest -q"},
		"no python tests":   {gittest.Files{"pyproject.toml": "\n", "m.py": "\n"}, ""},
		"cargo workspace": {gittest.Files{"Cargo.toml": "[workspace]\nmembers = [\"a\"]\n", "a/Cargo.toml": "[package]\n", "a/src/lib.rs": "\n"},
			"Cargo.toml: cargo test --offline --no-fail-fast --workspace"},
		"maven": {gittest.Files{"pom.xml": "<project/>\n", "mvnw": "#!/bin/sh\n", "core/pom.xml": "<project/>\n"}, "pom.xml: mvn -B -o -fae test\nmvnw: sh ./mvnw -B -o -fae test"},
		"maven, checks": {gittest.Files{"pom.xml": "<project><parent><artifactId>commons-parent</artifactId></parent>checkstyle: maven-checkstyle-plugin</project>\n"},
			"pom.xml: mvn -B -o -fae test -Drat.skip -Dcheckstyle.skip"},
		"gradle": {gittest.Files{"build.gradle.kts": "\n", "gradlew": "#!/bin/sh\n"}, "build.gradle.kts: sh ./gradlew --offline --continue test"},
		"cmake, tests below": {gittest.Files{"CMakeLists.txt": "project(x)\n", "tests/CMakeLists.txt": "add_test(NAME a COMMAND a)\n"},
			"CMakeLists.txt: cmake -S . -B _build && cmake --build _build -j2; ctest --test-dir _build --output-on-failure"},
		"cmake without tests": {gittest.Files{"CMakeLists.txt": "project(x)\n", "a.c": "\n"}, ""},
		"meson": {gittest.Files{"meson.build": "project('x', 'c')\n"},
			"meson.build: (test -d _build || meson setup _build) && meson compile -C _build; meson test -C _build --print-errorlogs"},
		"autotools":          {gittest.Files{"configure.ac": "AC_INIT\n"}, "configure.ac: (test -f Makefile || (autoreconf -i && ./configure)) && make -j2; make check"},
		"rspec":              {gittest.Files{"Gemfile": "\n", "spec/a_spec.rb": "\n"}, "spec: bundle exec rspec"},
		"rake":               {gittest.Files{"Rakefile": "Rake::TestTask.new\n", "test/a_test.rb": "\n"}, "Rakefile: rake test"},
		"phpunit":            {gittest.Files{"composer.json": "{}", "phpunit.xml.dist": "<phpunit/>\n"}, "phpunit.xml.dist: vendor/bin/phpunit"},
		"composer":           {gittest.Files{"composer.json": `{"scripts":{"test":["a","b"]}}`}, "composer.json: composer test"},
		"dotnet":             {gittest.Files{"My App.sln": "\n"}, "My App.sln: dotnet test --no-restore 'My App.sln'"},
		"perl":               {gittest.Files{"t/a.t": "\n"}, "t: prove -lr t"},
		"elixir":             {gittest.Files{"mix.exs": "\n"}, "mix.exs: mix test"},
		"make":               {gittest.Files{"Makefile": "all:\n\ncheck: all\n"}, "Makefile: make check"},
		"a variable is none": {gittest.Files{"Makefile": "test := 1\ncheck:=2\n"}, ""},
		"bats":               {gittest.Files{"test/a.bats": "\n"}, "test: bats -r test"},
		"script":             {gittest.Files{"run-tests.sh": "#!/bin/sh\n"}, "run-tests.sh: sh ./run-tests.sh"},
		"nothing":            {gittest.Files{"README": "\n", "node_modules/x/package.json": `{"scripts":{"test":"x"}}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := propose(t, c.files, ""); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestProposeOrdersLanguagesByTheirFiles(t *testing.T) {
	// A Python project whose documentation has a package.json is tested by pytest
	// first.
	t.Parallel()
	got := propose(t, gittest.Files{"package.json": `{"scripts":{"test":"x"}}`, "a.js": "\n", "pytest.ini": "\n", "a.py": "\n", "b.py": "\n", "test_a.py": "\n"}, "")
	if !strings.HasPrefix(got, "pytest.ini: ") || !strings.Contains(got, "npm test") {
		t.Errorf("got\n%s", got)
	}
}

func TestProposeLooksAroundAPath(t *testing.T) {
	// In a repository of several projects the top comes first, then the directory
	// around the path, then the others.
	t.Parallel()
	files := gittest.Files{
		"Makefile": "test:\n", "a/go.mod": "module a\n", "b/go.mod": "module b\n", "b/c d/go.mod": "module d\n", "b/c d/x.go": "package d\n",
	}
	want := "Makefile: make test\nb/c d/go.mod: cd 'b/c d' && go test ./...\nb/go.mod: cd b && go test ./...\na/go.mod: cd a && go test ./..."
	if got := propose(t, files, "b/c d/x.go"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestProposeInWorkspaces(t *testing.T) {
	// A command that tests all packages of a workspace comes behind that of the package in question, and modules
	// without tests get none.
	t.Parallel()
	node := gittest.Files{
		"package.json": `{"scripts":{"test":"pnpm -r test"}}`, "pnpm-lock.yaml": "\n", "a/package.json": `{"scripts":{"test":"jest"}}`,
		"b/package.json": `{"scripts":{"test":"mocha"}}`,
	}
	module := gittest.Files{
		"go.work": "go 1.24\n\nuse (\n\t.\n\t./maps // no test\n\t./a\n\t./b\n)\n", "go.mod": "module m\n", "maps/go.mod": "module m/maps\n",
		"a/go.mod": "module m/a\n", "a/a_test.go": "package a\n", "b/go.mod": "module m/b\n\nrequire m/maps v0.1.2\n", "b/c/c_test.go": "package c\n",
	}
	const a, b = "a/go.mod: cd a && go test ./...", "b/go.mod: cd b && go test ./..."
	const whole = "go.work: go test ./a/... ./b/...\n"
	for _, c := range []struct {
		files      gittest.Files
		near, want string
	}{
		{node, "", "package.json: pnpm test\na/package.json: cd a && pnpm exec jest"},
		{node, "b/test", "b/package.json: cd b && pnpm exec mocha\nb/package.json: cd b && npx --no-install mocha\nb/package.json: cd b && pnpm test\npackage.json: pnpm test"},
		{module, "", whole + a + "\n" + b},
		{module, "b/c", b + "\n" + whole + a},
		{module, "maps/maps.go", "go.work: go test ./b/...\n" + whole + a},
		{module, "maps", "go.work: go test ./b/...\n" + whole + a},
		{gittest.Files{"go.mod": "module m\n", "a/go.mod": "module a\n"}, "", "go.mod: go test ./...\na/go.mod: cd a && go test ./..."},
	} {
		if got := propose(t, c.files, c.near); !strings.HasPrefix(got, c.want) {
			t.Errorf("near %q: got %s", c.near, got)
		}
	}
}

func TestProposeBeginsWhereTheLastCommitsChangedCode(t *testing.T) {
	// Of several modules below a top without tests, the one with the newest code comes first; documents are no code.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("modules", gittest.Files{"a/go.mod": "module a\n", "a/a_test.go": "\n", "b/go.mod": "module b\n", "b/b_test.go": "\n"})
	h.Commit("b: changed", gittest.Files{"b/b.go": "package b\n"})
	commit := h.Commit("a: documented", gittest.Files{"a/README.md": "a\n", "a/go.sum": "\n"})
	list, err := Propose(t.Context(), h.Open(), fix.Tree{Commit: commit}, "")
	if err != nil || len(list) != 2 || list[0].Test != "cd b && go test ./..." {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestProposeSaysWhichTestsAnotherCommandRuns(t *testing.T) {
	// A package of a workspace is a part of it, so that its passing tests say nothing of those that need it. Tests that the
	// command for the workspace runs are no others.
	t.Parallel()
	for _, c := range []struct {
		files gittest.Files
		near  string
		want  string // a letter for each proposal: a part, a covered one, both, or none
	}{
		{
			gittest.Files{"go.work": "use (\n\t./a\n\t./b\n)\n", "a/go.mod": "module a\n", "a/a_test.go": "\n", "b/go.mod": "module b\n", "b/b_test.go": "\n"},
			"a/a.go", "bnc",
		},
		{gittest.Files{"Cargo.toml": "[workspace]\n", "a/Cargo.toml": "[package]\nname = \"a\"\n", "b/Cargo.toml": "\n"}, "a/src/lib.rs", "pnc"},
		{gittest.Files{"package.json": `{"scripts":{"test":"npm test -ws"}}`, "a/package.json": `{"scripts":{"test":"mocha"}}`}, "a/a.js", "bbn"},
		{gittest.Files{"go.mod": "module m\n", "a/go.mod": "module a\n"}, "a/a.go", "nn"},
	} {
		got := ""
		for _, p := range proposals(t, c.files, c.near) {
			switch {
			case p.Part && p.Covered:
				got += "b"
			case p.Part:
				got += "p"
			case p.Covered:
				got += "c"
			default:
				got += "n"
			}
		}
		if got != c.want {
			t.Errorf("near %s: %s, want %s: %s", c.near, got, c.want, propose(t, c.files, c.near))
		}
	}
}

func TestProposeSeesTheFilesLaidOver(t *testing.T) {
	// Uncommitted files count, and files that are removed do not.
	t.Parallel()
	got := propose(t, gittest.Files{"go.mod": "module m\n"}, "",
		gitext.Overlay{Path: "go.mod"}, gitext.Overlay{Path: "Makefile", Mode: 0o100644, Content: []byte("check:\n")})
	if got != "Makefile: make check" {
		t.Errorf("got %q", got)
	}
}

func TestProposeBeginsWithJavaTestsThatAreNotCommitted(t *testing.T) {
	// The first proposal runs only the tests that are not committed, and of a Maven project with
	// modules only their modules and those that these need; the next one runs all of them.
	t.Parallel()
	files := gittest.Files{
		"pom.xml": "<project><modules><module>core</module><module>web</module></modules></project>\n", "core/pom.xml": "<project/>\n", "web/pom.xml": "<project/>\n",
	}
	laid := func(p string) gitext.Overlay {
		return gitext.Overlay{Path: p, Mode: 0o100644, Content: []byte("class T {}\n")}
	}
	got := propose(t, files, "", laid("core/src/test/java/x/ATest.java"), laid("web/src/test/java/x/BTest.java"), laid("core/src/main/java/x/A.java"))
	want := "pom.xml: mvn -B -o -fae test -pl core,web -am -Dtest=ATest,BTest -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false\n" +
		"pom.xml: mvn -B -o -fae test -pl core,web -am"
	if got != want {
		t.Errorf("got %q", got)
	}
	if got := propose(t, files, "", laid("src/test/java/x/Helper.java")); got != "pom.xml: mvn -B -o -fae test" {
		t.Errorf("a file of the top without tests: %q", got)
	}
	if got := propose(t, gittest.Files{"build.gradle": "\n"}, "", laid("src/test/java/x/ATest.java")); got != "build.gradle: gradle --offline --continue test --tests '*ATest'\n"+
		"build.gradle: gradle --offline --continue test" {
		t.Errorf("gradle: %q", got)
	}
}

func TestProposeBeginsWithTheCratesOfNewTests(t *testing.T) {
	// Of a Cargo workspace, the packages of the tests in question come first, and the workspace next.
	t.Parallel()
	files := gittest.Files{
		"Cargo.toml": "[workspace]\nmembers = [\"core\"]\n", "core/src/lib.rs": "\n", "core/tests/old.rs": "\n",
		"core/Cargo.toml":          "[package]\nauthors = [\"A\"]\nname = \"the-core\" # of all\n\n[[bin]]\nname = \"b\"\n",
		"examples/a/Cargo.toml":    "[lib]\nname = \"none\"\n[package]\nname = 'a'\n",
		"examples/none/Cargo.toml": "[lib]\nname = \"none\"\n",
	}
	laid := func(p string) gitext.Overlay {
		return gitext.Overlay{Path: p, Mode: 0o100644, Content: []byte("#[test]\nfn t() {}\n")}
	}
	const whole = "Cargo.toml: cargo test --offline --no-fail-fast --workspace"
	for _, c := range []struct {
		near, first string
		laid        []gitext.Overlay
	}{
		{near: "core/tests/old.rs", first: "Cargo.toml: cargo test --offline --no-fail-fast -p the-core"},
		{first: "Cargo.toml: cargo test --offline --no-fail-fast -p a -p the-core --test t",
			laid: []gitext.Overlay{laid("core/tests/t.rs"), laid("examples/a/tests/t.rs"), {Path: "core/tests/data.txt", Mode: 0o100644}}},
		{first: whole + " --test t", laid: []gitext.Overlay{laid("core/tests/t.rs"), laid("examples/none/tests/t.rs")}},
		{first: whole + " --test t", laid: []gitext.Overlay{laid("tests/t.rs")}},
		{first: whole, near: "core"},
	} {
		got := strings.Split(propose(t, files, c.near, c.laid...), "\n")
		if got[0] != c.first || !slices.Contains(got, whole) {
			t.Errorf("near %q, %d laid: got %q, want %q first", c.near, len(c.laid), got, c.first)
		}
	}
}

func TestOnline(t *testing.T) {
	// With a network, commands may download; nothing else of them changes.
	t.Parallel()
	for offline, online := range map[string]string{
		"cargo test --offline --no-fail-fast --workspace":  "cargo test --no-fail-fast --workspace",
		"cd a && ./gradlew --offline --continue test":      "cd a && ./gradlew --continue test",
		"mvn -B -o -fae test":                              "mvn -B -fae test",
		"./mvnw -B -o -fae test":                           "./mvnw -B -fae test",
		"sbt -Dsbt.offline=true test":                      "sbt test",
		"uv run --offline --no-sync pytest -q -o addopts=": "uv run --no-sync pytest -q -o addopts=",
		"python3 -m pytest -q -o addopts=":                 "python3 -m pytest -q -o addopts=",
		"cabal test --offline all":                         "cabal test all",
	} {
		if got := Online([]Proposal{{Test: offline}})[0].Test; got != online {
			t.Errorf("%q: %q, want %q", offline, got, online)
		}
	}
}
