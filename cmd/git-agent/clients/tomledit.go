package clients

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// tomlFile edits the text of a TOML file. Every edit replaces few bytes and leaves all others.
type tomlFile struct {
	container string // the table with all servers
}

// read returns the entry of the server, as far as it has texts and lists of texts.
func (f tomlFile) read(text string) (entry map[string]any, err error) {
	list, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if !s.below(f.container, Name) {
			continue
		}
		if entry == nil {
			entry = map[string]any{}
		}
		if s.header || len(s.path) != 3 {
			continue
		}
		if value, ok := tomlString(s.value); ok {
			entry[s.path[2]] = value
		} else if values, ok := tomlStrings(s.value); ok {
			entry[s.path[2]] = values
		}
	}
	return entry, nil
}

// parse reads the statements, and refuses a file in which an entry cannot be told from the rest.
func (f tomlFile) parse(text string) ([]tomlStatement, error) {
	list, err := parseTOML(text)
	for _, s := range list {
		inline := !s.header && (slices.Equal(s.path, []string{f.container}) || slices.Equal(s.path, []string{f.container, Name}))
		if inline || s.array && s.below(f.container) {
			err = fmt.Errorf("%s is no table with a header", strings.Join(s.path, "."))
		}
	}
	return list, err
}

// install returns the text with the entry; see jsonFile.install.
func (f tomlFile) install(text string, fields, extra []field) (string, error) {
	entry, err := f.read(text)
	if err != nil {
		return "", err
	}
	before := text
	if entry == nil {
		text = f.add(text, append(slices.Clone(fields), extra...))
		return text, f.checkOthers(before, text)
	}
	for _, set := range fields {
		if sameJSON(entry[set.key], set.value) {
			continue
		}
		list, err := f.parse(text)
		if err != nil {
			return "", err
		}
		if text, err = f.set(text, list, set); err != nil {
			return "", err
		}
	}
	return text, f.checkOthers(before, text)
}

// newlineOf returns the line end of a file.
func newlineOf(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// add appends a new table.
func (f tomlFile) add(text string, fields []field) string {
	newline := newlineOf(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += newline
	}
	if strings.TrimSpace(text) != "" {
		text += newline
	}
	text += "[" + f.container + "." + Name + "]" + newline
	for _, set := range fields {
		text += set.key + " = " + compact(set.value) + newline
	}
	return text
}

// set sets a key of the entry that is there.
func (f tomlFile) set(text string, list []tomlStatement, set field) (string, error) {
	for _, s := range list {
		if !s.header && slices.Equal(s.path, []string{f.container, Name, set.key}) {
			return text[:s.valueAt] + compact(set.value) + text[s.valueAt+len(s.value):], nil
		}
	}
	for _, s := range list {
		if s.header && slices.Equal(s.path, []string{f.container, Name}) {
			end := strings.TrimSuffix(text[:s.end], "\r")
			return end + newlineOf(text) + set.key + " = " + compact(set.value) + text[len(end):], nil
		}
	}
	return "", errors.New("its table has no header")
}

// checkOthers makes sure that all statements about other things stay as they are.
func (f tomlFile) checkOthers(before, after string) error {
	all := [2][]string{}
	for i, text := range []string{before, after} {
		list, err := parseTOML(text)
		if err != nil {
			return errors.Join(errEdit, err)
		}
		for _, s := range list {
			if !s.below(f.container, Name) {
				all[i] = append(all[i], fmt.Sprintf("%q %t %s", s.path, s.header, s.value))
			}
		}
	}
	if !slices.Equal(all[0], all[1]) {
		return errEdit
	}
	return nil
}

// uninstall returns the text without the entry's tables and keys. Comments around them stay.
func (f tomlFile) uninstall(text string) (string, error) {
	list, err := f.parse(text)
	if err != nil {
		return "", err
	}
	before := text
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		if !s.below(f.container, Name) {
			continue
		}
		end := min(s.end+1, len(text)) // with the line end
		start := s.start
		if s.header && strings.TrimSpace(text[end:]) == "" { // the blank line that install added
			head := strings.TrimSuffix(strings.TrimSuffix(text[:start], "\n"), "\r")
			if strings.HasSuffix(head, "\n") {
				start = len(head)
			}
		}
		text = text[:start] + text[end:]
	}
	if err := f.checkOthers(before, text); err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	return text, nil
}
