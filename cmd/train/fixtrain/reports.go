package fixtrain

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/localize"
	"git-agent/agent/source"
	"git-agent/cmd/train/heldout"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// These bound what is read of one history.
const (
	mostLookedAt  = 5000 // commits
	mostFixedFile = 4    // source files of one fix
)

var (
	saysFix  = source.Lazy(`(?i)\b(?:fix(?:es|ed)?|bug|crash(?:es)?|panics?|wrong(?:ly)?|incorrect(?:ly)?|broken|hang)\b`)
	saysElse = source.Lazy(`(?i)\b(?:typos?|docs?|documentation|readme|changelog|tests?|specs?|lint(?:er)?|ci|builds?|comments?|spelling|style|format(?:ting)?|flaky|release|version|examples?|workflows?|warnings?|revert|merge)\b`)
	ofTicket = source.Lazy(`\s*\(?(?:#|gh-)\d+\)?\.?\s*$`)
)

// reports writes the features of all functions for fixes of histories whose subject is all that is known of the bug, as a
// short report would be: the state of knowledge in which a user has no failing test.
func reports(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("reports", flag.ContinueOnError)
	dir := flags.String("repos", ".", "the `folder` that holds the repositories")
	most := flags.Int("most", 6, "the most fixes of one repository")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := heldout.RefuseNames("fix", flags.Args()); err != nil {
		return err
	}
	return material.WriteEach(ctx, flags.Args(), func(name string, out *json.Encoder) error {
		repo, err := material.Open(ctx, *dir, name)
		if err != nil {
			return err
		}
		defer repo.Close()
		rows, err := reportRows(ctx, repo, name, *most)
		for _, r := range rows {
			out.Encode(r)
		}
		fmt.Fprintf(os.Stderr, "%s: %d reports\n", name, len(rows))
		return err
	})
}

// reportRows returns rows of the newest fixes of a repository, spread over what is looked at.
func reportRows(ctx context.Context, repo *gitext.Repo, name string, most int) ([]row, error) {
	var fixes []gitext.Commit
	looked := 0
	for c, err := range material.History(ctx, repo) {
		if err != nil {
			return nil, err
		}
		if looked++; looked > mostLookedAt {
			break
		}
		if s := c.Subject(); len(c.Parents) == 1 && saysFix().MatchString(s) && !saysElse().MatchString(s) {
			fixes = append(fixes, c)
		}
	}
	var rows []row
	for step := range fixes {
		if len(rows) == most {
			break
		}
		c := fixes[spread(step, len(fixes))]
		r, err := reportRow(ctx, repo, name, c)
		if err != nil {
			return rows, fmt.Errorf("%s@%s: %w", name, c.OID.Short(), err)
		}
		if slices.Contains(r.Right, true) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// spread returns the i-th of n numbers in an order that jumps through them.
func spread(i, n int) int {
	const stride = 7919 // a prime, larger than most lists
	if n%stride == 0 {
		return i
	}
	return i * stride % n
}

// reportRow returns the row of a fix, which has no function if the fix changes more or less than a few files of source.
func reportRow(ctx context.Context, repo *gitext.Repo, name string, c gitext.Commit) (row, error) {
	b := bug{ID: name + "@" + c.OID.Short(), Repo: name, Base: c.Parents[0], Fix: c.OID}
	r := row{ID: b.ID, Repo: name, State: noTests}
	changes, err := repo.Changes(ctx, b.Base, b.Fix, gitext.PatchOptions{})
	if err != nil {
		return r, err
	}
	for _, f := range changes {
		if f.Status == 'M' && source.FileKindOf(f.OldPath) == source.SourceFile {
			b.SrcFiles = append(b.SrcFiles, f.OldPath)
		}
	}
	if len(b.SrcFiles) == 0 || len(b.SrcFiles) > mostFixedFile {
		return r, nil
	}
	changed, err := changedLines(ctx, repo, b)
	if err != nil || len(changed) == 0 {
		return r, err
	}
	report := strings.TrimSpace(ofTicket().ReplaceAllString(c.Subject(), ""))
	r.Files = b.SrcFiles
	r.Example, err = localize.Examine(ctx, repo, localize.Input{Problem: fix.Problem{Tree: fix.Tree{Commit: b.Base}, Report: report}})
	for _, f := range r.Functions {
		r.Right = append(r.Right, changed.in(f))
	}
	return r, err
}
