package gittool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Scope bounds the tools' view: the tip and its ancestors, and nothing else. A date is a
// second bound, for commits whose clock runs ahead: no search finds them and no call may
// name them, though blame still attributes lines to them.
type Scope struct {
	Tip   gitext.OID // newest visible commit: the parent of the fix under study
	Fix   gitext.OID // commit that must never be seen, "" if there is none
	Until time.Time  // no commit after this moment; zero for no bound
	// TipOnly hides all commits except the tip, so that a call can name no other.
	TipOnly bool
	// Without names tools that the caller does not have. No answer recommends them.
	Without []string
	Redact  Redactor
	Names   map[string]gitext.OID // short names that calls may use for commits, in lower case
}

// has reports whether the caller has a tool.
func (s Scope) has(tool string) bool { return !slices.Contains(s.Without, tool) }

// Resolve resolves a model's text, with any decoration, to a commit of the scope, like
// the tools. An impossible name is a *CallError for the model.
func (s Scope) Resolve(ctx context.Context, repo *gitext.Repo, tool, text string) (gitext.OID, error) {
	b := &scopedRepo{repo: repo, scope: s}
	oid, err := b.revision(ctx, text)
	if err != nil {
		return "", wordRefusal(tool, err)
	}
	return oid, nil
}

// shortName matches the short names that first prompts give to commits.
var shortName = source.Lazy(`\bc[1-9][0-9]?\b`)

// WithHashes explains each short name in a model's text once, by its commit: the reader
// of an answer has not seen the list.
func (s Scope) WithHashes(text string) string {
	explained := map[string]bool{}
	return shortName().ReplaceAllStringFunc(text, func(name string) string {
		oid, ok := s.Names[name]
		if !ok || explained[name] {
			return name
		}
		explained[name] = true
		return name + " (" + oid.Short() + ")"
	})
}

// shortHash is the number of hash digits in answers. prefixes lists the shorter lengths
// that are tried for a hash with a wrong end, because models remember beginnings better
// than ends (AgentSZZ, section 3.5).
const (
	shortHash = 12
	minHash   = 7
)

var prefixes = [...]int{12, 10, 8, minHash}

// hiddenName matches the label that a mask writes instead of the name of a commit.
var hiddenName = source.Lazy(`^\s*<commit [A-Z]{1,4}>\s*$`)

var revisionForm = source.Lazy(`^(HEAD|@|[0-9a-fA-F]+)((?:\^[0-9]*|~[0-9]*)*)$`)

// revision resolves a caller's text to a commit of the scope. It accepts hashes and HEAD
// (the tip), followed by ^ and ~N, but no other names, since branches and tags may lie
// outside the scope.
func (b *scopedRepo) revision(ctx context.Context, text string) (gitext.OID, error) {
	oid, err := b.named(ctx, text)
	return oid, faulty(err, agent.FaultCommit)
}

// named is revision without the fault of a refusal.
func (b *scopedRepo) named(ctx context.Context, text string) (gitext.OID, error) {
	if hiddenName().MatchString(text) {
		return "", refusef("%s is a commit whose name is hidden here: find it by what it changed", strings.TrimSpace(text))
	}
	cleaned := strings.Trim(text, " \t\r\n`'\"<>()[].,:;")
	cleaned = strings.TrimSpace(strings.TrimPrefix(cleaned, "commit "))
	if cleaned == "" {
		return b.scope.Tip, nil
	}
	m := revisionForm().FindStringSubmatch(cleaned)
	if m == nil {
		return "", refusef(
			"%q is not a commit hash; names of branches and tags are not known here. Write a hash of at least %d digits, or leave commit out for the newest visible commit, %s",
			agent.Shorten(agent.CleanLine(text), 60),
			minHash,
			b.scope.Tip.Short(),
		)
	}
	oid := b.scope.Tip
	if b.scope.TipOnly && (m[2] != "" || !isTip(m[1], oid)) {
		return "", refusef("no other commit can be seen here; leave commit out for the only visible one, %s", oid.Short())
	}
	if named, ok := b.scope.Names[strings.ToLower(m[1])]; ok {
		oid = named
	} else if m[1] != "HEAD" && m[1] != "@" {
		var err error
		if oid, err = b.hash(ctx, strings.ToLower(m[1])); err != nil {
			return "", err
		}
	}
	return b.walk(ctx, oid, m[2])
}

// isTip reports whether a name means the tip.
func isTip(name string, tip gitext.OID) bool {
	return name == "HEAD" || name == "@" || len(name) >= minHash && strings.HasPrefix(string(tip), strings.ToLower(name))
}

// resolve replaces the commit parameter of a call with its id.
func (b *scopedRepo) resolve(ctx context.Context, commit *string) (gitext.OID, error) {
	oid, err := b.revision(ctx, *commit)
	if err == nil {
		*commit = string(oid)
	}
	return oid, err
}

// hash resolves hexadecimal digits to one commit of the scope.
func (b *scopedRepo) hash(ctx context.Context, hex string) (gitext.OID, error) {
	if len(hex) < minHash {
		return "", refusef("%q is too short for a commit hash; give at least %d digits", hex, minHash)
	}
	var refused error
	for _, n := range append([]int{len(hex)}, prefixes[:]...) {
		if n > len(hex) {
			continue
		}
		// A branch may have the name of a hash, so the prefix is compared.
		oid, err := b.repo.Resolve(ctx, hex[:n])
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil || !strings.HasPrefix(string(oid), hex[:n]) {
			continue
		}
		if err := b.admit(ctx, oid); err != nil {
			var no *refusal
			if !errors.As(err, &no) || n == len(hex) {
				return "", err
			}
			refused = err
			continue
		}
		if n < len(hex) {
			b.notef("no commit is called %s; its first %d digits are those of %s", hex, n, oid.Short())
		}
		return oid, nil
	}
	return b.searchHash(ctx, hex, refused)
}

