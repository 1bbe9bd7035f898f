package release

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// A Pick is a commit that makes the same change as another one.
type Pick struct {
	Commit gitext.OID
	Of     gitext.OID // the commit of the question
	Revert bool       // it reverts the culprit, which is a fix as well
	How    string     // a clause: "its message names ..."
}

// picked matches the words before or after the id of a commit that another one picks.
var picked = source.Lazy(`(?i)(?:\b(?:cherry[- ]?pick(?:ed)?(?:[- ](?:of|from))?|picked from|back-?port(?:ed|s)?(?:[- ](?:of|from))?|upstream[- ]commit)` +
	`(?:[- ]?commit)?(?:[- ]?id)?[:= (\[]*([0-9a-f]{7,64})\b|\bcommit ([0-9a-f]{7,64}) upstream\b)`)

// reverted matches the sentence of git revert.
var reverted = source.Lazy(`(?i)\breverts commit ([0-9a-f]{7,64})\b`)

// named returns the ids that a message says it picks, and those that it reverts.
func named(message string) (picks, reverts []string) {
	for line := range strings.Lines(message) {
		if strings.Contains(line, "icked") || strings.Contains(line, "pstream") || strings.Contains(line, "ackport") || strings.Contains(line, "-pick") {
			for _, m := range picked().FindAllStringSubmatch(line, -1) {
				picks = append(picks, strings.ToLower(m[1]+m[2]))
			}
		}
		if strings.Contains(line, "everts commit") {
			for _, m := range reverted().FindAllStringSubmatch(line, -1) {
				reverts = append(reverts, strings.ToLower(m[1]))
			}
		}
	}
	return picks, reverts
}

// A face is what a pick has in common with its original, if not the id.
type face struct {
	email   string
	time    int64
	subject string // only letters and digits
	message [sha256.Size]byte
	long    bool // the message is long enough to tell commits apart
}

// faceOf returns the face of a commit.
func faceOf(c gitext.Commit) face {
	const least = 100 // bytes of a message that two commits do not share by chance
	text := strings.TrimSpace(c.Message)
	return face{
		email: c.Author.Email, time: c.Author.Time.Unix(), subject: commitmsg.Fold(c.Subject()),
		message: sha256.Sum256([]byte(text)), long: len(text) >= least,
	}
}

// A candidate is a commit that may be a pick.
type candidate struct {
	at             int32
	picks, reverts []string
	alike          []int // the originals whose face it has in part
}

// An original is a commit whose picks are looked for.
type original struct {
	commit  gitext.Commit
	face    face
	fix     bool
	culprit int    // its number; 0 for a fix
	picks   []Pick // the commit itself first
}

// likeness says in which way a commit looks like an original: how is a clause if it is sure, and
// maybe is true if the changes must be compared.
func (o *original) likeness(f face) (how string, maybe bool) {
	const least = 10 // letters of a subject that names one commit
	author := f.email == o.face.email
	sameTime := author && f.time == o.face.time && f.time > 0
	subject := len(f.subject) >= least && f.subject == o.face.subject
	switch {
	case sameTime && subject:
		return "it has the same author, date and subject", false
	case author && f.long && f.message == o.face.message:
		return "it has the same author and message", false
	}
	part := len(o.face.subject) >= 2*least && strings.Contains(f.subject, o.face.subject)
	return "", sameTime || subject || part
}

// A search looks for picks among the commits of a graph.
type search struct {
	repo      *gitext.Repo
	g         *graph
	originals []*original
	found     map[int32]bool
	list      []candidate
	left      int // candidates that were not read, because they were too many
}

// These constants bound the search.
const (
	batch      = 2000   // commits whose messages are in memory at the same time
	mostRead   = 400000 // commits whose messages are read
	mostDiffed = 2000   // commits whose changes are compared
	mostBytes  = 4 << 20
)

// read reads the wanted commits and keeps those that may be picks.
func (s *search) read(ctx context.Context) error {
	var oids []gitext.OID
	for i := len(s.g.OIDs) - 1; i >= 0; i-- { // newest first
		if s.g.marks[i]&wanted == 0 {
			continue
		}
		if len(oids) == mostRead {
			s.left++
			continue
		}
		oids = append(oids, s.g.OIDs[i])
	}
	for part := range slices.Chunk(oids, batch) {
		commits, err := s.repo.Commits(ctx, part)
		if err != nil {
			return fmt.Errorf("look for picks: %w", err)
		}
		for _, c := range commits {
			s.consider(c)
		}
	}
	return nil
}

