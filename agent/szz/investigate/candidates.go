package investigate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// Bounds of the text about a candidate.
const (
	minLabelled = 0.01      // least probability of a candidate with more text than its title
	minNewName  = 4         // least bytes of the name of a new function
	maxNewBytes = 512 << 10 // most bytes of a file searched for the name
)

// candidateText renders the commits with short names: the ranked ones with their tie to
// the fix and the objection that the check of a claim would make, then the owners of
// other lines. It adds these objections to precedents.
func (d *investigation) candidateText(ctx context.Context, precedents map[gitext.OID]string) (string, error) {
	var b strings.Builder
	ranked := d.listed()
	for i, j := range ranked {
		if j.Probability < minLabelled && i > 0 {
			fmt.Fprintf(&b, "%s %s%s\n", d.names.of[j.Candidate.OID], d.commitLine(j.Candidate.Commit), d.describedNote(j))
			continue
		}
		fmt.Fprintf(
			&b,
			"%s %s; %s%s%s%s; %s\n",
			d.names.of[j.Candidate.OID],
			d.commitLine(j.Candidate.Commit),
			d.tie(j.Candidate),
			d.describedNote(j),
			d.sameSeries(i),
			d.orderNotes(i),
			roughPercent(j.Probability),
		)
		if i >= excerpted {
			continue
		}
		if err := d.writeRestored(ctx, &b, j.Candidate); err != nil {
			return "", err
		}
		if d.opt.NoClaimCheck {
			continue
		}
		if err := d.writeHistory(ctx, &b, j.Candidate, precedents); err != nil {
			return "", err
		}
	}
	others := d.names.order[len(ranked):]
	if len(others) == 0 {
		return b.String(), nil
	}
	commits, err := d.repo.Commits(ctx, others)
	if err != nil {
		return "", err
	}
	if len(ranked) > 0 {
		b.WriteString("\nAlso:\n")
	}
	for _, c := range commits {
		note := ""
		if len(ranked) > 0 && d.described >= 0 && d.ranking[d.described].Candidate.OID == c.OID {
			note = d.describedNote(d.ranking[d.described])
		}
		fmt.Fprintf(&b, "%s %s%s\n", d.names.of[c.OID], d.commitLine(c), note)
	}
	return b.String(), nil
}

// describedNote marks the commit that the fix's message describes.
func (d *investigation) describedNote(j rank.Ranked) string {
	if !d.isDescribed(j) {
		return ""
	}
	return "; the message's words and names fit it best"
}

// writeHistory renders the files and functions that a candidate created, and the
// objection that the check of a claim would make about its lines.
func (d *investigation) writeHistory(ctx context.Context, b *strings.Builder, c *candidate.Candidate, precedents map[gitext.OID]string) error {
	name := d.names.of[c.OID]
	fresh, err := d.newIn(ctx, c)
	if err != nil {
		return err
	}
	if fresh = slices.Compact(slices.Sorted(slices.Values(fresh))); len(fresh) > 0 {
		fmt.Fprintf(b, "   %s %s new in %s\n", strings.Join(fresh, ", "), agent.PluralOf(len(fresh), "is", "are"), name)
	}
	before, err := d.findPrecedent(ctx, c.OID)
	if err != nil {
		return err
	}
	if before != nil {
		precedents[c.OID] = before.describe(name, d.redact)
		d.lookBehind(before)
		fmt.Fprintf(b, "   but %s\n", precedents[c.OID])
	}
	return nil
}

// lookBehind makes the excerpts show the origin of a candidate's older lines.
func (d *investigation) lookBehind(p *precedent) {
	for _, e := range p.examples {
		d.decisive[squeezed([]byte(e.before))] = true
	}
	if len(p.origins) > 0 && !slices.Contains(d.behind, p.origins[0].commit.OID) {
		d.behind = append(d.behind, p.origins[0].commit.OID)
	}
}

// onlyAlike is the tie of a commit that has only words in common with the fix. Often such
// a commit fixed a similar bug elsewhere.
const onlyAlike = "other files; reads like the fix"

