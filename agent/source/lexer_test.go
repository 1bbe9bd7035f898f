package source

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// atStart counts chroma's lexers before the first question.
var atStart = len(lexers.GlobalLexerRegistry.Lexers)

func TestLexersArePostponed(t *testing.T) {
	if most := 60; atStart > most {
		t.Errorf("chroma has %d lexers at the start, want at most %d: postpone no longer finds its list, so every start is slow", atStart, most)
	}
}

// TestSameLexersAsChroma compares the registry with chroma's in a program that postpones nothing, for a name of
// each pattern.
func TestSameLexersAsChroma(t *testing.T) {
	names := []string{"no such language.xyzzy", "Makefile", "a.h", "a.m", "a.php.in", "a.go~"}
	for _, l := range registry().Lexers {
		for _, pattern := range append(l.Config().Filenames, l.Config().AliasFilenames...) {
			names = append(names, strings.NewReplacer("*", "name", "?", "1", "[", "", "]", "").Replace(pattern))
		}
	}
	cmd := exec.Command("go", "run", "./testdata/plain")
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(want) != len(names) || len(names) < 500 {
		t.Fatalf("%d answers for %d names", len(want), len(names))
	}
	for i, name := range names {
		got := "none"
		if l := registry().Match(name); l != nil {
			got = l.Config().Name
		}
		if got != want[i] {
			t.Errorf("%s: %s, chroma has %s", name, got, want[i])
		}
	}
}

// TestLexersInLexers checks lexers that use other lexers, which they look up by name.
func TestLexersInLexers(t *testing.T) {
	for name, text := range map[string]string{
		"a.php": "<p>text</p><?php /* inside */ f(1); ?>",
		"a.erb": "<p>text</p><% f(1) # inside %>",
		"a.md":  "text\n\n```go\nf(1) // inside\n```\n",
		"a.vue": "<script>f(1) // inside\n</script>",
	} {
		next, err := registry().Match(name).Tokenise(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for token := next(); token != chroma.EOF; token = next() {
			found = found || token.Type.InCategory(chroma.Comment) && strings.Contains(token.Value, "inside")
		}
		if !found {
			t.Errorf("%s: no comment in %q", name, text)
		}
	}
}
