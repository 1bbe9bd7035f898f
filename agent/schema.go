package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// schemaOf returns the JSON schema of a tool's parameters, in the order of the struct's
// fields, so that the bytes are the same in every run and providers' prompt caches work.
// Unknown properties are not allowed. Every turn pays for the schemas, so a parameter has
// an empty meaning if its name or another tool's description explains it; but meaning
// must name every parameter, so that none is forgotten.
func schemaOf(params []param, meaning map[string]string) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, p := range params {
		text, named := meaning[p.name]
		if !named {
			return nil, fmt.Errorf("the text does not name parameter %q", p.name)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", p.name)
		described := propertyOf(p, text)
		if p.kind == reflect.Slice {
			var err error
			if described.Items, err = schemaOf(p.items, meaning); err != nil {
				return nil, err
			}
		}
		property, err := encodeJSON(described)
		if err != nil {
			return nil, err
		}
		b.Write(property)
		if p.required {
			required = append(required, p.name)
		}
	}
	names, err := encodeJSON(required)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, `},"required":%s,"additionalProperties":false}`, names)
	return b.Bytes(), nil
}

// property is a JSON schema of one parameter; its fields are printed in this order.
type property struct {
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Minimum     *int     `json:"minimum,omitempty"`
	Maximum     *int     `json:"maximum,omitempty"`

	Items json.RawMessage `json:"items,omitempty"`
}

func propertyOf(p param, meaning string) property {
	out := property{Description: meaning, Enum: p.enum}
	switch p.kind {
	case reflect.Int:
		out.Type, out.Minimum = "integer", &p.min
		if p.max > 0 {
			out.Maximum = &p.max
		}
	case reflect.Bool:
		out.Type = "boolean"
	case reflect.Slice:
		out.Type = "array"
	default:
		out.Type = "string"
	}
	return out
}
