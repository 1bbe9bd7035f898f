package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// schemaOf writes the JSON schema of a tool's parameters, in the order of the
// struct's fields, so that the bytes, and with them a provider's prompt cache,
// stay the same from run to run. Unknown properties are not allowed.
func schemaOf(params []param, meaning map[string]string) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, p := range params {
		if meaning[p.name] == "" {
			return nil, fmt.Errorf("parameter %q has no description", p.name)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		property, err := json.Marshal(propertyOf(p, meaning[p.name]))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", p.name, property)
		if p.required {
			required = append(required, p.name)
		}
	}
	list, err := json.Marshal(required)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, `},"required":%s,"additionalProperties":false}`, list)
	return b.Bytes(), nil
}

// property is a JSON schema of one parameter; the field order is the order
// in which it is printed.
type property struct {
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Enum        []string `json:"enum,omitempty"`
	Minimum     *int     `json:"minimum,omitempty"`
	Maximum     *int     `json:"maximum,omitempty"`
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
	default:
		out.Type = "string"
	}
	return out
}
