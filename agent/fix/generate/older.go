package generate

import (
	"bytes"
	"fmt"
	"strings"

	"git-agent/agent/fix/generate/mutate"
	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	maxVersions = 3  // older versions of a function
	maxFollowed = 12 // read commits of its history
)

// A version is a commit's change of a function.
type version struct {
	commit  gitext.OID
	subject string
	before  [][]byte // the function before the commit
	after   [][]byte // the function after the commit
	removed [][]byte // removed lines
}

// versions returns the history of a function, the newest commit first. git log -L prints
// the whole function at each commit that changed it.
func (g *generator) versions(s *site) []version {
	if s.versions != nil || g.tree.changed(s.path) {
		return s.versions
	}
	s.versions = []version{}
	opt := gitext.LogLOptions{Tip: g.tree.Commit, Path: s.path, Start: s.extent.Start, End: s.extent.End, Max: maxFollowed, Patch: true}
	for e, err := range g.repo.LogL(g.ctx, opt) {
		if err != nil {
			break
		}
		v := version{commit: e.OID, subject: e.Subject}
		v.read(e.Patch)
		s.versions = append(s.versions, v)
	}
	return s.versions
}

// read fills a version from the patch of git log -L.
func (v *version) read(patch []byte) {
	inside := false
	for line := range bytes.Lines(patch) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case bytes.HasPrefix(line, []byte("@@ ")):
			inside = true
		case !inside || len(line) == 0 || line[0] == '\\':
		case line[0] == '-':
			v.removed = append(v.removed, bytes.Clone(line[1:]))
			v.before = append(v.before, bytes.Clone(line[1:]))
		case line[0] == '+':
			v.after = append(v.after, bytes.Clone(line[1:]))
		case line[0] == ' ':
			v.before = append(v.before, bytes.Clone(line[1:]))
			v.after = append(v.after, bytes.Clone(line[1:]))
		}
	}
}

// older restores earlier versions of a function.
func (g *generator) older(s *site) []item {
	var list []item
	seen := map[string]bool{s.normal(s.lines[s.extent.Start-1 : s.extent.End]): true}
	for i, v := range g.versions(s) {
		if key := s.normal(v.before); len(v.before) == 0 || seen[key] {
			continue
		} else {
			seen[key] = true
		}
		kind, prior := Function, priorFunction
		if len(list) > 0 {
			kind, prior = Older, priorOlder/float64(len(list))
		}
		c := Candidate{
			Files:  []gitext.Overlay{g.tree.overlay(s.path, replaceLines(s.lines, s.extent.Start, s.extent.End, v.before))},
			Origin: fmt.Sprintf("puts back the function as it was before %s", v.commit.Short()), Commit: v.commit,
			Prior: prior * s.share, Kind: kind, Location: s.index, Line: s.extent.Start,
		}
		if list = append(list, ready(c)); len(list) >= maxVersions || i >= maxFollowed {
			break
		}
	}
	return list
}

// normal returns lines without comments and white space.
func (s *site) normal(lines [][]byte) string { return mutate.Normal(s.path, joinLines(lines)) }

// maxRestored bounds the restored lines.
const maxRestored = 10

// restored puts back conditions and calls that were removed from the function. A removed clause
// or line goes to the present position of its neighbouring lines.
func (g *generator) restored(s *site) []item {
	have := map[string]bool{}
	for _, l := range s.lines[s.extent.Start-1 : s.extent.End] {
		have[strings.TrimSpace(string(l))] = true
	}
	var list []item
	for _, v := range g.versions(s) {
		for i, l := range v.before {
			text := strings.TrimSpace(string(l))
			if !contains(v.removed, l) || have[text] || !interesting(text) {
				continue
			}
			have[text] = true
			for n, c := range g.putBack(s, v, i) {
				c.Prior = priorRestore * s.share / float64(len(list)+n+1)
				list = append(list, ready(c))
			}
			if len(list) >= maxRestored {
				return list
			}
		}
	}
	return list
}

func contains(lines [][]byte, l []byte) bool {
	for _, o := range lines {
		if bytes.Equal(o, l) {
			return true
		}
	}
	return false
}

// interesting reports whether a line has a condition or a call.
func interesting(text string) bool {
	return len(text) > 4 && strings.ContainsAny(text, "(=&|<>!") && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "#") &&
		!strings.HasPrefix(text, "*")
}

// putBack inserts the line at an index of an older version in two places: after the line that
// was before it, and before the line that followed it. A line that opens a block is inserted
// with the whole block.
func (g *generator) putBack(s *site, v version, i int) []Candidate {
	block := v.before[i : i+1]
	if e := blockEnd(v.before, i); e > i {
		block = v.before[i : e+1]
	}
	var list []Candidate
	add := func(at int) { // inserts the text before the line at, from 1
		list = append(list, Candidate{
			Files:  []gitext.Overlay{g.tree.overlay(s.path, replaceLines(s.lines, at, at-1, block))},
			Origin: fmt.Sprintf("puts back lines that %s removed", v.commit.Short()), Commit: v.commit,
			Kind: Restore, Location: s.index, Line: at,
		})
	}
	for j := i - 1; j >= 0; j-- {
		if at := s.find(v.before[j]); at > 0 {
			add(at + 1)
			break
		}
	}
	for j := i + len(block); j < len(v.before); j++ {
		if at := s.find(v.before[j]); at > 0 {
			add(at)
			break
		}
	}
	return list
}

// blockEnd returns the index of the line that closes the block of an opening line, or the
// line's own index.
func blockEnd(lines [][]byte, i int) int {
	text := strings.TrimSpace(string(lines[i]))
	if !strings.HasSuffix(text, "{") && !strings.HasSuffix(text, ":") {
		return i
	}
	width := source.Indent(lines[i])
	for j := i + 1; j < len(lines); j++ {
		if t := strings.TrimSpace(string(lines[j])); t != "" && source.Indent(lines[j]) <= width {
			if strings.HasPrefix(t, "}") {
				return j
			}
			return j - 1
		}
	}
	return i
}

// find returns the number, from 1, of the only line of the function with a text; 0 if there are
// none or several.
func (s *site) find(line []byte) int {
	text, at := strings.TrimSpace(string(line)), 0
	if len(text) < 3 {
		return 0
	}
	for n := s.extent.Start; n <= s.extent.End; n++ {
		if strings.TrimSpace(string(s.lines[n-1])) == text {
			if at > 0 {
				return 0
			}
			at = n
		}
	}
	return at
}
