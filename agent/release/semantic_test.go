package release

import (
	"fmt"
	"testing"

	"git-agent/gitext"
)

func TestSemanticRanges(t *testing.T) {
	// Ranges of semantic versions are given only where they say of each tag what is so.
	t.Parallel()
	for name, tt := range map[string]struct {
		tags, affected []string
		ranges         []Range
		want           string
	}{
		"fixed and not": {
			[]string{"v1.0.0", "v1.0.1", "v1.0.2", "v1.1.0-rc.1", "v1.1.0"}, []string{"v1.0.1", "v1.1.0-rc.1", "v1.1.0"},
			[]Range{{First: "v1.0.1", Last: "v1.0.1", FixedIn: "v1.0.2"}, {First: "v1.1.0-rc.1", Last: "v1.1.0"}},
			"[{1.0.1 1.0.2  0} {1.1.0-rc.1  1.1.0 0}]",
		},
		"without a v": {[]string{"1.0.0", "2.0.0", "nightly"}, []string{"1.0.0"}, []Range{{First: "1.0.0", Last: "1.0.0", FixedIn: "2.0.0"}}, "[{1.0.0 2.0.0  0}]"},
		"two numbers": {[]string{"v1.0", "v1.1"}, []string{"v1.0"}, []Range{{First: "v1.0", Last: "v1.0", FixedIn: "v1.1"}}, "[]"},
		"a leading 0": {[]string{"v1.0.01"}, []string{"v1.0.01"}, []Range{{First: "v1.0.01", Last: "v1.0.01"}}, "[]"},
		"a hole": {
			[]string{"v1.0.0", "v1.0.1", "v1.0.2"}, []string{"v1.0.0", "v1.0.2"}, []Range{{First: "v1.0.0", Last: "v1.0.2"}}, "[]",
		},
		"no tag": {[]string{"v1.0.0"}, nil, nil, "[]"},
	} {
		v := &Answer{Affected: tt.affected, Ranges: tt.ranges}
		var tags []gitext.Tag
		for _, tag := range tt.tags {
			tags = append(tags, gitext.Tag{Name: tag})
		}
		if got := fmt.Sprint(v.semanticRanges(tags)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
