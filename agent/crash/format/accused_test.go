package format

import (
	"slices"
	"strings"
	"testing"
)

// A commit that the report calls the cause is kept, on either side of the word. The first text is of google/google-java-format#71.
func TestAccusedCommits(t *testing.T) {
	t.Parallel()
	const trace = "\njava.lang.AssertionError: no\n\tat com.google.googlejavaformat.OpsBuilder.sync(OpsBuilder.java:188)\n"
	for text, want := range map[string][]string{
		"It seems a097084157499700727a15a28f522b48d3531863 introduced a regression.":                 {"a097084157499700727a15a28f522b48d3531863"},
		"I think that `a097084` broke this.":                                                         {"a097084"},
		"a097084 is the first bad commit":                                                            {"a097084"},
		"This was introduced in a097084.":                                                            {"a097084"},
		"This is caused (I believe) by https://github.com/kyleconroy/sqlc/pull/2274, which added it": {"sqlc#2274"},
		"A regression from PR #12.":                                                                  {"#12"},
		"I think #12 broke this":                                                                     {"#12"},
		"[#12](https://github.com/o/r/pull/12) introduced it":                                        {"r#12"},
		"The regression was fixed in #12":                                                            nil,
		"This is caused by the same bug as #12":                                                      nil,
		"See #12, please":                                                                            nil,
		"The checkout of a097084 caused by nothing else fails.":                                      nil,
	} {
		report, err := Read(strings.NewReader(text + trace))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(report.Accused, want) {
			t.Errorf("%q: accused %q, want %q", text, report.Accused, want)
		}
	}
}
