package testcmd

import (
	"slices"
	"testing"
)

func TestAlone(t *testing.T) {
	t.Parallel()
	const goText = "package p\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) {}\n"
	for _, c := range []struct{ suite, file, text, want string }{
		{"go test ./...", "p/new_test.go", goText, "go test -count=1 -run '^(TestA|TestB)$' ./p"},
		{"cd sub && go test -race ./...", "sub/new_test.go", goText, "cd sub && go test -count=1 -race -run '^(TestA|TestB)$' ."},
		{"make check", "p/new_test.go", goText, "go test -count=1 -run '^(TestA|TestB)$' ./p"},
		{"python3 -m pytest -q tests", "tests/test_new.py", "", "python3 -m pytest -q tests/test_new.py"},
		{"pytest -q tests/test_old.py", "tests/test new.py", "", "pytest -q 'tests/test new.py'"},
		{"python -m unittest discover -s tests", "tests/test_new.py", "", "python -m unittest tests/test_new.py"},
		{"npx mocha --exit 'test/**/*.js'", "test/new.js", "", "npx mocha --exit test/new.js"},
		{"npx --no-install ava", "test.js", "", "npx --no-install ava test.js"},
		{"npx jest --ci", "src/new.test.ts", "", "npx jest --ci src/new.test.ts"},
		{"cargo test --all", "tests/new.rs", "", "cargo test --all --test new"},
		{"mvn -o -q test", "src/test/java/p/NewTest.java", "", "mvn -o -q test -Dtest=NewTest -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"},
		{"./gradlew --offline test", "src/test/java/p/NewTest.java", "", "./gradlew --offline test --tests '*NewTest'"},
		{"ctest --test-dir _build", "tests/test_new.c", "", "ctest --test-dir _build -R '(^|[^A-Za-z0-9])test_new($|[^A-Za-z0-9])'"},
		{"", "test_new.py", "def test_x():\n    pass\n", "python3 -m pytest test_new.py"},
		// starting tests/test_furl.py of gruns/furl runs none of its tests
		{"", "tests/test_new.py", "import unittest\n\nclass TestPath(unittest.TestCase):\n    def test_x(self): pass\n", "PYTHONPATH=. python3 -m unittest tests/test_new.py"},
		{"", "tests/test_new.py", "class TestPath(unittest.TestCase):\n    pass\n\nif __name__ == '__main__':\n    unittest.main()\n", "PYTHONPATH=. python3 tests/test_new.py"},
		{"make test", "test_new.py", "assert f() == 1\n", "PYTHONPATH=. python3 test_new.py"},
		{"", "tests/new.sh", "exit 1\n", "sh tests/new.sh"},
		{"make test", "tests/new.c", "int main(void) {}\n", "make test"},
		{"cd other && pytest", "tests/new.sh", "", "sh tests/new.sh"},
		{"", "tests/$(touch x).sh", "", "sh 'tests/$(touch x).sh'"},
	} {
		if got, ok := Alone(c.suite, c.file, []byte(c.text)); got != c.want || !ok {
			t.Errorf("%q with %s: %q, %v, want %q", c.suite, c.file, got, ok, c.want)
		}
	}
	if got, ok := Alone("", "tests/new.c", nil); ok {
		t.Errorf("a file of C without a suite is run by %q", got)
	}
}

// The files of ripgrep's tests/ are modules of one program, which Cargo.toml names.
func TestOfFileOfCargo(t *testing.T) {
	t.Parallel()
	proposals := []Proposal{{Test: "cargo test --offline --no-fail-fast --workspace"}}
	const flags = "cargo test --offline --no-fail-fast --workspace "
	for file, want := range map[string][]string{
		"tests/regression.rs":      {flags + "--test regression", flags + "-- regression::"},
		"crates/a/tests/it/mod.rs": {flags + "-- it::"},
		"src/parser/tests.rs":      {flags + "-- parser::tests::"},
		"crates/a/src/date/mod.rs": {flags + "-- date::"},
		"crates/a/src/lib.rs":      {flags + "-- empty_is_none long"},
		"src/main.rs":              {flags + "-- empty_is_none long"},
	} {
		if got := OfFile(proposals, file, []byte("#[test]\n    fn empty_is_none() {\n    }\n    async fn long() {")); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
