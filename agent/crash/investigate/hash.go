package investigate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/agent/crash/crashtool"
	"git-agent/prompts"
)

// PromptsHash returns a hash of every text and schema that the engine may send.
func PromptsHash() (string, error) {
	all, err := prompts.All()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, p := range all {
		if room, _, _ := strings.Cut(p.Name, "/"); room != "mcp" && room != "szz" && room != "fix" { // those are sent about other things
			fmt.Fprintf(sum, "%s %s\n", p.Name, p.Hash)
		}
	}
	specs, err := crashtool.Specs()
	if err != nil {
		return "", err
	}
	report, err := newReportTool(nil)
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(sum).Encode(append(specs, report.Spec())); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
