package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// field is one member of a new object, in the order of writing.
type field struct {
	key   string
	value any
}

// jsonFile edits the text of a JSON file. Every edit replaces few bytes and leaves all others.
type jsonFile struct {
	container string // the key of the object with all servers
}

// read returns the entry of the server.
func (f jsonFile) read(text string) (entry map[string]any, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if _, err := parseJSONC(text); err != nil {
		return nil, err
	}
	whole, err := decodeJSON(text)
	if err != nil {
		return nil, err
	}
	servers, _ := whole[f.container].(map[string]any)
	if entry, ok := servers[Name].(map[string]any); ok {
		return entry, nil
	}
	if servers[Name] != nil {
		return nil, fmt.Errorf("the entry %s is no object", Name)
	}
	return nil, nil
}

func decodeJSON(text string) (map[string]any, error) {
	var whole map[string]any
	d := json.NewDecoder(strings.NewReader(plainJSON(text)))
	d.UseNumber() // large numbers stay as they are
	err := d.Decode(&whole)
	return whole, err
}

// install returns the text with the entry. Of an entry that is there, only the given fields
// change which are not right; fields that only a new entry needs come last, in extra.
func (f jsonFile) install(text string, fields, extra []field) (string, error) {
	before := text
	if strings.TrimSpace(text) == "" {
		text, before = "{}\n", "{}"
	}
	for _, step := range f.steps(text, fields, extra) {
		root, err := parseJSONC(text)
		if err != nil {
			return "", err
		}
		at, err := objectAt(root, step.path)
		if err != nil {
			return "", err
		}
		text = setMember(text, root, at, step.field)
	}
	return text, f.checkInstalled(before, text, fields, extra)
}

// step sets one member of the object at a path.
type step struct {
	path []string
	field
}

// steps returns the edits that install the entry.
func (f jsonFile) steps(text string, fields, extra []field) (list []step) {
	entry, err := f.read(text)
	whole, _ := decodeJSON(text)
	switch {
	case err != nil || whole == nil:
		return []step{{nil, field{f.container, nil}}} // reports the error
	case entry != nil:
		for _, set := range fields {
			if !sameJSON(entry[set.key], set.value) {
				list = append(list, step{[]string{f.container, Name}, set})
			}
		}
		return list
	case whole[f.container] != nil:
		return []step{{[]string{f.container}, field{Name, append(slices.Clone(fields), extra...)}}}
	}
	return []step{{nil, field{f.container, []field{{Name, append(slices.Clone(fields), extra...)}}}}}
}

