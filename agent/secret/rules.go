package secret

import (
	_ "embed"
	"encoding/base64"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"git-agent/gitext/pattern"
)

//go:embed gitleaks/gitleaks.toml
var ruleFile string

// Texts are searched in chunks to keep the time linear: one regular expression on a whole
// megabyte took seconds. Chunks overlap by more than any token.
const (
	chunkBytes   = 8 << 10
	overlapBytes = 1 << 10
)

// rule is a kind of secret.
type rule struct {
	id      string
	order   int
	expr    string
	compile func() *regexp.Regexp // called on first use: compiling all rules takes 20 ms
	entropy float64               // a secret must exceed it, in bits per character; 0 for any
	group   int                   // group of the expression with the secret; 0 is the first one that is not empty
	allowed []allowance
}

// allowance describes texts that look like a secret but are none.
type allowance struct {
	target  string // "match", "line", or "" for the secret
	regexes []*regexp.Regexp
	words   []string // in lower case
}

// generic is the rule that accepts any random-looking value after a word like
// "key".
const generic = "generic-api-key"

// ruleset has all rules by their keywords. A rule is tried if one of its keywords occurs.
type ruleset struct {
	keywords []string
	byWord   map[string][]*rule
	global   allowance
}

// ownRules lists kinds of secrets for which gitleaks has no rule. Keywords are
// separated by two blanks.
var ownRules = []struct{ id, expr, keywords string }{
	{"url-password", `\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'"<>]{0,80}:([^\s/:@'"<>{}$%*]{3,200})@[\w.-]`, "://"},
	{"url-token", `\b[a-z][a-z0-9+.-]{1,20}://([A-Za-z0-9_-]{24,200})(?::x-oauth-basic)?@[\w.-]`, "://"},
	{"url-signature", `[?&]sig=([A-Za-z0-9%_-]{30,200})`, "sig="},
	{"basic-auth", `(?i)\bbasic[ \t]+([A-Za-z0-9+/]{12,400}={0,2})`, "basic"},
	{"bearer-token", `(?i)\bbearer[ \t]+([A-Za-z0-9._~+/-]{20,400}=*)`, "bearer"},
	{"auth-token", `(?i)\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:token|api-?key|key)[ \t]+([A-Za-z0-9._~+/-]{20,400}=*)`, "authorization"},
	{"netrc-password", `(?i)\blogin\s+\S+\s+password\s+(\S{4,200})`, "login"},
	{"env-password", `(?m)\bENV\s+\w*(?:PASSWORD|PASSWD|SECRET|TOKEN)\s+(\S{6,200})`, "env "},
	{"curl-user", `\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]["']?[^\s:"']{1,80}:([^\s"'$<]{4,200})`, "curl"},
	{"command-password", `\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass)\b[^\n]{0,300}?\s-p ?["']?([^\s"'$<]{6,200})`, "mysql  mariadb  sshpass"},
	{"pgpass", `(?m)^[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w*-]+:(\S{6,200})$`, ":5432:  :*:"},
	{
		"password-hash",
		`\$(?:2[abxy]|5|6|y|1|apr1|argon2id?)\$[./A-Za-z0-9$=,+]{20,200}`,
		"$2a$  $2b$  $2y$  $2x$  $5$  $6$  $y$  $1$  $apr1$  $argon2",
	},
	{"sql-password", `(?i)\bidentified\s+(?:with\s+\w+\s+)?by\s+'([^'\n]{4,200})'`, "identified"},
	{"secure-string", `(?i)ConvertTo-SecureString\s+(?:-String\s+)?["']([^"'$\n]{6,200})["']`, "securestring"},
	{"anthropic-key", `\bsk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{40,200}`, "sk-ant-"}, // of any kind, and followed by anything
	{"session-cookie", `(?i)\bcookie:[^\n]{0,400}?\b\w*(?:sess|sid|auth|token)\w*=([^;\s"']{16,400})`, "cookie"},
}

