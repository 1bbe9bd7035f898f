package locate

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// gemProgram matches the path of a program in an installed gem, with its name.
var gemProgram = source.Lazy(`(?:^|/)gems/[^/]+/(?:bin|exe)/([^/]+)$`)

// ofRubyGems reports whether a frame is in the script by which RubyGems starts the program of a gem, /usr/local/bin/doing for
// gems/doing-0.2.4/bin/doing: the frames of the program itself are above it.
func ofRubyGems(s *crash.Stack, f *crash.Frame) bool {
	if s.Format != "ruby" || !strings.Contains(f.File, "bin/") {
		return false
	}
	p := Clean(f.File)
	if gemProgram().MatchString(p) {
		return false
	}
	return slices.ContainsFunc(s.Frames, func(other crash.Frame) bool {
		m := gemProgram().FindStringSubmatch(Clean(other.File))
		return m != nil && m[1] == path.Base(p)
	})
}

// ofRuntime reports whether a frame is in a file of Node.js or RubyGems that starts the program, or that it runs on.
func ofRuntime(s *crash.Stack, f *crash.Frame) bool { return ofNode(s, f) || ofRubyGems(s, f) }
