package gittool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/gitext"
)

// A Standing says where the text of a search (mode "S") stands at the commit
// from which the search went back: whether a change that took it away took the
// last of it, or another copy is left.
type Presence struct {
	Lines     int      `json:"lines"`
	More      bool     `json:"more,omitempty"`      // lines are at least so many
	Files     []string `json:"files"`               // that hold it, the first few
	Others    int      `json:"others,omitempty"`    // further files
	Elsewhere bool     `json:"elsewhere,omitempty"` // none is below the path that was searched
}

// Bounds of a Standing.
const (
	maxPresenceLines = 1000
	maxPresenceFiles = 3
)

// presence looks a text up in the tree, below the path of the search and, when
// there is none, everywhere. It is nil for what a tree cannot be searched for,
// a text of several lines, and where the clone lacks files.
func (b *bench) presence(ctx context.Context, p searchParams) (*Presence, error) {
	if p.Mode != "S" || strings.ContainsAny(p.Pattern, "\n\r") {
		return nil, nil
	}
	places := []string{p.Path}
	if p.Path != "" {
		places = append(places, "")
	}
	for i, place := range places {
		opt := gitext.GrepOptions{Pattern: p.Pattern, Fixed: true, Max: maxPresenceLines, Texts: 1}
		if place != "" {
			opt.Paths = []string{place}
		}
		found, err := b.repo.Grep(ctx, gitext.OID(p.Commit), opt)
		if gitext.Unreadable(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if s := presenceOf(found); s.Lines > 0 {
			s.Elsewhere = i > 0
			return s, nil
		}
	}
	return &Presence{Files: []string{}}, nil
}

// presenceOf counts matches. Files for secrets are passed over: that they hold
// a text would tell what is in them.
func presenceOf(found []gitext.GrepMatch) *Presence {
	s := &Presence{Files: []string{}, More: len(found) == maxPresenceLines}
	last := ""
	for _, m := range found {
		if redacted(m.Path) {
			continue
		}
		s.Lines++
		switch {
		case m.Path == last:
		case len(s.Files) < maxPresenceFiles:
			s.Files = append(s.Files, agent.Clean(m.Path))
		default:
			s.Others++
		}
		last = m.Path
	}
	return s
}

// render is a line about the text at a commit. When the newest change of a
// search found no other after it, it took the last one away.
func (s *Presence) render(at string, newest *SearchHit) string {
	if s.Lines == 0 {
		if newest != nil && slices.ContainsFunc(newest.Lines, func(l HitLine) bool { return l.Op == "-" }) {
			return fmt.Sprintf("no longer there at %s: gone with %s", short(at), short(newest.Commit.OID))
		}
		return "not there at " + short(at)
	}
	lines := fmt.Sprintf("%d line(s)", s.Lines)
	if s.More {
		lines = fmt.Sprintf("%d lines or more", s.Lines)
	}
	files := strings.Join(s.Files, ", ")
	if s.Others > 0 {
		files += fmt.Sprintf(" and %d more file(s)", s.Others)
	}
	if s.Elsewhere {
		return fmt.Sprintf("no longer below this path at %s, but elsewhere: %s in %s", short(at), lines, files)
	}
	return fmt.Sprintf("still there at %s: %s in %s", short(at), lines, files)
}
