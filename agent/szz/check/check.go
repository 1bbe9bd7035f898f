// Package check examines the Fixes: trailers in the messages of commits: whether each names a
// commit of the fix's history, by its subject, in the form that the project uses.
//
// It also doubts a trailer whose commit has too little in common with the fix. It does not ask the
// ranking itself; a caller may pass it what the ranking says. A trailer that is right and in the
// project's form gives no finding.
package check

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// A Problem is a kind of finding.
type Problem string

// These are the problems.
const (
	Unknown   Problem = "unknown"    // the id names no commit of the repository
	Ambiguous Problem = "ambiguous"  // the id names several commits
	Outside   Problem = "outside"    // the commit is not in the history of the fix
	Itself    Problem = "itself"     // the trailer names the fix itself
	Merge     Problem = "merge"      // the commit is a merge
	Subject   Problem = "subject"    // the commit has another subject
	Short     Problem = "short"      // the id has fewer digits than the project writes
	NoSubject Problem = "no-subject" // the subject is missing, and the project writes it
	Folded    Problem = "folded"     // the trailer is broken over several lines
	Doubted   Problem = "doubted"    // the commit has too little in common with the fix, or the ranking suspects another one
	Missing   Problem = "missing"    // there is no trailer, and the ranking is sure of a commit
)

// A Finding is a problem of one commit's message.
type Finding struct {
	Commit  gitext.OID
	Subject string
	Trailer string // the trailer, on one line; "" for Missing
	Problem Problem
	Text    string // a clause about the trailer: "names no commit of this repository"
	Write   string // the trailer that should be there; "" if it is not known
}

// digits is the number of digits that a trailer has at least.
const digits = 12

// A Habit is the form in which a project writes its trailers.
type Habit struct {
	Trailers int // trailers that were read
	Long     bool
	Quoted   bool // with the subject in parentheses and quotes
}

// A Checker checks commits of one repository.
type Checker struct {
	Repo  *gitext.Repo
	Habit Habit

	history *history // nil before the first commit
	weigher *Weigher // nil before the first pair
}

// trailer is the value of a trailer that names a commit. The subject may be in parentheses or in
// quotes or in both.
var trailer = source.Lazy(`(?i)^(?:commit\s+)?([0-9a-f]{6,64})\b[\s:,]*(.*)$`)

// A Named is a trailer that names a commit.
type Named struct {
	Text    string // the whole trailer
	ID      string
	Subject string // as it is quoted; "" if it is not
	Open    bool   // a bracket or quote is not closed
	Folded  bool
}

// Trailers returns the trailers of a message that name a commit, wherever they are in it: several
// projects write them in a paragraph of their own. Others, such as those that name an issue, are
// left out.
func Trailers(message string) []Named {
	var list []Named
	_, body := commitmsg.Split(message)
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		if !ok || !strings.EqualFold(key, "fixes") {
			continue
		}
		n, ok := readTrailer(value)
		if !ok {
			continue
		}
		if i+1 < len(lines) && n.goesOn(lines[i+1]) {
			if whole, ok := readTrailer(value + " " + lines[i+1]); ok {
				n = whole
				n.Folded = true
			}
		}
		list = append(list, n)
	}
	return list
}

// item matches a line of a list or an address, as Buildroot writes them below a trailer.
var item = source.Lazy(`^\s*(?:[-*+]\s|https?://)`)

// goesOn reports whether the line behind a trailer belongs to it.
func (n Named) goesOn(next string) bool {
	if n.Open {
		return strings.HasPrefix(next, " ") || strings.HasPrefix(next, "\t") || !strings.Contains(next, ": ")
	}
	return (strings.HasPrefix(next, " ") || strings.HasPrefix(next, "\t")) && !item().MatchString(next)
}

// readTrailer reads the value of a trailer.
func readTrailer(value string) (Named, bool) {
	value = strings.Join(strings.Fields(value), " ")
	m := trailer().FindStringSubmatch(value)
	if m == nil || isNumber(m[1]) && !strings.ContainsAny(m[2], `("`) {
		return Named{}, false
	}
	n := Named{Text: "Fixes: " + value, ID: strings.ToLower(m[1])}
	if n.Subject, n.Open = quoted(m[2]); commitmsg.Fold(n.Subject) == "" || strings.Contains(n.Subject, "://") {
		n.Subject = "" // a full stop, or the address of a failed build as Buildroot writes it
	}
	return n, true
}

