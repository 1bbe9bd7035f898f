// Package secret replaces texts that look like secrets (keys, tokens, passwords
// in URLs, private keys) by placeholders, so that the rest can be shown to a
// model or kept in a trace.
//
// The rules are from gitleaks (gitleaks/README.md), but with our own engine: as a
// library, gitleaks adds 63 modules and 7 MB to the program. Rules that need a
// file name are left out, since a text has none. Our own rules find secrets that
// gitleaks misses: passwords in assignments, commands and URLs, and lines of
// private keys, even single ones.
//
// A placeholder is <secret:RULE:N>. N depends only on the secret, so that the
// same secret has the same placeholder in every text, run and process, and a
// resumed conversation has the same text as an uninterrupted one. Two secrets of
// one rule may share a placeholder (one pair in a thousand).
//
// Promises: full and abbreviated ids of commits and other git objects stay; a
// second masking changes nothing; nothing is read, sent or kept. The package does
// not promise to find every secret: a password that looks like a word is not
// recognised. It finds a known secret in many forms, but a holder of the secret
// can always invent another form.
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
// secrets and uses only the rules, which are read at their first use.
type Masker struct {
	known *known
}

// New returns a Masker that also masks the known secrets wherever they occur,
// including in base64, URL and JSON encoding. Known secrets of fewer than
// MinKnown bytes are ignored: masking them would destroy other words.
func New(known ...string) *Masker {
	return &Masker{known: newKnown(known)}
}

// span is a part of a text that is a secret.
type span struct {
	from, to int
	rule     string
	value    string // the placeholder's number is derived from this
	order    int    // among equal spans, the lowest order names the secret
}

// maxRounds bounds the searches of one text. The replacement of one secret may
// uncover another one close to it.
const maxRounds = 5

// Mask returns text with placeholders instead of apparent secrets.
func (m *Masker) Mask(text string) string { return maskUntilStable(text, m.secretsIn) }

// MaskKnown masks only the known secrets. It is for texts that must otherwise
// stay unchanged.
func (m *Masker) MaskKnown(text string) string { return maskUntilStable(text, m.known.in) }

// maskUntilStable masks until find returns no more secrets.
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

// outsidePlaceholders returns the parts of spans outside existing placeholders.
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

// merged sorts spans and merges overlapping ones. A merged span gets the name of
// the part that begins first, or of the longest part among several.
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

// placeholderKinds is the number of different placeholders of a rule. It is
// small, so that a placeholder reveals almost nothing about the secret.
const placeholderKinds = 1000

var placeholderForm = pattern.Lazy(`<secret:[a-z0-9-]+:[0-9]{1,4}>`)

func placeholder(rule, value string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + value))
	return fmt.Sprintf("<secret:%s:%d>", rule, binary.BigEndian.Uint64(sum[:8])%placeholderKinds+1)
}
