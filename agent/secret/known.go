package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// MinKnown is the least length in bytes of a known secret that is masked. Local
// servers often have "none" or "dummy" as a key.
const MinKnown = 8

// There are two searches for known secrets. The first finds every secret
// literally and in the forms of literalForms. The second finds pieces of a long,
// random-looking secret in the skeleton of a text: in upper or lower case, cut in
// two, spread over lines, with escapes, with other characters between its
// letters, backwards, in base64 and in hex. It skips a key like "not-needed",
// because its words occur everywhere.
const (
	pieceLength = 12  // least number of consecutive letters and digits of a key to mask
	hexPiece    = 16  // the same for a key in hex, which looks like an object id
	minLetters  = 16  // least number of letters and digits in a key for the search by pieces
	minMixed    = 3.0 // least entropy of such a key, in bits per character
)

// literal is one form of a known secret.
type literal struct{ form, value string }

// known has the known secrets of a Masker.
type known struct {
	literals []literal // the longest first
	folded   []literal // the forms to search for in folded text
	pieces   map[string]string
	lengths  []int // the lengths of the pieces
	starts   [1 << 16 / 64]uint64
}

func newKnown(secrets []string) *known {
	k := &known{pieces: map[string]string{}}
	for _, s := range secrets {
		if len(s) < MinKnown {
			continue
		}
		for _, form := range literalForms(s) {
			k.literals = append(k.literals, literal{form, s})
		}
		k.folded = append(k.folded, literal{s, s})
		if bones := skeletonOf(s); len(bones) >= minLetters && mixed(bones) {
			k.addPieces(bones, s)
		}
	}
	byLength := func(x, y literal) int { return len(y.form) - len(x.form) }
	slices.SortStableFunc(k.literals, byLength)
	slices.SortStableFunc(k.folded, byLength)
	return k
}

// literalForms returns the encodings of s that other programs use.
func literalForms(s string) []string {
	forms := append(base64Forms(s), s, url.QueryEscape(s), url.PathEscape(s), jsonForm(s))
	slices.Sort(forms)
	return slices.Compact(forms)
}

func jsonForm(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return strings.Trim(string(b), `"`)
}

// base64Forms returns the base64 digits that depend only on s, for the three
// possible offsets of s in the encoded text, as in the header "Basic
// base64(user:key)".
func base64Forms(s string) []string {
	var out []string
	for before := range 3 {
		padded := strings.Repeat("\x00", before) + s
		from := (before*8 + 5) / 6
		to := len(padded) * 8 / 6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			out = append(out, enc.EncodeToString([]byte(padded))[from:to])
		}
	}
	return out
}

// mixed reports whether letters and digits look random instead of like words.
func mixed(bones string) bool {
	return strings.ContainsAny(bones, "0123456789") && strings.Trim(bones, "0123456789") != "" && entropy(bones) >= minMixed
}

// addPieces adds the pieces of a key in all its forms; bones is its skeleton.
func (k *known) addPieces(bones, value string) {
	backwards := []byte(bones)
	slices.Reverse(backwards)
	for _, form := range append(base64Forms(value), bones, string(backwards)) {
		k.cut(skeletonOf(form), pieceLength, value)
	}
	k.cut(hex.EncodeToString([]byte(value)), hexPiece, value)
}

func (k *known) cut(bones string, length int, value string) {
	if !slices.Contains(k.lengths, length) {
		k.lengths = append(k.lengths, length)
	}
	for i := 0; i+length <= len(bones); i++ {
		k.pieces[bones[i:i+length]] = value
		at := startOf(bones[i:])
		k.starts[at/64] |= 1 << (at % 64)
	}
}

// startOf hashes the first four bytes; the hash lets the search skip most
// offsets.
func startOf[T string | []byte](s T) uint16 {
	n := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
	return uint16(n * 2654435761 >> 16)
}

// in finds the known secrets in a text.
func (k *known) in(text string) []span {
	if k == nil || len(k.literals) == 0 {
		return nil
	}
	spans := find(nil, k.literals, text, nil)
	if f := fold(text); f.at != nil {
		spans = find(spans, k.folded, f.text, f.at)
	}
	if len(k.pieces) > 0 {
		spans = k.piecesIn(spans, text)
	}
	return spans
}

// find adds the places of literals in a text. In a folded text, at maps them
// back to the original.
func find(spans []span, list []literal, text string, at []int32) []span {
	for _, l := range list {
		for from := 0; ; {
			i := strings.Index(text[from:], l.form)
			if i < 0 {
				break
			}
			begin, end := from+i, from+i+len(l.form)
			s := span{from: begin, to: end, rule: "known", value: l.value, order: -1}
			if at != nil {
				s.from, s.to = int(at[begin]), int(at[end-1])+1
			}
			spans = append(spans, s)
			from = end
		}
	}
	return spans
}

// maxSpelled bounds the rounds of decoding a text: the arguments of a call are
// JSON in JSON, and may contain HTML.
const maxSpelled = 3

// piecesIn adds the places of pieces of keys in the skeleton of a text, and in
// the skeletons of its decoded forms.
func (k *known) piecesIn(spans []span, text string) []span {
	var at []letterPlace
	for range maxSpelled {
		spans = k.pieceSpans(spans, text, at)
		read, places, changed := decoded(text)
		if !changed {
			break
		}
		for i, p := range places {
			if at != nil {
				places[i] = letterPlace{at[p.from].from, at[p.to-1].to}
			}
		}
		text, at = read, places
	}
	return spans
}

// pieceSpans adds the places of pieces in one decoded form of a text; places
// maps its bytes to the original text. Adjacent pieces become one span.
func (k *known) pieceSpans(spans []span, text string, places []letterPlace) []span {
	bones, at := skeleton(text)
	if places != nil {
		for i, b := range at {
			at[i] = letterPlace{places[b.from].from, places[b.to-1].to}
		}
	}
	var last *span
	for i := 0; i+pieceLength <= len(bones); i++ {
		start := startOf(bones[i:])
		if k.starts[start/64]&(1<<(start%64)) == 0 {
			continue
		}
		for _, n := range k.lengths {
			if i+n > len(bones) {
				continue
			}
			value, ok := k.pieces[string(bones[i:i+n])]
			if !ok {
				continue
			}
			from, to := int(at[i].from), int(at[i+n-1].to)
			if last != nil && from <= last.to {
				last.to = max(last.to, to)
				continue
			}
			spans = append(spans, span{from: from, to: to, rule: "known", value: value, order: -1})
			last = &spans[len(spans)-1]
		}
	}
	return spans
}
