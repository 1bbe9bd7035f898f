package secret

import (
	"slices"
	"strings"
	"unicode"

	"git-agent/gitext/pattern"
)

// Most leaked passwords have no recognisable form. They are found by the name
// that they are assigned to, in any language:
//
//	password = "x9!Kq"    DB_PASSWORD=x9!Kq    <password>x9!Kq</password>
//	'password' => 'x9!Kq'    define('DB_PASSWORD', 'x9!Kq')    Password=x9!Kq;
//
// gitleaks finds keys of letters and digits after such names. Values found here
// may have any characters, unless they look like code, a word or a name.

// stems lists substrings of the possible names of secrets.
var stems = []string{"pass", "pwd", "secret", "token", "key", "auth", "cred"}

// passwordWords and secretWords are the words that end the name of a secret.
// The value of a password may be short and simple.
var (
	passwordWords = words("password passwd passphrase passcode pass pwd passwort")
	secretWords   = words("secret token apikey apitoken authtoken accesskey secretkey accountkey credential credentials auth")
	keyOwners     = words(
		"api access auth account secret private shared signing encryption master app application consumer license admin service storage jwt session deploy",
	)
	// fillers are words that may follow in a name: PASSWORD_PROD, secret2,
	// token_value, client-key-data.
	fillers = words("value text string str plain plaintext data base64 b64 prod production dev staging stage live old new current default base")
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Bounds of an assignment, in bytes.
const (
	maxNameBytes   = 64
	maxGapBytes    = 40
	maxSecretBytes = 400
)

// assignmentsIn finds the values assigned to names of secrets.
func assignmentsIn(text string) []span {
	lower := asciiLower(text)
	var spans []span
	for _, stem := range stems {
		for at := 0; ; {
			i := strings.Index(lower[at:], stem)
			if i < 0 {
				break
			}
			from, to := nameAround(text, at+i)
			at = max(to, at+i+len(stem))
			strong, ok := namesSecret(text[from:to])
			if !ok {
				continue
			}
			v, ok := valueAfter(text, from, to)
			v.plain = v.quoted || ok && text[v.from-1] == '=' && strings.ToUpper(text[from:to]) == text[from:to]
			if ok && v.likely(strong) {
				spans = append(spans, span{from: v.from, to: v.to, rule: "assigned", value: text[v.from:v.to], order: 1 << 20})
			}
		}
	}
	return spans
}

// asciiLower converts ASCII letters to lower case. Unlike strings.ToLower, it
// keeps the offset of every byte.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// nameAround returns the bounds of the name that contains text[at].
func nameAround(text string, at int) (from, to int) {
	for from = at; from > 0 && at-from < maxNameBytes && nameByte(text[from-1]); {
		from--
	}
	for to = at; to < len(text) && to-at < maxNameBytes && nameByte(text[to]); {
		to++
	}
	return from, to
}

// namesSecret reports whether a name stands for a secret (ok), and whether for a
// password (strong).
func namesSecret(name string) (strong, ok bool) {
	list := wordsOf(name)
	for len(list) > 1 && (fillers[list[len(list)-1]] || strings.Trim(list[len(list)-1], "0123456789") == "") {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		return false, false
	}
	last := strings.TrimRight(list[len(list)-1], "0123456789")
	switch before := ""; {
	case passwordWords[last]:
		return true, true
	case secretWords[last]:
		return false, true
	case last == "key" || last == "keys":
		if len(list) > 1 {
			before = list[len(list)-2]
		}
		return false, keyOwners[before] || before == "client" && strings.HasSuffix(name, "-data")
	}
	for w := range passwordWords { // rootpassword, dbpasswd
		if len(w) > 4 && strings.HasSuffix(last, w) {
			return true, true
		}
	}
	return false, strings.HasSuffix(last, "secret") || strings.HasSuffix(last, "apikey")
}

// wordsOf splits a name at _, -, . and before capitals.
func wordsOf(name string) []string {
	var list []string
	word := make([]byte, 0, len(name))
	end := func() {
		if len(word) > 0 {
			list = append(list, string(word))
			word = word[:0]
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		capital := 'A' <= c && c <= 'Z'
		switch {
		case c == '_' || c == '-' || c == '.':
			end()
			continue
		case capital && i > 0 && (name[i-1] >= 'a' || i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z'):
			end()
		}
		if capital {
			c += 'a' - 'A'
		}
		word = append(word, c)
	}
	end()
	return list
}

// candidate is a possible secret.
type candidate struct {
	text     string // the value
	from, to int
	quoted   bool
	plain    bool // cannot be an object id: the value is quoted, or a variable's
}

// valueAfter finds the value assigned to the name text[from:to].
func valueAfter(text string, from, to int) (candidate, bool) {
	rest := text[to:min(len(text), to+maxGapBytes+maxSecretBytes)]
	if from > 0 && text[from-1] == '<' && strings.HasPrefix(rest, ">") { // XML
		end := strings.IndexByte(rest, '<')
		if end < 0 {
			return candidate{}, false
		}
		return candidate{text: strings.TrimSpace(rest[1:end]), from: to + 1, to: to + end, quoted: true}, true
	}
	gap, ok := separator(rest, from > 0 && strings.IndexByte("\"'`", text[from-1]) >= 0, text[from] == '-')
	if !ok {
		return candidate{}, false
	}
	v, ok := valueAt(rest[gap:])
	v.from, v.to = v.from+to+gap, v.to+to+gap
	return v, ok
}

// separator returns the length of the part of s between a name and its value.
func separator(s string, inQuotes, option bool) (int, bool) {
	i := 0
	skip := func(set string) {
		for i < len(s) && i < maxGapBytes && strings.IndexByte(set, s[i]) >= 0 {
			i++
		}
	}
	if skip("\"'`\\]"); inQuotes && i > 0 { // a key of a map, or an argument
		if strings.HasPrefix(s[i:], ",") {
			i++
			skip(" \t")
			return i, i < len(s) && strings.IndexByte("\"'`", s[i]) >= 0
		}
		if j := strings.TrimLeft(s[i:], " \t"); strings.HasPrefix(j, "value=") { // XML's <add key="" value=""/>
			return len(s) - len(j) + len("value="), true
		}
	}
	blanks := i
	skip(" \t")
	switch {
	case i == len(s):
		return 0, false
	case s[i] == '(' && i+1 < len(s) && strings.IndexByte("\"'`", s[i+1]) >= 0: // setPassword("x")
		return i + 1, true
	case s[i] == ':' || s[i] == '=':
	case i > blanks && (option || s[i] == '\'' || s[i] == '"'): // --password x, SQL's PASSWORD 'x'
		return i, true
	default:
		i += typeBefore(s[i:])
		if i == len(s) || s[i] != '=' { // Go's: var password string = "x"
			return 0, false
		}
	}
	colon := s[i] == ':'
	skip(":=>")
	skip(" \t")
	if colon && i < len(s) { // password: str = "x"
		if n := typeBefore(s[i:]); n > 0 && i+n < len(s) && s[i+n] == '=' {
			i += n + 1
			skip(" \t")
		}
	}
	return i, i < len(s)
}

// typeBefore returns the length of a type's name and the blanks after it.
func typeBefore(s string) int {
	i := 0
	for i < len(s) && i < maxGapBytes && (nameByte(s[i]) || strings.IndexByte("?&*", s[i]) >= 0) {
		i++
	}
	if i == 0 {
		return 0
	}
	for i < len(s) && i < maxGapBytes && s[i] == ' ' {
		i++
	}
	return i
}

// valueAt reads the value at the beginning of s.
func valueAt(s string) (candidate, bool) {
	i := 0
	for i < len(s) && i < 2 && strings.IndexByte("bBrRuUfFL@\\", s[i]) >= 0 && i+1 < len(s) && strings.IndexByte("\"'`\\", s[i+1]) >= 0 {
		i++ // Python's b"", C#'s @"", and quoted quotation marks
	}
	if i < len(s) && strings.IndexByte("\"'`", s[i]) >= 0 {
		quote := s[i]
		for j := i + 1; j < len(s) && s[j] != '\n'; j++ {
			switch {
			case s[j] == '\\' && i > 0 && s[i-1] == '\\' && j+1 < len(s) && s[j+1] == quote, s[j] == quote:
				return candidate{text: s[i+1 : j], from: i + 1, to: j, quoted: true}, true
			case s[j] == '\\':
				j++
			}
		}
		return candidate{}, false
	}
	end := strings.IndexAny(s, " \t\r\n;,&<>\"'`")
	if end < 0 {
		end = len(s)
	}
	return candidate{text: s[:end], to: end}, true
}

// notSecret lists words that replace a secret in an example or a template.
var notSecret = []string{
	"example",
	"changeme",
	"change-me",
	"change_me",
	"placeholder",
	"your",
	"xxx",
	"***",
	"redacted",
	"dummy",
	"sample",
	"fake",
	"mock",
	"foobar",
	"todo",
	"insert",
	"test",
	"1234",
	"abcd",
	"none",
	"null",
	"undefined",
}

func placeholderWord(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(notSecret, func(w string) bool { return strings.Contains(s, w) })
}

// likely reports whether a value may be a secret: not code, a word, a name, a
// path or a template.
func (v candidate) likely(strong bool) bool {
	s := v.text
	if len(s) < 7 || len(s) > maxSecretBytes ||
		strings.ContainsAny(s, " \t[](){}<>|") && !(v.quoted && strong && !strings.ContainsAny(s, " \t[]{}<>")) {
		return false
	}
	if strings.Contains(s, "$") && (!v.quoted || templated(s)) || strings.Contains(s, "%s") || strings.Contains(s, "://") ||
		strings.HasPrefix(s, "/") ||
		strings.HasPrefix(s, "./") ||
		strings.HasPrefix(s, "--") {
		return false
	}
	if !v.quoted && strings.ContainsAny(s, "\\") {
		return false
	}
	k := kindsOf(s)
	if k.special < 2 && placeholderWord(s) || k.letters() == 0 {
		return false
	}
	switch {
	case identifier(s) || gitID(s) && !v.plain || uuidForm().MatchString(strings.ToLower(s)) || addressForm().MatchString(s):
		return false
	case strong:
		return k.password(s, v.quoted)
	}
	return len(s) >= 12 && k.digit > 0 && entropy(s) >= 3.2 && (v.quoted || k.lower > 0 && k.upper > 0 || k.digit > 2)
}

var (
	uuidForm    = pattern.Lazy(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	addressForm = pattern.Lazy(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
	variable    = pattern.Lazy(`\$[A-Za-z_{(]`)
)

// templated reports whether a $ marks a placeholder.
func templated(s string) bool {
	at := variable().FindStringIndex(s)
	return at != nil && (at[0] == 0 || s[at[0]+1] == '{' || s[at[0]+1] == '(')
}

// kinds counts the kinds of characters in a value.
type kinds struct{ lower, upper, digit, joint, special int }

func (k kinds) letters() int { return k.lower + k.upper }

func kindsOf(s string) (k kinds) {
	for _, r := range s {
		switch {
		case unicode.IsLower(r):
			k.lower++
		case unicode.IsUpper(r):
			k.upper++
		case unicode.IsDigit(r):
			k.digit++
		case r == '_' || r == '-' || r == '.' || r == '/' || r == ':' || r == '\\':
			k.joint++
		default:
			k.special++
		}
	}
	return k
}

// password reports whether s looks like a password chosen by a person: letters
// with other characters among or after them, but not a word with a number.
func (k kinds) password(s string, quoted bool) bool {
	word := strings.TrimRight(s, "0123456789")
	mixed := k.lower > 0 && k.upper > 0 && k.digit > 0
	switch {
	case entropy(s) < 2.5:
		return false
	case k.special > 0:
		return k.digit > 0 || k.special > 1 && len(s) > 8 && quoted
	case len(s) < 8 || k.digit == 0:
		return false
	case quoted:
		return mixed && k.joint == 0 || k.digit > 1 && len(s) >= 10 && kindsOf(word).digit > 0
	}
	return mixed && kindsOf(word).digit > 0 || k.digit > 2 && len(s) >= 12 && kindsOf(word).digit > 0
}
