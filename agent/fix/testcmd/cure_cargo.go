package testcmd

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

var (
	cargoPlus   = source.Lazy(`toolchain '([\w.-]+?)(?:-(?:x86_64|aarch64|i686|arm)\S*)?' is not installed|/channel-rust-([\w.-]+?)\.toml`)
	cargoTarget = source.Lazy("the `([\\w.-]+)` target may not be installed")
	cargoNoSuch = source.Lazy("^error: no such (?:sub)?command: `([\\w-]+)`")
	rustLinker  = source.Lazy("^error: linker `(.+)` not found")
)

// cargoCure returns the cure for a line of cargo, rustup or rustc; ok is false for other lines.
func (d directory) cargoCure(lack fix.Lack, line string) (c Cure, ok bool) {
	first := func(p source.Pattern) string {
		for _, group := range slices.Concat(p().FindStringSubmatch(line), []string{"", ""})[1:] {
			if group != "" {
				return group
			}
		}
		return ""
	}
	switch has := func(text string) bool { return strings.Contains(line, text) }; {
	case lack == fix.LackLock:
		return Cure{Advice: "cargo update --workspace --offline makes it fit, or leave out --locked"}, true
	case first(cargoPlus) != "":
		name := first(cargoPlus)
		return Cure{Advice: "rustup toolchain install " + name + " gets it, and RUSTUP_TOOLCHAIN=stable before the command does without"}, true
	case first(cargoTarget) != "":
		return Cure{Advice: "rustup target add " + first(cargoTarget) + " gets it"}, true
	case first(cargoNoSuch) != "":
		return Cure{Advice: "cargo install cargo-" + first(cargoNoSuch) + " gets it", Test: ", or name another command, such as --test='cargo test --offline'"}, true
	case first(rustLinker) != "":
		return Cure{Advice: "install " + first(rustLinker) + ", or name another linker in the configuration of cargo"}, true
	case has("E0554") || has("requires a nightly") || has("unknown Cargo.toml feature") || has("unknown cargo feature"):
		return Cure{Advice: "RUSTUP_TOOLCHAIN=nightly before the command uses a nightly toolchain, if one is installed that knows it"}, true
	case has("requires rustc ") || has("edition") || has("lock file version") || has("rustup could not choose"):
		return Cure{Advice: "rustup update gets a newer toolchain, and RUSTUP_TOOLCHAIN before the command names another one"}, true
	}
	return d.cargoCommand(line)
}

// cargoCommand returns how to change a command that cargo does not accept.
func (d directory) cargoCommand(line string) (c Cure, ok bool) {
	switch has := func(text string) bool { return strings.Contains(line, text) }; {
	case has("could not find `Cargo.toml`"):
		if dir := d.crate(); dir != "" {
			return Cure{Advice: "begin the command with cd " + quote(dir) + " &&"}, true
		}
		return Cure{Advice: "the command must enter a directory with a Cargo.toml, and the tree has none"}, true
	case has("error: no ") && has(" target"):
		return Cure{Advice: "--test must name a target of this package, and -p another package"}, true
	case has("did not match any packages"):
		return Cure{Advice: "-p must name a package of this workspace"}, true
	case has(" requires the features: "):
		_, after, _ := strings.Cut(line, " requires the features: ")
		return Cure{Advice: "the command needs --features " + quote(strings.NewReplacer("`", "", ", ", ",").Replace(after))}, true
	case has("does not contain th"):
		return Cure{Advice: "--features must name a feature of this package"}, true
	}
	return Cure{}, false
}

// crate returns the first directory with a Cargo.toml, from the top; "" if there is none.
func (d directory) crate() string {
	var dirs []string
	for p := range d.modes {
		if path.Base(p) == "Cargo.toml" && path.Dir(p) != "." {
			dirs = append(dirs, path.Dir(p))
		}
	}
	slices.SortFunc(dirs, func(a, b string) int {
		if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	if len(dirs) == 0 {
		return ""
	}
	return dirs[0]
}
