package szzcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
)

// maxPatchFile bounds the file of --patch, in bytes.
const maxPatchFile = 64 << 20

// patchedFix returns the question about the patches of --patch, which together are one fix.
func (c *Szz) patchedFix(ctx context.Context, a *app.App, repo *gitext.Repo) (szz.Question, error) {
	text, err := readPatchFile(a, c.Patch)
	if err != nil {
		return szz.Question{}, err
	}
	mails, err := repo.ReadMails(ctx, text)
	if err != nil {
		return szz.Question{}, err
	}
	if len(mails) == 0 {
		name := c.Patch
		if name == "-" {
			name = "standard input"
		}
		return szz.Question{}, app.WithHint(fmt.Errorf("%s has no patch", name), "give what git format-patch, git diff or git show prints")
	}
	base, err := c.patchBase(ctx, a, repo, mails)
	return szz.Question{Fix: base, Source: szz.SourcePatch, Mails: mails}, err
}

// patchBase returns the commit that the patches apply to, and says which one it is unless it is
// HEAD or named.
func (c *Szz) patchBase(ctx context.Context, a *app.App, repo *gitext.Repo, mails []gitext.Mail) (gitext.OID, error) {
	tip, err := repo.Resolve(ctx, "HEAD")
	if c.Base != "" {
		tip, err = repo.Resolve(ctx, c.Base)
	}
	if err != nil {
		return "", err
	}
	if c.Base != "" {
		_, err := repo.PatchOfMails(ctx, tip, mails, gitext.PatchOptions{})
		return tip, err
	}
	base, err := repo.BaseOfMails(ctx, tip, mails)
	switch {
	case errors.As(err, new(*gitext.ApplyError)):
		return "", app.WithHint(err, "name the commit that it applies to with --base=<commit>")
	case err == nil && base != tip:
		a.Say("the fix applies to %s", base.Short())
	}
	return base, err
}

// readPatchFile reads a file, or standard input for "-".
func readPatchFile(a *app.App, name string) ([]byte, error) {
	in := a.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPatchFile+1))
	if err == nil && len(text) > maxPatchFile {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxPatchFile>>20)
	}
	return text, err
}
