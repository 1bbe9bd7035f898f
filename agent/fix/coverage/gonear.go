package coverage

import (
	"cmp"
	"slices"
	"strings"
)

// nearby lists tests that may pass, the nearest to a failing test first: subtests that passed
// beside a failing subtest, then tests of the same file, then tests of the package. Within each
// group, tests with a longer common name with a failing test come first, and then tests with a
// nearer definition.
func (r *goPackageRun) nearby(failing, leaves []goResult) []string {
	var siblings []string
	names := map[string]bool{}
	for _, res := range failing {
		names[res.test] = true
		if slices.ContainsFunc(leaves, func(leaf goResult) bool { return strings.HasPrefix(leaf.test, res.test+"/") }) {
			siblings = append(siblings, res.passingSiblings(leaves)...)
		}
	}
	// Half of the sample is for other tests, because siblings execute the same code of their
	// parent test.
	most := max(1, r.m.opt.MaxPassing/2)
	others := r.others(names)
	if len(siblings) > most {
		siblings = slices.Concat(siblings[:most], others, siblings[most:])
		return siblings
	}
	return append(siblings, others...)
}

// passingSiblings lists the passing subtests that have no subtests, the nearest to a failing
// leaf first.
func (res goResult) passingSiblings(leaves []goResult) []string {
	var at []int // positions of the failing leaves
	for i, name := range res.order {
		if slices.ContainsFunc(leaves, func(leaf goResult) bool { return leaf.test == name }) {
			at = append(at, i)
		}
	}
	distance := map[string]int{}
	var siblings []string
	for i, name := range res.order {
		if res.states[name] != goPassed || name == res.test || i+1 < len(res.order) && strings.HasPrefix(res.order[i+1], name+"/") {
			continue
		}
		distance[name] = len(res.order)
		for _, j := range at {
			distance[name] = min(distance[name], max(i-j, j-i))
		}
		siblings = append(siblings, name)
	}
	slices.SortStableFunc(siblings, func(a, b string) int { return distance[a] - distance[b] })
	return siblings
}

// others lists the tests of the package except those in names, the nearest first.
func (r *goPackageRun) others(names map[string]bool) []string {
	type neighbour struct {
		test                   string
		sameFile, words, apart int
	}
	var list []neighbour
	for i, test := range r.pkg.tests {
		if names[test] {
			continue
		}
		n := neighbour{test: test, apart: len(r.pkg.tests)}
		for j, failing := range r.pkg.tests {
			if names[failing] {
				n.words = max(n.words, commonPrefix(test, failing))
				if r.pkg.testFile[test] == r.pkg.testFile[failing] {
					n.sameFile = 1
					n.apart = min(n.apart, max(i-j, j-i))
				}
			}
		}
		list = append(list, n)
	}
	slices.SortStableFunc(list, func(a, b neighbour) int {
		return cmp.Or(b.sameFile-a.sameFile, b.words-a.words, a.apart-b.apart)
	})
	tests := make([]string, len(list))
	for i, n := range list {
		tests[i] = n.test
	}
	return tests
}

// commonPrefix counts the common first bytes of two names of tests after "Test".
func commonPrefix(a, b string) int {
	return sharedPrefix(strings.TrimPrefix(a, "Test"), strings.TrimPrefix(b, "Test"))
}

// sharedPrefix counts the common first bytes of two texts.
func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
