package gitext

import (
	"os"
	"strings"
	"testing"
)

func TestEncodings(t *testing.T) {
	// A message with an encoding header becomes UTF-8; a message without one
	// stays unchanged.
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
	// Identities broken by importers are read as far as possible.
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
