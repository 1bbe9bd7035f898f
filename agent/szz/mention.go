package szz

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// These patterns find commits that are named by a subject in quotation marks.
var (
	quotedTitle = source.Lazy(`["“]([^"“”\n]{8,120}(?:\n[^"“”\n]{1,80})?)["”]`)
	titleBlamed = source.Lazy(
		`(?i)(?:\b(?:commit|change|patch)s?\s+@|\b(?:introduced|caused|broken|revealed|exposed|regress\w*)\s+(?:in|by|with|from|since|after)\s+(?:the\s+)?(?:commit\s+|change\s+|patch\s+)?@)`,
	)
)

// mostReferences is the largest number of commit names without a hash that are looked up
// for one message. Each subject is a walk over the messages of all ancestors, and all numbers are one.
const mostReferences = 3

// A mention names a commit by its subject or by a number that its message carries.
type mention struct {
	title   string  // the subject, or ""
	kind    *ticket // the kind of the number, nil for a subject
	number  string
	written string // the number in the form of the message, such as "PR #12"
	around  string // the sentence, as far as read
	text    string // an excerpt of it
}

// mentions returns the subjects and numbers that the text blames.
func mentions(body string) []mention {
	var found []mention
	title, _, _ := strings.Cut(body, "\n")
	for _, m := range quotedTitle().FindAllStringSubmatchIndex(body, -1) {
		s := sentenceAround(body, m[0], m[1])
		text := s.pattern()
		if hexWord().MatchString(s.before+s.behind) || !titleBlamed().MatchString(text) || !s.blames(title) {
			continue // the hash is the better name
		}
		found = append(found, mention{title: strings.Join(strings.Fields(body[m[2]:m[3]]), " "), around: s.before + s.behind, text: s.excerpt()})
	}
	for i := range tickets {
		found = append(found, tickets[i].mentions(body)...)
	}
	if len(found) > mostReferences {
		return nil
	}
	return found
}

// referredAnnotations finds the commits that the message of commit in blames by a subject
// or a number; in is the fix or a commit that it merges. It searches the ancestors of the
// fix's parent. A name of no commit or of several is left out: a title of two commits is
// ambiguous, unless the sentence has the author or the date of one of them.
func referredAnnotations(ctx context.Context, repo *gitext.Repo, fc *FixContext, in gitext.Commit, body string) ([]Annotation, error) {
	if fc.Parent == "" {
		return nil, nil
	}
	var found []Annotation
	list := slices.DeleteFunc(mentions(body), func(r mention) bool {
		return r.kind != nil && r.kind.report && fixCloses(in.Message, r.number) // the report of the bug itself
	})
	numbered, err := withNumbers(ctx, repo, fc.Parent, list)
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		matched := numbered
		if r.kind == nil {
			if matched, err = withTitle(ctx, repo, fc.Parent, r.title); err != nil {
				return nil, err
			}
		}
		commits := r.commits(matched)
		if len(commits) == 1 && !slices.ContainsFunc(found, func(a Annotation) bool { return a.Commit == commits[0] }) {
			found = append(found, Annotation{Kind: AnnotationProse, Text: r.text, Commit: commits[0], Subject: r.title, Verified: true, In: in.OID})
		}
	}
	return found, nil
}

// mostMatches is the largest number of messages with a name.
const mostMatches = 50

// withTitle returns the ancestors of tip whose messages have a title.
func withTitle(ctx context.Context, repo *gitext.Repo, tip gitext.OID, title string) ([]gitext.Commit, error) {
	return messagesOf(ctx, repo, gitext.LogOptions{Tip: tip, Grep: title, Max: mostMatches})
}

// withNumbers returns the ancestors of tip whose messages have a number of the mentions.
func withNumbers(ctx context.Context, repo *gitext.Repo, tip gitext.OID, list []mention) ([]gitext.Commit, error) {
	var carriers []string
	for _, r := range list {
		if r.kind != nil {
			carriers = append(carriers, r.kind.carrier(r.number))
		}
	}
	return messagesOf(ctx, repo, gitext.LogOptions{Tip: tip, GrepLine: strings.Join(carriers, "|"), Max: mostMatches * len(carriers)})
}

// messagesOf returns the commits of a log, none if there may be more of them, because the names are ambiguous then.
func messagesOf(ctx context.Context, repo *gitext.Repo, opt gitext.LogOptions) ([]gitext.Commit, error) {
	if opt.Max == 0 {
		return nil, nil
	}
	var matched []gitext.OID
	for e, err := range repo.Log(ctx, opt) {
		if err != nil {
			return nil, err
		}
		matched = append(matched, e.OID)
	}
	if len(matched) == opt.Max {
		return nil, nil
	}
	commits, err := repo.Commits(ctx, matched)
	if err != nil {
		return nil, fmt.Errorf("read the commits that the message of the fix may name: %w", err)
	}
	return commits, nil
}

// commits returns those of the commits that the mention names.
func (r mention) commits(list []gitext.Commit) (named []gitext.OID) {
	list = slices.DeleteFunc(slices.Clone(list), func(c gitext.Commit) bool { return !r.is(c) })
	if len(list) > 1 {
		list = slices.DeleteFunc(list, func(c gitext.Commit) bool { return !r.describes(c) })
	}
	for _, c := range list {
		named = append(named, c.OID)
	}
	return named
}

// is reports whether the commit has the subject or carries the number.
func (r mention) is(c gitext.Commit) bool {
	if r.kind != nil {
		return r.kind.carriedBy(c.Message, r.number)
	}
	return foldSubject(c.Subject()) == foldSubject(r.title)
}

// describes reports whether the sentence has the name of the commit's author, or the day
// of the commit.
func (r mention) describes(c gitext.Commit) bool {
	around := " " + strings.ToLower(oneLine(r.around)) + " "
	if name := strings.ToLower(c.Author.Name); strings.Contains(name, " ") && strings.Contains(around, name) {
		return true
	}
	for _, form := range []string{time.DateOnly, "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "Jan 2 2006", "Mon Jan 2 15:04:05 2006"} {
		if day := strings.ToLower(c.Author.Time.Format(form)); strings.Contains(around, day) {
			return true
		}
	}
	return false
}
