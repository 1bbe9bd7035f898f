package investigate

import (
	"git-agent/agent/fix/fixtool"
	"git-agent/agent/session"
)

// PromptsHash returns a hash of every text and schema that the engine may send.
func PromptsHash() (string, error) {
	specs, err := fixtool.Specs()
	if err != nil {
		return "", err
	}
	return session.TextsHash("fix", specs)
}
