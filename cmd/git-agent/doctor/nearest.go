package doctor

import (
	"strings"

	"git-agent/agent/session"
	"git-agent/agent/source"
)

// Unknown reports whether the program reads no setting of this name, and returns the name
// of the setting that is nearest to it, "" if none is near. others are the settings that
// the program reads besides those of a model.
func Unknown(others []Setting, key string) (nearest string, unknown bool) {
	if isSetting(others, key) {
		return "", false
	}
	best := len(strings.TrimPrefix(key, "agent."))/3 + 1 // more letters apart is another word
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
