package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// A jestTest is the part of a report of Jest about one test that failed: its name, the message, the code
// around the line that failed, and then the frames, which javaScriptReader reads.
type jestTest struct {
	name    string
	line    int
	message []string
	code    map[int]string // text by the number of a line
}

// maxJestMessage limits the lines of a message: what was expected, and what was received.
const maxJestMessage = 8

var (
	jestCode    = source.Lazy(`^(\d+) \|(?: +(.*))?$`)
	jestComment = source.Lazy(` // .*$`)
)

// read notes a line of a report about a test.
func (j *jestTest) read(l reportLine) {
	if name, ok := strings.CutPrefix(l.Text, "● "); ok {
		*j = jestTest{name: name, line: l.N, code: map[int]string{}}
		return
	}
	if j.line == 0 || l.N-j.line > maxMessage {
		return
	}
	if m := jestCode().FindStringSubmatch(l.Text); m != nil {
		j.code[atoi(m[1])] = m[2]
	} else if len(j.code) == 0 && len(j.message) < maxJestMessage && l.Text != "|" {
		j.message = append(j.message, l.Text)
	}
}

// heads reports whether the test is that of a stack whose first frame is line l. Other programs mark lines with the same
// dot, such as systemctl.
func (j *jestTest) heads(l reportLine) bool {
	return j.line > 0 && l.N-j.line <= 2*maxMessage && (len(j.code) > 0 || strings.Contains(j.name, " › "))
}

// failure returns the failed expectation of the test.
func (j *jestTest) failure() (crash.Problem, bool) {
	if len(j.message) == 0 {
		return crash.Problem{}, false
	}
	first := jestComment().ReplaceAllString(j.message[0], "")
	text := strings.Join(append([]string{first}, j.message[1:]...), " ")
	return crash.Problem{Kind: "assertion", Message: text, Line: j.line}, true
}
