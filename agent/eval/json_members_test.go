package eval

import (
	"encoding/json"
	"strings"
	"testing"
)

// The members equal those found by encoding/json, for any values.
func TestEachMember(t *testing.T) {
	value := map[string]any{
		"a": `q"\`, "b": []any{"]", "}", `\"`, map[string]any{"c": "{,"}}, "c": 1.5, "d": nil, "e": true, "f": map[string]any{}, "": "", "g": `\\`,
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	got := 0
	ok := EachMember(text, func(name, value []byte) bool {
		if string(want[string(name)]) != string(value) {
			t.Errorf("member %q is %s, want %s", name, value, want[string(name)])
		}
		got++
		return true
	})
	if !ok || got != len(want) {
		t.Errorf("%d members, %v; want %d", got, ok, len(want))
	}
	for _, text := range []string{"", "{", "null", "[]", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":"b}`, `{"a":[1}`, `{a:1}`, `{ "a":1}`, `{"a\u0062":1}`, `{"a":1 ,"b"}`, `{"a`} {
		if EachMember([]byte(text), func([]byte, []byte) bool { return true }) {
			t.Errorf("%s is taken for an object", text)
		}
	}
	if EachMember([]byte(`{"a":1,"b":2}`), func(name, _ []byte) bool { return string(name) != "a" }) {
		t.Error("it goes on after false")
	}
	if !EachMember([]byte(`{}`), nil) {
		t.Error("an empty object is none")
	}
}

// A record is the same whether it is cut into its members or read by encoding/json, including a
// reformatted record.
func TestReadRecord(t *testing.T) {
	rec := Record{Key: "k", Case: question{ID: "i", Repo: "o/r", Want: `a "word" {`}, Algorithm: "rank", Version: "v", Setting: "s=\t", Answer: reply{Words: []string{"]"}},
		Absent: []string{"x"}, Error: "e\nf", Skip: "s", Seconds: 1.5}
	text, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := cutRecord(text); !ok {
		t.Error("a record as json.Marshal writes it is not cut")
	}
	for _, text := range []string{string(text), strings.Replace(string(text), `,"case"`, ` , "case"`, 1)} {
		got, err := readRecord(toy{}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := json.Marshal(rec); err != nil || string(again) != string(want) {
			t.Errorf("%s\nis read as\n%s", text, again)
		}
	}
	for _, bad := range []string{`{"key":1}`, `{"key":"k","seconds":x}`, `{"key":"k","absent":[`, `null`} {
		if _, err := readRecord(toy{}, []byte(bad)); err == nil {
			t.Errorf("%s is read as a record", bad)
		}
	}
}
