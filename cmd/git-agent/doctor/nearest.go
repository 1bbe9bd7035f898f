package doctor

import (
	"strings"

	"git-agent/agent/session"
)

// Unknown reports whether the program reads no setting of this name, and returns the name
// of the setting that is nearest to it, "" if none is near. others are the settings that
// the program reads besides those of a model.
func Unknown(others []Setting, key string) (nearest string, unknown bool) {
	if isSetting(others, key) {
		return "", false
	}
	best := len(key)/3 + 1 // more letters apart is another word
	consider := func(name string) {
		if d := distance(strings.ToLower(key), strings.ToLower(name)); d < best {
			best, nearest = d, name
		}
	}
	for _, row := range session.Table {
		consider(row.Key)
	}
	for _, row := range others {
		consider(row.Key)
	}
	return nearest, true
}

// distance counts the letters that must be added, removed or replaced to make one word of
// another (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