// rules reads the rule file once. A test ensures that the file is valid.
var rules = sync.OnceValue(func() *ruleset {
	global, tables, err := readTables(ruleFile)
	if err != nil {
		panic("secret: " + err.Error())
	}
	set := &ruleset{byWord: map[string][]*rule{}, global: allowanceOf(global)}
	for i, m := range ownRules {
		order := -1
		if i > 0 { // rules that name a vendor come first
			order = len(tables) - 1
		}
		keywords := strings.Split(m.keywords, "  ")
		set.add(newRule(m.id, m.expr, order), keywords)
	}
	for i, t := range tables {
		if t.text["path"] != "" || t.text["regex"] == "" || t.text["id"] == "private-key" {
			continue // privateKeysIn is better
		}
		r := newRule(t.text["id"], t.text["regex"], i)
		if r.id == generic {
			r.order = len(tables) // all other rules come first
		}
		r.entropy, _ = strconv.ParseFloat(t.text["entropy"], 64) // "" is 0
		r.group, _ = strconv.Atoi(t.text["secretGroup"])
		for _, a := range t.nested {
			if len(a.list["paths"]) == 0 { // rules that need a path do not apply to a text
				r.allowed = append(r.allowed, allowanceOf(a))
			}
		}
		set.add(r, t.list["keywords"])
	}
	return set
})

