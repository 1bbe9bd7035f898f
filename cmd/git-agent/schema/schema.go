// Package schema makes JSON Schemas (2020-12) of the program's outputs from the Go types that
// are written, so that a schema cannot differ from its output.
//
// Promises: an object of a closed type has no other properties than those of its schema. A
// property without which no object is written is required. Where a type writes its own JSON, the
// schema allows any object.
//
// Nothing is computed when the program starts.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"git-agent/gitext"

	"github.com/google/jsonschema-go/jsonschema"
)

// Format is one documented form of output or input.
type Format struct {
	Name  string // of the schema on the command line
	Title string
	ID    string       // the value of the property "schema", or ""
	Type  reflect.Type // of an object
	// Variants are the types of a format with objects of several kinds. A value of the property
	// "type" tells them apart, unless the value is "".
	Variants []Variant
	// Open says that an object may have more properties, as in a file that others write.
	Open bool
	// Values are the possible values of properties at the top.
	Values map[string][]any
	// Without are properties that are never written here, below the top with a point: "suspects.request".
	Without []string
	// Empty are lists at the top that are always written and have nothing in them here.
	Empty []string
	// Own are types within that write their own JSON.
	Own []reflect.Type
}

// Variant is one kind of objects of a format.
type Variant struct {
	Kind string
	Type reflect.Type
	// ID says that only this kind has the property "schema" with the format's ID.
	ID bool
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// schema returns the schema of the format.
func (f Format) schema() (*jsonschema.Schema, error) {
	if len(f.Variants) == 0 {
		s, err := f.object(f.Type, f.ID, "")
		if err != nil {
			return nil, err
		}
		s.Schema, s.Title = draft, f.Title
		return s, nil
	}
	all := &jsonschema.Schema{Schema: draft, Title: f.Title}
	for _, v := range f.Variants {
		id := f.ID
		if v.Kind == "" && !v.ID {
			id = ""
		}
		s, err := f.object(v.Type, id, v.Kind)
		if err != nil {
			return nil, err
		}
		all.OneOf = append(all.OneOf, s)
	}
	return all, nil
}

// object returns the schema of one type, whose property "schema" is id and "type" is kind.
func (f Format) object(t reflect.Type, id, kind string) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: f.known()})
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", f.Name, err)
	}
	dropNulls(t, s, f.known())
	for name, value := range map[string]string{"schema": id, "type": kind} {
		if p := s.Properties[name]; p != nil && value != "" {
			var constant any = value
			p.Const = &constant
		}
	}
	for name, values := range f.Values {
		if p := s.Properties[name]; p != nil {
			p.Enum = values
		}
	}
	for _, path := range f.Without {
		leaveOut(s, path)
	}
	for _, name := range f.Empty {
		s.Properties[name] = &jsonschema.Schema{Type: "array", MaxItems: jsonschema.Ptr(0)}
	}
	if f.Open {
		openUp(s)
	}
	return s, nil
}

// leaveOut removes a property, which must not be a required one.
func leaveOut(s *jsonschema.Schema, path string) {
	name, below, deeper := strings.Cut(path, ".")
	p := s.Properties[name]
	switch {
	case p == nil:
		return
	case deeper && p.Items != nil:
		leaveOut(p.Items, below)
	case deeper:
		leaveOut(p, below)
	default:
		delete(s.Properties, name)
		s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(n string) bool { return n == name })
	}
}

// openUp allows what a reader ignores: other properties, and null for those that may be left out.
func openUp(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	openUp(s.Items)
	if len(s.Properties) == 0 {
		return
	}
	s.AdditionalProperties = nil
	for name, p := range s.Properties {
		openUp(p)
		if p.Type != "" && !slices.Contains(s.Required, name) {
			p.Types, p.Type = []string{"null", p.Type}, ""
		}
	}
}

// known returns the schemas of types that do not write what their Go type says.
func (f Format) known() map[reflect.Type]*jsonschema.Schema {
	known := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[gitext.OID]():      {Type: "string", Pattern: "^([0-9a-f]{40}|[0-9a-f]{64})?$"},
	}
	for _, t := range f.Own {
		known[t] = &jsonschema.Schema{Type: "object"}
	}
	return known
}

// dropNulls takes null from the types of properties that are left out instead.
func dropNulls(t reflect.Type, s *jsonschema.Schema, known map[reflect.Type]*jsonschema.Schema) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s == nil || known[t] != nil {
		return
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		dropNulls(t.Elem(), s.Items, known)
	case reflect.Map:
		dropNulls(t.Elem(), s.AdditionalProperties, known)
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			p := s.Properties[name]
			if p == nil || field.Anonymous {
				continue
			}
			if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
				p.Types = slices.DeleteFunc(p.Types, func(kind string) bool { return kind == "null" })
				if len(p.Types) == 1 {
					p.Type, p.Types = p.Types[0], nil
				}
			}
			dropNulls(field.Type, p, known)
		}
	}
}

// Compact returns the schema as JSON on one line, without the members that name its dialect.
func (f Format) Compact() (json.RawMessage, error) {
	s, err := f.schema()
	if err != nil {
		return nil, err
	}
	s.Schema, s.Title = "", ""
	return json.Marshal(s)
}

// Text returns the schema as indented JSON.
func (f Format) Text() ([]byte, error) {
	s, err := f.schema()
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// Validator checks values against a format.
type Validator struct{ resolved *jsonschema.Resolved }

// Validator returns the validator of the format.
func (f Format) Validator() (*Validator, error) {
	s, err := f.schema()
	if err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil)
	return &Validator{resolved}, err
}

// Validate returns an error if a JSON text does not fit the schema.
func (v *Validator) Validate(text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return v.resolved.Validate(value)
}
