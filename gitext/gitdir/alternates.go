package gitdir

import (
	"strings"

	"git-agent/gitext/quote"
)

// SplitAlternates splits the list in GIT_ALTERNATE_OBJECT_DIRECTORIES at its
// colons. An entry that begins with a quote is quoted in C style.
func SplitAlternates(list string) []string {
	var dirs []string
	for list != "" {
		var dir string
		if strings.HasPrefix(list, `"`) {
			var err error
			if dir, list, err = quote.Cut(list); err != nil {
				return dirs
			}
			list = strings.TrimPrefix(list, ":")
		} else {
			dir, list, _ = strings.Cut(list, ":")
		}
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// JoinAlternates is the reverse of SplitAlternates.
func JoinAlternates(dirs []string) string {
	var quoted []string
	for _, dir := range dirs {
		if strings.Contains(dir, ":") || quote.Needed(dir) {
			dir = quote.Always(dir)
		}
		quoted = append(quoted, dir)
	}
	return strings.Join(quoted, ":")
}

// Alternates returns the contents of a file objects/info/alternates with these
// object directories.
func Alternates(dirs []string) []byte {
	var text strings.Builder
	for _, dir := range dirs {
		text.WriteString(AlternatesLine(dir))
	}
	return []byte(text.String())
}

// AlternatesLine returns a line of objects/info/alternates, quoted if git would
// misread the path.
func AlternatesLine(dir string) string {
	if strings.HasPrefix(dir, "#") || quote.Needed(dir) {
		dir = quote.Always(dir)
	}
	return dir + "\n"
}
