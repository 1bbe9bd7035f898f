package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// ownKey is assembled from pieces, so that no scanner reports it as a leak.
var ownKey = "sk-" + "proj-Zq7RmT2vXw9LbN4cKd8HfJ3sPg6Y"

// spellings are forms of a key. All of them must be masked.
func spellings(key string) map[string]string {
	each := func(form string) string {
		var b strings.Builder
		for _, c := range []byte(key) {
			fmt.Fprintf(&b, form, c)
		}
		return b.String()
	}
	letters := strings.Split(key, "")
	backwards := []byte(key)
	slices.Reverse(backwards)
	wide := strings.Map(func(r rune) rune { return r - '!' + 0xff01 }, key)
	return map[string]string{
		"as it is": key, "upper case": strings.ToUpper(key), "backwards": string(backwards), "full width": wide,
		"zero width spaces": strings.Join(letters, "\u200b"), "bidi": strings.Join(letters, "\u202e\u202c"), "tags": strings.Join(letters, "\U000e0041"),
		"spelled out": strings.Join(letters, `\u200b`), "controls": strings.Join(letters, "\x00"), "marks": strings.Join(letters, "\u0301"),
		"spaces": strings.Join(letters, " "), "lines": strings.Join(letters, "\n"), "dots": strings.Join(letters, "."), "list": `["` + strings.Join(letters, `","`) + `"]`,
		"two lines": key[:18] + "\n+" + key[18:], "added up": key[:17] + `" + "` + key[17:], "first half": key[:20], "second half": key[14:],
		"JSON": each(`\u%04x`), "JSON twice": each(`\\u%04x`), "braces": each(`\u{%x}`), "hex escapes": each(`\x%02x`), "HTML": each("&#%d;"), "HTML in JSON": each(`\u0026#%d;`), "HTML in HTML": each("&amp;#%d;"), "HTML in JSON in a URL": each(`%%5cu0026#x%x;`), "HTML hex": each("&#x%x;"),
		"URL": each("%%%02x"), "URL twice": each("%%25%02X"), "bytes": each("0x%02x, "),
		"hex": hex.EncodeToString([]byte(key)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(key))), "hex with colons": each("%02x:"),
		"base64": base64.StdEncoding.EncodeToString([]byte(key)), "base64 behind 1": base64.StdEncoding.EncodeToString([]byte("x" + key)),
		"base64 behind 2": base64.URLEncoding.EncodeToString([]byte("xy" + key + "!")), "base64 in lines": strings.Join(chunksOf(base64.StdEncoding.EncodeToString([]byte(key)), 20), "\r\n"),
		"basic": "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+key)), "query": "?key=" + url.QueryEscape(key), "user": "https://u:" + url.PathEscape(key) + "@h/",
	}
}

func chunksOf(s string, n int) []string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

// A key is found in every form, and the text around it stays.
func TestMaskKnownSpellings(t *testing.T) {
	t.Parallel()
	m := New(ownKey)
	for name, text := range spellings(ownKey) {
		for _, mask := range []func(string) string{m.Mask, m.MaskKnown} {
			got := mask("the key {" + text + "} ends")
			if !strings.HasPrefix(got, "the key {") || !strings.HasSuffix(got, "} ends") || !strings.Contains(got, "<secret:") {
				t.Errorf("%s: %q became %q", name, text, got)
			}
			if left := strings.TrimSuffix(placeholderForm().ReplaceAllString(got[len("the key {"):], ""), "} ends"); len(skeletonOf(left)) > 2*pieceLength {
				t.Errorf("%s: too much is left: %q", name, got)
			}
			if again := mask(got); again != got {
				t.Errorf("%s: masked twice: %q", name, again)
			}
		}
	}
}

// A key of words is masked where it occurs literally, also with hidden characters
// inside. A text with the same letters in another form stays unchanged.
func TestMaskKnownWords(t *testing.T) {
	t.Parallel()
	m := New("not-needed")
	for text, want := range map[string]bool{
		"not-needed": true, "no\u200bt-need\u2060ed": true, `not\u200b-needed`: true, "it is not needed here": false, "NOT_NEEDED": false,
	} {
		if got := m.MaskKnown(text); (got != text) != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// MaskKnown leaves other secrets and unusual characters unchanged.
func TestMaskKnownAlone(t *testing.T) {
	t.Parallel()
	m := New(ownKey)
	for _, text := range []string{githubToken, "a\u200bb\x00c \xff \ufffd \\\\\\foo \\u00e9", `C:\new\table`, "%zz &amp; &nope 0xfg %", "\\", "&#;", `\u{`, "0x"} {
		if got := m.MaskKnown(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := (&Masker{}).MaskKnown(ownKey); got != ownKey {
		t.Errorf("a masker without keys gave %q", got)
	}
}

// Rules find their secrets even with hidden characters inside, as bytes and as
// the tools escape them.
func TestMaskSeesThroughHiddenCharacters(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"\u200b", "\u00ad", "\ufe0f", "\x01", `\u200b`, `\x01`, `\U000e0041`} {
		text := "é token: " + githubToken[:9] + in + githubToken[9:20] + in + githubToken[20:] + " end"
		if got := New().Mask(text); !strings.HasPrefix(got, "é token: <secret:github-pat:") || !strings.HasSuffix(got, "> end") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func BenchmarkMaskKnown(b *testing.B) {
	text := strings.Repeat("L12: 1a2b3c4d |   token = next(key, &access);\nsome other line of code with nothing\n", 120)
	m := New(ownKey)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.MaskKnown(text)
	}
}
