package fixeval

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/disk"
)

// maxManifest limits the size of a manifest, in bytes.
const maxManifest = 1 << 20

// releasesOf returns the paths of releases of the case's own project in the caches of package
// managers. Commands in the sandbox may read these caches, and a later release contains the fix.
// folders are further folders of installed packages. A release of a crate that the lock files name is
// needed to build: of this, only the compiler of the crates may read the sources, and it is covered
// for the other commands.
//
// It knows the module cache of Go, installed packages of npm and the registry of Cargo, which
// store sources under the names in the project's manifests.
func releasesOf(
	ctx context.Context, repo *gitext.Repo, commit gitext.OID, folders []string, locks []trial.Lock,
) (found []string, covered []sandbox.Cover) {
	manifest := func(name string) string {
		text, err := repo.BlobAt(ctx, commit, name, maxManifest)
		if err != nil {
			return "" // most projects have no such manifest
		}
		return string(text)
	}
	var patterns []string
	if m := goModule().FindStringSubmatch(manifest("go.mod")); m != nil {
		patterns = append(patterns, goPatterns(m[1])...)
	}
	if m := crateName().FindStringSubmatch(manifest("Cargo.toml")); m != nil {
		patterns = append(patterns, cargoPatterns(m[1], "[0-9]*")...)
		covered = neededReleases(m[1], append(locks, trial.Lock{Path: cargoLock, Content: []byte(manifest(cargoLock))}))
	}
	var npm struct{ Name string }
	if json.Unmarshal([]byte(manifest("package.json")), &npm) == nil && npm.Name != "" && filepath.IsLocal(filepath.FromSlash(npm.Name)) {
		for _, dir := range folders {
			for _, below := range []string{"", "node_modules", "*/node_modules", "@*/*/node_modules"} {
				patterns = append(patterns, filepath.Join(disk.GlobQuote(dir), below, disk.GlobQuote(npm.Name)))
			}
		}
	}
	for _, pattern := range patterns {
		paths, _ := filepath.Glob(pattern) // names that no pattern can hold hide nothing
		found = append(found, paths...)
	}
	return slices.DeleteFunc(found, func(p string) bool { return isCovered(p, covered) }), covered
}

// isCovered reports whether a path or something directly in it is covered.
func isCovered(p string, covered []sandbox.Cover) bool {
	return slices.ContainsFunc(covered, func(c sandbox.Cover) bool { return c.Path == p || filepath.Dir(c.Path) == p })
}

var (
	goModule  = source.Lazy(`(?m)^module\s+"?([^\s"]+)`)
	crateName = source.Lazy(`(?ms)^\[package\].*?^name\s*=\s*"([\w-]+)"`)
)

// goPatterns returns the patterns of a module's releases: unpacked, and packed. The manifests of
// the releases stay visible, because the go command needs them.
func goPatterns(module string) []string {
	module = majorVersion().ReplaceAllString(module, "")
	if !filepath.IsLocal(filepath.FromSlash(module)) {
		return nil
	}
	path := disk.GlobQuote(escapeUpper(module))
	var patterns []string
	for _, cache := range trial.GoModules.Downloads() {
		for _, major := range []string{"", "/v[0-9]*"} {
			patterns = append(
				patterns,
				filepath.Join(disk.GlobQuote(cache), path+major+"@*"),
				filepath.Join(disk.GlobQuote(cache), "cache/download", path+major, "@v/*.zip"),
			)
		}
	}
	return patterns
}

var majorVersion = source.Lazy(`/v\d+$`)

// escapeUpper spells a module path as Go's module cache does: an upper-case letter becomes "!"
// and its lower-case form.
func escapeUpper(module string) string {
	var b strings.Builder
	for _, r := range module {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cargoPatterns returns the patterns of a crate's releases: unpacked, and packed.
func cargoPatterns(name, version string) []string {
	var patterns []string
	for _, dir := range trial.Cargo.Downloads() {
		patterns = append(
			patterns,
			filepath.Join(disk.GlobQuote(dir), "registry/src/*", name+"-"+version),
			filepath.Join(disk.GlobQuote(dir), "registry/cache/*", name+"-"+version+".crate"),
		)
	}
	return patterns
}

const cargoLock = "Cargo.lock"

// keptOfCrate are the files of an unpacked crate that Cargo reads if the crate is compiled already.
var keptOfCrate = []string{"Cargo.toml", ".cargo-ok", "build.rs"}

// neededReleases returns covers for the releases of a crate that lock files name with a source. They
// are releases of the project that another crate needs. Cargo takes what it compiled before of them,
// but reads their manifests, and wants to open their packages.
func neededReleases(name string, locks []trial.Lock) (covered []sandbox.Cover) {
	for _, l := range locks {
		if path.Base(l.Path) != cargoLock {
			continue
		}
		for _, m := range lockedRelease().FindAllSubmatch(l.Content, -1) {
			if string(m[1]) != name {
				continue
			}
			for _, pattern := range cargoPatterns(name, disk.GlobQuote(string(m[2]))) {
				found, _ := filepath.Glob(pattern) // as in releasesOf
				for _, p := range found {
					covered = append(covered, coverCrate(p)...)
				}
			}
		}
	}
	return covered
}

// lockedRelease matches a package of Cargo.lock that is from elsewhere.
var lockedRelease = source.Lazy(`(?m)^name = "([^"\n]+)"\nversion = "([^"\n]+)"\nsource = `)

// coverCrate returns the covers of an unpacked crate, or of a packed one. The files directly in src
// become empty and do not vanish, because Cargo looks for those of these names.
func coverCrate(p string) (covered []sandbox.Cover) {
	if filepath.Ext(p) == ".crate" {
		index := filepath.Base(filepath.Dir(p))
		unpacked := filepath.Join(filepath.Dir(p), "../../src", index, strings.TrimSuffix(filepath.Base(p), ".crate"))
		return []sandbox.Cover{{Path: p, With: filepath.Join(unpacked, "Cargo.toml")}}
	}
	for _, dir := range []string{p, filepath.Join(p, "src")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			covered = append(covered, sandbox.Cover{Path: dir})
		}
		for _, e := range entries {
			if dir != p || e.Name() != "src" && !slices.Contains(keptOfCrate, e.Name()) {
				covered = append(covered, sandbox.Cover{Path: filepath.Join(dir, e.Name())})
			}
		}
	}
	return covered
}