// isNumber reports whether an id may be the number of an issue.
func isNumber(id string) bool { return strings.Trim(id, "0123456789") == "" && len(id) < digits }

// quoted returns the subject in the text behind an id.
func quoted(text string) (subject string, open bool) {
	s := strings.TrimSpace(text)
	if strings.HasPrefix(s, "(") {
		open = !strings.HasSuffix(s, ")")
		s = strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
	}
	for _, pair := range []string{`""`, `''`, "“”", "``"} {
		r := []rune(pair)
		if rest, ok := strings.CutPrefix(s, string(r[0])); ok {
			if end := strings.LastIndex(rest, string(r[1])); end >= 0 {
				return strings.TrimSpace(rest[:end]), open
			}
			return strings.TrimSpace(rest), true
		}
	}
	return strings.TrimSpace(s), open
}

// habitCommits bounds the trailers by which a habit is told.
const habitCommits = 200

// ReadHabit reads the form of the newest trailers in the history of a commit.
func ReadHabit(ctx context.Context, repo *gitext.Repo, tip gitext.OID) (Habit, error) {
	var oids []gitext.OID
	opt := gitext.LogOptions{Tip: tip, NoMerges: true, GrepLine: "^Fixes: [0-9a-f]{6,}", Max: habitCommits}
	for e, err := range repo.Log(ctx, opt) {
		if err != nil {
			return Habit{}, err
		}
		oids = append(oids, e.OID)
	}
	commits, err := repo.Commits(ctx, oids)
	if err != nil && len(commits) == 0 {
		return Habit{}, err
	}
	all, long, withSubject := 0, 0, 0
	for _, c := range commits {
		for _, n := range Trailers(c.Message) {
			all++
			if len(n.ID) >= digits {
				long++
			}
			if n.Subject != "" {
				withSubject++
			}
		}
	}
	const least, most = 10, 4 // a habit is what at least ten trailers have, and three of four
	usual := func(n int) bool { return all >= least && most*n >= (most-1)*all }
	return Habit{Trailers: all, Long: usual(long), Quoted: usual(withSubject)}, nil
}

// Check returns the findings about commits, in their order.
func (c *Checker) Check(ctx context.Context, commits []gitext.Commit) ([]Finding, error) {
	if err := c.readHistory(ctx, commits); err != nil {
		return nil, err
	}
	var found []Finding
	for _, commit := range commits {
		named := Trailers(commit.Message)
		words := make([]string, len(named))
		for i, n := range named {
			words[i] = n.ID
		}
		looked, err := c.Repo.Abbreviated(ctx, words)
		if err != nil {
			return found, err
		}
		taken := sync.OnceValue(func() bool { return upstream().MatchString(commit.Message) })
		for i, n := range named {
			f, err := c.checkOne(ctx, checked{commit, taken}, n, looked[i])
			if err != nil {
				return found, err
			}
			if f != nil {
				f.Commit, f.Subject, f.Trailer = commit.OID, commit.Subject(), n.Text
				found = append(found, *f)
			}
		}
	}
	return found, nil
}

// A checked commit is one whose trailers are checked.
type checked struct {
	gitext.Commit
	taken func() bool // whether its message says that it was taken from another tree
}

