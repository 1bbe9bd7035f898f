package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/prompts"
)

// sharedTexts are the rooms of prompts whose texts every verb may send: the loop's texts
// about calls and replies, and the descriptions of the git tools.
var sharedTexts = []string{"loop", "tool"}

// TextsHash returns a hash of all texts that a verb may send to a model, except the case
// itself: the texts in the verb's room of prompts and in sharedTexts, and the tools'
// specs. A text of another verb does not count, so a change of it leaves the verb's
// cached answers and calibrations valid.
func TextsHash(verb string, specs []agent.Spec) (string, error) {
	all, err := prompts.All()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, p := range all {
		room, _, _ := strings.Cut(p.Name, "/")
		if room == verb || slices.Contains(sharedTexts, room) {
			fmt.Fprintf(sum, "%s %s\n", p.Name, p.Hash)
		}
	}
	if err := json.NewEncoder(sum).Encode(specs); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
