package secret

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A kind of line of the corpus, with the results.
type corpusLine struct {
	leak       bool
	kind, text string
}

func readCorpus(t testing.TB) []corpusLine {
	t.Helper()
	data, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []corpusLine
	for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 || f[0] != "leak" && f[0] != "clean" {
			t.Fatalf("line %d of the corpus: %q", n+1, line)
		}
		lines = append(lines, corpusLine{f[0] == "leak", f[1], strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(f[2])})
	}
	return lines
}

// fakes makes up secrets that nobody uses.
type fakes struct{ *rand.Rand }

func (f fakes) from(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[f.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	small, capital, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	wordList               = "summer river orange castle winter planet silver garden monkey rocket coffee dragon"
)

// password has letters, digits and some of the signs.
func (f fakes) password(signs string) string {
	s := []byte(f.from(small, 4) + f.from(capital, 2) + f.from(digits, 3) + f.from(signs, 2))
	f.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return f.from(small+capital, 1) + string(s)
}

func (f fakes) key() string {
	var b strings.Builder
	b.WriteString("-----BEGIN RSA PRIVATE" + " KEY-----\n")
	for range 12 {
		b.WriteString(f.from(small+capital+digits+"+/", 64) + "\n")
	}
	b.WriteString("-----END RSA PRIVATE" + " KEY-----")
	return b.String()
}

var hole = regexp.MustCompile(`\{(b64:|[A-Za-z]+)(\d*)\}`)

// fill makes a text from a line, and lists its secrets.
func (f fakes) fill(text string) (filled string, made []string) {
	filled = hole.ReplaceAllStringFunc(text, func(h string) string {
		m := hole.FindStringSubmatch(h)
		s, ok := f.make(m[1], m[2])
		if !ok {
			return h
		}
		made = append(made, s)
		return s
	})
	return filled, made
}

func (f fakes) make(kind, size string) (string, bool) {
	if kind == "pem" {
		kind += size
	}
	n, _ := strconv.Atoi(size)
	switch kind {
	case "pw":
		return f.password("!@#%^*?+=~"), true
	case "pws": // in a shell or a connection string
		return f.password("!@%^+~"), true
	case "pwu": // in a URL
		return f.password("!+~_-"), true
	case "pwe":
		words := strings.Fields(wordList)
		word := words[f.IntN(len(words))]
		return strings.ToUpper(word[:1]) + word[1:] + f.from("!#?", 1) + f.from(digits, 1), true
	case "an":
		return f.from(small+capital+digits, n), true
	case "AN":
		return f.from(capital+digits, n), true
	case "aws":
		return f.from(capital+"234567", n), true
	case "letters":
		return f.from(small+capital, n), true
	case "hex":
		return f.from("0123456789abcdef", n), true
	case "d":
		return f.from(digits, n), true
	case "uuid":
		h := func(n int) string { return f.from("0123456789abcdef", n) }
		return h(8) + "-" + h(4) + "-" + h(4) + "-" + h(4) + "-" + h(12), true
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("deploy:" + f.password("!@#"))), true
	case "pem":
		return f.key(), true
	case "pem1":
		return strings.ReplaceAll(f.key(), "\n", `\n`), true
	case "pem64":
		return base64.StdEncoding.EncodeToString([]byte(f.key())), true
	case "b64:":
		return f.from(small+capital+digits+"+/", n), true
	}
	return "", false
}

// shows reports whether a text still reveals a secret: any line of a key with
// many lines, else half of the secret.
func shows(masked, secret string) bool {
	if lines := strings.Split(strings.ReplaceAll(secret, `\n`, "\n"), "\n"); len(lines) > 2 {
		return slices.ContainsFunc(lines[1:len(lines)-1], func(l string) bool { return strings.Contains(masked, l[:40]) })
	}
	half := max(4, len(secret)/2)
	return strings.Contains(masked, secret[:min(half, len(secret))]) || strings.Contains(masked, secret[len(secret)-min(half, len(secret)):])
}

// The test prints the share of made-up leaks that are found, by kind, and of
// look-alikes that are masked: go test ./agent/secret -run Corpus -v
func TestCorpus(t *testing.T) {
	t.Parallel()
	const samples = 40
	m := New()
	var leaks, found, clean, wrong int
	kindsOfLeaks := map[string]bool{}
	for _, line := range readCorpus(t) {
		f := fakes{rand.New(rand.NewPCG(21, uint64(len(line.text))))}
		hits := 0
		for range samples {
			text, made := f.fill(line.text)
			got := m.Mask(text)
			if line.leak && !slices.ContainsFunc(made, func(s string) bool { return len(s) > 6 && shows(got, s) }) || !line.leak && got != text {
				hits++
			}
		}
		share := 100 * hits / samples
		if line.leak {
			leaks, found = leaks+samples, found+hits
			kindsOfLeaks[line.kind] = true
			t.Logf("%3d%% of leaks found: %s", share, line.kind)
			if share < 80 {
				text, _ := f.fill(line.text)
				t.Errorf("%s: %d%% found, such as not in %q", line.kind, share, m.Mask(text))
			}
			continue
		}
		clean, wrong = clean+samples, wrong+hits
		t.Logf("%3d%% masked although clean: %s", share, line.kind)
		if share > 5 {
			text, _ := f.fill(line.text)
			t.Errorf("%s: %d%% masked, such as %q", line.kind, share, m.Mask(text))
		}
	}
	t.Logf("%d kinds of leaks: recall %.1f%%; look-alikes: %.1f%% masked", len(kindsOfLeaks), 100*float64(found)/float64(leaks), 100*float64(wrong)/float64(clean))
	if len(kindsOfLeaks) < 60 {
		t.Errorf("only %d kinds of leaks", len(kindsOfLeaks))
	}
}
