package secret

import (
	"encoding/base64"
	"strings"

	"git-agent/gitext/pattern"
)

// A private key spans lines, and the text before the key on each line (the "+" of
// a patch, the "L12: 1a2b3c4d |" of blame) is useful. So only the key's digits
// are replaced, line by line, and all lines of a key get the same placeholder.

const (
	// maxKeyLines bounds a key without an end: RSA with 16384 bits has 200.
	maxKeyLines = 300
	// fullLine is the least number of consecutive digits that counts as a key,
	// and not as part of a program for keys. PEM lines have 64 or 70 digits.
	fullLine = 44
)

var (
	keyBegin   = pattern.Lazy(`-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	keyEnd     = pattern.Lazy(`-----END[ A-Z0-9_-]{0,100}KEY(?: BLOCK)?-----`)
	keyDigits  = pattern.Lazy(`[A-Za-z0-9+/=]{4,}`)
	fullDigits = pattern.Lazy(`[A-Za-z0-9+/]{44}`)
	longDigits = pattern.Lazy(`[A-Za-z0-9+/=]{16,}`)
	lineEnd    = pattern.Lazy(`([A-Za-z0-9+/]{2,}={0,2})(?:\\[nr]|["'][ \t]*[+.&]|[ \t\r",'\\;)])*$`)
)

// privateKeysIn finds the digits of private keys.
func privateKeysIn(text string) []span {
	if !strings.Contains(text, "PRIVATE KEY") {
		return nil
	}
	var spans []span
	at := 0
	for {
		begin := keyBegin().FindStringIndex(text[at:])
		if begin == nil {
			return spans
		}
		from := at + begin[1]
		limit := len(text)
		if next := keyBegin().FindStringIndex(text[from:]); next != nil {
			limit = from + next[0]
		}
		found, end := keyIn(text, from, limit)
		spans = append(spans, found...)
		at = end
	}
}

// keyIn finds the digits of the key that begins at from, and its end.
func keyIn(text string, from, limit int) ([]span, int) {
	if end := keyEnd().FindStringIndex(text[from:limit]); end != nil && strings.Count(text[from:from+end[0]], "\n") <= maxKeyLines {
		if !fullDigits().MatchString(text[from : from+end[0]]) {
			return nil, from + end[1]
		}
		return keyLines(text, from, from+end[0], 1), from + end[1]
	}
	return keyLines(text, from, limit, fullLine), limit
}

// keyLines returns the digits of each line. If shortest is above 1, the key has
// no end marker and ends before the first line with fewer digits.
func keyLines(text string, from, to, shortest int) []span {
	var spans []span
	value := ""
	for start, n := from, 0; start < to && n <= maxKeyLines; n++ {
		stop := to
		if i := strings.IndexByte(text[start:to], '\n'); i >= 0 {
			stop = start + i
		}
		found := digitsOf(text[start:stop], n == 0)
		if n > 0 && shortest > 1 && (found == nil || found[0][1]-found[0][0] < shortest) {
			break
		}
		for _, d := range found {
			if d[1]-d[0] < shortest {
				continue
			}
			if value == "" {
				value = text[start+d[0] : start+d[1]]
			}
			spans = append(spans, span{from: start + d[0], to: start + d[1], rule: "private-key", value: value, order: -1})
		}
		start = stop + 1
	}
	return spans
}

// digitsOf finds the key's digits on one line. On the first line, these are all
// digits, because a key may be in a string with \n; on other lines, long
// sequences of digits and the digits at the end of the line.
func digitsOf(line string, first bool) [][]int {
	if first {
		return keyDigits().FindAllStringIndex(line, -1)
	}
	var found [][]int
	for _, at := range longDigits().FindAllStringIndex(line, -1) {
		if !gitID(line[at[0]:at[1]]) {
			found = append(found, at)
		}
	}
	if at := lineEnd().FindStringSubmatchIndex(line); at != nil && (found == nil || at[2] >= found[len(found)-1][1]) {
		found = append(found, at[2:4])
	}
	return found
}

// encodedKeysIn finds private keys whose PEM text is encoded in base64 again,
// as in the configuration of Kubernetes clients.
func encodedKeysIn(text string) []span {
	const begin = "LS0tLS1CRUdJTi" // -----BEGIN
	var spans []span
	for at := 0; ; {
		i := strings.Index(text[at:], begin)
		if i < 0 {
			return spans
		}
		from := at + i
		for at = from; at < len(text) && (base64Digit(text[at]) || text[at] == '='); {
			at++
		}
		head := text[from:min(at, from+64)]
		if decoded, err := base64.StdEncoding.DecodeString(head[:len(head)/4*4]); err == nil && strings.Contains(string(decoded), "PRIVATE") {
			spans = append(spans, span{from: from, to: at, rule: "private-key", value: text[from:at], order: -1})
		}
	}
}

// lineEntropy is the entropy above which a single line counts as part of a key. A
// search or a range of lines may show such a line alone. A key's line has one of
// the widths of PEM, OpenSSH and MIME, and no other text is as random.
const lineEntropy = 4.7 // bits per digit; 64 random digits have 5.2

// publicBlock returns the length of the certificate, certificate request or
// public key at the beginning of s, or 0.
func publicBlock(s string) int {
	head, _, _ := strings.Cut(s[:min(len(s), 80)], "\n")
	if !strings.HasPrefix(head, "-----BEGIN ") || strings.Contains(head, "PRIVATE") {
		return 0
	}
	return max(strings.Index(s, "-----END "), 0)
}

// keyLinesIn finds single lines of private keys; lines of public keys and
// certificates are skipped. The digits after "sha384-" are the hash of a file.
func keyLinesIn(text string) []span {
	var spans []span
	for from := 0; from < len(text); {
		if text[from] == '-' {
			from += publicBlock(text[from:])
		}
		if !base64Digit(text[from]) {
			from++
			continue
		}
		to := from
		for to < len(text) && base64Digit(text[to]) {
			to++
		}
		if n := to - from; (n == 64 || n == 70 || n == 76) && randomDigits(text[from:to]) && !strings.HasSuffix(text[:from], "sha384-") {
			spans = append(spans, span{from: from, to: to, rule: "key-line", value: text[from:to]})
		}
		from = to
	}
	return spans
}

func base64Digit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/'
}

func randomDigits(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ToLower(s) != s && strings.ToUpper(s) != s && entropy(s) > lineEntropy
}
