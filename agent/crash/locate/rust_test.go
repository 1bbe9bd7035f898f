package locate

import "testing"

// The paths are of a failed test of ron, whose own files are src/lib.rs and src/de/mod.rs, too.
func TestOtherCrates(t *testing.T) {
	const registry = "/srv/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/"
	files := NewFiles([]string{"Cargo.toml", "src/lib.rs", "src/de/mod.rs", "crates/ron-derive/src/expand.rs", "src/io/mod.rs"})
	files.crate = "ron"
	for reported, want := range map[string]string{
		registry + "serde_core-1.0.229/src/de/mod.rs":                               "",
		registry + "serde_bytes-0.11.19/src/lib.rs":                                 "",
		registry + "ron-0.12.1/src/de/mod.rs":                                       "src/de/mod.rs",
		registry + "other-0.1.0/src/expand.rs":                                      "",
		"/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/io/mod.rs": "",
		"/srv/u/.cargo/git/checkouts/ron-0123456789abcdef/31529b8/src/lib.rs":       "src/lib.rs",
		"src/de/mod.rs": "src/de/mod.rs",
	} {
		paths, _ := files.Find(reported)
		if got := append(paths, "")[0]; got != want {
			t.Errorf("%s: %q, want %q", reported, got, want)
		}
	}
}

// A member of a workspace that cargo fetched as a crate of its own, from zellij-org/zellij#1705.
func TestMembersOfWorkspace(t *testing.T) {
	const registry = "/srv/u/.cargo/registry/src/github.com-1ecc6299db9ec823/"
	files := NewFiles([]string{"Cargo.toml", "src/main.rs", "zellij-server/src/route.rs", "zellij-client/src/lib.rs", "utils/src/shared.rs"})
	files.crate = "zellij"
	for reported, want := range map[string]string{
		registry + "zellij-server-0.31.3/src/route.rs": "zellij-server/src/route.rs",
		registry + "zellij-utils-0.31.3/src/shared.rs": "utils/src/shared.rs",
		registry + "zellij-server-0.31.3/src/lib.rs":   "",
		registry + "other-utils-0.31.3/src/shared.rs":  "",
	} {
		paths, _ := files.Find(reported)
		if got := append(paths, "")[0]; got != want {
			t.Errorf("%s: %q, want %q", reported, got, want)
		}
	}
}
