package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// These bound the arguments of a call. Legitimate calls stay far below. A parameter for a
// whole text has its own bound, the tag bytes=<n>.
const (
	maxArgsBytes   = 64 << 10
	maxStringBytes = 4 << 10
	maxItems       = 20 // of a list, unless the tag max says otherwise
)

// param is one parameter of a tool, read from a field of its typed struct.
type param struct {
	name     string
	index    int
	kind     reflect.Kind // String, Int, Bool or Slice
	required bool
	enum     []string
	min, max int     // for Int; max 0 = none
	bytes    int     // most bytes of a String
	nul      bool    // a String may hold NUL bytes, as what programs print does
	items    []param // of the elements of a Slice, which are structs
}

// paramsOf reads the parameters from the fields of a struct type, in order. A
// malformed tag is a bug in this program, so it panics.
func paramsOf(t reflect.Type) []param {
	var out []param
	for i := range t.NumField() {
		f := t.Field(i)
		p := param{name: f.Tag.Get("json"), index: i, kind: f.Type.Kind(), bytes: maxStringBytes}
		if p.kind == reflect.Slice {
			p.max, p.items = maxItems, paramsOf(f.Type.Elem())
		}
		for part := range strings.SplitSeq(f.Tag.Get("arg"), ",") {
			key, value, _ := strings.Cut(part, "=")
			switch key {
			case "":
			case "required":
				p.required = true
			case "nul":
				p.nul = true
			case "enum":
				p.enum = strings.Split(value, "|")
			case "min":
				p.min = mustInt(value)
			case "max":
				p.max = mustInt(value)
			case "bytes":
				p.bytes = mustInt(value)
			default:
				panic("agent: unknown arg tag " + strconv.Quote(part) + " of " + t.Name() + "." + f.Name)
			}
		}
		out = append(out, p)
	}
	return out
}

// argsBytes returns how many bytes the arguments of a call may have. JSON writes one byte
// of a long text in up to six bytes.
func argsBytes(params []param) int {
	most := maxArgsBytes
	for _, p := range params {
		if p.bytes > maxStringBytes {
			most += 6 * p.bytes
		}
		if p.kind == reflect.Slice {
			most += p.max * (argsBytes(p.items) - maxArgsBytes)
		}
	}
	return most
}

func mustInt(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("agent: arg tag: " + err.Error())
	}
	return n
}

// decodeArgs fills the struct at dst, which holds the defaults. It is strict where
// encoding/json is not: names match exactly, no name is given twice, nothing follows the
// object. It accepts numbers in quotes, and treats meaningless values from models as
// absent; accepted values pass the same checks as all others. Every error tells the
// caller the right form.
func decodeArgs(args json.RawMessage, params []param, dst any) error {
	if most := argsBytes(params); len(args) > most {
		return fmt.Errorf("the arguments have %d bytes; at most %d are read", len(args), most)
	}
	fields, err := splitObject(args)
	if err != nil {
		return fmt.Errorf("the arguments are not one valid JSON object (%w); %s", err, listParams(params))
	}
	target := reflect.ValueOf(dst).Elem()
	seen := map[string]bool{}
	for _, f := range fields {
		p, ok := findParam(params, f.name)
		if !ok {
			return unknownParam(f.name, params)
		}
		if seen[f.name] {
			return fmt.Errorf("%q is given twice", f.name)
		}
		seen[f.name] = true
		value := unquote(p, f.value)
		if p.absent(value) {
			seen[f.name] = false
			continue
		}
		if err := setParam(target.Field(p.index), p, value); err != nil {
			return err
		}
	}
	for _, p := range params {
		if p.required && !seen[p.name] {
			return fmt.Errorf("%q is missing; %s", p.name, listParams(params))
		}
	}
	return nil
}

// absent reports whether a value means "as if left out": null, which models send because
// of strict function schemas, and for optional parameters also the values that GPT and
// Gemini fill in: "", and 0 where 0 is not allowed.
func (p param) absent(value json.RawMessage) bool {
	switch string(value) {
	case "null":
		return true
	case `""`:
		return !p.required
	case "[]":
		return !p.required && p.kind == reflect.Slice
	case "0":
		return !p.required && p.kind == reflect.Int && p.min > 0
	}
	return false
}

// unquote returns a number or a boolean without the quotes that some models put
// around it.
func unquote(p param, value json.RawMessage) json.RawMessage {
	var s string
	if p.kind == reflect.String || json.Unmarshal(value, &s) != nil {
		return value
	}
	if p.kind == reflect.Slice && strings.HasPrefix(strings.TrimSpace(s), "[") && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	var inner any
	if json.Unmarshal([]byte(s), &inner) != nil {
		return value
	}
	switch inner.(type) {
	case float64, bool:
		return json.RawMessage(strings.TrimSpace(s))
	}
	return value
}

type jsonField struct {
	name  string
	value json.RawMessage
}