// searchHash searches the scope for a prefix that git could not resolve: the prefix is
// unknown, or ambiguous in the repository but perhaps unique in the scope.
func (b *scopedRepo) searchHash(ctx context.Context, hex string, refused error) (gitext.OID, error) {
	var found []gitext.LogEntry
	want := hex[:min(len(hex), shortHash)]
	for entry, err := range b.repo.Log(ctx, gitext.LogOptions{Tip: b.scope.Tip}) {
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(string(entry.OID), want) && !b.tooLate(entry.CommitTime) {
			found = append(found, entry)
		}
	}
	switch len(found) {
	case 0:
		if refused != nil {
			return "", refused
		}
		return "", refusef("no visible commit is called %s; copy a hash from an earlier answer", hex)
	case 1:
		return found[0].OID, nil
	}
	var names []string
	for _, e := range found[:min(len(found), maxNear)] {
		names = append(names, fmt.Sprintf("%s (%s)", e.OID, agent.Shorten(b.subject(e.Subject), 60)))
	}
	return "", refusef("%s is ambiguous; it may be %s", hex, strings.Join(names, ", "))
}

// walk follows ^, ^N, ~ and ~N from oid, as git does.
func (b *scopedRepo) walk(ctx context.Context, oid gitext.OID, steps string) (gitext.OID, error) {
	for steps != "" {
		op := steps[0]
		digits := len(steps[1:]) - len(strings.TrimLeft(steps[1:], "0123456789"))
		n := 1
		if digits > 0 {
			var err error
			if n, err = strconv.Atoi(steps[1 : 1+digits]); err != nil || n > 10000 {
				return "", refusef("%q leads too far back", steps)
			}
		}
		steps = steps[1+digits:]
		parent, repeat := n, 1
		if op == '~' {
			parent, repeat = 1, n
		}
		for range repeat {
			var err error
			if oid, err = b.parent(ctx, oid, parent); err != nil {
				return "", err
			}
		}
	}
	return oid, nil
}

// parent returns the n-th parent; ^0 is the commit itself.
func (b *scopedRepo) parent(ctx context.Context, oid gitext.OID, n int) (gitext.OID, error) {
	if n == 0 {
		return oid, nil
	}
	c, err := b.repo.Commit(ctx, oid)
	if err != nil {
		return "", err
	}
	switch {
	case b.repo.ShallowBoundary()[oid]:
		return "", refusef("the history before %s is not in this repository (shallow clone)", oid.Short())
	case len(c.Parents) == 0:
		return "", refusef("%s is the first commit of its history; it has no parent", oid.Short())
	case n > len(c.Parents):
		return "", refusef("%s has %d parent(s), not %d", oid.Short(), len(c.Parents), n)
	}
	return c.Parents[n-1], nil
}

// admit returns nil if oid belongs to the scope.
func (b *scopedRepo) admit(ctx context.Context, oid gitext.OID) error {
	if oid == b.scope.Fix {
		return refusef("%s is the fix under study, which the tools do not show; the newest visible commit is its parent, %s",
			oid.Short(), b.scope.Tip.Short())
	}
	inside := oid == b.scope.Tip
	if !inside {
		var err error
		if inside, err = b.repo.IsAncestor(ctx, oid, b.scope.Tip); err != nil {
			return err
		}
	}
	if inside && !b.scope.Until.IsZero() {
		c, err := b.repo.Commit(ctx, oid)
		if err != nil {
			return err
		}
		inside = !b.tooLate(c.Committer.Time)
	}
	if !inside {
		return refusef("%s cannot be seen: it is not %s or one of its ancestors", oid.Short(), b.scope.Tip.Short())
	}
	return nil
}

func (b *scopedRepo) tooLate(t time.Time) bool {
	return !b.scope.Until.IsZero() && t.After(b.scope.Until)
}

// subject redacts and escapes a subject line.
func (b *scopedRepo) subject(s string) string {
	return agent.CleanLine(b.scope.Redact.apply(s))
}

// day parses a date parameter; end makes it the last second of that day.
func day(name, value string, end bool) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, value)
	if err != nil {
		return t, refusef("%q must be a date such as 2019-12-31, got %q", name, agent.Shorten(agent.CleanLine(value), 40))
	}
	if end {
		t = t.Add(24*time.Hour - time.Second)
	}
	return t, nil
}

// span parses since and until, and limits until to the scope's.
func (b *scopedRepo) span(since, until string) (from, to time.Time, err error) {
	if from, err = day("since", since, false); err != nil {
		return from, to, err
	}
	if to, err = day("until", until, true); err != nil {
		return from, to, err
	}
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		return from, to, refusef("\"until\" (%s) is before \"since\" (%s)", until, since)
	}
	if !b.scope.Until.IsZero() && (to.IsZero() || to.After(b.scope.Until)) {
		to = b.scope.Until
	}
	return from, to, nil
}
