package testcmd

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// manifests are the files that make a directory a candidate for proposals.
var manifests = strings.Fields(
	`go.mod package.json pom.xml build.gradle build.gradle.kts Cargo.toml pyproject.toml setup.py setup.cfg tox.ini pytest.ini manage.py
	CMakeLists.txt meson.build configure.ac Makefile GNUmakefile makefile Rakefile Gemfile composer.json phpunit.xml phpunit.xml.dist mix.exs
	Package.swift build.sbt dune-project cabal.project stack.yaml build.zig Makefile.PL Build.PL justfile`,
)

// A rule makes proposals for one ecosystem.
type rule struct {
	extensions []string // extensions of its source files, for the choice between ecosystems; nil without a language
	propose    func(d directory) []Proposal
	covers     bool // commands at the top also run the tests of directories below
}

var rules = []rule{
	{[]string{".go"}, proposeGo, false},
	{[]string{".rs"}, proposeCargo, true},
	{[]string{".py"}, proposePython, true},
	{[]string{".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".vue"}, proposeNode, false},
	{[]string{".java", ".kt", ".groovy", ".scala"}, proposeJVM, true},
	{[]string{".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh"}, proposeNative, true},
	{[]string{".rb"}, proposeRuby, true},
	{[]string{".php"}, proposePHP, true},
	{[]string{".cs", ".fs", ".vb"}, proposeDotnet, true},
	{[]string{".pl", ".pm", ".t"}, proposePerl, true},
	{[]string{".ex", ".exs"}, simple("mix.exs", "mix test"), false},
	{[]string{".swift"}, simple("Package.swift", "swift test"), false},
	{[]string{".ml", ".mli"}, simple("dune-project", "dune test"), false},
	{[]string{".hs"}, simple("cabal.project", "cabal test --offline all"), false},
	{[]string{".hs"}, simple("stack.yaml", "stack test"), false},
	{[]string{".zig"}, simple("build.zig", "zig build test"), false},
	{nil, proposeMake, false},
	{nil, proposeScripts, true},
}

// simple makes the rule for a file that suggests a command.
func simple(file, command string) func(directory) []Proposal {
	return func(d directory) []Proposal {
		if !d.has(file) {
			return nil
		}
		return []Proposal{{Test: command, From: file}}
	}
}

// holds reports whether a path is below the directory.
func (d directory) holds(p string) bool { return d.path == "." || strings.HasPrefix(p, d.path+"/") }

// hasBelow reports whether a directory below this one contains a file with an extension.
func (d directory) hasBelow(dir, ext string) bool {
	prefix := path.Join(d.path, dir) + "/"
	for p := range d.modes {
		if strings.HasPrefix(p, prefix) && strings.HasSuffix(p, ext) {
			return true
		}
	}
	return false
}

// proposeNative proposes CMake, Meson and Autotools, in separate build directories, so that no
// tracked file changes. proposeMake handles a plain Makefile.
func proposeNative(d directory) []Proposal {
	var out []Proposal
	if d.has("CMakeLists.txt") && d.cmakeTests() {
		out = append(out, Proposal{
			Build: "cmake -S . -B _build" + d.cmakeTurnsOn() + " && cmake --build _build -j2",
			Test:  "ctest --test-dir _build --output-on-failure", From: "CMakeLists.txt",
		})
	}
	if strings.Contains(d.text("meson.build"), "project(") {
		out = append(out, Proposal{
			Build: "(test -d _build || meson setup _build) && meson compile -C _build",
			Test:  "meson test -C _build --print-errorlogs", From: "meson.build",
		})
	}
	switch {
	case d.has("configure"):
		out = append(out, Proposal{Build: "(test -f Makefile || " + d.program("configure") + ") && make -j2", Test: "make check", From: "configure"})
	case d.has("configure.ac"):
		out = append(
			out,
			Proposal{Build: "(test -f Makefile || (autoreconf -i && ./configure)) && make -j2", Test: "make check", From: "configure.ac"},
		)
	}
	return out
}

// cmakeOff matches an option of CMake that builds the tests and is off, as in libcbor. Other tests need tools or time.
var cmakeOff = source.Lazy(`(?mi)^\s*option\s*\(\s*((?:\w+_)?(?:BUILD|WITH|ENABLE|BUILD_UNIT)_(?:UNIT_?)?TEST(?:S|ING)?)\s+"[^"]*"\s+OFF\s*\)`)

// cmakeTurnsOn returns the arguments by which CMake builds tests that are off by default.
func (d directory) cmakeTurnsOn() (args string) {
	for _, m := range cmakeOff().FindAllStringSubmatch(d.text("CMakeLists.txt"), -1) {
		args += " -D" + m[1] + "=ON"
	}
	return args
}

// cmakeTests reports whether the project defines tests, here or in a directory below.
func (d directory) cmakeTests() bool {
	for _, name := range []string{"", "test", "tests", "unittest", "unittests", "unit_tests", "src"} {
		text := d.text(path.Join(name, "CMakeLists.txt"))
		if strings.Contains(text, "enable_testing") || strings.Contains(text, "add_test(") || strings.Contains(text, "include(CTest)") {
			return true
		}
	}
	return false
}

func proposeRuby(d directory) []Proposal {
	bundle := ""
	if d.has("Gemfile") {
		bundle = "bundle exec "
	}
	var out []Proposal
	if d.has(".rspec", "spec/spec_helper.rb", "spec/") && d.hasBelow("spec", "_spec.rb") {
		out = append(out, Proposal{Test: bundle + "rspec", From: "spec"})
	}
	if rakefile := d.text("Rakefile"); strings.Contains(rakefile, "TestTask") || d.hasBelow("test", ".rb") && rakefile != "" {
		out = append(out, Proposal{Test: bundle + "rake test", From: "Rakefile"})
	}
	return out
}

func proposePHP(d directory) []Proposal {
	for _, name := range []string{"phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"} {
		if d.has(name) {
			return []Proposal{{Test: "vendor/bin/phpunit", From: name}}
		}
	}
	var manifest struct{ Scripts map[string]any }
	if json.Unmarshal([]byte(d.text("composer.json")), &manifest) != nil || manifest.Scripts["test"] == nil {
		return nil
	}
	return []Proposal{{Test: "composer test", From: "composer.json"}}
}

func proposeDotnet(d directory) []Proposal {
	var names []string
	for name := range d.in[d.path] {
		if strings.HasSuffix(name, ".sln") || strings.HasSuffix(name, ".slnx") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []Proposal{{Test: "dotnet test --no-restore " + quote(names[0]), From: names[0]}}
}

func proposePerl(d directory) []Proposal {
	if !d.has("t/") || !d.hasBelow("t", ".t") {
		return nil
	}
	return []Proposal{{Test: "prove -lr t", From: "t"}}
}

func proposeMake(d directory) []Proposal {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		var out []Proposal
		for _, target := range makeTargets(d.text(name)) {
			out = append(out, Proposal{Test: "make " + target, From: name})
		}
		if out != nil {
			return out
		}
	}
	for _, name := range []string{"justfile", "Justfile", ".justfile"} {
		if targets := makeTargets(d.text(name)); len(targets) > 0 {
			return []Proposal{{Test: "just " + targets[0], From: name}}
		}
	}
	return nil
}

// proposeScripts proposes scripts with typical names for tests, and tests of bats.
func proposeScripts(d directory) []Proposal {
	for _, name := range []string{"run-tests.sh", "run_tests.sh", "runtests.sh", "runtests", "test.sh", "script/test", "scripts/test", "scripts/test.sh", "tests/run.sh", "test/run.sh"} {
		if d.has(name) {
			return []Proposal{{Test: d.program(name), From: name}}
		}
	}
	for _, dir := range []string{"test", "tests"} {
		if d.hasBelow(dir, ".bats") {
			return []Proposal{{Test: "bats -r " + dir, From: dir}}
		}
	}
	return nil
}
