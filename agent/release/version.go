package release

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/source"
)

// A version is a tag that names a version.
type version struct {
	tag    string
	family string // what precedes the number, without words such as "release": tags of several projects in one repository
	nums   []int  // 1.2.3
	end    int    // where the number ends in the tag
	class  int    // earlier for a pre-release, later for a patch of a release, else 0
	rest   string // what follows the number, in lower case
}

// These are the classes of versions with the same number.
const (
	earlier = -1
	later   = 1
)

var (
	dotted = source.Lazy(`\d+(?:[._]\d+)*`)
	dashed = source.Lazy(`\d+(?:-\d+)+`)
	// letters is the patch letter of OpenSSL 1.0.2zh.
	letters = source.Lazy(`^[a-z]{1,2}$`)
	// patched matches the ends of versions that follow the release of the same number.
	patched = source.Lazy(`^(?:[-_.]?(?:p|pl|patch|post|r|rev|sp|u|update|hotfix|fix|lts|fips|sec|security)[-_.]?\d+|[-_]\d)`)
	// same matches the ends of versions that are the release itself.
	same = source.Lazy(`^(?:[-_.]?(?:final|ga|release|stable)|\+.*)?$`)
	// leading matches the words and signs between the name of a project and a number.
	leading = source.Lazy(`(?:^|[-_./@ ])(?:v|ver|version|releases?|rel|r|tags?)?[-_./@ ]*$`)
)

// maxComponent is the longest component of a version, in digits: a date with the time.
const maxComponent = 14

// parseVersion reads the version that a tag names. The number is the run of components with dots
// or underscores that has most of them; the digits of a name such as foo2-1.2.3 are fewer.
func parseVersion(tag string) (version, bool) {
	best := []int{0, 0}
	count := 0
	for _, at := range dotted().FindAllStringIndex(tag, -1) {
		if n := strings.Count(strings.ReplaceAll(tag[at[0]:at[1]], "_", "."), ".") + 1; n > count {
			best, count = at, n
		}
	}
	if count == 1 {
		if at := dashed().FindStringIndex(tag); at != nil {
			best = at
		}
	}
	if count == 0 {
		return version{}, false
	}
	v := version{tag: tag, end: best[1], rest: strings.ToLower(tag[best[1]:])}
	for _, word := range strings.FieldsFunc(tag[best[0]:best[1]], func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.Atoi(word)
		if err != nil || len(word) > maxComponent {
			return version{}, false
		}
		v.nums = append(v.nums, n)
	}
	v.family = familyOf(tag[:best[0]])
	switch {
	case same().MatchString(v.rest):
	case letters().MatchString(v.rest), patched().MatchString(v.rest):
		v.class = later
	default:
		v.class = earlier
	}
	return v, true
}

// familyOf returns the name in the text before a number: "" for v, release- and the like.
func familyOf(prefix string) string {
	name := strings.ToLower(prefix)
	for {
		at := leading().FindStringIndex(name)
		if at == nil || at[0] == len(name) {
			return name
		}
		name = name[:at[0]]
	}
}

// compareVersions orders versions of a family, then by their tags.
func compareVersions(a, b version) int {
	if c := cmp.Or(cmp.Compare(a.family, b.family), compareNumbers(a.nums, b.nums), cmp.Compare(a.class, b.class)); c != 0 {
		return c
	}
	if a.class == later && letters().MatchString(a.rest) && letters().MatchString(b.rest) {
		return cmp.Or(cmp.Compare(len(a.rest), len(b.rest)), cmp.Compare(a.rest, b.rest))
	}
	if a.class == 0 {
		return cmp.Compare(a.tag, b.tag)
	}
	return cmp.Or(compareNatural(a.rest, b.rest), cmp.Compare(a.tag, b.tag))
}

// compareNumbers compares components; missing ones are 0.
func compareNumbers(a, b []int) int {
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}

// parts splits a text into numbers and words.
var parts = source.Lazy(`\d+|[a-z]+`)

// ranks orders the words of pre-releases that are not in the order of the alphabet.
var ranks = map[string]string{
	"dev": "0", "snapshot": "0", "nightly": "0", "test": "0", "a": "alpha", "b": "beta", "c": "rc", "cr": "rc", "candidate": "rc", "m": "milestone",
}

// compareNatural compares the ends of versions: rc10 comes after rc9.
func compareNatural(a, b string) int {
	x, y := parts().FindAllString(a, -1), parts().FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		n, errN := strconv.Atoi(x[i])
		m, errM := strconv.Atoi(y[i])
		c := cmp.Compare(cmp.Or(ranks[x[i]], x[i]), cmp.Or(ranks[y[i]], y[i]))
		if errN == nil && errM == nil {
			c = cmp.Compare(n, m)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// lineLength returns the number of components that tell the release lines of a family apart: two in
// 1.2.3, one where no version has three, and all of them where letters count the patches.
func lineLength(family []version) int {
	longest, withLetters := 0, false
	for _, v := range family {
		longest = max(longest, len(v.nums))
		withLetters = withLetters || len(v.nums) > 2 && letters().MatchString(v.rest)
	}
	switch {
	case withLetters:
		return longest
	case longest > 2:
		return 2
	}
	return 1
}

// sameLine reports whether two versions of a family are of one release line.
func sameLine(a, b version, length int) bool {
	return slices.Equal(a.nums[:min(length, len(a.nums))], b.nums[:min(length, len(b.nums))]) ||
		compareNumbers(a.nums[:min(length, len(a.nums))], b.nums[:min(length, len(b.nums))]) == 0
}

// lineName returns the name of the release line of a version, in the spelling of its tag: v1.2.x.
func lineName(v version, length int) string {
	stem := v.tag[:v.end]
	separator := "."
	if strings.ContainsRune(stem, '_') && !strings.ContainsRune(stem[strings.LastIndexByte(stem, '_')+1:], '.') {
		separator = "_"
	}
	if len(v.nums) < length || length > 2 {
		return stem + map[bool]string{true: "x", false: separator + "x"}[length > 2]
	}
	for range len(v.nums) - length {
		cut := strings.LastIndexAny(stem, "._-")
		separator, stem = stem[cut:cut+1], stem[:cut]
	}
	return stem + separator + "x"
}
