package candidate

import (
	"slices"
	"testing"

	"git-agent/agent/source"
	"git-agent/agent/szz"
)

// The marks for hidden hints do not make two messages alike.
func TestBlanksAreNoWords(t *testing.T) {
	message := szz.Prose("Broken since 0123abc, see bug 12345, D12345, https://example.org/x and \"net: rework\"", nil)
	said, code := source.Bag{}, CodeWords(message)
	said.AddWords(message)
	if got := source.SortedTokens(source.Unite(said, code)); !slices.Equal(got, []string{"Broken", "broken", "see"}) {
		t.Errorf("%q has the words %q", message, got)
	}
}
