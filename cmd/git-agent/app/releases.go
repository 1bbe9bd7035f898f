package app

import (
	"context"
	"io"

	"git-agent/agent/release"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// ReleaseFlags are the options about releases and branches of verbs that find a culprit without a
// fix.
type ReleaseFlags struct {
	Affected bool     `help:"also print which tags have the bug: those with the commit that introduced it"`
	Branches []string `sep:"none" placeholder:"<pattern>" help:"with --affected, also say which of the branches that match <pattern> have the bug; may be given several times"`
}

// CheckReleases returns an error if the form of the answer has no place for releases.
func (f ReleaseFlags) CheckReleases(otherForm bool) error {
	switch {
	case len(f.Branches) > 0 && !f.Affected:
		return Usagef("--branches needs --affected")
	case f.Affected && otherForm:
		return Usagef("--affected goes with answers for people and with --json only")
	}
	return nil
}

// PrintReleases prints the releases with a bug behind the answer that names its culprit: for people
// to page, or as JSON to a.Raw if page is nil.
func (f ReleaseFlags) PrintReleases(ctx context.Context, a *App, repo *gitext.Repo, culprit release.Culprit, page io.Writer) error {
	found, err := release.Find(ctx, repo, release.Question{Culprits: []release.Culprit{culprit}, Branches: f.Branches})
	if err != nil {
		return err
	}
	if page == nil {
		return render.WriteJSON(a.Raw, render.AffectedJSONOf(found), "\n")
	}
	if _, err := io.WriteString(page, "\n"); err != nil {
		return err
	}
	people := render.Affected{W: page, Color: a.NewPalette(ctx), All: a.Flags.Verbose > 0}
	return people.Answer(found)
}
