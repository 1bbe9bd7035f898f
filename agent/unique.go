package agent

import "slices"

// Unique returns the texts in order, each once. It leaves the list as it is.
func Unique(texts []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool {
		was := seen[t]
		seen[t] = true
		return was
	})
}
