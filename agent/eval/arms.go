package eval

import (
	"slices"
	"strings"
)

// WholeAgent is the name of the algorithm that asks a model with its whole method.
const WholeAgent = "agent"

// Arms are the parts of a method with a model that can be changed or left out, by their
// names, such as "no-tools". An algorithm that changes some of them is called "agent-"
// and their names, joined by "+": "agent-no-tools", "agent-no-tools+no-compression".
type Arms []string

const (
	armStart = WholeAgent + "-"
	armJoin  = "+"
)

// Parts returns the parts that an algorithm changes, in the order of the arms. It returns
// false for an algorithm that is neither the whole method nor one of these arms. A repetition
// changes the same parts as the first one.
func (a Arms) Parts(algorithm string) (parts []string, ok bool) {
	algorithm, _ = RepetitionOf(algorithm)
	if algorithm == WholeAgent {
		return nil, true
	}
	names, ok := strings.CutPrefix(algorithm, armStart)
	if !ok {
		return nil, false
	}
	given := strings.Split(names, armJoin)
	for _, part := range a {
		if slices.Contains(given, part) {
			parts = append(parts, part)
		}
	}
	return parts, len(parts) == len(given) // each is known and given once
}

// Names lists the whole method and the arms that change one part.
func (a Arms) Names() []string {
	names := []string{WholeAgent}
	for _, part := range a {
		names = append(names, armStart+part)
	}
	return names
}

// Canonical returns the name of an algorithm with its parts in the order of the arms, so
// that one configuration has one name. It returns other names as they are.
func (a Arms) Canonical(algorithm string) string {
	parts, ok := a.Parts(algorithm)
	if !ok || len(parts) == 0 {
		return algorithm
	}
	return armStart + strings.Join(parts, armJoin)
}
