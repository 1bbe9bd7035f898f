package format

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// links are links to lines of a file at a commit, as GitHub and GitLab make them. They are the places of a report that has no
// other one, and the commit is its version if it names none:
//
//	https://github.com/owner/repository/blob/<commit>/path/file.go#L122-L130
type links struct {
	repository, commit string // of the first link
	frames             []crash.Frame
}

// maxLinked bounds the links that are kept.
const maxLinked = 8

var codeLink = source.Lazy(
	`https?://[\w.-]+/(?:[\w.~-]+/)+?([\w.-]+)/(?:-/)?blob/([0-9a-f]{40}|[0-9a-f]{64})/([^\s#?()<>"'\x60\]]+)(?:\?[^\s#]*)?#L(\d+)`,
)

// read keeps the links in a line of a report.
func (r *links) read(n int, line []byte) {
	if len(r.frames) == maxLinked || !bytes.Contains(line, []byte("/blob/")) {
		return
	}
	for _, m := range codeLink().FindAllStringSubmatch(string(line[:min(len(line), maxLine)]), maxLinked-len(r.frames)) {
		file, err := url.PathUnescape(m[3])
		if err != nil || r.repository != "" && r.repository != m[1] {
			continue // a link to another project
		}
		if r.repository == "" {
			r.repository, r.commit = m[1], m[2]
		}
		r.frames = append(r.frames, bounded(reportLine{N: n}, crash.Frame{Raw: m[0], File: file, Line: atoi(m[4]), Assertion: true}))
	}
}

// places adds the links to a report that has no other place.
func (s *scanner) places() {
	r := s.linked
	if len(s.Report.Stacks) > 0 {
		return
	}
	for _, f := range r.frames {
		s.keep(crash.Stack{Kind: crash.StackCrash, Format: "link", Problem: -1, Frames: []crash.Frame{f}})
	}
	versioned := func(m crash.Mention) bool {
		return m.Name == crash.BuildLabel || m.Name == crash.VersionLabel || strings.EqualFold(m.Name, r.repository)
	}
	if r.commit != "" && !slices.ContainsFunc(s.Report.Mentions, versioned) {
		s.keepMention(crash.Mention{Name: r.repository, Version: r.commit})
	}
}
