package mutate

import "strings"

// asksOf says what a guard asks after an exception or a panic: of a value, or of a size.
var asksOf = []struct{ raised, asks string }{
	{"NullPointer", "null"}, {"OutOfBounds", "size"}, {"NoSuchElement", "size"}, {"NegativeArraySize", "size"}, {"Arithmetic", "number"},
	{"index out of bounds", "size"}, {"out of range", "size"}, {"byte index", "size"}, {"with overflow", "number"}, {"by zero", "number"},
}

// moreLikely is the factor for a guard that asks what the failure is about.
const moreLikely = 4

// forRaised returns the factor for a question of a kind, by the exceptions in the output of the
// failing tests.
func (fn *Function) forRaised(kind string) float64 {
	for _, r := range fn.clues.Raised {
		for _, a := range asksOf {
			if a.asks == kind && strings.Contains(r, a.raised) {
				return moreLikely
			}
		}
	}
	return 1
}
