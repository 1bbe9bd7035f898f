package history

import (
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/fix"
)

// These are the choices of ParseHeuristics that are no heuristics.
const (
	Auto fix.Heuristic = "auto" // begin with one heuristic and let others follow
	None fix.Heuristic = "none" // show no history
)

// ParseHeuristics reads a list of heuristics separated by commas, such as
// "fn_pair,fl_diff", in the order given and each once. "auto" and "none" are returned
// as they are, and stand alone. An error names the choices.
func ParseHeuristics(text string) ([]fix.Heuristic, error) {
	var kinds []fix.Heuristic
	for word := range strings.SplitSeq(text, ",") {
		kind := fix.Heuristic(strings.ToLower(strings.TrimSpace(word)))
		switch {
		case kind == Auto || kind == None:
			if strings.Contains(text, ",") {
				return nil, fmt.Errorf("history %q stands alone, not in a list", kind)
			}
		case !slices.Contains(fix.Heuristics, kind):
			return nil, fmt.Errorf("unknown history %q: choose auto, none, or one or more of %s, separated by commas", word, listed(fix.Heuristics))
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

func listed(kinds []fix.Heuristic) string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
