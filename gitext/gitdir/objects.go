package gitdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"git-agent/gitext/disk"
	"git-agent/gitext/quote"
)

// ObjectDirs returns the object directories and their alternates, except
// directories with other contents than objects.
func ObjectDirs(objects []string) []string {
	const deepest = 5 // git's own bound for alternates
	dirs := slices.DeleteFunc(slices.Clone(objects), func(dir string) bool { return !onlyObjects(dir) })
	for level, from := 0, dirs; level < deepest && len(from) > 0; level++ {
		var next []string
		for _, dir := range from {
			for _, alt := range namedIn(dir) {
				if !slices.Contains(dirs, alt) && onlyObjects(alt) {
					next = append(next, alt)
				}
			}
		}
		dirs, from = append(dirs, next...), next
	}
	return dirs
}

// LostAlternates returns the alternates that object directories name and that are not there, such
// as the objects of a repository that was moved after git clone --shared.
func LostAlternates(objects []string) []string {
	var lost []string
	for _, dir := range ObjectDirs(objects) {
		for _, alt := range namedIn(dir) {
			if _, err := os.Stat(alt); errors.Is(err, fs.ErrNotExist) && !slices.Contains(lost, alt) {
				lost = append(lost, alt)
			}
		}
	}
	return lost
}

// namedIn returns the alternates that the file of an object directory names.
func namedIn(dir string) []string {
	text, _ := disk.ReadRegular(filepath.Join(dir, "info", "alternates"), maxAlternates) // most have none
	var list []string
	for line := range strings.Lines(string(text)) {
		alt := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(alt, "#") || alt == "" {
			continue
		}
		if unquoted, err := quote.Unquote(alt); err == nil { // git takes a line that is badly quoted as it is
			alt = unquoted
		}
		if !filepath.IsAbs(alt) {
			alt = filepath.Join(dir, alt)
		}
		list = append(list, alt)
	}
	return list
}

// objectEntry matches the names that git uses in an object directory, and those that systems leave in
// any directory. The locks are those of git maintenance, which git starts in the background, and
// which stay behind if it is killed.
var objectEntry = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(pack|info|[0-9a-f]{2}|tmp_.*|tmp-objdir-.*|incoming-.*|(maintenance|schedule)(\.lock)?|loose-object-idx(\.lock)?|\.DS_Store|\.nfs[0-9a-f]+)$`,
	)
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
		if found, _ := filepath.Glob(filepath.Join(disk.GlobQuote(dir), "pack", "*.promisor")); len(found) > 0 {
			return true
		}
	}
	return false
}
