package release

import (
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"git-agent/gitext"
)

// A Semantic range has the semantic versions from Introduced, without a leading v, up to Fixed or
// Last. One of these two is "".
type Semantic struct {
	Introduced  string
	Fixed       string // the first version that is not affected any more
	Last        string // the last affected version
	Probability float64
}

// semantic returns the semantic version of a tag, with a leading v, or "".
func semantic(tag string) string {
	v := "v" + strings.TrimPrefix(tag, "v")
	if !semver.IsValid(v) || semver.Canonical(v) != strings.TrimSuffix(v, semver.Build(v)) {
		return ""
	}
	return v
}

// semanticRanges returns the ranges as those of semantic versions. It returns nil if an affected
// version is none, or if the ranges would say of a tag what is not so.
func (v *Answer) semanticRanges(tags []gitext.Tag) []Semantic {
	var list []Semantic
	for _, r := range v.Ranges {
		if slices.ContainsFunc(append([]string{r.First, r.Last}, r.Tags...), func(tag string) bool { return semantic(tag) == "" }) {
			return nil
		}
		s := Semantic{Introduced: semantic(r.First)[1:], Probability: r.Probability}
		if fixed := semantic(r.FixedIn); fixed != "" {
			s.Fixed = fixed[1:]
		} else {
			s.Last = semantic(r.Last)[1:]
		}
		list = append(list, s)
	}
	for _, t := range tags {
		version := semantic(t.Name)
		if version == "" || slices.Contains(v.Unknown, t.Name) {
			continue
		}
		in := slices.ContainsFunc(list, func(s Semantic) bool { return s.has(version) })
		if in != slices.Contains(v.Affected, t.Name) {
			return nil
		}
	}
	return list
}

// has reports whether a version, with a leading v, is in the range.
func (s Semantic) has(version string) bool {
	if semver.Compare(version, "v"+s.Introduced) < 0 {
		return false
	}
	if s.Fixed != "" {
		return semver.Compare(version, "v"+s.Fixed) < 0
	}
	return semver.Compare(version, "v"+s.Last) <= 0
}
