package testcmd

import (
	"strings"
	"testing"
)

// The command builds what the test command builds of other crates, and its words start no program.
func TestCompileCrates(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"cargo test":                           "cargo test --no-run",
		"cargo test --offline --no-fail-fast":  "cargo test --no-run --offline",
		"cargo t -r foo -- --exact a::b":       "cargo test --no-run -r",
		"cd sub && cargo +nightly test --lib":  "cd sub && cargo +nightly test --no-run",
		"cargo nextest run -E 'test(x)' -p a":  "cargo test --no-run -p a",
		"RUST_BACKTRACE=1 cargo test --test x": "cargo test --no-run",
		`cargo test --workspace --exclude=a --features "serde std" -F b/c --target-dir /x --test y`: `cargo test --no-run --workspace --exclude a --features 'serde std' -F b/c`,
		"RUSTC_WRAPPER=./evil cargo test --config build.rustc-wrapper='\"./evil\"' -Z x -p a":       "cargo test --no-run -p a",
		"cargo test -p '$(./evil)' --manifest-path --config":                                        "cargo test --no-run",
		"cargo build":          "",
		"cargo test && ./x":    "",
		"cargo test $X":        "",
		"./cargo test":         "",
		"cargo +'a b' test":    "",
		"cargo nextest list":   "",
		"go test ./...":        "",
		"make test":            "",
		"cargo test | tee x":   "",
		"cargo":                "",
		"cargo test -p \"$X\"": "",
	} {
		got, ok := CompileCrates(command)
		if got != want || ok != (want != "") {
			t.Errorf("CompileCrates(%q)\n got %q, %v\nwant %q", command, got, ok, want)
		}
	}
	for others, want := range map[[2]string]bool{
		{"cargo build", "cd x && RUST_LOG=1 cargo clippy"}: true, {"", ""}: true, {"", "make check"}: false, {"cargo build && cp target/debug/x .", ""}: false,
	} {
		if _, ok := CompileCrates("cargo test", others[0], others[1]); ok != want {
			t.Errorf("beside %q: %v", others, ok)
		}
	}
}

// A command runs the integration tests that it selects, and all of them if it selects nothing.
func TestIntegrationTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		commands []string
		want     string
		all      bool
	}{
		{[]string{"cargo test --offline --test a -- --exact b", "", "cargo test --test=c --lib"}, "a c", false},
		{[]string{"cargo test --lib -- --test x"}, "", false},
		{[]string{"cargo test --test a", "cargo test"}, "", true},
		{[]string{"cargo test --test 'a*'"}, "", true},
		{[]string{"cargo test --test a --tests"}, "", true},
		{[]string{"make check"}, "", true},
	} {
		if names, all := IntegrationTests(c.commands...); strings.Join(names, " ") != c.want || all != c.all {
			t.Errorf("%q: %q, %v", c.commands, names, all)
		}
	}
}
