package szz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
	"git-agent/gitext/gitcmd"
)

// These patterns find the culprits named in a message. The kernel's form is
//
//	Fixes: 0123456789ab ("subject")
//
// In prose, a hash stands within a few words of "introduced", "regression since",
// "broken by" and the like.
var (
	trailerKeys = map[string]bool{
		"fixes": true, "fixes-commit": true, "regressed-by": true, "introduced-by": true,
		"broken-by": true, "caused-by": true, "bug-introduced-by": true, "culprit": true,
	}
	hexWord  = source.Lazy(`\b[0-9a-f]{7,64}\b`)
	RevertOf = source.Lazy(`(?i)\bthis (?:partially |effectively )?reverts? (?:the )?commit[:\s]+([0-9a-f]{7,64})\b`)
	// reportTail matches the number of a report in the position of a title, as in "(#123)".
	reportTail = source.Lazy(`^\s*(?:[\w.-]+/[\w.-]+)?#\d+\s*$`)
	titleTail  = source.Lazy(`^[\s,:]*[("'\[“‘]+\s*"?([^"\n)\]”]+(?:\n[^"\n)\]”]+)?)["”)\]]`)
)

// mostAnnotations bounds the annotations of a message that are verified, each by processes of git. A message
// may have ten thousand of them.
const mostAnnotations = 200

// findAnnotations returns the annotations of a message, verified, each commit once.
func findAnnotations(ctx context.Context, repo *gitext.Repo, fc *FixContext, body string, trailers []commitmsg.Trailer) ([]Annotation, error) {
	found := append(trailerAnnotations(trailers), proseAnnotations(body)...)
	seen := map[gitext.OID]bool{}
	tried := map[[2]string]bool{} // hash and subject, as written
	kept := found[:0]
	sought := 0
	for _, a := range found {
		a.In = fc.Fix
		named := string(a.Commit)
		as := [2]string{named, a.Subject}
		if tried[as] || len(tried) == mostAnnotations {
			continue
		}
		tried[as] = true
		if err := verifyAnnotation(ctx, repo, fc, &a); err != nil {
			return nil, err
		}
		if subject := a.soughtSubject(body); subject != "" && sought < mostReferences {
			sought++
			if err := findBySubject(ctx, repo, fc, &a, named, subject); err != nil {
				return nil, err
			}
		}
		if a.Problem != "" && isDecimal(named) {
			continue // the number of a bug or of a line, or a count of bytes
		}
		if a.Commit != "" && seen[a.Commit] {
			continue
		}
		seen[a.Commit] = true
		kept = append(kept, a)
	}
	return preferFormal(kept), nil
}

// trailerAnnotations finds the hashes in the trailers that name culprits.
func trailerAnnotations(trailers []commitmsg.Trailer) []Annotation {
	var found []Annotation
	for _, t := range trailers {
		if !trailerKeys[strings.ToLower(t.Key)] {
			continue
		}
		for _, span := range hexWord().FindAllStringIndex(strings.ToLower(t.Value), -1) {
			if !isReportNumber(t.Value, span[0], span[1]) {
				found = append(found, newAnnotation(AnnotationTrailer, t.Key+": "+t.Value, t.Value, span))
			}
		}
	}
	return found
}

// leastSubject is the least number of words in a subject by which a commit is found.
const leastSubject = 3

// soughtSubject returns the subject by which the commit of an annotation may be found, if the hash
// of the annotation is not in the history of the fix, else "". In a mirror of a part of another
// repository, in a history that was rewritten, and in a fix that was picked, the hashes in messages
// are those of the other history. body is the message; the title of a revert quotes the subject.
func (a *Annotation) soughtSubject(body string) string {
	subject := a.Subject
	if a.Kind == AnnotationRevert && subject == "" {
		title, _, _ := strings.Cut(body, "\n")
		if quoted := revertedTitle().FindString(title); quoted != "" {
			subject = strings.Trim(title[len(quoted):], `"' `)
		}
	}
	if !a.foreign || len(strings.Fields(subject)) < leastSubject {
		return ""
	}
	return subject
}

// findBySubject looks for the only ancestor of the fix with a subject, for an annotation whose hash,
// named, is not in the history.
func findBySubject(ctx context.Context, repo *gitext.Repo, fc *FixContext, a *Annotation, named, subject string) error {
	if fc.Parent == "" {
		return nil
	}
	titled, err := withTitle(ctx, repo, fc.Parent, subject)
	if err != nil {
		return err
	}
	commits := mention{title: subject, text: a.Text}.commits(titled)
	if len(commits) != 1 {
		return nil
	}
	a.Commit, a.Subject, a.Written, a.Problem, a.Verified = commits[0], subject, named, "", true
	return nil
}

