package szzcmd

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"git-agent/agent/release"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// AffectedFlags are the options about releases and branches.
type AffectedFlags struct {
	Affected bool     `help:"print which tags have the bug: those with the first suspect and without the fix, and without picks of it"`
	Branches []string `sep:"none" placeholder:"<pattern>" help:"with --affected, also say which of the branches that match <pattern> have the bug, and whether the fix applies there; may be given several times"`
	OSV      bool     `name:"osv" xor:"form" help:"with --affected, print a record in the OSV format"`
	OSVID    string   `name:"osv-id" placeholder:"<id>" help:"with --osv, the id of the record; default: the CVE or GHSA id in the message of the fix, or a placeholder"`
}

// checkAffected returns an error for options about releases that make no sense.
func (c *Szz) checkAffected() error {
	switch {
	case c.Affected && (c.Check || c.Trailer || c.Format != nil || c.Note || c.Journal != "" || c.ShowRequest):
		return app.Usagef("--affected goes with none of --check, --trailer, --format, --note, --journal and --show-request")
	case !c.Affected && (c.OSV || len(c.Branches) > 0 || len(c.Culprit) > 0):
		return app.Usagef("--osv, --branches and --culprit need --affected")
	case c.OSVID != "" && !c.OSV:
		return app.Usagef("--osv-id needs --osv")
	case len(c.Culprit) > 0 && (c.verifies() || c.ModelFlags.Used()):
		return app.Usagef("with --culprit, nothing is traced, so neither a model nor a command is of use")
	}
	return nil
}

// affectedForm prints which releases have the bugs of fixes.
type affectedForm struct {
	ctx    context.Context
	a      *app.App
	repo   *gitext.Repo
	flags  AffectedFlags
	json   bool
	end    string
	people render.Affected
	origin string // the URL of the repository; for --osv
}

// newAffectedForm returns the form for the options. People read what w gets.
func newAffectedForm(ctx context.Context, a *app.App, repo *gitext.Repo, flags AffectedFlags, people render.Affected) (*affectedForm, error) {
	f := &affectedForm{ctx: ctx, a: a, repo: repo, flags: flags, end: "\n", people: people}
	if flags.OSV {
		urls, err := repo.RemoteURLs(ctx)
		if err != nil {
			return nil, err
		}
		if f.origin = publicURL(urls); f.origin == "" {
			a.WarnOnce("no remote has a public URL, so the record has versions, but no range of commits")
		}
	}
	return f, nil
}

// publicURL returns the first URL that others can use, without credentials; "" if there is none.
func publicURL(urls []string) string {
	for _, text := range urls {
		if host, path, ok := strings.Cut(text, ":"); ok && !strings.Contains(host, "/") && strings.Contains(host, "@") && !strings.HasPrefix(path, "//") {
			text = "https://" + host[strings.IndexByte(host, '@')+1:] + "/" + strings.TrimPrefix(path, "/") // git@host:path
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || !slices.Contains([]string{"https", "http", "git", "ssh"}, u.Scheme) {
			continue
		}
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		return u.String()
	}
	return ""
}

// Answer prints the releases for an answer of szz.
func (f *affectedForm) Answer(ans render.Answer) error {
	v := ans.Answer
	q := release.Question{Fix: v.Fix, Culprits: render.CulpritsOf(v), Branches: f.flags.Branches}
	if v.Fix != "" && v.Parent == "" && len(v.Suspects) == 0 || len(q.Culprits) == 0 {
		f.a.Say("no suspect of %s is known, so the releases with the bug are not known either", subjectText(v.Fix))
		for _, n := range v.Notes {
			f.a.Say("note: %s", ui.OneLine(n))
		}
		return nil
	}
	return f.print(q, v.Notes)
}

// subjectText names a fix.
func subjectText(fix gitext.OID) string {
	if fix == "" {
		return "the uncommitted fix"
	}
	return fix.Short()
}

// print answers a question and prints the answer.
func (f *affectedForm) print(q release.Question, notes []string) error {
	found, err := release.Find(f.ctx, f.repo, q)
	if err != nil {
		return err
	}
	found.Notes = append(found.Notes, notes...)
	switch {
	case f.flags.OSV:
		id := f.flags.OSVID
		if id == "" {
			if id = render.OSVID(found); strings.HasPrefix(id, render.OSVPlaceholder) {
				f.a.WarnOnce("the id of the record is a placeholder; --osv-id sets it")
			}
		}
		return render.WriteJSON(f.a.Raw, render.OSVOf(found, id, f.origin, "git-agent "+app.VersionString()), f.end)
	case f.json:
		return render.WriteJSON(f.a.Raw, render.AffectedJSONOf(found), f.end)
	}
	return f.people.Answer(found)
}

// runCulprit prints the releases with a bug whose culprit the user names. Nothing is traced.
func (c *Szz) runCulprit(ctx context.Context, a *app.App, repo *gitext.Repo) error {
	oids, err := repo.ResolveRevisions(ctx, c.Culprit)
	if err != nil {
		return err
	}
	commits, err := repo.Commits(ctx, oids)
	if err != nil {
		return err
	}
	q := release.Question{Branches: c.Branches}
	for _, commit := range commits {
		q.Culprits = append(q.Culprits, release.Culprit{Commit: commit, Probability: 1})
	}
	people := render.Affected{W: a.Stdout, Color: a.NewPalette(ctx), All: a.Flags.Verbose > 0}
	form, err := newAffectedForm(ctx, a, repo, c.AffectedFlags, people)
	if err != nil {
		return err
	}
	form.json, form.end = c.JSON, app.LineEnd(c.Null)
	fixes, _, err := c.fixes(ctx, a, repo)
	if err != nil {
		return err
	}
	for fix, err := range fixes {
		if err != nil {
			return err
		}
		if q.Fix = fix.Fix; !fix.Committed() {
			q.Fix = ""
		}
		if err := form.print(q, nil); err != nil {
			return fmt.Errorf("%s: %w", subjectText(q.Fix), err)
		}
	}
	return nil
}
