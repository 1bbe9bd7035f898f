package szz

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// These patterns find what names a commit without its hash: its subject in quotation
// marks, and the number of a pull request or of a ticket.
var (
	quotedTitle = source.Lazy(`["“]([^"“”\n]{8,120}(?:\n[^"“”\n]{1,80})?)["”]`)
	requestName = source.Lazy(`(?:\b(?:PR|pull request|pull|MR)\s*#?|(?:\b[\w.-]+/[\w.-]+)?#|\bGH-)(\d{1,6})\b`)
	// numberBlamed matches a sentence that blames a pull request. Numbers of reports are
	// more frequent than those of pull requests, so that only these words are believed.
	numberBlamed = source.Lazy(`(?i)\b(?:(?:bugs?|errors?|warnings?|problems?|issues?|failures?|regress\w*|leaks?|typos?|breakages?|crash\w*|deadlocks?)\b[^.,]{0,50}\b(?:introduced|caused|created|added)\s+(?:in|by|with)|regress(?:ion|ed|ions)\s+(?:in|from|by|since|caused by|introduced in)|broken\s+(?:in|by|since|after)|accidental\w*\s+(?:\w+\s+)?(?:in|by)|introduced accidentally in|fallout from)\s*:?\s+(?:PR\s*|pull request\s*)?@`)
	titleBlamed  = source.Lazy(`(?i)(?:\b(?:commit|change|patch)s?\s+@|\b(?:introduced|caused|broken|revealed|exposed|regress\w*)\s+(?:in|by|with|from|since|after)\s+(?:the\s+)?(?:commit\s+|change\s+|patch\s+)?@)`)
)

// mostReferences is how many names of commits other than hashes are looked up in the
// history for one message. Each costs a walk over the messages of all ancestors.
const mostReferences = 3

// A mention names a commit by its subject or by the number of its pull request.
type mention struct {
	title, number string // one of them
	text          string // the sentence
}

// mentions returns what the text blames by a subject or a number.
func mentions(body string) []mention {
	var found []mention
	title, _, _ := strings.Cut(body, "\n")
	for _, m := range quotedTitle().FindAllStringSubmatchIndex(body, -1) {
		s := sentenceAround(body, m[0], m[1])
		text := s.pattern()
		if hexWord().MatchString(s.before+s.behind) || !titleBlamed().MatchString(text) || !s.blames(title) {
			continue // the hash is the better name
		}
		found = append(found, mention{title: strings.Join(strings.Fields(body[m[2]:m[3]]), " "), text: s.excerpt()})
	}
	for _, m := range requestName().FindAllStringSubmatchIndex(body, -1) {
		s := sentenceAround(body, m[0], m[1])
		text := s.pattern()
		if numberBlamed().MatchString(text) && !excusedBefore().MatchString(text[:strings.IndexByte(text, '@')+1]) {
			found = append(found, mention{number: body[m[2]:m[3]], text: s.excerpt()})
		}
	}
	if len(found) > mostReferences {
		return nil
	}
	return found
}

// referredAnnotations resolves the references of a message among the ancestors of
// the fix's parent. Those that no commit or several commits answer to are left out:
// a title that two commits have does not say which is meant.
func referredAnnotations(ctx context.Context, repo *gitext.Repo, fc *FixContext, body string) ([]Annotation, error) {
	if fc.Parent == "" {
		return nil, nil
	}
	var found []Annotation
	for _, r := range mentions(body) {
		commits, err := r.commits(ctx, repo, fc.Parent)
		if err != nil {
			return nil, err
		}
		if len(commits) == 1 && !slices.ContainsFunc(found, func(a Annotation) bool { return a.Commit == commits[0] }) {
			found = append(found, Annotation{Kind: AnnotationProse, Text: r.text, Commit: commits[0], Subject: r.title, Verified: true, In: fc.Fix})
		}
	}
	return found, nil
}

// commits returns the ancestors of tip that the mention names, tip included. A pull
// request is named by the merge of it, or by a subject that ends in its number.
func (r mention) commits(ctx context.Context, repo *gitext.Repo, tip gitext.OID) ([]gitext.OID, error) {
	const mostMatches = 50 // messages with the words that are looked at
	words := r.title
	if r.number != "" {
		words = "#" + r.number
	}
	var named []gitext.OID
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: tip, Grep: words, Max: mostMatches}) {
		if err != nil {
			return nil, err
		}
		if r.is(e.Subject) {
			named = append(named, e.OID)
		}
	}
	return named, nil
}

// is reports whether a commit with the subject is the one that is named.
func (r mention) is(subject string) bool {
	if r.title != "" {
		return foldSubject(subject) == foldSubject(r.title)
	}
	number := regexp.QuoteMeta("#" + r.number)
	return regexp.MustCompile(`(?:\(` + number + `\)$|^Merge pull request ` + number + `\b)`).MatchString(subject)
}
