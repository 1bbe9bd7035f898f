package gittool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/gitext"
)

// Presence lists the places of a search text (mode "S") at the commit where the search
// started. It tells whether a change that removed the text removed the last copy.
type Presence struct {
	Lines     int      `json:"lines"`
	More      bool     `json:"more,omitempty"`      // there are at least that many lines
	Files     []string `json:"files"`               // the first few files with the text
	Others    int      `json:"others,omitempty"`    // further files
	Elsewhere bool     `json:"elsewhere,omitempty"` // no copy is below the searched path
}

// These bound a Presence.
const (
	maxPresenceLines = 1000
	maxPresenceFiles = 3
)

// presence searches a text in the tree, below the path of the search and, if the text is
// not there, everywhere. It returns nil for a text of several lines, and if the clone
// lacks files.
func (b *scopedRepo) presence(ctx context.Context, p searchParams) (*Presence, error) {
	if p.Pattern == "" || p.Mode != "S" || strings.ContainsAny(p.Pattern, "\n\r") {
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

// presenceOf counts matches. It skips files made for secrets, because a match would
// reveal their content.
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

// render describes in one line the places of the text at a commit. If the text is gone,
// the newest change of the search removed the last copy.
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
