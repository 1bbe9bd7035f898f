package candidate

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"git-agent/agent/szz"
	"git-agent/gitext"
)

// This file searches the whole history for the texts of a fix, if there is an index of
// changed lines. Blame and grep know only existing lines, in a few files; the index knows
// every commit that ever added or removed a name. A commit is worth more if its changed
// names are rarer, if fewer commits changed them after it, and if it is newer.

// Bounds of the additional candidates from an index.
const (
	maxIndexed  = 30 // of the commits in the index
	maxTelling  = 10 // more of them, by the most telling texts
	maxAlike    = 12 // more of the newest commits that read like the fix
	maxByAuthor = 6  // of the newest commits by the fix's author
	maxAdded    = 48 // together
)

// touchedOnly is the value of a text for a commit that only changed the rest of its
// lines.
const touchedOnly = 0.7

// A Naming holds the changes of a commit to the texts of a fix. All fields except Names,
// Place and Near are sums of the rarity of texts, as shares of the sum over all texts of
// the fix.
type Naming struct {
	Score   float64 // by rarity, recency and later changes; the best commit of a fix has the most
	Rank    int     // in the order of Score, from 0 on
	Names   int     // number of texts that it changed
	Changed float64 // texts in lines that the fix changes
	Said    float64 // texts in the fix's message
	First   float64 // texts that nobody changed before it
	Last    float64 // texts that nobody changed after it
	TookOut float64 // texts that it removed more often than it added them
	Brought float64 // texts that it added more often than it removed them
	// The same for texts that only the fix's added lines have, and only its removed
	// lines.
	TookOutAdded, BroughtAdded, TookOutGone, BroughtGone float64

	Rarest      float64 // of the rarest text, from 0 to 1
	RarestFirst float64 // of the rarest text that nobody changed before it
	RarestLast  float64 // of the rarest text that nobody changed after it
	Telling     float64 // Score with only the texts that the fix changes or its message names
	TellingRank int     // in the order of Telling, from 0 on
	Place       int     // in the order of git log
	Near        float64 // 1 if it changed them in a fixed file, 1/2 in the directory of one

	Best []NamedText // the texts with most effect on Score, best first
}

// A NamedText is the change of a commit to one text of a fix.
type NamedText struct {
	Text  string
	Sum   int  // occurrences that it added, less those that it removed
	Last  bool // nobody changed lines with the text after it
	worth float64
}

// Shown returns the text, in quotes if it is more than one word.
func (t NamedText) Shown() string {
	if strings.ContainsAny(t.Text, " \t") {
		return strconv.Quote(t.Text)
	}
	return t.Text
}

// maxBest is the number of texts kept for a commit.
const maxBest = 3

// keep keeps a text if it is among the best.
func (n *Naming) keep(t NamedText) {
	at, _ := slices.BinarySearchFunc(n.Best, t, func(a, b NamedText) int { return cmp.Compare(b.worth, a.worth) })
	if at < maxBest {
		n.Best = slices.Insert(n.Best, at, t)
		n.Best = n.Best[:min(len(n.Best), maxBest)]
	}
}

// AddIndexed adds the commits with the largest changes to the texts of the fix. Without
// an index it does nothing.
func (p *Pool) AddIndexed(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, set *AnchorSet) error {
	if fc.Parent == "" || !repo.HasIndex(ctx) {
		return nil
	}
	clues := CluesOf(fc)
	texts := make([]string, len(clues))
	for i := range clues {
		texts[i] = clues[i].Text
	}
	found, ok, err := repo.TextChanges(ctx, fc.Parent, texts)
	if err != nil || !ok {
		return err
	}
	p.Texts = map[string][]gitext.TextChange{}
	for _, h := range found {
		p.Texts[h.Text] = h.Changes
	}
	p.Named = Namings(fc, clues, found)
	p.addNamed(fc)
	return p.read(ctx, repo, InterestingPaths(fc, set))
}

// addNamed adds the best new commits of each source.
func (p *Pool) addNamed(fc *szz.FixContext) {
	place := map[gitext.OID]int{}
	var own []gitext.OID
	for i, oid := range p.recent {
		place[oid] = i
		if fc.Fix != "" && len(own) < maxByAuthor && p.Authors[i].Email == fc.Commit.Author.Email {
			own = append(own, oid)
		}
	}
	best, telling := ByScore(p.Named), byBest(p.Named, func(c *Naming) float64 { return c.Telling })
	left := maxAdded
	for _, search := range []struct {
		from SourceSet
		oids []gitext.OID
	}{
		{FromIndex, best[:min(len(best), maxIndexed)]},
		{FromIndex, telling[:min(len(telling), maxTelling)]},
		{FromRecent, p.alike},
		{FromRecent, own},
	} {
		for _, oid := range search.oids {
			if p.ByOID[oid] != nil || p.boundary[oid] || left == 0 {
				continue
			}
			left--
			c := p.add(oid, search.from)
			if at, ok := place[oid]; ok {
				c.Recent = at
			}
		}
	}
}

