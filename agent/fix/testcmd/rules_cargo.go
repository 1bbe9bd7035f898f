package testcmd

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// maxCrates bounds the packages of a Cargo workspace that a command names.
const maxCrates = 5

// proposeCargo proposes Cargo. Of a workspace, it first proposes the packages of the tests in
// question, because the others may take many minutes to compile. It proposes the whole workspace
// too: a package may need features that only other packages ask for, and cannot be built alone.
func proposeCargo(d directory) []Proposal {
	const command = "cargo test --offline --no-fail-fast"
	if !strings.Contains(d.text("Cargo.toml"), "[workspace]") {
		return simple("Cargo.toml", command)(d)
	}
	out := simple("Cargo.toml", command+" --workspace")(d)
	if crates := d.crates(); len(crates) > 0 {
		narrow := command
		for _, crate := range crates {
			narrow += " -p " + crate
		}
		out = append([]Proposal{{Test: narrow, Part: true, From: "Cargo.toml"}}, out...)
	}
	return out
}

// These match the description of a package in a Cargo.toml, and the package's name in it.
var (
	crateTable = source.Lazy(`(?ms)^\[package\][ \t]*(?:#[^\n]*)?$.*?(?:^\[|\z)`)
	crateName  = source.Lazy(`(?m)^[ \t]*name[ \t]*=[ \t]*["']([\w-]+)["']`)
)

// crates returns the packages with the tests in question and with the path that the tests
// should cover; nil if one of these is in no package.
func (d directory) crates() []string {
	tests := slices.DeleteFunc(append(slices.Clone(d.tests), d.near), func(p string) bool { return path.Ext(p) != ".rs" || !d.holds(p) })
	return unitsOf(tests, maxCrates, d.crateOf)
}

// crateOf returns the package of a file: the nearest Cargo.toml describes it. "" means that it
// describes none.
func (d directory) crateOf(file string) string {
	dir := d.nearest(file, func(dir string) bool {
		_, ok := d.modes[path.Join(dir, "Cargo.toml")]
		return ok
	})
	name := crateName().FindStringSubmatch(crateTable().FindString(d.layout.text(path.Join(dir, "Cargo.toml"))))
	if name == nil {
		return ""
	}
	return name[1]
}
