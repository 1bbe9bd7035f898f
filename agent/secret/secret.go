// Package secret finds what looks like a secret in a text (keys, tokens,
// passwords in URLs, private keys) and puts a placeholder in its place, so
// that it can be shown to a model or kept in a trace.
//
// The rules are those of gitleaks (gitleaks/README.md), run by an engine of
// ours: as a library gitleaks brings 63 modules and 7 MB into the program.
// Rules that need a file name are left out, since a text has none; rules
// of ours find what those do not look for: passwords that are assigned, given
// to commands and in URLs, and the lines of private keys, also of one line
// alone.
//
// A placeholder is <secret:RULE:N>. N depends on the secret alone, so that the
// same secret has the same placeholder in every text, run and process, and a
// resumed conversation reads as an uninterrupted one. Two secrets of one rule
// may share a placeholder (one pair in a thousand).
//
// Promises: ids of commits and other git objects stay, whole and abbreviated;
// masking twice changes nothing more; nothing is read, sent or kept. It does
// not promise to find every secret: a password that looks like a word is one
// to nobody else. A known secret is found under many spellings, but who has one
// can always invent another.
package secret

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"git-agent/gitext/pattern"
)

// Masker masks texts. It is safe for concurrent use. The zero value knows no
// secrets and uses the rules only, which are read when a text first needs them.
type Masker struct {
	known *known
}

// New returns a Masker that also masks the known secrets wherever they occur,
// including in base64, URL and JSON encoding. Known secrets of fewer than
// MinKnown bytes are ignored: masking them would tear texts apart.
func New(known ...string) *Masker {
	return &Masker{known: newKnown(known)}
}

// span is a part of a text that is a secret.
type span struct {
	from, to int
	rule     string
	value    string // the number in the placeholder is derived from this
	order    int    // of equal spans, the one with the lowest order names the secret
}

// maxRounds bounds how often a text is searched again. Replacing one secret may
// uncover another that stood too close to it.
const maxRounds = 5

// Mask returns text with placeholders for what looks like a secret.
func (m *Masker) Mask(text string) string { return maskUntilStable(text, m.secretsIn) }

// MaskKnown masks the known secrets only. It is for texts that must otherwise
// stay as they are.
func (m *Masker) MaskKnown(text string) string { return maskUntilStable(text, m.known.in) }

// maskUntilStable masks until nothing more is found.
func maskUntilStable(text string, find func(string) []span) string {
	for range maxRounds {
		spans := find(text)
		if len(spans) == 0 {
			break
		}
		masked := replace(text, outsidePlaceholders(merged(spans), placeholderForm().FindAllStringIndex(text, -1)))
		if masked == text {
			break
		}
		text = masked
	}
	return text
}

// secretsIn finds all secrets in a text. The rules see it without its hidden
// characters.
func (m *Masker) secretsIn(text string) []span {
	f := fold(text)
	spans := append(privateKeysIn(f.text), keyLinesIn(f.text)...)
	spans = append(spans, encodedKeysIn(f.text)...)
	spans = append(append(spans, rulesIn(f.text)...), assignmentsIn(f.text)...)
	if f.at != nil {
		for i := range spans {
			spans[i].from, spans[i].to = int(f.at[spans[i].from]), int(f.at[spans[i].to-1])+1
		}
	}
	return append(spans, m.known.in(text)...)
}

// outsidePlaceholders removes from spans the placeholders that the text already
// contains.
func outsidePlaceholders(spans []span, masked [][]int) []span {
	if len(masked) == 0 {
		return spans
	}
	var out []span
	for _, s := range spans {
		for _, m := range masked {
			if m[1] <= s.from || m[0] >= s.to {
				continue
			}
			if s.from < m[0] {
				before := s
				before.to = m[0]
				out = append(out, before)
			}
			s.from = min(m[1], s.to)
		}
		if s.from < s.to {
			out = append(out, s)
		}
	}
	return out
}

// merged sorts spans and merges those that overlap. A merged span is named
// after the one that begins first, and of those after the longest.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(x, y span) int {
		switch {
		case x.from != y.from:
			return x.from - y.from
		case x.to != y.to:
			return y.to - x.to
		}
		return x.order - y.order
	})
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		if s.from >= last.to {
			out = append(out, s)
			continue
		}
		last.to = max(last.to, s.to)
	}
	return out
}

func replace(text string, spans []span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(placeholder(s.rule, s.value))
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// placeholderKinds is how many numbers a rule's placeholders have: so few that
// a number reveals almost nothing about the secret.
const placeholderKinds = 1000

var placeholderForm = pattern.Lazy(`<secret:[a-z0-9-]+:[0-9]{1,4}>`)

func placeholder(rule, value string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + value))
	return fmt.Sprintf("<secret:%s:%d>", rule, binary.BigEndian.Uint64(sum[:8])%placeholderKinds+1)
}
