package source

import (
	"strings"
	"testing"
)

// Files that steer tests are distinguished from the tested files.
func TestSteersTests(t *testing.T) {
	t.Parallel()
	for _, p := range strings.Fields(`Makefile sub/GNUmakefile Makefile.am rules.mk CMakeLists.txt cmake/x.txt package.json .mocharc.yml jest.config.js vitest.config.mts
		vite.config.ts tsconfig.json tsconfig.test.json conftest.py a/conftest.py pytest.ini tox.ini setup.cfg pyproject.toml x.pth pom.xml build.gradle.kts gradlew .mvn/jvm.config
		Cargo.toml build.rs .cargo/config.toml rust-toolchain.toml go.mod go.work vendor/github.com/x/y.go node_modules/mocha/index.js .venv/lib/a.py buildSrc/a.kt meson.build justfile
		BUILD WORKSPACE x.csproj Rakefile .rspec phpunit.xml.dist composer.json .proverc .rspec-local gems.rb bunfig.toml
		.config/nextest.toml build-aux/test-driver a.egg-info/entry_points.txt src/main/resources/junit-platform.properties rebar.config project/plugins.sbt`) {
		if !SteersTests(p) {
			t.Errorf("%s does not steer tests", p)
		}
	}
	for _, p := range strings.Fields(`a.go build.go builder/x.c lib/package.js config.py src/config.js app/make.rb makefile_parser.py workspace/x.ts module/a.js data.json README.md
		setup.js test.py vendors/a.go src/json.py config.json tsconfig.go schema.toml locale/de.json`) {
		if SteersTests(p) {
			t.Errorf("%s steers tests", p)
		}
	}
}

func TestShadows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path     string
		packaged bool
		want     bool
	}{
		{"pytest.py", false, true}, {"src/pytest/__init__.py", false, true}, {"json.py", false, true}, {"pkg/json.py", true, false}, {"pkg/model.py", false, false},
		{"include/assert.h", false, true}, {"src/parse.h", false, false}, {"pkg/__init__.py", false, false},
	} {
		if got := Shadows(c.path, c.packaged); got != c.want {
			t.Errorf("Shadows(%q, %v) = %v", c.path, c.packaged, got)
		}
	}
}

func TestRunsItself(t *testing.T) {
	t.Parallel()
	for _, p := range strings.Fields(`.envrc sub/.envrc .gitattributes .github/workflows/ci.yml .husky/pre-commit .pre-commit-config.yaml .gitlab-ci.yml Jenkinsfile .vscode/tasks.json`) {
		if !RunsItself(p) {
			t.Errorf("%s does not run by itself", p)
		}
	}
	for _, p := range strings.Fields(`envrc.go github/workflows.py src/main.c Jenkins.java`) {
		if RunsItself(p) {
			t.Errorf("%s runs by itself", p)
		}
	}
}

func TestIsInstalled(t *testing.T) {
	for path, want := range map[string]bool{
		".venv/lib/python3.11/site-packages/pip/_vendor/colorama/tests/ansi_test.py": true, "venv/bin/activate": true, "a/node_modules/b/test.js": true,
		"vendor/m/a.go": false, "tests/test_venv.py": false, "venv": false,
	} {
		if got := IsInstalled(path); got != want {
			t.Errorf("IsInstalled(%q) = %v, want %v", path, got, want)
		}
	}
}
