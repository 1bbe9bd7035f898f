package gitext

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// messages are commit messages with all the turns that their readers take.
var messages = []string{
	"one line", "subject\n", "subject\n\nbody\n", "two line\nsubject\n\nbody\n\nmore\n", "\n\nlate subject\n\n\n\nbody\n",
	"subject  \n  indented second line\n\n  body kept as it is\n", "subject\n\nbody\n\nSigned-off-by: A <a@x>\n",
	"subject\r\n\r\nbody\r\n", "s\n \t\nbody after a blank-looking line", "subject\n\n\n",
	"fix\n\nFixes: 123456789012 (\"x\")\nCc: a@b\n", "fix\n\nFixes: 123456789012 (\"x\")\nprose here\n",
	"fix\n\nprose\nSigned-off-by: A <a@x>\n", "fix\n\np1\np2\np3\np4\nSigned-off-by: A <a@x>\n", "fix\n\np1\np2\np3\nSigned-off-by: A <a@x>\n",
	"fix\n\nKey: value\n  continued\n\tand more\nOther-Key : spaced\n", "Key: in the title\n", "Key: in the title\n\nprose: yes no\nbut prose\n",
	"fix\n\n(cherry picked from commit 0123456789012345678901234567890123456789)\n", "fix\n\nReviewed-by: A\n\nSigned-off-by: B\n",
	"fix\n\nhttp://x.y/z\nCloses: #12\n", "fix\n\nCloses: #12\nhttp://x.y/z\n", "fix\n\nKey:\n", "fix\n\nKey: v\n\n\n", "fix\n\n Key: v\n", "fix\n\nKey with blanks: v\n",
	"fix\n\nA: b\n\n---\n\nC: d\n", "fix\n\nbody\n---\nA: b\n", "revert: \"x\"\n\nThis reverts commit 0123456789012345678901234567890123456789.\n",
}

func TestMessagesAsGitReadsThem(t *testing.T) {
	// Subject and body are git's %s and %b for every message.
	f := newFixture(t)
	for _, m := range messages {
		f.commit(m)
	}
	r := f.open()
	for _, oid := range oidLines(f.git("rev-list", "HEAD")) {
		c, err := r.Commit(t.Context(), oid)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.TrimSuffix(f.git("log", "-1", "--format=%s", string(oid)), "\n"); c.Subject() != want {
			t.Errorf("subject of %q: got %q, want %q", c.Message, c.Subject(), want)
		}
		if want := f.git("log", "-1", "--format=format:%b", string(oid)); c.Body() != want {
			t.Errorf("body of %q: got %q, want %q", c.Message, c.Body(), want)
		}
	}
}

func TestTrailersAsGitReadsThem(t *testing.T) {
	// Trailers are those that git interpret-trailers finds.
	newFixture(t)
	for _, m := range messages {
		cmd := exec.Command("git", "interpret-trailers", "--parse", "--no-divider")
		cmd.Stdin = strings.NewReader(m)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		body, trailers := Trailers(m)
		for _, tr := range trailers {
			got.WriteString(strings.TrimRight(tr.Key+": "+tr.Value, " ") + "\n")
		}
		want := strings.ReplaceAll(string(out), " \n", "\n")
		if strings.Contains(m, "cherry picked") {
			want = "" // git echoes this line, which has no key
		}
		if got.String() != want {
			t.Errorf("%q:\n got %q\nwant %q", m, got.String(), want)
		}
		if len(trailers) > 0 && !strings.HasPrefix(m, strings.TrimRight(body, "\n")) {
			t.Errorf("%q: the body is not what precedes the trailers: %q", m, body)
		}
	}
}

func TestEncodings(t *testing.T) {
	// A message in an encoding that the commit names becomes UTF-8; bytes
	// without one stay as they are.
	f := newFixture(t)
	f.clock += 60
	latin := f.commit("placeholder")
	for _, c := range []struct{ encoding, raw, want string }{
		{"ISO-8859-1", "gr\xfc\xdfe\n", "grüße\n"}, {"KOI8-R", "\xf0\xf2\n", "ПР\n"}, {"UTF-8", "grüße\n", "grüße\n"}, {"", "gr\xfc\n", "gr\xfc\n"}, {"no-such", "gr\xfc\n", "gr\xfc\n"},
	} {
		object := "tree " + string(f.oid(string(latin)+"^{tree}")) + "\nauthor " + strings.TrimSpace(c.raw) + " <a@x> 1600000000 -0330\ncommitter C <c@x> 1600000001 +0000\n"
		if c.encoding != "" {
			object += "encoding " + c.encoding + "\n"
		}
		f.write("object", object+"gpgsig -----BEGIN\n continued\n\n"+c.raw)
		oid := OID(strings.TrimSpace(f.git("hash-object", "-t", "commit", "-w", "object")))
		got, err := f.open().Commit(t.Context(), oid)
		if err != nil || got.Message != c.want || got.Author.Name != strings.TrimSpace(c.want) {
			t.Errorf("%s: got %q by %q, %v", c.encoding, got.Message, got.Author.Name, err)
		}
		if got.Author.Time.Format("15:04 -0700") != "08:56 -0330" || got.Author.Time.Unix() != 1600000000 {
			t.Errorf("date %v", got.Author.Time)
		}
	}
	os.Remove(f.dir + "/object")
}

func TestOddPeople(t *testing.T) {
	// Identities that importers have broken are read as far as they go.
	for raw, want := range map[string]Person{
		"A B <a@b> 10 +0000": {Name: "A B", Email: "a@b"}, "<> 10 +0000": {}, "A <a> b> 10 +0000": {Name: "A", Email: "a> b"},
		"A <a@b>": {Name: "A", Email: "a@b"}, "no address": {Name: "no address"}, "A <a@b> 99999999999999999999 +0000": {Name: "A", Email: "a@b"}, "A <a@b> x y": {Name: "A", Email: "a@b"}, "": {},
	} {
		got := parsePerson(raw)
		if got.Name != want.Name || got.Email != want.Email {
			t.Errorf("%q: got %+v", raw, got)
		}
		if hasDate := strings.Contains(raw, " 10 "); hasDate == got.Time.IsZero() {
			t.Errorf("%q: date %v", raw, got.Time)
		}
	}
}
