package secret

import (
	"encoding/base64"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// The secrets of these tests are assembled from pieces, so that no scanner
// reports this file as a leak.
var (
	githubToken = "ghp_" + "x7Qb2LmK9sTzV4wN1cRj8FhY3eUa6DgP0oZi"
	awsKey      = "AKIA" + "QYLPMN5HFIQR7XYZ"
	slackToken  = "xoxb-" + "730191371696-1413868247813-IG7Z7nYevC2hdviE3aJhb5kY"
	hexToken    = "9f3b1c7ad2" + "e84506bb1f" + "7c0d93ae52" + "4486fd10b7"
	keyLine     = "kQ8vZ1rXw0B3nTfYc7LdJm5GhUaE+SoP" + "i9/KqWzR2tVxN4bMyD6HgCjF8uOeIlAs"
	claudeKey   = "sk-ant-" + "api03-" + "Zq7RmT2vXw9LbN4cKd8HfJ3sPg6Y-aB1_Zq7RmT2vXw9LbN4cKd8HfJ3sPg6Y-aB1_Zq7RmT2vXw9LbN4cKd8HfJ3sPAA"
	claudeToken = "sk-ant-" + "oat01-" + "x7Qb2LmK9sTzV4wN1cRj8FhY3eUa6DgP0oZi_x7Qb2LmK9sTzV4wN1cRj8FhY3eUa6DgP0oZi"
	jwt         = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Ik" + "." + "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
)

func TestMaskTakesSecretsOut(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, before, secret, after, rule string }{
		{"github", "+token: ", githubToken, "\n", "github-pat"},
		{"aws", "aws_access_key_id = ", awsKey, "\n", "aws-access-token"},
		{"slack", "say(\"", slackToken, "\")", "slack-bot-token"},
		{"jwt", "Authorization: Bearer ", jwt, " ", "jwt"},
		{"anthropic", "the log has ", claudeKey, ", and more", "anthropic-key"},
		{"anthropic's token", "signed in with ", claudeToken, " as before", "anthropic-key"},
		{"generic", `api_key = "`, "h8Kd02mZpQ7xWc5vB1nL4", "\"\n", "generic-api-key"},
		{"password in a URL", "git clone https://bob:", "hunter2", "@example.org/x.git", "url-password"},
		{"40 digits for a password in a URL", "url = https://bob:", hexToken, "@github.com/x.git", "url-password"},
		{"40 digits for a user in a URL", "url = https://", hexToken, "@github.com/x.git", "url-token"},
		{"40 digits in a header", "Authorization: Bearer ", hexToken, "\n", "bearer-token"},
		{"GitHub's header", "> Authorization: token ", hexToken, "\n", "auth-token"},
		{"40 digits in .netrc", "machine github.com login bob password ", hexToken, "\n", "netrc-password"},
		{"40 digits, quoted and called a token", `access_token = "`, hexToken, `"`, "generic-api-key"},
		{"one line of a key", `  L3: "`, keyLine, "\\n\"\n", "key-line"},
		{"unquoted", "API_KEY=", "h8Kd02mZpQ7xWc5vB1nL4", "\n", "generic-api-key"},
		{"line of a patch", "-    password=\"", "Tr0ub4dorQ" + "9Zk4w7", "\";\n", "generic-api-key"},
	}
	for _, tt := range tests {
		got := New().Mask(tt.before + tt.secret + tt.after)
		if strings.Contains(got, tt.secret) || !strings.HasPrefix(got, tt.before+"<secret:"+tt.rule+":") || !strings.HasSuffix(got, ">"+tt.after) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

// The output of tools is full of ids, and of words that rules search for.
func TestMaskLeavesGitAlone(t *testing.T) {
	t.Parallel()
	oid := "3f1b2c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"
	long := oid + "5e6f708192a3b4c5d6e7f809"
	for _, text := range []string{
		long, "internal/service/github/com/Example1/Package/Implementation/Path2", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAa1",
		"commit " + oid + "\nparent " + oid[:12],
		"L12: " + oid[:8] + " | key = token(secret);",
		"commits:\n  " + oid[:12] + " 2019-03-04 A U Thor: auth: fix the access token of sourcegraph",
		"sourcegraph token " + oid, "facebook secret: " + long, "password: " + oid[:12],
		"api key " + long, "index " + oid[:10] + ".." + oid[1:11] + " 100644",
		"key=" + oid, "Fixes: " + oid[:12] + ` ("crypto: set the key")`,
		"cherry picked from commit " + oid + ")", "auth/token.go=" + oid,
		"http://localhost:8080/path", "https://user:${PASSWORD}@example.org/", "postgres://<user>:<password>@host/",
		"dest->qkey = IB_DEFAULT_QP1_QKEY;", "key = ETH_I40E_FLOATING_VEB_ARG;", "sess->key = AESNI_GCM_KEY_128;", "auth_section = self.IPV6_CONN + x",
		`BEGIN_PRIVATE_KEY = "-----BEGIN PRIVATE` + ` KEY-----\n".getBytes(CharsetUtil.US_ASCII); // and "-----END PRIVATE` + ` KEY-----\n".getBytes(CharsetUtil)`,
		`BEGIN_PRIVATE_KEY = "-----BEGIN PRIVATE` + ` KEY-----\n".getBytes(CharsetUtil.US_ASCII);` + "\nsome(other, line)\n",
		"keys := strings.Split(os.Getenv(\"API_KEY\"), \",\")", "public_key_algorithm = rsaEncryption",
	} {
		if got := New().Mask(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestMaskKnown(t *testing.T) {
	t.Parallel()
	key := "my own/key+with=signs&more"
	m := New(key, "short", "")
	for _, form := range []string{
		key, url.QueryEscape(key), url.PathEscape(key), `my own/key+with=signs\u0026more`,
		base64.StdEncoding.EncodeToString([]byte(key)), base64.URLEncoding.EncodeToString([]byte("u:" + key)),
		base64.StdEncoding.EncodeToString([]byte("user:" + key + "!")), base64.StdEncoding.EncodeToString([]byte("x" + key)),
	} {
		got := m.Mask("a " + form + " b")
		if !strings.Contains(got, "<secret:known:") || strings.Contains(got, form[4:len(form)-4]) {
			t.Errorf("%q became %q", form, got)
		}
	}
	if got := m.Mask("a short text"); got != "a short text" {
		t.Errorf("a short literal was masked: %q", got)
	}
}

// Runs of backslashes, as texts have that were quoted again and again, are read once. Two hundred thousand of them
// took more than ten seconds, so that a test which takes long has failed.
func TestMaskReadsBackslashesOnce(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`\`, 1<<20)
	if got := New(claudeKey).Mask(text + `\u200b`); got != text+`\u200b` {
		t.Errorf("%d backslashes became %d bytes", len(text), len(got))
	}
}

// A placeholder depends only on the secret.
func TestMaskIsStable(t *testing.T) {
	t.Parallel()
	one := New().Mask("x " + githubToken + " y")
	other := New("unrelated literal").Mask(strings.Repeat("some line\n", 2000) + slackToken + "\nx " + githubToken + " y")
	if !strings.HasSuffix(other, one) {
		t.Errorf("%q does not end as %q", other[len(other)-100:], one)
	}
	if again := New().Mask(one); again != one {
		t.Errorf("masked twice: %q", again)
	}
	if a, b := New().Mask(githubToken), New().Mask(githubToken[:len(githubToken)-1]+"Q"); a == b {
		t.Errorf("two secrets are %q", a)
	}
}

// A secret is found for any position of chunk borders.
func TestMaskAtAnyOffset(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("é lorem ipsum\n", 2*chunkBytes/15)
	for off := chunkBytes - 120; off < chunkBytes+20; off += 7 {
		at := off
		for filler[at]&0xc0 == 0x80 {
			at++
		}
		text := filler[:at] + "\n token " + githubToken + "\n" + filler[at:]
		got := New().Mask(text)
		if want := strings.Replace(text, githubToken, New().Mask(githubToken), 1); got != want {
			t.Fatalf("offset %d: %q", off, got[at-20:at+120])
		}
	}
}

func pem(lines int) (string, []string) {
	var digits []string
	for i := range lines {
		digits = append(digits, strings.Repeat(string(rune('A'+i%26))+"b3/", 16))
	}
	begin, end := "-----BEGIN RSA PRIVATE"+" KEY-----", "-----END RSA PRIVATE"+" KEY-----"
	return begin + "\n" + strings.Join(digits, "\n") + "\nQx9=\n" + end + "\n", digits
}

func TestMaskPrivateKeys(t *testing.T) {
	t.Parallel()
	key, digits := pem(50)
	prefixed := func(prefix string) string {
		return prefix + strings.ReplaceAll(strings.TrimSuffix(key, "\n"), "\n", "\n"+prefix) + "\nafter, an untouched word\n"
	}
	cutOff := prefixed("+")[:2000]
	for name, text := range map[string]string{
		"plain": prefixed(""), "patch": prefixed("+"), "blame": prefixed("L12: 1a2b3c4d | "), "no end": cutOff,
		"one line": `key: "` + strings.ReplaceAll(key, "\n", `\n`) + `", after, an untouched word` + "\n",
		"twice":    prefixed("+") + prefixed("-"),
		"literals": `k = "` + strings.ReplaceAll(strings.TrimSuffix(key, "\n"), "\n", `\n"`+"\n+  \"") + "\\n\";\nafter, an untouched word\n",
		"added up": `k = "` + strings.ReplaceAll(strings.TrimSuffix(key, "\n"), "\n", `\n" +`+"\n \"") + "\\n\";\nafter, an untouched word\n",
	} {
		got := New().Mask(text)
		for _, d := range digits {
			if strings.Contains(got, d[:20]) {
				t.Errorf("%s: %s is still there", name, d[:20])
				break
			}
		}
		if strings.Contains(got, "Qx9=") {
			t.Errorf("%s: the last line is still there", name)
		}
		if strings.Count(got, "\n") != strings.Count(text, "\n") || strings.Count(got, "untouched") != strings.Count(text, "untouched") {
			t.Errorf("%s: lines were lost: %q", name, got)
		}
		if strings.Contains(text, "1a2b3c4d") && !strings.Contains(got, "L12: 1a2b3c4d | <secret:private-key:") {
			t.Errorf("%s: the hashes are gone: %q", name, got)
		}
	}
}

func TestRuleFile(t *testing.T) {
	t.Parallel()
	global, tables, err := readTables(ruleFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 222 || len(global.list["regexes"]) != 13 || len(global.list["stopwords"]) != 2 {
		t.Errorf("%d rules, %d regexes, %d words", len(tables), len(global.list["regexes"]), len(global.list["stopwords"]))
	}
	for _, r := range tables {
		if r.text["id"] == "" || r.text["regex"] == "" && r.text["path"] == "" {
			t.Errorf("rule without a name or an expression: %v", r)
		}
		if len(r.nested) > 0 && r.text["id"] == "generic-api-key" && len(r.nested[1].list["stopwords"]) < 1400 {
			t.Errorf("generic-api-key has %d stop words", len(r.nested[1].list["stopwords"]))
		}
	}
	for _, list := range rules().byWord {
		for _, r := range list {
			r.compile()
		}
	}
}

func TestRuleFileErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[[rules]]\nid", "[[rules]]\nid = '''x", "[[rules]]\nk = [\n  x,\n]", "[[rules]]\nid = \"x\" y"} {
		if _, _, err := readTables(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestMustRedact(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		".env": true, "a/b/.env.production": true, ".env.example": false, "environment.go": false, "deploy/prod.env": true,
		"ssh/id_rsa": true, "id_rsa.pub": false, "ID_ED25519": true, "tls/server.pem": true, "server.PEM": true, "pem.go": false,
		"a.p12": true, "x.kdbx": true, "key.c": false, "host.key": true, "keys/key.pub": false, ".aws/credentials": true, "credentials.go": false,
	} {
		if MustRedact(name) != want {
			t.Errorf("MustRedact(%q) is %v", name, !want)
		}
	}
}

func TestMaskConcurrently(t *testing.T) {
	t.Parallel()
	m := New("a known secret")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := m.Mask("a known secret and " + awsKey); strings.Contains(got, awsKey) || strings.Contains(got, "a known") {
				t.Errorf("%q", got)
			}
		})
	}
	wg.Wait()
}

func FuzzMask(f *testing.F) {
	key, _ := pem(3)
	f.Add("api_key = \"" + hexToken + "\"\n" + key)
	f.Add(githubToken + " " + jwt)
	f.Add("http://a:bcd@e secret: token=\xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		m := New("the known one")
		once := m.Mask(text)
		if twice := m.Mask(once); twice != once {
			t.Errorf("%q\nbecame %q\nand then %q", text, once, twice)
		}
		if strings.Contains(once, "the known one") {
			t.Errorf("%q", once)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	text := strings.Repeat("L12: 1a2b3c4d |   token = next(key, &access);\nsome other line of code with nothing\n", 120)
	m := New("a known secret")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Mask(text)
	}
}
