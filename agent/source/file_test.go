package source

import "testing"

func TestIsTestPath(t *testing.T) {
	// The conventions of common languages are known, and a source file is not classified as a
	// test only because its name contains the letters.
	for path, want := range map[string]bool{
		"a/b_test.go": true, "tests/x.c": true, "src/test/java/A.java": true, "FooTest.java": true, "TestFoo.java": true,
		"FooIT.java": true, "foo.spec.ts": true, "foo.test-d.ts": true, "foo.test.js": true, "spec/foo_spec.rb": true, "test_x.py": true, "conftest.py": true,
		"t/t0001-init.sh": true, "x/__snapshots__/a.snap": true, "testdata/in.txt": true, "lib/foo.t": true, "Tests/FooTests.swift": true,
		"base/foo_unittest.cc": true, "tools/testing/selftests/x.sh": true, "tests/Makefile": true, "test cases/unit/1/meson.build": true,
		"test.js": true, "test.py": true, "tests.ts": true, "shop/tests.py": true, "werkzeug/test.py": false, "lib/test.js": false, "test.go": false,
		"attest.go": false, "latest.c": false, "Contest.java": false, "src/main/java/A.java": false, "fastest/x.c": false,
		"Latest.java": false, "README.md": false, "Split.java": false, "protest/x.py": false, "app.sh": false,
	} {
		if IsTestPath(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	for path, want := range map[string]FileKind{"test.js": TestFile, "tests.py": TestFile, "core/test.py": SourceFile, "test.md": OtherFile} {
		if got := FileKindOf(path); got != want {
			t.Errorf("%s: kind %v", path, got)
		}
	}
}

// The path identifies code that is copied from elsewhere, or generated from other files.
func TestIsVendored(t *testing.T) {
	for path, want := range map[string]bool{"dist/qs.js": true, "a/node_modules/b/c.js": true, "lib/x.min.js": true, "vendor/m/a.go": true, "dist/readme.txt": false, "lib/distance.js": false} {
		if IsVendored(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// Build and data files are distinguished from documents, source and tests.
func TestIsBuildOrData(t *testing.T) {
	for p, want := range map[string]bool{
		"Makefile": true, "src/Makefile.am": true, "CMakeLists.txt": true, ".github/ci.yml": true, "lib/meson.build": true,
		"README.md": false, "NEWS": false, "ChangeLog.txt": false, "p.c": false, "tests/data.json": false, "go.sum": false, "po/de.po": false,
	} {
		if got := IsBuildOrData(p); got != want {
			t.Errorf("%s: %t", p, got)
		}
	}
}

// Documents are distinguished from files for builds and programs.
func TestIsDocument(t *testing.T) {
	for p, want := range map[string]bool{
		"NEWS": true, "ChangeLog": true, "doc/guides/notes.rst": true, "README.md": true, "lib/switch.8.in": true, "doc/man/sinfo.1": true,
		"doc/Makefile": false, "doc/a.c": false, "VERSION": false, "go.sum": false, "a.json": false, "tests/README.md": true, "meson.build": false,
		"src/CMakeLists.txt": false, "requirements.txt": false, "notes.txt": true,
	} {
		if got := IsDocument(p); got != want {
			t.Errorf("%s: %t", p, got)
		}
	}
}
