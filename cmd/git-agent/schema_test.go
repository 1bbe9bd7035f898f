package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"git-agent/cmd/git-agent/schema"

	"github.com/rogpeppe/go-internal/testscript"
)

// errNoSchema is returned for an object that does not name its format.
var errNoSchema = errors.New("the object names no schema")

// cmdValid checks each line of the last standard output, or of files, against the schema that it
// names, or against that of its first line or of a named format:
//
//	valid [as=<format>] [<file>...]
func cmdValid(ts *testscript.TestScript, neg bool, args []string) {
	var format string
	if len(args) > 0 && strings.HasPrefix(args[0], "as=") {
		format, args = strings.TrimPrefix(args[0], "as="), args[1:]
	}
	if len(args) == 0 {
		args = []string{"stdout"}
	}
	for _, file := range args {
		n, err := validate(format, ts.ReadFile(file))
		switch {
		case neg && err == nil:
			ts.Fatalf("%s is valid", file)
		case !neg && err != nil:
			ts.Fatalf("%s: %v", file, err)
		case !neg && n == 0:
			ts.Fatalf("%s has no line", file)
		}
	}
}

// validate checks the lines of a text, and returns their number.
func validate(format, text string) (n int, err error) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == 0 })
	var v *schema.Validator
	var of string
	for _, line := range lines {
		var head struct {
			Schema string `json:"schema"`
			Answer json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &head); err != nil {
			return n, err
		}
		name := format
		if name == "" {
			name = head.Schema
		}
		if name == "" && v == nil {
			return n, errNoSchema
		}
		if name != "" && name != of {
			f, ok := formatNamed(name)
			if !ok {
				return n, errNoSchema
			}
			if v, err = f.Validator(); err != nil {
				return n, err
			}
			of = name
		}
		if err := v.Validate([]byte(line)); err != nil {
			return n, err
		}
		if len(head.Answer) > 0 && strings.Contains(head.Schema, "/event/") {
			if _, err := validate("", string(head.Answer)); err != nil {
				return n, err
			}
		}
		n++
	}
	return n, nil
}

// checkSchemas checks what a command wrote: its answer with --json, and the events.
func checkSchemas(t *testing.T, args []string, stdout string) {
	t.Helper()
	for _, arg := range args {
		text := stdout
		if file, ok := strings.CutPrefix(arg, "--events="); ok {
			data, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			text = string(data)
		} else if arg != "--json" {
			continue
		}
		if _, err := validate("", text); err != nil {
			t.Errorf("git agent %v: %v", args, err)
		}
	}
}

// Every format has a schema with an example of what it refuses.
func TestSchemas(t *testing.T) {
	field, _ := reflect.TypeFor[schemaCmd]().FieldByName("Name")
	listed := strings.Split(field.Tag.Get("enum"), ",")[1:]
	names := map[string]bool{}
	for i, f := range formats() {
		if i >= len(listed) || listed[i] != f.Name {
			t.Errorf("the command line does not list %s in its place", f.Name)
		}
		if names[f.Name] || f.Name == "" || f.Title == "" {
			t.Errorf("%q is there twice, or has no title", f.Name)
		}
		names[f.Name] = true
		text, err := f.Text()
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := f.Text()
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s: %v, or another text", f.Name, err)
		}
		v, err := f.Validator()
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if err := v.Validate([]byte(`{"no such property": 1}`)); err == nil {
			t.Errorf("%s takes any object", f.Name)
		}
	}
}

// A type in a format that writes its own JSON is known to the format.
func TestSchemasKnowOwnJSON(t *testing.T) {
	own := reflect.TypeFor[json.Marshaler]()
	var walk func(f schema.Format, at reflect.Type, seen map[reflect.Type]bool)
	walk = func(f schema.Format, at reflect.Type, seen map[reflect.Type]bool) {
		if seen[at] || at.PkgPath() == "time" || at == reflect.TypeFor[*time.Time]() || at == reflect.TypeFor[json.RawMessage]() {
			return
		}
		seen[at] = true
		if at.Implements(own) && at.Kind() != reflect.Interface {
			known := false
			for _, o := range f.Own {
				known = known || o == at
			}
			if !known {
				t.Errorf("%s has %s, which writes its own JSON", f.Name, at)
			}
			return
		}
		switch at.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(f, at.Elem(), seen)
		case reflect.Struct:
			for _, field := range reflect.VisibleFields(at) {
				if field.IsExported() && field.Tag.Get("json") != "-" {
					walk(f, field.Type, seen)
				}
			}
		}
	}
	for _, f := range formats() {
		if f.Type != nil {
			walk(f, f.Type, map[reflect.Type]bool{})
		}
		for _, v := range f.Variants {
			walk(f, v.Type, map[reflect.Type]bool{})
		}
	}
}
