package eval

import "bytes"

// EachMember calls use with the name and the value of each member of a JSON object, until use
// returns false. It does not parse the values, so that large ones can be skipped or read without
// reflection; use must read the needed values with a reader that checks them.
//
// It returns false if use did, or if the text does not have the form of json.Marshal's objects:
// without spaces, and with plain names.
func EachMember(text []byte, use func(name, value []byte) bool) bool {
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return false
	}
	for rest := text[1 : len(text)-1]; len(rest) > 0; {
		if rest[0] != '"' {
			return false
		}
		end := stringEnd(rest)
		if end < 0 || end == len(rest) || rest[end] != ':' || bytes.IndexByte(rest[:end], '\\') >= 0 {
			return false
		}
		name := rest[1 : end-1]
		rest = rest[end+1:]
		end = valueEnd(rest)
		if end <= 0 || !use(name, rest[:end]) {
			return false
		}
		if rest = rest[end:]; len(rest) == 0 {
			break
		}
		if rest = rest[1:]; len(rest) == 0 { // a comma, after which a member must follow
			return false
		}
	}
	return true
}

// valueEnd returns the length of the value at the start of text. The value ends at a comma or at
// the end of text. It returns -1 if brackets or quotes do not match.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			n := stringEnd(text[i:])
			if n < 0 {
				return -1
			}
			i += n
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	if depth != 0 {
		return -1
	}
	return len(text)
}

// stringEnd returns the length of the quoted string at the start of text, or -1 if the string
// does not end.
func stringEnd(text []byte) int {
	for i := 1; ; {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		escapes := 0
		for at := i + n - 1; at > 0 && text[at] == '\\'; at-- {
			escapes++
		}
		i += n + 1
		if escapes%2 == 0 {
			return i
		}
	}
}