func newRule(id, expr string, order int) *rule {
	return &rule{id: id, order: order, expr: expr, compile: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

func (set *ruleset) add(r *rule, keywords []string) {
	for _, k := range keywords {
		k = strings.ToLower(k)
		if _, known := set.byWord[k]; !known {
			set.keywords = append(set.keywords, k)
		}
		set.byWord[k] = append(set.byWord[k], r)
	}
}

func allowanceOf(t *table) allowance {
	a := allowance{target: t.text["regexTarget"]}
	for _, expr := range t.list["regexes"] {
		a.regexes = append(a.regexes, regexp.MustCompile(expr))
	}
	for _, w := range t.list["stopwords"] {
		a.words = append(a.words, strings.ToLower(w))
	}
	return a
}

// rulesIn finds the secrets that match the rules.
func rulesIn(text string) []span {
	var spans []span
	for from := 0; from < len(text); {
		to := min(from+chunkBytes, len(text))
		for to < len(text) && !utf8.RuneStart(text[to]) {
			to--
		}
		spans = rules().search(spans, text[from:to], from)
		if to == len(text) {
			break
		}
		from = to - overlapBytes
		for !utf8.RuneStart(text[from]) {
			from--
		}
	}
	return spans
}

// search adds the secrets of one chunk; offset is the chunk's place in its
// text.
func (set *ruleset) search(spans []span, chunk string, offset int) []span {
	lower := strings.ToLower(chunk)
	var tried []*rule
	for _, k := range set.keywords {
		if !strings.Contains(lower, k) {
			continue
		}
		for _, r := range set.byWord[k] {
			if slices.Contains(tried, r) {
				continue
			}
			tried = append(tried, r)
			for _, at := range r.compile().FindAllStringSubmatchIndex(chunk, -1) {
				if s, ok := set.accept(r, chunk, at); ok {
					s.from, s.to = s.from+offset, s.to+offset
					spans = append(spans, s)
				}
			}
		}
	}
	return spans
}

// accept reports whether a match is a secret, and returns its span.
func (set *ruleset) accept(r *rule, chunk string, at []int) (span, bool) {
	from, to := r.secretAt(at)
	value := chunk[from:to]
	match := chunk[at[0]:at[1]]
	switch {
	case value == "" || r.entropy > 0 && entropy(value) <= r.entropy,
		gitID(value) && !namedSecret(match) && !noID[r.id],
		r.id == generic && (identifier(value) && !strings.ContainsAny(match, "\"'`") || uuidForm().MatchString(strings.ToLower(value))),
		r.id == generic && parameterType(chunk[at[0]:from], value),
		harmless(r.id, value):
		return span{}, false
	}
	line := lineAt(chunk, at[0], at[1])
	for _, a := range append([]allowance{set.global}, r.allowed...) {
		if a.allows(value, match, line) {
			return span{}, false
		}
	}
	return span{from: from, to: to, rule: r.id, value: value, order: r.order}, true
}

// noID has the rules of places where no id of git's stands, so that 40 digits are a token, as GitHub's were.
var noID = words("url-password url-token basic-auth bearer-token auth-token netrc-password curl-user")

// parameterType reports whether a value after a comma, found by the generic rule, is the type of
// the next parameter, as in "PrivateKey key, X509Certificate cert": the value has a word and few
// numbers, and neither the value nor the name before it is quoted.
func parameterType(before, value string) bool {
	list := strings.TrimRight(before, " \t\r\n")
	if list == before || !strings.HasSuffix(list, ",") || strings.ContainsAny(list, "\"'`") {
		return false
	}
	const (
		word    = 5 // random letters seldom have so many small letters in a row
		numbers = 2 // and seldom so few digits between letters
	)
	small, run, n := 0, 0, 0
	for i := range len(value) {
		if run++; value[i] < 'a' || value[i] > 'z' {
			run = 0
		}
		small = max(small, run)
		if digit(value[i]) && (i == 0 || !digit(value[i-1])) {
			n++
		}
	}
	return small >= word && n <= numbers
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// harmless reports whether a match of our own rules is not a secret: words
// after "basic" and "-p", and names in a URL.
func harmless(id, value string) bool {
	k := kindsOf(value)
	switch id {
	case "basic-auth":
		text, err := base64.StdEncoding.DecodeString(value)
		return err != nil || !utf8.Valid(text) || !strings.Contains(string(text), ":")
	case "bearer-token", "auth-token", "url-token", "session-cookie":
		return k.digit == 0 || entropy(value) < 3.2 || identifier(value)
	case "url-password":
		return slices.Contains(
			[]string{"pass", "passwd", "password", "pwd", "pw", "secret", "user", "username", "token", "key", "xxx", "xxxx", "p"},
			strings.ToLower(value),
		)
	case "command-password", "curl-user", "netrc-password", "env-password", "sql-password", "secure-string", "pgpass":
		return k.digit == 0 && k.special == 0 || strings.ContainsAny(value, "{}<>()") || k.special == 0 && placeholderWord(value)
	}
	return false
}

func (r *rule) secretAt(at []int) (from, to int) {
	if r.group > 0 && 2*r.group+1 < len(at) && at[2*r.group] >= 0 {
		return at[2*r.group], at[2*r.group+1]
	}
	for g := 2; g+1 < len(at); g += 2 {
		if at[g] >= 0 && at[g+1] > at[g] {
			return at[g], at[g+1]
		}
	}
	return at[0], at[1]
}

func (a allowance) allows(value, match, line string) bool {
	target := value
	switch a.target {
	case "match":
		target = match
	case "line":
		target = line
	}
	for _, re := range a.regexes {
		if re.MatchString(target) {
			return true
		}
	}
	if len(a.words) == 0 {
		return false
	}
	value = strings.ToLower(value)
	return slices.ContainsFunc(a.words, func(w string) bool { return strings.Contains(value, w) })
}

// lineAt returns the lines that contain text[from:to].
func lineAt(text string, from, to int) string {
	begin := strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		return text[begin : to+end]
	}
	return text[begin:]
}

var (
	hexForm = pattern.Lazy(`^(?:[0-9a-f]{7,16}|[0-9a-f]{40}|[0-9a-f]{64})(?:\.{2,3}(?:[0-9a-f]{7,16}|[0-9a-f]{40}|[0-9a-f]{64}))?$`)
	// secretName matches the assignment of a quoted text to an unmistakable name of a secret.
	secretName = pattern.Lazy(`(?i)(?:secret|token|passw(?:or)?d|api[_-]?key)["']?\s*(?:=|:=|:|=>)\s*["']`)
)

// gitID reports whether value may be a git object id, full or abbreviated, or a
// range of two.
func gitID(value string) bool { return hexForm().MatchString(value) }

// namedSecret reports whether a value of 40 digits is a token and not an object id: the value is
// quoted and its name is a secret's.
func namedSecret(match string) bool { return secretName().MatchString(match) }

// wordForm matches a part of an identifier: capitals, or small letters with
// capitals among them, and perhaps a number.
var wordForm = pattern.Lazy(`^(?:[A-Z]*|[A-Z]?[a-z]+(?:[A-Z]+[a-z]+)*)[0-9]{0,3}$`)

// identifier reports whether value looks like a name in a program: words separated by _, . or -.
// In code, a key more often comes from a constant than from a literal.
func identifier(value string) bool {
	words := strings.FieldsFunc(value, func(r rune) bool { return r == '_' || r == '.' || r == '-' })
	for i, w := range words {
		numbered := strings.TrimLeft(w, "0123456789") // ETH_40GE
		if i == 0 && numbered != w || !wordForm().MatchString(numbered) && !mixedForm().MatchString(w) {
			return false
		}
	}
	return len(words) > 0
}

// mixedForm matches a short word of capitals and digits, such as I40E.
var mixedForm = pattern.Lazy(`^[A-Z][A-Z0-9]{0,5}$`)

// entropy returns the Shannon entropy in bits per character.
func entropy(s string) float64 {
	count := map[rune]float64{}
	n := 0.0
	for _, r := range s {
		count[r]++
		n++
	}
	bits := 0.0
	for _, c := range count {
		bits -= c / n * math.Log2(c/n)
	}
	return bits
}