// splitObject splits a JSON object into its fields, keeping order and
// duplicates.
func splitObject(data []byte) ([]jsonField, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	if err != nil {
		return nil, wordJSONError(err)
	}
	if open != json.Delim('{') {
		return nil, errors.New("does not begin with {")
	}
	var fields []jsonField
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, wordJSONError(err)
		}
		f := jsonField{name: name.(string)} // inside an object, a key is a string or an error
		if err := dec.Decode(&f.value); err != nil {
			return nil, wordJSONError(err)
		}
		fields = append(fields, f)
	}
	if _, err := dec.Token(); err != nil {
		return nil, wordJSONError(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return fields, nil
}

func wordJSONError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

func findParam(params []param, name string) (param, bool) {
	for _, p := range params {
		if p.name == name {
			return p, true
		}
	}
	return param{}, false
}

// paramSynonyms maps the names of parameters of other tools to the names here.
var paramSynonyms = map[string]string{
	"file": "path", "file_path": "path", "filename": "path", "filepath": "path",
	"rev": "commit", "revision": "commit", "ref": "commit", "hash": "commit", "sha": "commit", "commit_hash": "commit",
	"start_line": "start", "end_line": "end", "line_start": "start", "line_end": "end",
	"old_str": "old", "old_string": "old", "old_text": "old", "new_str": "new", "new_string": "new", "new_text": "new", "replace_all": "all",
	"symbol": "name", "cmd": "command", "query": "pattern", "string": "pattern", "text": "pattern", "regexp": "regex",
	"after": "since", "before": "until", "limit": "max", "max_count": "max", "max_results": "max",
	"func": "function", "name": "function", "function_name": "function", "stat_only": "stat",
}

func unknownParam(name string, params []param) error {
	hint := ""
	if p, ok := findParam(params, paramSynonyms[strings.ToLower(name)]); ok {
		hint = fmt.Sprintf("; did you mean %q?", p.name)
	}
	return fmt.Errorf("there is no parameter %q%s; %s", name, hint, listParams(params))
}

func listParams(params []param) string {
	var names []string
	for _, p := range params {
		name := p.name
		if p.required {
			name += " (required)"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "there are no parameters"
	}
	return "the parameters are " + strings.Join(names, ", ")
}

func setParam(field reflect.Value, p param, value json.RawMessage) error {
	switch p.kind {
	case reflect.String:
		return setString(field, p, value)
	case reflect.Int:
		return setInt(field, p, value)
	case reflect.Slice:
		return setItems(field, p, value)
	default:
		if json.Unmarshal(value, field.Addr().Interface()) != nil {
			return fmt.Errorf("%q must be true or false, got %s", p.name, Shorten(string(value), 40))
		}
		return nil
	}
}

func setString(field reflect.Value, p param, value json.RawMessage) error {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return fmt.Errorf("%q must be a string, got %s", p.name, Shorten(string(value), 40))
	}
	switch {
	case len(s) > p.bytes:
		return fmt.Errorf("%q has %d bytes; at most %d are taken", p.name, len(s), p.bytes)
	case !p.nul && strings.ContainsRune(s, 0):
		return fmt.Errorf("%q holds a NUL byte; leave it out", p.name)
	case p.required && s == "":
		return fmt.Errorf("%q is empty", p.name)
	case len(p.enum) > 0 && !slices.Contains(p.enum, s):
		return fmt.Errorf("%q must be one of %s, got %q", p.name, strings.Join(p.enum, ", "), Shorten(s, 40))
	}
	field.SetString(s)
	return nil
}

// setItems decodes a list of objects. An error names the wrong object.
func setItems(field reflect.Value, p param, value json.RawMessage) error {
	var items []json.RawMessage
	switch {
	case json.Unmarshal(value, &items) != nil:
		return fmt.Errorf("%q must be a list of objects, got %s", p.name, Shorten(string(value), 40))
	case len(items) > p.max:
		return fmt.Errorf("%q has %d entries; at most %d are taken", p.name, len(items), p.max)
	}
	list := reflect.MakeSlice(field.Type(), len(items), len(items))
	for i, item := range items {
		if err := decodeArgs(item, p.items, list.Index(i).Addr().Interface()); err != nil {
			return fmt.Errorf("entry %d of %q: %w", i+1, p.name, err)
		}
	}
	field.Set(list)
	return nil
}

// setInt accepts 12 and 12.0, which are the same number in JSON.
func setInt(field reflect.Value, p param, value json.RawMessage) error {
	var n float64
	if json.Unmarshal(value, &n) != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return fmt.Errorf("%q must be a whole number, got %s", p.name, Shorten(string(value), 40))
	}
	if int(n) < p.min || p.max > 0 && int(n) > p.max {
		if p.max > 0 {
			return fmt.Errorf("%q must be from %d to %d, got %d", p.name, p.min, p.max, int(n))
		}
		return fmt.Errorf("%q must be at least %d, got %d", p.name, p.min, int(n))
	}
	field.SetInt(int64(n))
	return nil
}

// Args describes and reads the arguments of a tool. P is a struct whose fields
// name the parameters in json tags and bound them in arg tags:
//
//	Max  int    `json:"max" arg:"min=1,max=100"`
//	Mode string `json:"mode" arg:"enum=S|G"`
//	Path string `json:"path" arg:"required"`
//	Text string `json:"text" arg:"bytes=65536,nul"`
//	List []Item `json:"list"` // Item is such a struct; its parameters are described by their names, too
type Args[P any] struct {
	Schema json.RawMessage
	params []param
}

// NewArgs returns the arguments of type P. meaning describes each parameter, by
// its name.
func NewArgs[P any](meaning map[string]string) (Args[P], error) {
	params := paramsOf(reflect.TypeFor[P]())
	schema, err := schemaOf(params, meaning)
	return Args[P]{Schema: schema, params: params}, err
}

// Decode fills p, which holds the defaults. An error is a *CallError that the caller of
// tool can read.
func (a Args[P]) Decode(tool string, args json.RawMessage, p *P) error {
	if err := decodeArgs(args, a.params, p); err != nil {
		return &CallError{Tool: tool, Text: err.Error(), Malformed: true}
	}
	return nil
}
