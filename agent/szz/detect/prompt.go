package detect

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
	"git-agent/prompts"
)

// firstPrompt fills the prompt text szz/case.
type firstPrompt struct {
	Date, Message string
	Parent        string // "" when there are no tools to read it with
	Tagged        bool   // lines of the patch begin with the short names of their owners
	Patch         string
	Candidates    string
	Excerpts      string
	Origins       string
	NoTools       bool
}

// Bounds of the texts in the first prompt, in characters. Every turn sends the
// prompt again, so it leaves to the tools what an easy case does not need.
const (
	maxMessage  = 1500
	maxFixPatch = 6000
	maxExcerpts = 3800
	maxExcerpt  = 2000   // of the first candidate
	nextExcerpt = 1000   // of each other candidate
	excerpted   = 3      // candidates with an excerpt
	minExcerpt  = 0.04   // probability of such a candidate, the first excepted
	wholeText   = 12_000 // of any patch when nothing is condensed: a page of a tool
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

// Method returns the instructions for a model on how to trace a bug, with the git
// tools or without.
func Method(tools bool) (string, error) {
	p, err := prompts.Get("szz/method")
	if err != nil {
		return "", err
	}
	text, err := p.Render(map[string]bool{"Tools": tools})
	return strings.TrimRight(text, "\n") + "\n", err
}

// prompt returns the first message. It adds to precedents what it says of commits
// whose faulty lines are older than they are, so that the check of a claim does not
// object to these again.
func (d *investigation) prompt(ctx context.Context, precedents map[gitext.OID]string) (string, error) {
	p := firstPrompt{
		Message: messageText(d.fc.Message, maxMessage),
		NoTools: d.opt.NoTools,
	}
	if d.fc.Fix != "" {
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
		if p.Origins, err = d.originText(ctx); err != nil {
			return "", err
		}
		if p.Excerpts, err = d.excerptText(ctx); err != nil {
			return "", err
		}
	}
	text, err := prompts.Get("szz/case")
	if err != nil {
		return "", err
	}
	return text.Render(p)
}

// excerptText renders what the first candidates did near the fix.
func (d *investigation) excerptText(ctx context.Context) (string, error) {
	var b strings.Builder
	for i, j := range d.shown() {
		room := min(nextExcerpt, maxExcerpts-b.Len())
		if i == 0 {
			room = maxExcerpt
		}
		if d.opt.NoCompression {
			room = wholeText
		}
		if room < 200 {
			break
		}
		text, err := d.excerpt(ctx, j.Candidate, room)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "## %s, %d %s changed\n%s", d.names.of[j.Candidate.OID], j.Candidate.Files, szz.Plural(j.Candidate.Files, "file", "files"), text)
	}
	return b.String(), nil
}

// excerpt renders the part of a candidate's patch that is nearest to the fix, in at
// most room characters.
func (d *investigation) excerpt(ctx context.Context, c *candidate.Candidate, room int) (string, error) {
	opt := gitext.PatchOptions{Renames: true, MaxBytes: candidate.MaxDiffBytes}
	if d.opt.NoCompression {
		opt.Context = szz.ContextLines
	}
	if c.Sources&^(candidate.FromRecent|candidate.FromNames) != 0 {
		opt.Paths = candidate.InterestingPaths(d.fc, d.k.Set)
	}
	var parent gitext.OID
	if len(c.Commit.Parents) > 0 {
		parent = c.Commit.Parents[0]
	}
	patch, err := d.repo.Patch(ctx, parent, c.OID, opt)
	if gitext.Unreadable(err) {
		return "(this clone lacks some of its objects)\n", nil
	}
	if err != nil {
		return "", err
	}
	patch = d.fc.Mask.Patch(patch)
	if d.opt.NoCompression {
		return wholePatch(patch, room), nil
	}
	return d.excerptOfPatch(c, patch, room), nil
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
