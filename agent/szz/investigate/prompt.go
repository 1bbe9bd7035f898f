package investigate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
	"git-agent/prompts"
)

// firstPrompt fills the prompt text szz/case.
type firstPrompt struct {
	Date, Message string
	Parent        string // "" without tools to read it
	Tagged        bool   // lines of the patch begin with the short names of their owners
	Patch         string
	Candidates    string
	Ranked        bool // the candidates come from the ranking, followed by the owners of other lines
	Advice        bool // explain how to read the candidates
	Excerpts      string
	Origins       string
	Wraps         string // the commits that changed the white space of removed lines
	NoTools       bool
	Hint          string // what the user says of the bug beside the fix
}

// Bounds of the texts in the first prompt, in characters. Every turn sends the prompt
// again, so it omits facts that an easy case does not need and the tools can show.
const (
	maxMessage       = 1500
	maxFixPatch      = 5500
	maxHint          = 2500
	maxExcerpts      = 3000
	maxExcerpt       = 1450   // of the first candidate
	nextExcerpt      = 750    // of each other candidate
	minRoom          = 400    // of any candidate with an excerpt
	describedExcerpt = 600    // least of the commit that the message describes
	behindExcerpt    = 400    // of an earlier author of a candidate's lines
	excerpted        = 3      // candidates with an excerpt, the described one not counted
	minExcerpt       = 0.04   // probability of such a candidate, the first excepted
	leading          = 0.2    // least probability of a candidate with an excerpt that only reads like the fix
	wholeText        = 12_000 // of any patch without condensing: a page of a tool
)

// system returns the system message of the conversation.
func (d *investigation) system() (string, error) {
	task, err := prompts.Get("szz/task")
	if err != nil || d.opt.NoDomainKnowledge {
		return task.Text, err
	}
	method, err := Method(!d.opt.NoTools)
	return task.Text + "\n" + method, err
}

// Method returns the instructions for a model on tracing a bug, with the git tools or
// without.
func Method(tools bool) (string, error) {
	p, err := prompts.Get("szz/method")
	if err != nil {
		return "", err
	}
	text, err := p.Render(map[string]bool{"Tools": tools})
	return strings.TrimRight(text, "\n") + "\n", err
}

// prompt returns the first message. It adds to precedents its own text about commits
// whose faulty lines are older than the commits, so that the check of a claim does not
// object to these again.
func (d *investigation) prompt(ctx context.Context, precedents map[gitext.OID]string) (string, error) {
	p := firstPrompt{
		Message: messageText(d.fc.Message, maxMessage),
		NoTools: d.opt.NoTools, Hint: d.hintText(),
		Ranked: !d.opt.NoRanking, Advice: !d.opt.NoDomainKnowledge,
	}
	if d.fc.Fix != "" && !(d.opt.NoTools && d.opt.NoCandidates) { // nothing else has a date
		p.Date = dateOf(d.fc.Date)
	}
	if !d.opt.NoTools {
		p.Parent = d.fc.Parent.Short()
	}
	p.Tagged, p.Patch = len(d.names.order) > 0, d.patchText()
	if !d.opt.NoCandidates {
		var err error
		if p.Candidates, err = d.candidateText(ctx, precedents); err != nil {
			return "", err
		}
		if p.Wraps, err = d.wrapText(ctx); err != nil {
			return "", err
		}
		if p.Origins, err = d.originText(ctx); err != nil {
			return "", err
		}
		if !d.opt.NoRanking { // the ranking chooses the shown candidates
			p.Excerpts, err = d.excerptText(ctx)
		}
		if err != nil {
			return "", err
		}
	}
	text, err := prompts.Get("szz/case")
	if err != nil {
		return "", err
	}
	return text.Render(p)
}

// hintText renders what is known of the bug beside the fix.
func (d *investigation) hintText() string {
	return agent.Abridge(agent.Clean(d.redact(strings.Join(d.fc.Hint.Lines(), "\n"))), maxHint)
}

