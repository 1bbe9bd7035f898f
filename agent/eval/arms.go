package eval

import (
	"slices"
	"strings"
)

// WholeAgent is the name of the algorithm that asks a model with the complete method.
const WholeAgent = "agent"

// Arms are the parts of a method with a model that can be changed or left out, by name, such as
// "no-tools". The name of an algorithm with changed parts is "agent-" and their names, joined by
// "+": "agent-no-tools", "agent-no-tools+no-compression".
type Arms []string

const (
	armStart = WholeAgent + "-"
	armJoin  = "+"
)

// Parts returns the parts that an algorithm changes, in the order of the arms. It returns false
// for an algorithm that is neither the whole method nor one of these arms. A repetition has the
// same parts as the first run.
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

// Names lists the whole method and the arms with one changed part.
func (a Arms) Names() []string {
	names := []string{WholeAgent}
	for _, part := range a {
		names = append(names, armStart+part)
	}
	return names
}

// Canonical returns the name of an algorithm with its parts in the order of the arms, so that
// each configuration has only one name. It returns other names unchanged.
func (a Arms) Canonical(algorithm string) string {
	parts, ok := a.Parts(algorithm)
	if !ok || len(parts) == 0 {
		return algorithm
	}
	return armStart + strings.Join(parts, armJoin)
}
