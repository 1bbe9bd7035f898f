package szztrain

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz"
	"git-agent/cmd/train/heldout"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// These patterns select messages that may name a culprit: a hash, a word that blames a commit,
// and words that show another kind of mention. They are narrower than the patterns of package
// szz, since a wrong case would mislead the training.
var (
	anyHash   = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)
	blameWord = regexp.MustCompile(
		`(?i)\b(introduc\w*|regress\w*|brok\w*|breaks?|breakage|caused|culprit|bug (?:in|from)|mistake\w*|oversight in|missed in|error in|accidental\w*|typo in|fix(?:es|ed|up)?:? (?:for |of |bug |issue |commit )*[0-9a-f]{7,40})\b`,
	)
	otherMention = regexp.MustCompile(
		`(?i)\b(cherry[- ]picked|backport\w*|upstream commit|similar(?:ly)? to|see also|merged?|follow[- ]?up|revert\w*|fixed (?:in|by)|bisect\w*)\b`,
	)
)

// maxCulprits is the largest number of commits that a fix may blame. Longer lists are
// changelogs.
const maxCulprits = 3

// mine writes a case for every fix in the history of HEAD whose message names the commit that
// introduced the bug, in the manner of Rosa et al. (ICSE 2021). With more training repositories,
// the model is better on new ones.
func mine(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("mine", flag.ContinueOnError)
	root := fs.String("repos", "", "`folder` with the repositories")
	skip := fs.String("skip", "", "leave out the fixes of these case `files`, separated by commas")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if err := heldout.RefuseNames("szz", fs.Args()); err != nil {
		return err
	}
	known, err := fixesOf(ctx, *skip)
	if err != nil {
		return err
	}
	return material.WriteEach(ctx, fs.Args(), func(name string, out *json.Encoder) error {
		cases, err := mineRepo(ctx, *root, name, known)
		for _, c := range cases {
			out.Encode(c)
		}
		fmt.Fprintf(os.Stderr, "%s: %d cases\n", name, len(cases))
		return err
	})
}

// mineRepo finds the cases of one repository, oldest first. It adds their fixes
// to known, because forks contain them too.
func mineRepo(ctx context.Context, root, name string, known map[gitext.OID]bool) ([]szzeval.Case, error) {
	repo, err := material.Open(ctx, root, name)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	commits, err := blamingCommits(ctx, repo)
	if err != nil {
		return nil, err
	}
	var cases []szzeval.Case
	for _, c := range commits {
		if known[c.OID] {
			continue
		}
		bics, trailer, err := culprits(ctx, repo, c.OID)
		if err != nil {
			return cases, err
		}
		if len(bics) == 0 || len(bics) > maxCulprits {
			continue
		}
		known[c.OID] = true
		label := "prose:mined"
		if trailer {
			label = "trailer:mined"
		}
		cases = append(cases, szzeval.Case{ID: name + "@" + string(c.OID[:12]), Repo: name, Fix: c.OID, BICs: bics, LabelSource: label})
	}
	return cases, nil
}

// blamingCommits lists the commits whose messages contain a hash and a blaming
// word, oldest first. It leaves out reverts, which undo a commit and do not
// repair it.
func blamingCommits(ctx context.Context, repo *gitext.Repo) ([]gitext.Commit, error) {
	var found []gitext.Commit
	for c, err := range material.History(ctx, repo) {
		if err != nil {
			return nil, err
		}
		revert := strings.HasPrefix(strings.ToLower(c.Message), "revert") || strings.Contains(c.Message, "This reverts commit")
		if !revert && len(c.Parents) == 1 && blameWord.MatchString(c.Message) && anyHash.MatchString(withoutGitSVN(c.Message)) {
			found = append(found, c)
		}
	}
	slices.Reverse(found)
	return found, nil
}

// withoutGitSVN removes the line that git-svn adds at the end of a message, because
// its identifier looks like a hash.
func withoutGitSVN(message string) string {
	before, _, _ := strings.Cut(message, "git-svn-id:")
	return before
}

// culprits returns the verified commits that a fix's message blames. It leaves out merges,
// because no engine names them. trailer reports whether Fixes: lines named all of them.
func culprits(ctx context.Context, repo *gitext.Repo, fix gitext.OID) (bics []gitext.OID, trailer bool, err error) {
	fc, err := szz.NewContext(ctx, repo, fix, szz.ContextOptions{})
	if errors.As(err, new(*gitext.MissingObjectError)) {
		return nil, false, nil // this clone lacks a file, so the case would be incomplete
	}
	if err != nil {
		return nil, false, err
	}
	trailer = true
	named := map[gitext.OID]bool{}
	for _, a := range fc.Annotations {
		if !a.Verified || a.Kind == szz.AnnotationRevert {
			continue
		}
		if a.Kind == szz.AnnotationProse && (!blameWord.MatchString(a.Text) || otherMention.MatchString(a.Text)) {
			continue
		}
		c, err := repo.Commit(ctx, a.Commit)
		if err != nil {
			return nil, false, err
		}
		if len(c.Parents) < 2 {
			named[a.Commit] = true
			trailer = trailer && a.Kind == szz.AnnotationTrailer
		}
	}
	return slices.Sorted(maps.Keys(named)), trailer, nil
}
