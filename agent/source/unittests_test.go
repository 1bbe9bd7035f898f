package source

import (
	"bytes"
	"slices"
	"testing"
)

// The lines of unit tests in Rust are found, and those of the code around them are not.
func TestUnitTests(t *testing.T) {
	t.Parallel()
	text := `pub fn a() {
    b()
}

#[cfg(test)]
mod tests {
    #[test]
    fn c() {
        assert!(true);
    }
}

#[cfg(test)]
use x::y;
#[cfg(feature = "test")]
fn d() {}

impl S {
    #[cfg(test)]
    /// For tests.
    fn e(&self) -> bool { true }
    fn f(&self) {}
}

#[tokio::test]
async fn g() {
}
fn h() {}

#[cfg(test)]
static ITEMS: &'static [&'static str] = &[
    "foo #bar",
];
fn i() {
}
`
	is := UnitTests("src/lib.rs", bytes.Split([]byte(text), []byte("\n")))
	var got []int
	for n := 1; n < 40; n++ {
		if is(n) {
			got = append(got, n)
		}
	}
	if want := []int{5, 6, 7, 8, 9, 10, 11, 13, 14, 19, 20, 21, 25, 26, 27, 30, 31, 32, 33}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if UnitTests("a.go", [][]byte{[]byte("#[test]")})(1) {
		t.Error("another language has such tests")
	}
	for path, want := range map[string]bool{"src/tests.rs": true, "src/naive/test.rs": true, "src/date_tests.rs": true, "src/latest.rs": false, "src/attests.rs": false} {
		if IsTestOf(path, "cargo test") != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

func TestWithUnitTests(t *testing.T) {
	// The tests of one version test the code of another one.
	t.Parallel()
	const old = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn old() {}\n}\n\nfn b() {}\n"
	const now = "fn a() { mended() }\n\n#[cfg(test)]\nuse x;\n\n#[cfg(test)]\nmod tests {\n    fn new() {}\n}\n"
	const want = "fn a() {}\n\n\nfn b() {}\n#[cfg(test)]\nuse x;\n#[cfg(test)]\nmod tests {\n    fn new() {}\n}\n"
	if got, ok := WithUnitTests("src/a.rs", []byte(old), []byte(now)); !ok || string(got) != want {
		t.Errorf("%v, %q", ok, got)
	}
	if !OnlyUnitTestsDiffer("src/a.rs", []byte(old), []byte(want)) || OnlyUnitTestsDiffer("src/a.rs", []byte(old), []byte(now)) ||
		OnlyUnitTestsDiffer("src/a.rs", []byte(old), []byte(old)) || OnlyUnitTestsDiffer("a.go", []byte("a"), []byte("b")) {
		t.Error("what differs is not recognised")
	}
	if got, ok := WithUnitTests("src/a.rs", []byte(now), []byte("fn a() {}\n")); ok {
		t.Errorf("no tests: %q", got)
	}
	// in chrono, the tests of a fix use a type that it imports
	const imports = "use crate::{Date, Result};\n\n#[test]\nfn new() {}\n"
	if got, ok := WithUnitTests("src/date/tests.rs", []byte("use crate::Date;\n\n#[test]\nfn old() {}\n"), []byte(imports)); !ok || string(got) != imports {
		t.Errorf("a module of tests: %v, %q", ok, got)
	}
	if got, ok := WithUnitTests("a.go", []byte(old), []byte(now)); ok {
		t.Errorf("Go: %q", got)
	}
}
