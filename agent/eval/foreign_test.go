package eval

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The answers in a file are found by case id; blank lines do not count.
func TestReadForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	text := "{\"id\":\"a\",\"suspects\":[1]}\n\n{\"suspects\":[],\"id\":\"c\",\"more\":{}}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	checked := 0
	a, err := ReadForeign(t.Context(), path, func(json.RawMessage) error { checked++; return nil })
	if err != nil || checked != 2 {
		t.Fatalf("%d lines checked, %v", checked, err)
	}
	cases := []Case{question{ID: "a"}, question{ID: "b"}}
	if got := string(a.To(cases[0])); got != `{"id":"a","suspects":[1]}` || a.To(cases[1]) != nil {
		t.Errorf("%q, %q", got, a.To(cases[1]))
	}
	if answered, unknown := a.Coverage(cases); answered != 1 || unknown != 1 {
		t.Errorf("%d answered, %d unknown", answered, unknown)
	}
	if !a.Has("more") || a.Has("files") {
		t.Error("the fields of the lines are not known")
	}
	plan := Plan{Foreign: map[string]*Foreign{"x": a}}
	plan.SetForeign()
	if got := plan.Settings["x"]; !strings.HasPrefix(got, "answers=") || len(got) != len("answers=")+16 {
		t.Errorf("the setting is %q", got)
	}
}

func TestReadForeignErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{\"id\":\"a\"}\n{\"id\":\"b\"}\nnull": ":3: the field \"id\"",
		"[]":                                   ":1: json: ",
		"{\"id\":7}":                           ":1: the field \"id\"",
		"{\"id\":\"a\"}\n{\"id\":\"a\"}":       ":2: case \"a\" is also answered on line 1",
		"{\"id\":\"bad\"}":                     ":1: it is bad",
		"{":                                    ":1: unexpected end",
	} {
		path := filepath.Join(t.TempDir(), "answers.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadForeign(t.Context(), path, func(line json.RawMessage) error {
			if strings.Contains(string(line), "bad") {
				return errors.New("it is bad")
			}
			return nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
