package format

import (
	"strings"
	"testing"
)

// A long line may have many places: the call of each is looked for in a bounded part before it, wherever that is in the line.
func TestCallBeforePlaceOfErlang(t *testing.T) {
	t.Parallel()
	const call, place = `{shop,sell,`, `,[{file,"src/shop.erl"},{line,7}`
	before := strings.Repeat("x", 3*maxTerm)
	for arguments, want := range map[string]bool{
		"2":   true,
		"[a]": true,
		"[" + strings.Repeat("a,", maxTerm/4) + "b]": true,
		"[" + strings.Repeat("a,", maxTerm) + "b]":   false,
	} {
		text := before + call + arguments + place
		start, f, found := erlangFrame(text, erlangPlace().FindStringSubmatchIndex(text))
		if found != want || found && (start != len(before) || f.Function != "shop.sell") {
			t.Errorf("%.20s, %d bytes: %d, %+v, %v", arguments, len(arguments), start, f, found)
		}
	}
}