// sameJSON reports whether a decoded value is that of a field.
func sameJSON(decoded, value any) bool {
	a, err1 := json.Marshal(decoded)
	b, err2 := json.Marshal(value)
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

func objectAt(root *jsonNode, path []string) (*jsonNode, error) {
	for _, key := range path {
		m, _ := root.member(key)
		if m == nil || !m.value.object {
			return nil, fmt.Errorf("%s is no object", key)
		}
		root = m.value
	}
	return root, nil
}

// checkInstalled makes sure that nothing but the entry has changed.
func (f jsonFile) checkInstalled(before, after string, fields, extra []field) error {
	want, err := decodeJSON(before)
	if err != nil {
		return err
	}
	if want == nil {
		want = map[string]any{}
	}
	servers, ok := want[f.container].(map[string]any)
	if !ok {
		servers = map[string]any{}
		want[f.container] = servers
	}
	entry, ok := servers[Name].(map[string]any)
	if !ok {
		entry, fields = map[string]any{}, append(slices.Clone(fields), extra...)
		servers[Name] = entry
	}
	for _, set := range fields {
		entry[set.key] = set.value
	}
	return f.same(want, after)
}

var errEdit = errors.New("the edit would change more than the entry")

// same reports an error if a text does not have the wanted values.
func (f jsonFile) same(want map[string]any, after string) error {
	if _, err := parseJSONC(after); err != nil {
		return errors.Join(errEdit, err)
	}
	got, err := decodeJSON(after)
	if err != nil {
		return errors.Join(errEdit, err)
	}
	text, err := json.Marshal(want) // both take the same way through JSON
	if err != nil {
		return err
	}
	want, err = decodeJSON(string(text))
	if err != nil || !reflect.DeepEqual(got, want) {
		return errors.Join(errEdit, err)
	}
	return nil
}

// uninstall returns the text without the entry. An object that becomes empty goes, too; an empty
// file is "".
func (f jsonFile) uninstall(text string) (string, error) {
	before := text
	want, err := decodeJSON(before)
	if err != nil {
		return "", err
	}
	path := []string{f.container, Name}
	for len(path) > 0 {
		root, err := parseJSONC(text)
		if err != nil {
			return "", err
		}
		at, err := objectAt(root, path[:len(path)-1])
		if err != nil {
			return "", err
		}
		_, i := at.member(path[len(path)-1])
		if i < 0 {
			break
		}
		text = removeMember(text, at, i)
		removeValue(want, path)
		if len(at.members) > 1 || hasComment(text, at.start) {
			break
		}
		path = path[:len(path)-1]
	}
	if err := f.same(want, text); err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "{}" {
		return "", nil
	}
	return text, nil
}

// removeValue removes the value at a path of decoded JSON.
func removeValue(from map[string]any, path []string) {
	for _, key := range path[:len(path)-1] {
		from, _ = from[key].(map[string]any)
	}
	delete(from, path[len(path)-1])
}

// hasComment reports whether the emptied object at a position has anything left, such as a comment.
func hasComment(text string, start int) bool {
	return !strings.HasPrefix(text[start:], "{}")
}

// setMember sets a member of an object.
func setMember(text string, root, at *jsonNode, set field) string {
	layout := layoutOf(text, root)
	if m, _ := at.member(set.key); m != nil {
		pad := lineIndent(text, m.start)
		return text[:m.value.start] + layout.render(set.value, pad) + text[m.value.end:]
	}
	if len(at.members) == 0 {
		return insertFirst(text, at, layout, set)
	}
	last := at.members[len(at.members)-1]
	place, ownLine := endOfLine(text, last.afterComma, at.end-1)
	comma := ","
	if last.hasComma {
		comma = ""
	}
	if !ownLine {
		place = last.afterComma
		one := " " + compact(set.key) + ": " + compact(set.value)
		return text[:last.value.end] + comma + text[last.value.end:place] + one + text[place:]
	}
	pad := lineIndent(text, last.start)
	added := layout.newline + pad + compact(set.key) + ": " + layout.render(set.value, pad)
	if last.hasComma {
		added += ","
	}
	return text[:last.value.end] + comma + text[last.value.end:place] + added + text[place:]
}

// insertFirst sets the only member of an empty object, behind the comments in it.
func insertFirst(text string, at *jsonNode, layout layout, set field) string {
	outer := lineIndent(text, at.start)
	pad := outer + layout.unit
	added := layout.newline + pad + compact(set.key) + ": " + layout.render(set.value, pad)
	inside := text[at.start+1 : at.end-1]
	if n := strings.LastIndexByte(inside, '\n'); n >= 0 {
		place := at.start + 1 + n
		if layout.newline == "\r\n" && n > 0 && inside[n-1] == '\r' {
			place--
		}
		return text[:place] + added + text[place:]
	}
	return text[:at.end-1] + added + layout.newline + outer + text[at.end-1:]
}

// endOfLine returns the end of the line of a position, behind blanks and comments. ok is false if
// the line does not end before the limit.
func endOfLine(text string, at, limit int) (place int, ok bool) {
	r := &jsonReader{text: text, at: at}
	for r.at < limit {
		rest := text[r.at:limit]
		switch {
		case rest[0] == '\n' || strings.HasPrefix(rest, "\r\n"):
			return r.at, true
		case strings.HasPrefix(rest, "//"):
			r.at += len(strings.TrimRight(rest[:strings.IndexByte(rest+"\n", '\n')], "\r"))
		case strings.HasPrefix(rest, "/*"):
			r.at += strings.Index(rest[2:], "*/") + 4
		default:
			r.at++
		}
	}
	return limit, false
}

// removeMember removes a member of an object, with its comma and its line. Comments stay.
func removeMember(text string, at *jsonNode, i int) string {
	m := at.members[i]
	start, end := m.start, m.afterComma
	for start > 0 && strings.IndexByte(" \t", text[start-1]) >= 0 {
		start--
	}
	if rest, ok := endOfLine(text, end, at.end-1); len(at.members) == 1 && strings.TrimSpace(text[at.start+1:start]+text[end:at.end-1]) == "" {
		start, end = at.start+1, at.end-1
	} else if start > 0 && text[start-1] == '\n' && ok && strings.TrimSpace(text[end:rest]) == "" {
		end = rest
		start--
		if start > 0 && text[start-1] == '\r' {
			start--
		}
	}
	text = text[:start] + text[end:]
	if i > 0 && !m.hasComma {
		comma := at.members[i-1].comma
		text = text[:comma] + text[comma+1:]
	}
	return text
}

// layout is how a file is written.
type layout struct{ unit, newline string }

// layoutOf returns the indentation and the line ends of a file, or the usual ones.
func layoutOf(text string, root *jsonNode) layout {
	l := layout{unit: "  ", newline: "\n"}
	if strings.Contains(text, "\r\n") {
		l.newline = "\r\n"
	}
	if len(root.members) > 0 {
		if pad := lineIndent(text, root.members[0].start); pad != "" && strings.Contains(text[root.start:root.members[0].start], "\n") {
			l.unit = pad
		}
	}
	return l
}

// lineIndent returns the white space at the beginning of the line of a position.
func lineIndent(text string, at int) string {
	line := text[strings.LastIndexByte(text[:at], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// render returns a value as JSON whose further lines begin with pad.
func (l layout) render(value any, pad string) string {
	fields, ok := value.([]field)
	if !ok {
		return compact(value)
	}
	var out strings.Builder
	out.WriteString("{")
	for i, f := range fields {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString(l.newline + pad + l.unit + compact(f.key) + ": " + l.render(f.value, pad+l.unit))
	}
	out.WriteString(l.newline + pad + "}")
	return out.String()
}

// compact returns a value as JSON on one line.
func compact(value any) string {
	if fields, ok := value.([]field); ok {
		var list []string
		for _, f := range fields {
			list = append(list, compact(f.key)+": "+compact(f.value))
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "null" // not for texts and lists of texts
	}
	text := strings.TrimSuffix(out.String(), "\n")
	if list, ok := value.([]string); ok {
		parts := make([]string, len(list))
		for i, s := range list {
			parts[i] = compact(s)
		}
		text = "[" + strings.Join(parts, ", ") + "]"
	}
	return text
}
