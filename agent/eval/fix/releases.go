package fixeval

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxManifest limits the size of a manifest, in bytes.
const maxManifest = 1 << 20

// releasesOf returns the paths of releases of the case's own project in the caches of package
// managers. Commands in the sandbox may read these caches, and a later release contains the fix.
// folders are further folders of installed packages.
//
// It knows the module cache of Go, installed packages of npm and the registry of Cargo, which
// store sources under the names in the project's manifests.
func releasesOf(ctx context.Context, repo *gitext.Repo, commit gitext.OID, folders []string) []string {
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
		patterns = append(patterns, cargoPatterns(m[1])...)
	}
	var npm struct{ Name string }
	if json.Unmarshal([]byte(manifest("package.json")), &npm) == nil && npm.Name != "" && filepath.IsLocal(filepath.FromSlash(npm.Name)) {
		for _, dir := range folders {
			for _, below := range []string{"", "node_modules", "*/node_modules", "@*/*/node_modules"} {
				patterns = append(patterns, filepath.Join(escapeGlob(dir), below, escapeGlob(npm.Name)))
			}
		}
	}
	var found []string
	for _, pattern := range patterns {
		paths, _ := filepath.Glob(pattern) // names that no pattern can hold hide nothing
		found = append(found, paths...)
	}
	return found
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
	path := escapeGlob(escapeUpper(module))
	var patterns []string
	for _, cache := range goCaches() {
		for _, major := range []string{"", "/v[0-9]*"} {
			patterns = append(
				patterns,
				filepath.Join(escapeGlob(cache), path+major+"@*"),
				filepath.Join(escapeGlob(cache), "cache/download", path+major, "@v/*.zip"),
			)
		}
	}
	return patterns
}

var majorVersion = source.Lazy(`/v\d+$`)

// goCaches returns the directories that may be Go's module cache.
func goCaches() []string {
	caches := filepath.SplitList(os.Getenv("GOMODCACHE"))
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		caches = append(caches, filepath.Join(dir, "pkg/mod"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		caches = append(caches, filepath.Join(home, "go/pkg/mod"))
	}
	return caches
}

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

func cargoPatterns(name string) []string {
	dirs := []string{os.Getenv("CARGO_HOME")}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".cargo"))
	}
	var patterns []string
	for _, dir := range dirs {
		if dir != "" {
			patterns = append(
				patterns,
				filepath.Join(escapeGlob(dir), "registry/src/*", name+"-[0-9]*"),
				filepath.Join(escapeGlob(dir), "registry/cache/*", name+"-[0-9]*.crate"),
			)
		}
	}
	return patterns
}

// escapeGlob makes a pattern for filepath.Match that matches only this text.
func escapeGlob(text string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(text)
}