// preferFormal drops the culprits blamed in prose if a verified line such as "Fixes:
// HASH" names the culprit: the prose is then about other commits.
func preferFormal(all []Annotation) []Annotation {
	formal := func(a Annotation) bool { return a.Kind == AnnotationTrailer || a.Formal }
	if !slices.ContainsFunc(all, func(a Annotation) bool { return a.Verified && formal(a) }) {
		return all
	}
	return slices.DeleteFunc(all, func(a Annotation) bool { return a.Kind == AnnotationProse && !formal(a) })
}

func verified(a Annotation) bool { return a.Verified }

// mostBrought is the largest number of commits in a merge whose messages are read. A
// merge of more commits is not a fix of one bug.
const mostBrought = 3

// broughtAnnotations returns the verified annotations of the commits in a merge, because
// the message of a merged pull request says less than their messages. An annotation that
// names another of these commits does not verify, and unverified annotations are left out
// without a note.
func broughtAnnotations(ctx context.Context, repo *gitext.Repo, fc *FixContext) ([]Annotation, error) {
	if fc.Fix == "" || len(fc.Commit.Parents) < 2 {
		return nil, nil
	}
	var brought []gitext.OID
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: fc.Fix, Not: []gitext.OID{fc.Parent}, Max: mostBrought + 2}) {
		if err != nil {
			return nil, fmt.Errorf("list what %s merges: %w", fc.Fix.Short(), err)
		}
		if e.OID != fc.Fix {
			brought = append(brought, e.OID)
		}
	}
	if len(brought) > mostBrought {
		return nil, nil
	}
	commits, err := repo.Commits(ctx, brought)
	if err != nil {
		return nil, err
	}
	var found []Annotation
	for _, c := range commits {
		body, trailers := commitmsg.Trailers(c.Message)
		list, err := findAnnotations(ctx, repo, fc, body, trailers)
		if err != nil {
			return nil, err
		}
		referred, err := referredAnnotations(ctx, repo, fc, c, body)
		if err != nil {
			return nil, err
		}
		for _, a := range append(list, referred...) {
			known := slices.ContainsFunc(found, func(b Annotation) bool { return a.Commit == b.Commit })
			if a.In = c.OID; a.Verified && !known {
				found = append(found, a)
			}
		}
	}
	return found, nil
}

// A message that names more commits than mostNamed, or blames more than mostBlamed in
// prose, is a list of changes. None of these commits counts as the culprit.
const (
	mostNamed  = 16
	mostBlamed = 5
)

// proseAnnotations finds the hashes in a text that the surrounding words blame. A hash
// that is only mentioned ("cherry picked from") is no annotation.
func proseAnnotations(body string) []Annotation {
	var found []Annotation
	reverted := map[int]bool{}
	for _, m := range RevertOf().FindAllStringSubmatchIndex(body, -1) {
		reverted[m[2]] = true
		found = append(found, newAnnotation(AnnotationRevert, body[m[0]:m[1]], body, m[2:4]))
	}
	title, _, _ := strings.Cut(body, "\n")
	var blamed []Annotation
	listed := listedCommits(body)
	named := 0
	for _, span := range hexWord().FindAllStringIndex(body, -1) {
		word := body[span[0]:span[1]]
		if reverted[span[0]] || !strings.ContainsAny(word, "0123456789") || isReportNumber(body, span[0], span[1]) {
			continue
		}
		named++
		if span[0] < len(title) && revertedTitle().MatchString(title) {
			continue // the reverted commit names it
		}
		s := sentenceAround(body, span[0], span[1])
		if listed[span[0]] {
			s.behind, s.next = "", ""
		}
		if s.blames(title) {
			a := newAnnotation(AnnotationProse, s.excerpt(), body, span)
			line := body[strings.LastIndexByte(body[:span[0]], '\n')+1 : span[0]]
			key, _, _ := strings.Cut(line, ":")
			a.Formal = trailerKeys[strings.ToLower(key)]
			blamed = append(blamed, a)
		}
	}
	if named > mostNamed || len(blamed) > mostBlamed {
		return found
	}
	return append(found, blamed...)
}

func newAnnotation(kind, text, source string, span []int) Annotation {
	a := Annotation{Kind: kind, Text: text, Commit: gitext.OID(strings.ToLower(source[span[0]:span[1]]))}
	if m := titleTail().FindStringSubmatch(source[span[1]:]); m != nil && !reportTail().MatchString(m[1]) {
		a.Subject = strings.Join(strings.Fields(m[1]), " ")
	}
	return a
}