// tie describes the connection of a candidate with the fix. It is the reason in an
// answer, or a shorter one if the candidate owns none of the lines.
func (d *investigation) tie(c *candidate.Candidate) string {
	owns := slices.ContainsFunc(d.k.Set.Anchors, func(a candidate.Anchor) bool { return a.Owner == c.OID })
	if owns || c.Sources&candidate.FromSecond != 0 {
		return d.k.Reason(c)
	}
	touched := slices.ContainsFunc(c.Diff.Paths, func(p string) bool { return d.k.Paths[p] })
	switch {
	case touched && c.Sources&candidate.FromNames != 0:
		return "changed a fixed file, and lines in others that use a rare name of the fix"
	case touched:
		return "changed a fixed file"
	case c.Sources&(candidate.FromNames|candidate.FromIndex) != 0:
		return agent.CleanLine(d.redact(d.k.Reason(c)))
	}
	return onlyAlike
}

// sameSeries names the most probable candidate before the i-th one that has the same
// author and was written within a day of it. Such candidates mostly are patches of one
// series.
func (d *investigation) sameSeries(i int) string {
	c := d.ranking[i].Candidate.Commit
	for _, j := range d.ranking[:i] {
		apart := c.Author.Time.Sub(j.Candidate.Commit.Author.Time).Abs()
		if rank.SamePerson(c.Author, j.Candidate.Commit.Author) && apart <= 24*time.Hour {
			return "; same author and day as " + d.names.of[j.Candidate.OID]
		}
	}
	return ""
}

// roughPercent rounds a probability to steps of 5 % and shows none above 85 %. The
// ranking cannot tell 83 % from 86 %, and 97 % would keep a reader from looking further.
func roughPercent(p float64) string {
	switch {
	case p >= 0.85:
		return "over 85%"
	case p < 0.05:
		return "under 5%"
	}
	return fmt.Sprintf("%.0f%%", 5*math.Round(20*p))
}

// newIn lists the fixed files that a candidate created, and the fixed functions that it
// added, if it owns lines there.
func (d *investigation) newIn(ctx context.Context, c *candidate.Candidate) ([]string, error) {
	if len(c.Commit.Parents) != 1 || d.repo.ShallowBoundary()[c.OID] {
		return nil, nil
	}
	paths := map[string]bool{}
	for i := range d.k.Set.Anchors {
		if a := &d.k.Set.Anchors[i]; a.Owner == c.OID && a.Kind == source.LineCode {
			paths[a.Path] = true
		}
	}
	var fresh []string
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		old, err := d.repo.BlobAt(ctx, c.Commit.Parents[0], p, maxNewBytes)
		switch {
		case errors.Is(err, gitext.ErrNotExist) && c.Diff.Creates:
			fresh = append(fresh, agent.CleanLine(p))
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			names, err := d.newFunctions(ctx, c, old)
			if err != nil {
				return nil, err
			}
			fresh = append(fresh, names...)
		} // a file that cannot be read, or had another name, is left out
	}
	return fresh, nil
}

// newFunctions lists the fixed functions that a candidate adds to a file. It omits a name
// that any file of the candidate's parent has, because the function may have been moved.
func (d *investigation) newFunctions(ctx context.Context, c *candidate.Candidate, old []byte) ([]string, error) {
	had := source.Bag{}
	for line := range strings.Lines(string(old)) {
		had.AddCode([]byte(line))
	}
	var fresh []string
	for _, f := range slices.Sorted(maps.Keys(d.k.Set.Functions)) {
		name := source.LastName(f)
		if len(name) < minNewName || c.Diff.Added[name] == 0 || c.Diff.Removed[name] > 0 || had[name] > 0 {
			continue
		}
		known, err := d.repo.Grep(ctx, c.Commit.Parents[0], gitext.GrepOptions{Pattern: name, Fixed: true, Word: true, Max: 1})
		if err != nil && !gitext.Unreadable(err) {
			return nil, err
		}
		if len(known) == 0 && err == nil {
			fresh = append(fresh, agent.CleanLine(name))
		}
	}
	return fresh, nil
}

// commitLine renders a commit like the tools, but without its author.
func (d *investigation) commitLine(c gitext.Commit) string {
	return fmt.Sprintf("%s %s %s", c.OID.Short(), dateOf(c.Committer.Time), subjectOf(c, d.redact))
}

// subjectOf renders the subject of a commit. The message is redacted as a whole, because
// a name may be split over subject and body.
func subjectOf(c gitext.Commit, redact func(string) string) string {
	c.Message = redact(c.Message)
	return agent.Abridge(agent.CleanLine(c.Subject()), 90)
}
