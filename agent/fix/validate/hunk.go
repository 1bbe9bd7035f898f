package validate

import (
	"bytes"
	"fmt"
	"strings"
)

// sides are the removed and the added lines of a file's hunks.
type sides struct{ removed, added []byte }

// hunksOf reads a diff as git prints it. It returns the sides of each file, by the path in its
// header. Context lines and binary files are left out. A malformed diff has no hunks.
func hunksOf(diff []byte) map[string]*sides {
	files := map[string]*sides{}
	var now *sides
	var left, right int // remaining lines of the hunk on each side
	for line := range bytes.Lines(diff) {
		switch {
		case left+right > 0 && now != nil:
			left, right = now.take(line, left, right)
		case bytes.HasPrefix(line, []byte("diff --git ")):
			path := headerPath(string(line))
			now = &sides{}
			if old, seen := files[path]; seen {
				now = old
			}
			files[path] = now
		case bytes.HasPrefix(line, []byte("@@ -")):
			left, right = hunkLengths(string(line))
		}
	}
	return files
}

// take adds a line of a hunk to its side and returns the numbers of remaining lines.
func (s *sides) take(line []byte, left, right int) (int, int) {
	switch line[0] {
	case '-':
		s.removed = append(s.removed, line[1:]...)
		return left - 1, right
	case '+':
		s.added = append(s.added, line[1:]...)
		return left, right - 1
	case '\\': // "\ No newline at end of file"
		return left, right
	}
	return left - 1, right - 1
}

// hunkLengths reads the numbers of lines in "@@ -1,2 +3,4 @@". A missing number is 1.
func hunkLengths(line string) (left, right int) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return 0, 0
	}
	length := func(r string) int {
		_, count, found := strings.Cut(r, ",")
		n := 1
		if found {
			fmt.Sscanf(count, "%d", &n)
		}
		return max(n, 0)
	}
	return length(fields[1]), length(fields[2])
}

// headerPath returns the new path in "diff --git a/x b/x". The path only serves to choose a
// language, so headerPath keeps git's quoting.
func headerPath(line string) string {
	line = strings.TrimRight(line, "\"\r\n")
	return line[strings.LastIndex(line, "b/")+2:]
}