// Namings returns the changes of each commit to the texts of a fix.
func Namings(fc *szz.FixContext, clues []Clue, found []gitext.TextHistory) map[gitext.OID]*Naming {
	last := 1
	for _, h := range found {
		for _, ch := range h.Changes {
			last = max(last, ch.Place)
		}
	}
	n := namer{named: map[gitext.OID]*Naming{}, commits: float64(last), files: map[string]bool{}, dirs: map[string]bool{}}
	for _, f := range fc.Patch.Files {
		for _, name := range []string{f.OldPath, f.NewPath} {
			if name != "" {
				n.files[name], n.dirs[path.Dir(name)] = true, true
			}
		}
	}
	for i, h := range found {
		n.add(clues[i], h)
	}
	for rank, oid := range byBest(n.named, func(c *Naming) float64 { return c.Telling }) {
		n.named[oid].TellingRank = rank
	}
	for rank, oid := range ByScore(n.named) {
		c := n.named[oid]
		c.Rank = rank
		for _, sum := range []*float64{
			&c.Score, &c.Changed, &c.Said, &c.First, &c.Last, &c.TookOut, &c.Brought,
			&c.TookOutAdded, &c.BroughtAdded, &c.TookOutGone, &c.BroughtGone, &c.Telling,
		} {
			*sum /= max(n.total, 1)
		}
	}
	return n.named
}

// ByScore returns the commits, best first.
func ByScore(named map[gitext.OID]*Naming) []gitext.OID {
	return byBest(named, func(c *Naming) float64 { return c.Score })
}

// byBest returns the commits in the order of a score, best first.
func byBest(named map[gitext.OID]*Naming, score func(*Naming) float64) []gitext.OID {
	oids := make([]gitext.OID, 0, len(named))
	for oid := range named {
		oids = append(oids, oid)
	}
	sort.Slice(oids, func(i, j int) bool {
		if a, b := score(named[oids[i]]), score(named[oids[j]]); a != b {
			return a > b
		}
		return oids[i] < oids[j]
	})
	return oids
}

// A namer sums up the changes of commits to texts.
type namer struct {
	named       map[gitext.OID]*Naming
	commits     float64
	total       float64 // rarity of all texts that some commit changed
	files, dirs map[string]bool
}

// add counts one text.
func (n *namer) add(clue Clue, h gitext.TextHistory) {
	var order []gitext.OID // newest first
	sums := map[gitext.OID]int{}
	for _, ch := range h.Changes {
		if _, seen := sums[ch.OID]; !seen {
			order = append(order, ch.OID)
		}
		sums[ch.OID] += ch.Added - ch.Removed
		n.place(ch)
	}
	if len(order) == 0 {
		return
	}
	rarity := math.Log((n.commits + 1) / float64(len(order)))
	if rarity <= 0 {
		return
	}
	n.total += rarity
	rarest := rarity / math.Log(n.commits+1)
	changed, said := clue.In&(ClueRemoved|ClueAdded), clue.In&ClueSaid != 0
	for later, oid := range order {
		c := n.named[oid]
		c.Names++
		worth := rarity
		if sums[oid] == 0 {
			worth *= touchedOnly
		}
		worth /= math.Sqrt(1+float64(later)) * (1 + math.Log1p(float64(c.Place))/3)
		c.Score += worth
		if changed != 0 || said {
			c.Telling += worth
		}
		first, last, out, in := later == len(order)-1, later == 0, sums[oid] < 0, sums[oid] > 0
		c.keep(NamedText{Text: clue.Text, Sum: sums[oid], Last: last, worth: worth})
		for _, did := range []struct {
			it  bool
			sum *float64
		}{
			{changed != 0, &c.Changed}, {said, &c.Said}, {first, &c.First}, {last, &c.Last}, {out, &c.TookOut}, {in, &c.Brought},
			{out && changed == ClueAdded, &c.TookOutAdded}, {in && changed == ClueAdded, &c.BroughtAdded},
			{out && changed == ClueRemoved, &c.TookOutGone}, {in && changed == ClueRemoved, &c.BroughtGone},
		} {
			if did.it {
				*did.sum += rarity
			}
		}
		c.Rarest = max(c.Rarest, rarest)
		if first {
			c.RarestFirst = max(c.RarestFirst, rarest)
		}
		if last {
			c.RarestLast = max(c.RarestLast, rarest)
		}
	}
}

// place notes the position of a commit and the path of its change.
func (n *namer) place(ch gitext.TextChange) {
	c := n.named[ch.OID]
	if c == nil {
		c = &Naming{Place: ch.Place}
		n.named[ch.OID] = c
	}
	switch {
	case n.files[ch.Path] || n.files[ch.OldPath]:
		c.Near = 1
	case slices.ContainsFunc([]string{ch.Path, ch.OldPath}, func(p string) bool { return p != "" && n.dirs[path.Dir(p)] }):
		c.Near = max(c.Near, 0.5)
	}
}
