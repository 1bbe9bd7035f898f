package main

import (
	"strings"
	"testing"
)

// An unknown verb or step gets the known ones.
func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"train (szz | crash | fix | bisect)":  {},
		"train (szz | crash | fix | bisect) ": {"trace"},
		"train szz (mine |":                   {"szz"},
		"train crash (mine |":                 {"crash"},
		"the steps are measure,":              {"fix", "mine"},
		"train crash culprits (extract":       {"crash", "culprits"},
		"train bisect (reproduce |":           {"bisect"},
	} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
