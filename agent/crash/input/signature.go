package input

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/crash/rank"
	"git-agent/agent/source"
)

// maxNames limits the functions of a signature. Deeper ones weigh almost nothing.
const maxNames = 12

// A Signature is the common part of all reports of the same fault.
type Signature struct {
	// Names are the significant functions of the stack that failed, innermost
	// first. For frames without a function they are base names of files.
	Names []string `json:"names"`
}

// ID identifies a signature by 16 hexadecimal digits.
func (s Signature) ID() string {
	sum := sha256.Sum256([]byte(strings.Join(s.Names, "\n")))
	return hex.EncodeToString(sum[:8])
}

// SignatureOf returns the signature of a report. The frames may be unlocated.
func SignatureOf(report *crash.Report) Signature {
	stack := stackOf(report)
	if stack < 0 {
		return Signature{}
	}
	frames := report.Stacks[stack].Frames
	for _, significant := range []func(crash.Frame) bool{isSignificant, isNotForeign, anyFrame} {
		if names := namesOf(frames, significant); len(names) > 0 {
			return Signature{Names: names}
		}
	}
	return Signature{}
}

// stackOf returns the index of the stack with the most information about the fault, -1 if there
// are no frames. Among equally good stacks it is the first, or a later one that continues the
// first, because debuggers print a frame before its stack.
func stackOf(report *crash.Report) int {
	best, rating := -1, 0
	var names []string
	for i, s := range report.Stacks {
		r := rate(s)
		if r < rating || r == 0 {
			continue
		}
		found := namesOf(s.Frames, isSignificant)
		goesOn := len(names) > 0 && len(found) > len(names) && slices.Equal(found[:len(names)], names)
		if r > rating || goesOn {
			best, rating, names = i, r, found
		}
	}
	return best
}

func rate(s crash.Stack) int {
	if len(s.Frames) == 0 {
		return 0
	}
	rating := 1
	if s.Kind == crash.StackCrash || s.Kind == crash.StackException {
		rating += 2
	}
	if len(s.Frames) > 1 || !s.Frames[0].Assertion {
		rating += 4
	}
	if len(namesOf(s.Frames, isSignificant)) > 0 {
		rating += 8
	}
	return rating
}

// namesOf returns the names of the significant frames. Consecutive calls of one function count
// once, because the depth of a recursion says little.
func namesOf(frames []crash.Frame, significant func(crash.Frame) bool) []string {
	var names []string
	for _, f := range frames {
		if !significant(f) {
			continue
		}
		name := nameOf(f)
		if name == "" || len(names) > 0 && names[len(names)-1] == name {
			continue
		}
		if names = append(names, name); len(names) == maxNames {
			break
		}
	}
	return names
}

// maxName limits the length of a name, in bytes.
const maxName = 200

// unstable matches the parts of a name that differ between builds: numbers of closures, of
// generated classes, and of anonymous functions.
var unstable = source.Lazy(`(?:\$\d+|\$\$Lambda\S*|\$\$\w*[0-9a-f]{6,}\S*|\.func\d+(?:\.\d+)*|@[0-9a-f]{6,}|\{\{closure\}\}|<locals>|\.gowrap\d+)`)

// nameOf returns the name of a frame for a signature: the function, else the base name of the
// file.
func nameOf(f crash.Frame) string {
	name := strings.TrimPrefix(f.Function, "::")
	if strings.ContainsAny(name, "$.@{<") {
		name = strings.TrimRight(unstable().ReplaceAllString(name, ""), ".:$")
	}
	if name == "" || name == "?" || name == "??" {
		name = path.Base(locate.Clean(f.File))
		if f.File == "" {
			name = ""
		}
	}
	return name[:min(len(name), maxName)]
}

// isSignificant reports whether a frame may belong to the faulty code.
func isSignificant(f crash.Frame) bool { return isNotForeign(f) && !rank.Helper(f.Function) }

// frameworks matches functions of the standard libraries of managed languages and
// of their test frameworks.
var frameworks = source.Lazy(
	`^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|clojure|groovy|org\.(?:junit|testng|codehaus\.groovy|gradle|apache\.maven|mockito|assertj|hamcrest)|reactor\.core|android\.os|dalvik|System|Microsoft)[./]` +
		`|^(?:node:|Object\.<anonymous>|processTicksAndRejections|Module\._|<module>$|_start$|panicwrap)`,
)

func isNotForeign(f crash.Frame) bool {
	return !f.Assertion && !locate.Foreign(f) && !frameworks().MatchString(f.Function)
}

func anyFrame(crash.Frame) bool { return true }
