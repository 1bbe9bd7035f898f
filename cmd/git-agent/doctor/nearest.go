package doctor

import (
	"strings"

	"git-agent/agent/session"
	"git-agent/agent/source"
)

// Unknown reports whether no setting has this name, and returns the most similar name of a
// setting, "" if none is similar. others are the program's settings except those of a model.
func Unknown(others []Setting, key string) (nearest string, unknown bool) {
	if isSetting(others, key) {
		return "", false
	}
	best := len(strings.TrimPrefix(key, "agent."))/3 + 1 // a larger distance means another word
	consider := func(name string) {
		if d := source.EditDistance(strings.ToLower(key), strings.ToLower(name), best); d < best {
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
