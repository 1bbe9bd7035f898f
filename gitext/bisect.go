package gitext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"git-agent/gitext/gitcmd"
)

// A Bisection is one step in the search for the first bad commit.
type Bisection struct {
	Next  OID // the commit to try; "" when none is left
	Left  int // commits that may be the first bad one, the bad one included
	Steps int // git's estimate of the remaining tries
}

// Bisect picks the commit that best divides the range between known good commits
// and a known bad one, as git bisect does. It never picks a commit in skip. Each
// skipped commit in the range moves the pick further from the middle, because
// untestable commits are usually neighbours.
func (r *Repo) Bisect(ctx context.Context, bad OID, good, skip []OID) (Bisection, error) {
	args := []string{"rev-list", "--bisect-vars", "--stdin"}
	out, err := r.revList(ctx, args, bad, good)
	if err != nil {
		return Bisection{}, err
	}
	b := bisectVars(out)
	if b.Left <= 1 {
		b.Next = ""
		return b, nil
	}
	if slices.Contains(skip, b.Next) {
		b.Next, err = r.bisectAround(ctx, bad, good, skip)
	}
	return b, err
}

// bisectVars reads the shell assignments printed by --bisect-vars.
func bisectVars(out []byte) Bisection {
	var b Bisection
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, "'")
		switch name {
		case "bisect_rev":
			b.Next = OID(value)
		case "bisect_all":
			b.Left, _ = strconv.Atoi(value)
		case "bisect_steps":
			b.Steps, _ = strconv.Atoi(value)
		}
	}
	return b
}

// bisectAround picks the commit that best divides the range and is not in skip,
// or "" when none is left.
func (r *Repo) bisectAround(ctx context.Context, bad OID, good, skip []OID) (OID, error) {
	out, err := r.revList(ctx, []string{"rev-list", "--bisect-all", "--stdin"}, bad, good)
	if err != nil {
		return "", err
	}
	skipped := map[OID]bool{}
	for _, oid := range skip {
		skipped[oid] = true
	}
	var left []OID
	seen := 0
	for line := range bytes.Lines(out) {
		text, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		oid, err := ParseOID(string(text))
		switch {
		case err != nil:
			return "", fmt.Errorf("rev-list --bisect-all: %w", err)
		case oid == bad:
		case skipped[oid]:
			seen++
		default:
			left = append(left, oid)
		}
	}
	if len(left) == 0 {
		return "", nil
	}
	const reluctance = 6 // the first skip moves the pick by one seventh of the range
	return left[len(left)*seen/(seen+reluctance)], nil
}

// CountCommits counts the ancestors of tip, tip included, that no commit in not
// reaches.
func (r *Repo) CountCommits(ctx context.Context, tip OID, not []OID) (int, error) {
	out, err := r.revList(ctx, []string{"rev-list", "--count", "--stdin"}, tip, not)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// AncestorAt returns the commit n places after tip in the history of tip,
// newest first and over all branches, or "" if the history is shorter.
func (r *Repo) AncestorAt(ctx context.Context, tip OID, n int) (OID, error) {
	out, err := r.revList(ctx, []string{"rev-list", "--max-count=1", "--skip=" + strconv.Itoa(n), "--stdin"}, tip, nil)
	if err != nil || len(out) == 0 {
		return "", err
	}
	return ParseOID(strings.TrimSpace(string(out)))
}

// revList runs rev-list on the history of tip, without the history of the commits
// in not.
func (r *Repo) revList(ctx context.Context, args []string, tip OID, not []OID) ([]byte, error) {
	if err := validAll(append([]OID{tip}, not...)...); err != nil {
		return nil, err
	}
	var in bytes.Buffer
	fmt.Fprintln(&in, tip)
	for _, oid := range not {
		fmt.Fprintf(&in, "^%s\n", oid)
	}
	out, err := r.shadow.Output(ctx, gitcmd.Call{Args: args, Stdin: &in})
	if err != nil {
		return nil, r.explain(ctx, err)
	}
	return out, nil
}

// Newest lists at most max commits of the history of tip, tip included, without the history of
// the commits in not. Children come before their parents. A max of 0 lists all.
func (r *Repo) Newest(ctx context.Context, tip OID, not []OID, max int) ([]Ancestor, error) {
	args := []string{"rev-list", "--topo-order", "--parents", "--timestamp", "--stdin"}
	if max > 0 {
		args = append(args, "--max-count="+strconv.Itoa(max))
	}
	out, err := r.revList(ctx, args, tip, not)
	if err != nil {
		return nil, err
	}
	var list []Ancestor
	for line := range strings.Lines(string(out)) {
		a, err := parseAncestor(line)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// MergeBase reports the best common ancestor of two commits, or "" if they have none.
func (r *Repo) MergeBase(ctx context.Context, a, b OID) (OID, error) {
	if err := validAll(a, b); err != nil {
		return "", err
	}
	out, err := r.shadow.Output(ctx, gitcmd.Call{Args: []string{"merge-base", string(a), string(b)}})
	var gitErr *gitcmd.Error
	if errors.As(err, &gitErr) && gitErr.Exit == 1 {
		return "", nil
	}
	if err != nil {
		return "", r.explain(ctx, err, a, b)
	}
	return ParseOID(strings.TrimSpace(string(out)))
}
