package ui

import (
	"fmt"
	"strconv"
	"strings"
)

// colorNames are the colours of git-config(1) in the order of their numbers.
var colorNames = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// attributeCodes maps the attributes of git-config(1) to the codes that enable and disable them.
var attributeCodes = map[string][2]string{
	"bold": {"1", "22"}, "dim": {"2", "22"}, "italic": {"3", "23"}, "ul": {"4", "24"},
	"blink": {"5", "25"}, "reverse": {"7", "27"}, "strike": {"9", "29"},
}

// ColorCode returns the escape sequence of a colour in the syntax of git's configuration, such as
// "bold red", "bright-blue black", "208" or "#ff8000 ul".
func ColorCode(spelled string) (string, error) {
	var attributes, codes []string // git writes attributes first
	colors := 0
	for word := range strings.FieldsSeq(spelled) {
		if word == "reset" {
			codes = append(codes, "")
			continue
		}
		code, isColor := colorWord(word, colors)
		if code == "" && !isColor || colors == 2 && isColor {
			return "", fmt.Errorf("%q is not a color", spelled)
		}
		switch {
		case isColor && code != "":
			codes = append(codes, code)
		case !isColor:
			attributes = append(attributes, code)
		}
		if isColor {
			colors++
		}
	}
	codes = append(attributes, codes...)
	if len(codes) == 0 {
		return "", nil
	}
	return "\x1b[" + strings.Join(codes, ";") + "m", nil
}

// colorWord returns the code of one word, and whether the word is a colour instead of an
// attribute. before is the number of earlier colours: the second colour is the background. The
// code of "normal" is empty, because it changes nothing.
func colorWord(word string, before int) (code string, isColor bool) {
	base := 30 + 10*before
	name, bright := strings.CutPrefix(word, "bright")
	for i, known := range colorNames {
		switch {
		case !bright && word == known:
			return strconv.Itoa(base + i), true
		case bright && name == known:
			return strconv.Itoa(base + 60 + i), true
		}
	}
	switch n, err := strconv.Atoi(word); {
	case word == "normal" || err == nil && n == -1:
		return "", true
	case word == "default":
		return strconv.Itoa(base + 9), true
	case err == nil && n >= 0 && n < 8:
		return strconv.Itoa(base + n), true
	case err == nil && n >= 8 && n < 16:
		return strconv.Itoa(base + 60 + n - 8), true
	case err == nil && n >= 16 && n < 256:
		return fmt.Sprintf("%d;5;%d", base+8, n), true
	}
	if rgb, err := strconv.ParseUint(strings.TrimPrefix(word, "#"), 16, 32); err == nil && len(word) == 7 && word[0] == '#' {
		return fmt.Sprintf("%d;2;%d;%d;%d", base+8, rgb>>16, rgb>>8&0xff, rgb&0xff), true
	}
	attribute, off := strings.CutPrefix(word, "no")
	codes := attributeCodes[strings.TrimPrefix(attribute, "-")]
	if off {
		return codes[1], false
	}
	return codes[0], false
}
