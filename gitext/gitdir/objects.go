package gitdir

import (
	"git-agent/gitext/disk"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ObjectDirs returns the object directories and their alternates, except
// directories with other contents than objects.
func ObjectDirs(objects []string) []string {
	const deepest = 5 // git's own bound for alternates
	dirs := slices.DeleteFunc(slices.Clone(objects), func(dir string) bool { return !onlyObjects(dir) })
	for level, from := 0, dirs; level < deepest && len(from) > 0; level++ {
		var next []string
		for _, dir := range from {
			text, _ := disk.ReadRegular(filepath.Join(dir, "info", "alternates"), maxAlternates) // most have none
			for line := range strings.Lines(string(text)) {
				alt := strings.TrimSuffix(line, "\n")
				if !filepath.IsAbs(alt) {
					alt = filepath.Join(dir, alt)
				}
				if !strings.HasPrefix(line, "#") && !slices.Contains(dirs, alt) && onlyObjects(alt) {
					next = append(next, alt)
				}
			}
		}
		dirs, from = append(dirs, next...), next
	}
	return dirs
}

// objectEntry matches the names that git uses in an object directory.
var objectEntry = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(pack|info|[0-9a-f]{2}|tmp_.*|tmp-objdir-.*|incoming-.*)$`)
})

// onlyObjects reports whether every entry of the directory has a name that git
// uses in an object directory. An empty directory qualifies.
func onlyObjects(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !objectEntry().MatchString(e.Name()) })
}

// maxAlternates bounds the size of a file objects/info/alternates.
const maxAlternates = 1 << 20

// Partial reports whether one of the object directories has a pack of a partial
// clone.
func Partial(objects []string) bool {
	for _, dir := range objects {
		if found, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "pack", "*.promisor")); len(found) > 0 {
			return true
		}
	}
	return false
}

func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
