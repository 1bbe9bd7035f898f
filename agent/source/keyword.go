package source

import (
	"slices"
	"strings"
)

// BeforeUse are words before the use of a name, rather than its declaration.
var BeforeUse = strings.Fields(`return throw new else in not and or is await yield case goto go defer delete del assert raise
	sizeof typeof instanceof if while unless until elif elsif print echo import from puts do then when not use require`)

// keywords are words of the common languages that cannot be names. A change from one keyword to
// another is never a rename.
var keywords = strings.Fields(`and as async auto await bool boolean break byte case catch char class const continue
	def default delete do double elif else elsif end except extern false final finally float fn for foreach func
	function if in inline int is let long mut new nil None not null NULL nullptr or override private protected
	public pub register return self short signed sizeof static string struct super switch this throw throws true
	True False try typedef union unless unsigned until use using var virtual void volatile while with yield
	size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t u8 u16 u32 u64`)

// IsKeyword reports whether a word is a keyword of a common language.
func IsKeyword(s string) bool { return slices.Contains(keywords, s) }
