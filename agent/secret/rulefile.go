package secret

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// table is one table of a rule file: strings, numbers (as text) and lists.
type table struct {
	text   map[string]string
	list   map[string][]string
	nested []*table // [[name.allowlists]]
}

// readTables reads the subset of TOML in gitleaks' rule files: one key on a line,
// strings in three single or one double quotation marks, and lists of strings on
// one line or with one string on each line. It returns the global allow-list and
// the rules.
func readTables(file string) (global *table, rules []*table, err error) {
	now, top := newTable(), newTable()
	var list string // the key of the list that is being read
	for n, line := range strings.Split(file, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case list != "" && line == "]":
			list = ""
			continue
		case list != "":
			err = now.add(list, line)
		case line == "[allowlist]":
			now, global = top, top
		case line == "[[rules]]":
			now = newTable()
			rules = append(rules, now)
		case line == "[[rules.allowlists]]" && len(rules) > 0:
			now = newTable()
			rule := rules[len(rules)-1]
			rule.nested = append(rule.nested, now)
		default:
			list, err = now.set(line)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d of the rules: %w", n+1, err)
		}
	}
	return global, rules, nil
}

func newTable() *table { return &table{text: map[string]string{}, list: map[string][]string{}} }

// set reads "key = value" and returns the key if a list opens.
func (t *table) set(line string) (open string, err error) {
	key, value, ok := strings.Cut(line, " = ")
	switch {
	case !ok:
		return "", fmt.Errorf("%q is not a setting", line)
	case value == "[":
		return key, nil
	case strings.HasPrefix(value, "["):
		return "", t.add(key, strings.TrimSuffix(strings.TrimPrefix(value, "["), "]"))
	}
	s, rest, err := readString(value)
	if errors.Is(err, errNoString) {
		s, rest, err = value, "", nil // a number
	}
	if err == nil && rest != "" {
		err = fmt.Errorf("%q follows a value", rest)
	}
	t.text[key] = s
	return "", err
}

// add appends the strings of items, separated by commas.
func (t *table) add(key, items string) error {
	for items != "" {
		s, rest, err := readString(items)
		if err != nil {
			return err
		}
		t.list[key] = append(t.list[key], s)
		items = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), ","))
	}
	return nil
}

var errNoString = errors.New("not a string")

// readString reads the string at the beginning of s.
func readString(s string) (value, rest string, err error) {
	if body, ok := strings.CutPrefix(s, "'''"); ok {
		value, rest, ok = strings.Cut(body, "'''")
		if !ok {
			return "", "", errors.New("a string has no end")
		}
		return value, rest, nil
	}
	if !strings.HasPrefix(s, `"`) {
		return "", "", errNoString
	}
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", err
	}
	value, err = strconv.Unquote(quoted)
	return value, s[len(quoted):], err
}
