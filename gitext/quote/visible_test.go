package quote

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Hidden characters are escaped; those with a visible effect stay.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":              "plain\ttext\n",
		"Grüße, 世界, שלום, مرحبا":     "Grüße, 世界, שלום, مرحبا",
		"\x1b[31mred":                `\x1b[31mred`,
		"a\rb\bc\vd\fe\x00f\x7f":     `a\x0db\x08c\x0bd\x0ce\x00f\x7f`,
		"csi \u009b31m":              `csi \u009b31m`,
		"title \x1b]0;x\x07end":      `title \x1b]0;x\x07end`,
		"bad \xff\x9b byte":          `bad \xff\x9b byte`,
		"a surrogate \xed\xa0\x80":   `a surrogate \xed\xa0\x80`,
		"real \uFFFD stays":          "real \uFFFD stays",
		"over\u202eride\u2066\u2069": `over\u202eride\u2066\u2069`,
		"\u061c\u200e\u200f":         `\u061c\u200e\u200f`,
		"zero\u200bwidth\ufeff":      `zero\u200bwidth\ufeff`,
		"lines\u2028and\u2029more":   `lines\u2028and\u2029more`,
		"soft\u00ad\u180e\ufff9":     `soft\u00ad\u180e\ufff9`,
		"fill\u3164er\u115f\uffa0":   `fill\u3164er\u115f\uffa0`,
		"tag\U000e0041\U000e0100":    `tag\U000e0041\U000e0100`,

		"می\u200cخواهم":                    "می\u200cخواهم", // Persian
		"क्\u200dष":                        "क्\u200dष",
		"അവന്\u200d ":                      "അവന്\u200d ", // a chillu of old Malayalam ends a word
		"👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f⃣": "👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f⃣",
		"🏃🏽\u200d♀\ufe0f\u200d➡\ufe0f":     "🏃🏽\u200d♀\ufe0f\u200d➡\ufe0f",
		"pass\u200cword\u200d":             `pass\u200cword\u200d`,
		"می\u200c\u200cخ":                  "می" + `\u200c\u200c` + "خ",
		"❤\ufe0f\ufe0f\ufe00":              "❤\ufe0f" + `\ufe0f\ufe00`,
		"a\ufe0fb1\ufe0f":                  `a\ufe0fb1\ufe0f`,
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%+q) = %+q, want %+q", in, got, want)
		}
	}
}

// The name of a file whose bytes are not UTF-8 can be given as Text shows it.
func TestBytes(t *testing.T) {
	for _, name := range []string{"caf\xe9.py", "\xff\x80", "plain", "Grüße"} {
		if got := Bytes(Text(name)); got != name {
			t.Errorf("%q comes back as %q", name, got)
		}
	}
	if got := Bytes(`a\x1b\xg0\u202e`); got != `a\x1b\xg0\u202e` {
		t.Errorf("characters of ASCII become %q", got)
	}
}

// Hidden covers all characters that Unicode calls invisible. A new version of
// Unicode with more such characters fails this test.
func TestHiddenIsUnicodes(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		invisible := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
			!unicode.Is(unicode.Prepended_Concatenation_Mark, r) && r != '\n' && r != '\t' // such marks enclose digits, and show
		if invisible && !Hidden(r) {
			t.Errorf("%U is not hidden", r)
		}
		if Hidden(r) && !invisible && unicode.IsGraphic(r) {
			t.Errorf("%U is hidden", r)
		}
	}
}

// For any input the result has no hidden characters but joiners with an effect,
// and Text leaves the result unchanged.
func FuzzText(f *testing.F) {
	f.Add("a\x1b]52;c;Zm9v\x07")
	f.Add("\xff\xfe\u202e")
	f.Add("می\u200cخ\u200c\u200d👩\u200d👧")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) || Text(got) != got {
			t.Errorf("Text(%+q) = %+q", s, got)
		}
		before := ' '
		for i, r := range got {
			after, _ := utf8.DecodeRuneInString(got[i+utf8.RuneLen(r):])
			if Hidden(r) && !shapes(before, r, after) {
				t.Errorf("Text(%+q) holds %U", s, r)
			}
			before = r
		}
	})
}

// JSON has the same values without hidden characters in its bytes.
func TestMarshal(t *testing.T) {
	value := map[string]any{"a\u202e": "\x1b[2J\u009b\x7f <&> \u200b\u2028 می\u200cخ ❤\ufe0f \U000e0041 世界", "n": 1.5}
	got, err := Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a\u202e":"\u001b[2J\u009b\u007f <&> \u200b\u2028 می\u200cخ ❤\ufe0f \udb40\udc41 世界","n":1.5}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back map[string]any
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, value) {
		t.Errorf("comes back as %+q, %v", back, err)
	}
	// JSON from other encoders, with bytes that are no UTF-8, is harmless, too.
	raw, err := Marshal(struct{ Args json.RawMessage }{json.RawMessage("{\"a\":\"\x9b\u202e\", \"b\":1}")})
	if err != nil || string(raw) != `{"Args":{"a":"\ufffd\u202e","b":1}}` {
		t.Errorf("%s, %v", raw, err)
	}
	var b bytes.Buffer
	enc := NewEncoder(&b)
	enc.SetIndent("", "\t")
	if err := enc.Encode([]string{"\u202e"}); err != nil || b.String() != "[\n\t\"\\u202e\"\n]\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// Escaping changes no value, and valid JSON stays valid.
func FuzzJSON(f *testing.F) {
	f.Add([]byte("{\"a\":\"\u202e\xff\x7f\"}"))
	f.Add([]byte("[\"\\u202e\U000e0041\"]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var was, is any
		if json.Unmarshal(text, &was) != nil {
			return
		}
		got := JSON(text)
		if err := json.Unmarshal(got, &is); err != nil || !reflect.DeepEqual(was, is) {
			t.Errorf("%+q became %+q: %v", text, got, err)
		}
		if strings.ContainsFunc(string(got), func(r rune) bool { return Hidden(r) && r != '\r' }) || !utf8.Valid(got) {
			t.Errorf("%+q became %+q", text, got)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("int main(void) { return 0; } /* Grüße, 世界 */\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}