// verifyAnnotation replaces the abbreviated name with the commit's id, and checks that
// the commit exists, precedes the fix and has the quoted subject.
func verifyAnnotation(ctx context.Context, repo *gitext.Repo, fc *FixContext, a *Annotation) error {
	name := string(a.Commit)
	oid, err := repo.Resolve(ctx, name)
	var failed *gitcmd.Error
	if errors.As(err, &failed) || errors.Is(err, gitext.ErrNotExist) {
		a.Commit, a.foreign, a.Problem = "", true, fmt.Sprintf("'%s' is not a commit of this repository", name)
		return nil
	}
	if err != nil {
		return err
	}
	a.Commit = oid
	c, err := repo.Commit(ctx, oid)
	if err != nil {
		return err
	}
	ancestor := false
	if fc.Parent != "" && oid != fc.Fix {
		if ancestor, err = repo.IsAncestor(ctx, oid, fc.Parent); err != nil {
			return err
		}
	}
	switch {
	case !ancestor:
		a.foreign, a.Problem = oid != fc.Fix, fmt.Sprintf("%s is not in the history of the fix", oid.Short())
	case a.Subject != "" && !subjectsAgree(a.Subject, c.Subject()):
		a.Problem = fmt.Sprintf("%s has another subject: %q", oid.Short(), c.Subject())
	default:
		a.Verified = true
	}
	return nil
}

// subjectsAgree reports whether a quoted subject may be the subject of a commit. People
// change case and white space, cut the end, and drop or add prefixes.
func subjectsAgree(quoted, subject string) bool {
	q, s := foldSubject(quoted), foldSubject(subject)
	if q == "" || s == "" {
		return false
	}
	return strings.Contains(s, q) || strings.Contains(q, s)
}

func foldSubject(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	return strings.TrimRight(strings.TrimSuffix(s, "..."), ". …")
}

// annotated answers with the verified annotations. It returns nil if there are none.
func annotated(ctx context.Context, repo *gitext.Repo, fc *FixContext) (*Answer, error) {
	var named []Annotation
	for _, a := range fc.Annotations {
		if a.Verified {
			named = append(named, a)
		}
	}
	if len(named) == 0 {
		return nil, nil
	}
	v := &Answer{Algorithm: ByAnnotation}
	for _, a := range named {
		c, err := repo.Commit(ctx, a.Commit)
		if err != nil {
			return nil, err
		}
		reason := fmt.Sprintf("the message of %s names it; it %s", messageOf(a, fc), checkedOf(a))
		only, ok, err := onlyBrought(ctx, repo, c)
		if err != nil {
			return nil, err
		}
		if ok {
			reason = fmt.Sprintf("the message of %s names %s, a merge that brought this commit alone", messageOf(a, fc), c.OID.Short())
			c = only
		}
		if slices.Contains(v.Candidates, c.OID) || fc.Excludes(c.OID) {
			continue
		}
		v.Candidates = append(v.Candidates, c.OID)
		v.Suspects = append(v.Suspects, Suspect{Suspect: suspect.Suspect{
			Commit: c,
			Reason: reason,
			Evidence: []suspect.Evidence{{
				Text:    strings.Join(strings.Fields(a.Text), " "),
				Command: "git show -s " + string(a.In),
			}},
		}})
	}
	if len(v.Suspects) == 0 {
		return nil, nil // the user excludes what the merge brought
	}
	return v, nil
}

// messageOf names the commit whose message has the annotation.
func messageOf(a Annotation, fc *FixContext) string {
	if a.In == fc.Fix {
		return "the fix"
	}
	return a.In.Short() + ", which the fix merges,"
}

// checkedOf describes the checks of the commit that an annotation names.
func checkedOf(a Annotation) string {
	switch {
	case a.Written != "":
		return fmt.Sprintf("is the only commit before the fix with the quoted subject; the hash there, %s, is of another history", a.Written)
	case a.Subject == "":
		return "exists and precedes the fix"
	}
	return "exists, precedes the fix and has the quoted subject"
}

// annotationNotes notes why annotations did not verify, beside the suspects of an answer that does not rest on them.
func annotationNotes(all []Annotation, suspects []Suspect) []string {
	var notes []string
	for _, a := range all {
		switch {
		case a.Problem == "":
		case len(suspects) > 0 && a.Commit == suspects[0].Commit.OID:
			notes = append(notes, "the message names the first suspect, too, but "+a.Problem)
		default:
			notes = append(notes, "the message names a culprit that was not believed: "+a.Problem)
		}
	}
	return notes
}