// checkOne returns the gravest finding about one trailer, or nil.
func (c *Checker) checkOne(ctx context.Context, commit checked, n Named, looked gitext.Abbreviated) (*Finding, error) {
	switch {
	case looked.Ambiguous:
		return c.elsewhere(ctx, commit, n, Ambiguous, fmt.Sprintf("%s names several commits", n.ID))
	case looked.OID == "":
		return c.elsewhere(ctx, commit, n, Unknown, fmt.Sprintf("%s names no commit of this repository", n.ID))
	case looked.OID == commit.OID:
		return &Finding{Problem: Itself, Text: "names the fix itself"}, nil
	}
	culprit, err := c.Repo.Commit(ctx, looked.OID)
	if err != nil {
		return nil, err
	}
	inside := c.history.has(commit.OID, culprit.OID)
	should := Format(culprit)
	switch {
	case n.Subject != "" && !sameSubject(n.Subject, culprit.Subject()):
		return c.elsewhere(ctx, commit, n, Subject, fmt.Sprintf("%s has another subject: %q", culprit.OID.Short(), culprit.Subject()))
	case !inside:
		return c.elsewhere(ctx, commit, n, Outside, fmt.Sprintf("%s is not in the history of the fix", culprit.OID.Short()))
	case len(culprit.Parents) > 1:
		return &Finding{Problem: Merge, Text: fmt.Sprintf("%s is a merge, which changes nothing by itself", culprit.OID.Short())}, nil
	case n.Folded || n.Open:
		return &Finding{Problem: Folded, Text: "is not on one line", Write: should}, nil
	case c.Habit.Long && len(n.ID) < digits:
		return &Finding{Problem: Short, Text: fmt.Sprintf("the id has %d digits, and trailers here have %d", len(n.ID), digits), Write: should}, nil
	case c.Habit.Quoted && n.Subject == "":
		return &Finding{Problem: NoSubject, Text: "the subject is missing", Write: should}, nil
	}
	return nil, nil
}

// readHistory reads the histories of commits, unless they are known.
func (c *Checker) readHistory(ctx context.Context, commits []gitext.Commit) error {
	var tips []gitext.OID
	for _, commit := range commits {
		if c.history != nil {
			if _, known := c.history.Number[commit.OID]; known {
				continue
			}
		}
		tips = append(tips, commit.OID)
	}
	if len(tips) == 0 {
		return nil
	}
	var err error
	c.history, err = readHistory(ctx, c.Repo, tips)
	return err
}

// saysFix matches the subjects of fixes.
var saysFix = source.Lazy(`(?i)\bfix(?:es|ed)?\b`)

// SaysFix reports whether a subject says that the commit fixes something.
func SaysFix(subject string) bool { return saysFix().MatchString(subject) }

// Format returns the trailer that names a commit.
func Format(c gitext.Commit) string {
	return commitmsg.Fixes(c.OID.Short(), c.Subject())
}

// upstream matches a message that says that the commit was taken from another tree, whose ids its
// trailers may have.
var upstream = source.Lazy(`(?i)\bcommit [0-9a-f]{12,64} upstream\b|\bupstream commit [0-9a-f]{12,64}|\[ upstream commit|cherry[- ]picked from|\bbackport(?:ed)?[- ](?:of|from)\b`)

// elsewhere returns the finding about a trailer whose id is wrong. If a commit in the history of
// the fix has the quoted subject, the finding names it; if the fix was taken from another tree,
// there is none.
func (c *Checker) elsewhere(ctx context.Context, commit checked, n Named, problem Problem, text string) (*Finding, error) {
	if problem != Subject && commit.taken() {
		return nil, nil
	}
	meant, err := c.bySubject(ctx, commit.Commit, n.Subject)
	if err != nil {
		return nil, err
	}
	f := &Finding{Problem: problem, Text: text}
	if meant != nil {
		f.Write = Format(*meant)
		f.Text += fmt.Sprintf("; %s has the subject", meant.OID.Short())
	}
	return f, nil
}

// bySubject returns the only commit in the history of the fix with a subject, or nil.
func (c *Checker) bySubject(ctx context.Context, commit gitext.Commit, subject string) (*gitext.Commit, error) {
	const least = 10 // bytes; shorter subjects name several commits
	if len(subject) < least {
		return nil, nil
	}
	found, err := c.history.bySubject(ctx, c.Repo, commit.OID, subject)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, nil
	}
	meant, err := c.Repo.Commit(ctx, found[0])
	if errors.Is(err, gitext.ErrNotExist) {
		return nil, nil
	}
	return &meant, err
}

// sameSubject reports whether a quoted subject is that of a commit. Punctuation, case and white
// space may differ, and the prefix or the end may be missing.
func sameSubject(quoted, subject string) bool {
	q, s := commitmsg.Fold(quoted), commitmsg.Fold(subject)
	const least = 12 // letters and digits of a cut subject
	return q == s || len(q) >= least && strings.Contains(s, q) || len(s) >= least && strings.Contains(q, s)
}
