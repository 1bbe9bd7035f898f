package clients

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxNesting bounds the depth of a configuration file.
const maxNesting = 100

// jsonNode is one value of a JSON text, which may have comments and trailing commas.
type jsonNode struct {
	start, end int // its bytes in the text
	members    []jsonMember
	places     map[string]int // of the members, by their keys
	object     bool
}

// jsonMember is one member of an object.
type jsonMember struct {
	key        string
	start      int // of the key
	value      *jsonNode
	comma      int  // the position of the comma behind the value
	hasComma   bool // there is one
	afterComma int  // the position after the comma, or else after the value
}

// member returns the member of a key, and its place.
func (n *jsonNode) member(key string) (*jsonMember, int) {
	i, ok := n.places[key]
	if !ok {
		return nil, -1
	}
	return &n.members[i], i
}

// jsonReader reads JSON as the clients do: with comments and trailing commas.
type jsonReader struct {
	text string
	at   int
}

// parseJSONC reads a whole text. Its root must be an object without repeated keys.
func parseJSONC(text string) (*jsonNode, error) {
	r := &jsonReader{text: text}
	if strings.HasPrefix(text, "\ufeff") {
		r.at = len("\ufeff")
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	root, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.at != len(text) {
		return nil, r.bad("there is text behind the end")
	}
	if !root.object {
		return nil, fmt.Errorf("line 1: it is no JSON object")
	}
	return root, nil
}

// bad returns an error with the line that is being read.
func (r *jsonReader) bad(what string) error {
	return fmt.Errorf("line %d: %s", 1+strings.Count(r.text[:min(r.at, len(r.text))], "\n"), what)
}

// peek returns the next byte, or 0 at the end.
func (r *jsonReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// space skips white space and comments.
func (r *jsonReader) space() error {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			r.at += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return r.bad("a comment has no end")
			}
			r.at += n + 4
		default:
			return nil
		}
	}
	return nil
}

func (r *jsonReader) value(depth int) (*jsonNode, error) {
	if depth > maxNesting {
		return nil, r.bad("it is nested too deeply")
	}
	n := &jsonNode{start: r.at}
	var err error
	switch r.peek() {
	case '{':
		n.object = true
		err = r.list('}', func() error { return r.memberOf(n, depth) })
	case '[':
		err = r.list(']', func() error {
			_, err := r.value(depth + 1)
			return err
		})
	default:
		err = r.scalar()
	}
	n.end = r.at
	return n, err
}

// list reads the elements of an object or array, up to its end. The last one may have a comma.
func (r *jsonReader) list(end byte, element func() error) error {
	r.at++
	for {
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() == end {
			r.at++
			return nil
		}
		if err := element(); err != nil {
			return err
		}
		if err := r.space(); err != nil {
			return err
		}
		switch r.peek() {
		case ',':
			r.at++
		case end:
		default:
			return r.bad(fmt.Sprintf("a comma or %c is missing", end))
		}
	}
}

func (r *jsonReader) memberOf(n *jsonNode, depth int) error {
	m := jsonMember{start: r.at}
	if r.peek() != '"' {
		return r.bad("a key is missing")
	}
	if err := r.scalar(); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(r.text[m.start:r.at]), &m.key); err != nil {
		return r.bad("a key is no JSON text")
	}
	if twin, _ := n.member(m.key); twin != nil {
		return r.bad(fmt.Sprintf("the key %q is there twice", m.key))
	}
	if err := r.space(); err != nil {
		return err
	}
	if r.peek() != ':' {
		return r.bad("a colon is missing")
	}
	r.at++
	if err := r.space(); err != nil {
		return err
	}
	var err error
	if m.value, err = r.value(depth + 1); err != nil {
		return err
	}
	end := r.at
	if err := r.space(); err != nil {
		return err
	}
	m.afterComma = m.value.end
	if r.peek() == ',' {
		m.comma, m.hasComma, m.afterComma = r.at, true, r.at+1
	}
	r.at = end
	if n.places == nil {
		n.places = map[string]int{}
	}
	n.places[m.key] = len(n.members)
	n.members = append(n.members, m)
	return nil
}

// scalar reads a text, a number, true, false or null.
func (r *jsonReader) scalar() error {
	start := r.at
	if r.peek() == '"' {
		for r.at++; r.peek() != '"'; r.at++ {
			switch r.peek() {
			case '\\':
				r.at++
			case 0, '\n':
				return r.bad("a text has no end")
			}
		}
		r.at++
	} else {
		for r.at < len(r.text) && strings.IndexByte(" \t\r\n,]}/:", r.text[r.at]) < 0 {
			r.at++
		}
	}
	if !json.Valid([]byte(r.text[start:min(r.at, len(r.text))])) {
		return r.bad("it is not JSON")
	}
	return nil
}

// plainJSON returns the text without comments and trailing commas, for a decoder of JSON. The
// text must have been parsed.
func plainJSON(text string) string {
	r := &jsonReader{text: strings.TrimPrefix(text, "\ufeff")}
	var out strings.Builder
	for r.space() == nil && r.at < len(r.text) {
		start := r.at
		switch c := r.peek(); c {
		case '"':
			if r.scalar() != nil {
				return ""
			}
			out.WriteString(r.text[start:r.at])
		case ',':
			r.at++
			if r.space() == nil && r.peek() != '}' && r.peek() != ']' {
				out.WriteByte(',')
			}
		default:
			r.at++
			out.WriteByte(c)
		}
	}
	return out.String()
}