// consider keeps a commit that may be a pick.
func (s *search) consider(c gitext.Commit) {
	one := candidate{at: s.g.Number[c.OID]}
	one.picks, one.reverts = named(c.Message)
	f := faceOf(c)
	for i, o := range s.originals {
		how, maybe := o.likeness(f)
		switch {
		case o.commit.OID == c.OID:
		case how != "":
			s.take(o, one.at, how)
		case maybe:
			one.alike = append(one.alike, i)
		}
	}
	if len(one.picks)+len(one.reverts)+len(one.alike) > 0 {
		s.list = append(s.list, one)
	}
}

// take adds a pick, unless it is known.
func (s *search) take(o *original, at int32, how string) {
	if s.found[at] {
		return
	}
	s.found[at] = true
	o.picks = append(o.picks, Pick{Commit: s.g.OIDs[at], Of: o.commit.OID, How: how})
}

// follow takes the candidates whose messages name an original or one of its picks, until there are
// no more.
func (s *search) follow() {
	for again := true; again; {
		again = false
		for _, c := range s.list {
			if s.found[c.at] {
				continue
			}
			for _, o := range s.originals {
				if p := o.named(c.picks); p != "" {
					s.take(o, c.at, "its message names "+p.Short())
					again = true
				}
			}
		}
	}
}

// named returns the commit among an original and its picks that one of the ids begins.
func (o *original) named(ids []string) gitext.OID {
	for _, id := range ids {
		for _, p := range o.picks {
			if !p.Revert && strings.HasPrefix(string(p.Commit), id) {
				return p.Commit
			}
		}
	}
	return ""
}

// reverts takes the commits that revert a culprit, unless they are reverted themselves.
func (s *search) reverts() {
	undone := func(at int32) bool {
		return slices.ContainsFunc(s.list, func(c candidate) bool {
			return slices.ContainsFunc(c.reverts, func(id string) bool { return strings.HasPrefix(string(s.g.OIDs[at]), id) })
		})
	}
	for _, c := range s.list {
		for _, o := range s.originals {
			if p := o.named(c.reverts); !o.fix && p != "" && !s.found[c.at] && !undone(c.at) {
				s.found[c.at] = true
				o.picks = append(o.picks, Pick{Commit: s.g.OIDs[c.at], Of: o.commit.OID, Revert: true, How: "it reverts " + p.Short()})
			}
		}
	}
}

// compare takes the candidates that look like an original and change the same lines.
func (s *search) compare(ctx context.Context) error {
	var oids []gitext.OID
	var which []candidate
	for _, c := range s.list {
		if len(c.alike) > 0 && !s.found[c.at] && len(oids) < mostDiffed {
			oids, which = append(oids, s.g.OIDs[c.at]), append(which, c)
		}
	}
	if len(oids) == 0 {
		return nil
	}
	for _, o := range s.originals {
		oids = append(oids, o.commit.OID)
	}
	sums := make([][sha256.Size]byte, 0, len(oids))
	for p, err := range s.repo.Patches(ctx, oids, gitext.PatchOptions{MaxBytes: mostBytes}) {
		var sum [sha256.Size]byte
		switch {
		case err != nil && !gitext.Unreadable(err):
			return err
		case err == nil && !p.Truncated && len(p.Files) > 0:
			sum = ChangesOf(p)
		}
		sums = append(sums, sum)
	}
	if len(sums) != len(oids) {
		return ctx.Err()
	}
	var none [sha256.Size]byte
	for i, c := range which {
		for _, k := range c.alike {
			if sums[i] != none && sums[i] == sums[len(which)+k] {
				s.take(s.originals[k], c.at, "it changes the same lines")
			}
		}
	}
	return nil
}

// ChangesOf identifies the changes of a patch, as git patch-id does, but without the lines around
// them, which differ between releases. White space does not count.
func ChangesOf(p *gitext.Patch) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, f := range p.Files {
		fmt.Fprintf(h, "%q %q", f.OldPath, f.NewPath)
		if f.Binary || len(f.Hunks) == 0 {
			fmt.Fprintf(h, " %s %s %o", f.OldOID, f.NewOID, f.NewMode)
		}
		for _, hunk := range f.Hunks {
			for _, l := range hunk.Lines {
				if l.Op != ' ' {
					fmt.Fprintf(h, "\n%c%s", l.Op, strings.Join(strings.Fields(string(l.Text)), ""))
				}
			}
		}
	}
	h.Sum(sum[:0])
	return sum
}
