package render

import (
	"fmt"

	"git-agent/agent/model"
)

// UsageText describes a model's usage, such as "12345 tokens sent (1000 cached),
// 320 received, $0.0012". The cost is left out if it is 0 or unknown.
func UsageText(u model.Usage) string {
	s := fmt.Sprintf("%d tokens sent", u.Prompt())
	if u.CacheRead > 0 {
		s += fmt.Sprintf(" (%d cached)", u.CacheRead)
	}
	s += fmt.Sprintf(", %d received", u.Output)
	if u.Estimated {
		s += " (estimated)"
	}
	if u.CostUSD != nil && *u.CostUSD > 0 {
		s += fmt.Sprintf(", $%.4f", *u.CostUSD)
	}
	return s
}

// statusSlot returns the colour slot for the status of a run.
func statusSlot(status string) string {
	switch status {
	case "found", "done":
		return "ok"
	case "failed", "interrupted":
		return "error"
	}
	return "warning"
}

// flagHint returns a text that names an option which shows more, or nothing for a reader who cannot give options.
func flagHint(noFlags bool, text string) string {
	if noFlags {
		return ""
	}
	return text
}