// excerptText renders the changes of the first candidates near the fix, then the changes
// of the earlier authors of their lines.
func (d *investigation) excerptText(ctx context.Context) (string, error) {
	var b strings.Builder
	for i, j := range d.shown() {
		room := max(minRoom, min(nextExcerpt, maxExcerpts-b.Len()))
		switch {
		case d.opt.NoCompression:
			room = wholeText
		case i == 0:
			room = maxExcerpt
		case d.isDescribed(j):
			room = max(room, describedExcerpt)
		}
		text, err := d.excerpt(ctx, j.Candidate, room)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "## %s, %s changed\n%s", d.names.of[j.Candidate.OID], agent.Plural(j.Candidate.Files, "file"), text)
	}
	for _, oid := range d.behind {
		room := min(behindExcerpt, maxExcerpts-b.Len())
		if room < 200 || slices.ContainsFunc(d.shown(), func(j rank.Ranked) bool { return j.Candidate.OID == oid }) {
			continue
		}
		c, err := d.repo.Commit(ctx, oid)
		if err != nil {
			return "", err
		}
		text, err := d.excerpt(ctx, &candidate.Candidate{OID: oid, Commit: c}, room)
		if err != nil {
			return "", err
		}
		who, err := d.mention(ctx, oid)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "## %s\n%s", who, text)
	}
	return b.String(), nil
}

// excerpt renders the part of a candidate's patch nearest to the fix, in at most room
// characters.
func (d *investigation) excerpt(ctx context.Context, c *candidate.Candidate, room int) (string, error) {
	if d.opt.NoCompression {
		patch, err := d.contextPatch(ctx, c)
		if err != nil || patch == nil {
			return lacksObjects, err
		}
		return wholePatch(d.fc.Mask.Patch(patch), room), nil
	}
	patch, err := d.patchOf(ctx, c.Commit)
	if err == nil && patch != nil && patch.Truncated {
		patch, err = d.fixedFilesPatch(ctx, c, 0)
	}
	if err != nil || patch == nil {
		return lacksObjects, err
	}
	return d.excerptOfPatch(c, d.fc.Mask.Patch(patch), room), nil
}

const lacksObjects = "(this clone lacks some of its objects)\n"

// contextPatch returns the patch of a candidate for excerpts that are not condensed.
func (d *investigation) contextPatch(ctx context.Context, c *candidate.Candidate) (*gitext.Patch, error) {
	return d.fixedFilesPatch(ctx, c, szz.ContextLines)
}

// fixedFilesPatch returns the changes of a candidate in the fixed files or, if it was
// found elsewhere, in all files. It returns nil if this clone lacks objects of it.
func (d *investigation) fixedFilesPatch(ctx context.Context, c *candidate.Candidate, lines int) (*gitext.Patch, error) {
	opt := gitext.PatchOptions{Renames: true, MaxBytes: candidate.MaxDiffBytes, Context: lines}
	if c.Sources&^(candidate.FromRecent|candidate.FromNames) != 0 {
		opt.Paths = candidate.InterestingPaths(d.fc, d.k.Set)
	}
	var parent gitext.OID
	if len(c.Commit.Parents) > 0 {
		parent = c.Commit.Parents[0]
	}
	patch, err := d.repo.Patch(ctx, parent, c.OID, opt)
	if gitext.Unreadable(err) {
		return nil, nil
	}
	return patch, err
}

// wholePatch renders a patch from its beginning, in at most room characters.
func wholePatch(p *gitext.Patch, room int) string {
	var b strings.Builder
	for i := range p.Files {
		b.WriteString(fileTitle(&p.Files[i]) + "\n")
		for j := range p.Files[i].Hunks {
			h := &p.Files[i].Hunks[j]
			b.WriteString(hunkTitle(h))
			for _, l := range h.Lines {
				b.WriteString(patchLine(l))
			}
		}
	}
	return cutLines(b.String(), room)
}
