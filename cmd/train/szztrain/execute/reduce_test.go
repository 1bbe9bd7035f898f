package execute

import (
	"strings"
	"testing"
)

// Only the wanted tests and everything outside of tests stay.
func TestReduced(t *testing.T) {
	rust := `use super::*;

fn helper() -> u32 { 1 }

/// Says why.
#[test]
#[should_panic]
fn wanted() {
    if true {
        helper();
    }
}

#[test]
fn other() {
    newer();
}

#[test] fn mentioned() {}

#[tokio::test]
async fn short() { newer(); }
`
	java := `class ATest {
    @Override
    public void setUp() {
    }

    @Test(expected = A.class)
    @Ignore
    public void other() throws Exception {
        Newer.call();
    }

    @Test
    public void wanted() {
        helper();
    }

    private void helper() {
    }
}
`
	for language, text := range map[string]string{"Rust": rust, "Java": java} {
		got := string(reduced([]byte(text), testForms[language], []string{"wanted"}))
		for _, want := range []string{"wanted", "helper", "setUp"} {
			if strings.Contains(text, want) && !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing in\n%s", language, want, got)
			}
		}
		if strings.Contains(strings.ToLower(got), "newer") || strings.Count(got, "}") != strings.Count(got, "{") {
			t.Errorf("%s: left is\n%s", language, got)
		}
	}
}

// The test module of the fix replaces the file's own, or is added at the end.
func TestWithTestModule(t *testing.T) {
	module := "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n"
	for _, c := range [][2]string{
		{"fn a() {}\n\n#[cfg(test)]\n#[allow(unused)]\nmod old {\n    fn b() {\n    }\n}\n\nfn c() {}\n", "fn a() {}\n\n" + module + "\nfn c() {}\n"},
		{"fn a() {}\n", "fn a() {}\n\n" + module},
		{"#[cfg(test)]\nmod tests;\nfn a() {\n}\n", "#[cfg(test)]\nmod tests;\nfn a() {\n}\n\n" + module},
	} {
		if got := string(withTestModule([]byte(c[0]), []byte(module))); got != c[1] {
			t.Errorf("in\n%s\nit is\n%s", c[0], got)
		}
	}
	if _, _, ok := testModuleOf([]byte("mod tests {\n}\n")); ok {
		t.Error("a module that is not only for tests")
	}
}

// Benchmarks are left out of a manifest of Rust.
func TestWithoutBenchmarks(t *testing.T) {
	got := string(withoutBenchmarks([]byte("[package]\nname = \"a\"\n\n[dev-dependencies]\ncriterion = \"0.5\"\nrand = \"0.8\"\n\n[[bench]]\nname = \"b\"\nharness = false\n\n[features]\nstd = []\n")))
	if want := "[package]\nname = \"a\"\n\n[dev-dependencies]\nrand = \"0.8\"\n\n[features]\nstd = []\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}
