package gitext

import "strings"

// splitAlternates splits the list in GIT_ALTERNATE_OBJECT_DIRECTORIES at its
// colons. An entry that begins with a quote is quoted in C style.
func splitAlternates(list string) []string {
	var dirs []string
	for list != "" {
		var dir string
		if strings.HasPrefix(list, `"`) {
			var err error
			if dir, list, err = cutQuoted(list); err != nil {
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

// joinAlternates is the reverse of splitAlternates.
func joinAlternates(dirs []string) string {
	var quoted []string
	for _, dir := range dirs {
		if strings.Contains(dir, ":") || needsQuote(dir) {
			dir = forceQuote(dir)
		}
		quoted = append(quoted, dir)
	}
	return strings.Join(quoted, ":")
}

// alternatesLine spells a line of objects/info/alternates, quoted where git
// would misread the path.
func alternatesLine(dir string) string {
	if strings.HasPrefix(dir, "#") || needsQuote(dir) {
		dir = forceQuote(dir)
	}
	return dir + "\n"
}
