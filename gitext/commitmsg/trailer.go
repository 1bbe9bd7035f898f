package commitmsg

import "strings"

// Trailer is one "Key: value" line of a message's last paragraph.
type Trailer struct{ Key, Value string }

// Trailers splits a message into its text and its trailers.
//
// The rule is git's (git-interpret-trailers, without the keys that a user can
// configure): the last paragraph, unless it is also the first, has trailers if
// all its lines are trailers, or if it has a sign-off or a cherry-pick note and
// at least a quarter of its lines are trailers. Indented lines continue the line
// above.
func Trailers(message string) (body string, trailers []Trailer) {
	lines := strings.SplitAfter(strings.TrimRight(message, " \t\r\n"), "\n")
	start := trailerStart(lines)
	if start < 0 {
		return message, nil
	}
	for _, line := range lines[start:] {
		text := strings.TrimSpace(line)
		if last := len(trailers) - 1; last >= 0 && continues(line) {
			trailers[last].Value = strings.TrimSpace(trailers[last].Value + " " + text)
			continue
		}
		if key, value, ok := cutTrailer(line); ok {
			trailers = append(trailers, Trailer{Key: key, Value: value})
		}
	}
	return strings.TrimRight(strings.Join(lines[:start], ""), " \t\r\n") + "\n", trailers
}

// trailerStart finds the first line of the trailers, -1 if there are none.
func trailerStart(lines []string) int {
	start := len(lines)
	for start > 0 && strings.TrimSpace(lines[start-1]) != "" {
		start--
	}
	if !afterTitle(lines[:start]) {
		return -1
	}
	var known bool
	var good, bad int
	for i, line := range lines[start:] {
		_, _, isTrailer := cutTrailer(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "Signed-off-by: "), strings.HasPrefix(line, "(cherry picked from commit "):
			known, good = true, good+1
		case isTrailer:
			good++
		case continues(line) && i > 0 && continuable(lines[start:start+i]):
		default:
			bad++
		}
	}
	if good > 0 && bad == 0 || known && good*3 >= bad {
		return start
	}
	return -1
}

// afterTitle reports whether the lines contain a paragraph, so that the next one
// cannot be the title.
func afterTitle(lines []string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			return true
		}
	}
	return false
}

func continues(line string) bool {
	return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
}

// continuable is true if the last line, continuations aside, can be continued.
func continuable(lines []string) bool {
	for i := len(lines) - 1; i >= 0; i-- {
		if continues(lines[i]) {
			continue
		}
		_, _, ok := cutTrailer(lines[i])
		return ok || strings.HasPrefix(lines[i], "(cherry picked from commit ")
	}
	return false
}

// cutTrailer reads "Key: value"; the key has letters, digits and dashes only.
func cutTrailer(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	key = strings.TrimRight(key, " \t")
	if !ok || key == "" {
		return "", "", false
	}
	for i := range len(key) {
		c := key[i]
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return "", "", false
		}
	}
	return key, strings.TrimSpace(value), true
}

// Fixes returns the trailer that names a commit with a bug, as the Linux kernel writes it. The
// subject is one line.
func Fixes(id, subject string) string { return "Fixes: " + id + ` ("` + subject + `")` }
