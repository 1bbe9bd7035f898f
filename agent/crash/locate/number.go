package locate

import (
	"context"
	"regexp"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// anyNumber stands in the state of ClusterFuzz for the digits of a number: probe_isoNUMBER is
// probe_iso9660.
const anyNumber = "NUMBER"

// nameNumbers gives functions whose names lost their numbers the names that the commit has, if it
// has one that fits.
func nameNumbers(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) error {
	for i := range report.Stacks {
		if report.Stacks[i].Format != "clusterfuzz" {
			continue
		}
		for j := range report.Stacks[i].Frames {
			f := &report.Stacks[i].Frames[j]
			name := symbol.Last(f.Function)
			if !strings.Contains(name, anyNumber) {
				continue
			}
			full, err := onlyName(ctx, repo, commit, strings.ReplaceAll(regexp.QuoteMeta(name), anyNumber, "[0-9]+"))
			if err != nil {
				return err
			}
			if full != "" {
				f.Symbol, f.Function = f.Function, strings.TrimSuffix(f.Function, name)+full
			}
		}
	}
	return nil
}

// onlyName returns the one name of a function that fits a pattern in the files of a commit, or ""
// if there is none or several fit.
func onlyName(ctx context.Context, repo *gitext.Repo, commit gitext.OID, pattern string) (string, error) {
	matches, err := repo.Grep(ctx, commit, gitext.GrepOptions{Pattern: pattern, Word: true, Max: 500})
	if err != nil && !gitext.Unreadable(err) {
		return "", err
	}
	called, only := regexp.MustCompile(`\b(`+pattern+`) *\(`), ""
	for _, m := range matches {
		for _, found := range called.FindAllSubmatch(m.Text, -1) {
			name := string(found[1])
			if only != "" && only != name {
				return "", nil
			}
			only = name
		}
	}
	return only, nil
}
