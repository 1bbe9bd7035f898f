package szz

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// A Mask hides from a model the names of commits in texts of people: in messages, and in
// the lines of files and patches. The hashes and titles that the tools and the first
// message print themselves are not masked and stay usable. (AgentSZZ hides the trailers
// of messages and the hashes in titles, section 3.2.)
//
// In every text, the name of a commit is:
//
//   - its hash, or seven digits or more of it, for any commit of the repository: in
//     upper or lower case, in a web address, broken over two lines, or with a wrong end
//     that the tools forgive. Five and six digits count after a word such as "commit";
//   - a name from git describe, such as v1.2-3-g0123abc;
//   - its title after its hash, even if the title is cut off or has lost its prefix;
//   - any of these, if a forge or a mailer split the subject in the middle of the name
//     and continued it in the body with "…".
//
// In the text of the fix, whose names are hints at the culprit, it is also:
//
//   - the title of an ancestor in quotation marks; without them, the whole title of an
//     ancestor that the fix names by its hash, below the first line;
//   - the number of the pull request that brought an ancestor, and the number of a
//     commit in a repository that numbers its commits (git-svn, Phabricator);
//   - any other number that the message blames and an ancestor's message has, such as
//     the number of a ticket.
//
// The titles that the fix names are hidden in other texts too, if they are quoted, as in
// Revert "title". All other text stays: a description of a commit, a report's number, a
// link, and hexadecimal words that begin no commit id of the repository.
//
// A line of the fix's message such as "Fixes: NAME" is left out, like trailers. Elsewhere
// exactly the name is replaced by "<commit A>". A commit has the same label everywhere.
// The commits that the fix names have the letters A, B, C, in the order of the text, and
// others have four letters that depend only on the fix and the commit. So the same fix
// always has the same labels.
type Mask struct {
	repo    *gitext.Repo
	ctx     context.Context // never ends; Text has no context of its own
	fix     gitext.OID
	labels  map[string]string // by commit: the commits that the fix names
	titles  []namedTitle      // of these commits
	numbers map[string]string // the commit by its number, for the fix only
	blamed  map[string]string // the commit by a number that the fix blames, in the form of the message
	serials bool              // numbers such as r1234 and D1234 name commits

	mu      sync.Mutex
	known   map[string]string   // the commit by a known word; "" for none
	subject map[string][]string // the result of titlesLike for a commit
}

// A namedTitle is the title of a commit, with or without its prefixes.
type namedTitle struct {
	commit, title string
	whole         bool
}

// A nameSpan is a name of a commit in a text.
type nameSpan struct {
	from, to int
	commit   string // an id, or a number that stands for one
}

// Bounds of the work for one fix.
const (
	mostTitles = 500_000 // commits whose titles are compared
	mostQuotes = 200     // places of the message that may be a title
	mostSought = 100     // titles that are hidden in all texts
)

// newMask finds the commits that the body of a fix's message and its patch name.
// annotations are the culprits that the message names: their titles are hidden too.
func newMask(ctx context.Context, repo *gitext.Repo, fc *FixContext, body string, annotations []Annotation) (*Mask, error) {
	m := &Mask{
		repo: repo, ctx: context.WithoutCancel(ctx), fix: fc.Fix,
		labels: map[string]string{}, numbers: map[string]string{}, blamed: map[string]string{},
		known: map[string]string{}, subject: map[string][]string{},
		serials: ownSerial().MatchString(fc.Commit.Message),
	}
	if m.fix == "" {
		m.fix = fc.Parent
	}
	both := body
	if joined, cuts := closeSeams(body); len(cuts) > 0 {
		both += "\n" + joined
	}
	quoted, err := m.readHistory(ctx, fc, both)
	if err != nil {
		return nil, err
	}
	if err := m.readBlamed(ctx, fc, both); err != nil {
		return nil, err
	}
	lines := patchTexts(fc.Patch)
	m.learn(append([]string{both}, lines...))
	m.titles = append(quoted, m.titlesOf(both, annotations)...)
	m.titles = m.titles[:min(mostSought, len(m.titles))]
	for _, s := range m.spans(body, true) {
		m.give(s.commit)
	}
	for _, l := range lines {
		for _, s := range m.spans(l, false) {
			m.give(s.commit)
		}
	}
	m.titles = slices.DeleteFunc(m.titles, func(t namedTitle) bool { return m.labels[t.commit] == "" })
	return m, ctx.Err()
}

// give gives the next letter to a commit.
func (m *Mask) give(commit string) {
	if m.labels[commit] != "" {
		return
	}
	label := ""
	for n := len(m.labels); n >= 0; n = n/26 - 1 {
		label = string(rune('A'+n%26)) + label
	}
	m.labels[commit] = label
}

// label returns the label of a commit.
func (m *Mask) label(commit string) string {
	if l := m.labels[commit]; l != "" {
		return l
	}
	sum := sha256.Sum256([]byte(string(m.fix) + " " + commit))
	var b [4]byte
	for i := range b {
		b[i] = 'A' + sum[i]%26
	}
	return string(b[:])
}

// Key tells apart masks that write different labels for the same fix: an uncommitted fix
// may change. Keys of caches contain it.
func (m *Mask) Key() string {
	var all []string
	for commit, label := range m.labels {
		all = append(all, label+commit)
	}
	slices.Sort(all)
	return fmt.Sprintf("mask-2-%.8x", sha256.Sum256([]byte(strings.Join(all, " "))))
}

// Text replaces the names of commits in a text of the history with labels. The text is a
// message, a part of a message, or a line of a file. A nil mask changes nothing.
func (m *Mask) Text(text string) string {
	if m == nil {
		return text
	}
	return m.replace(text, m.spans(text, false))
}

// Patch returns a copy of a patch with its lines masked like Text. It does not change p.
func (m *Mask) Patch(p *gitext.Patch) *gitext.Patch {
	if m == nil {
		return p
	}
	m.learn(patchTexts(p))
	out := *p
	out.Files = slices.Clone(p.Files)
	for i := range out.Files {
		f := &out.Files[i]
		f.Hunks = slices.Clone(f.Hunks)
		for j := range f.Hunks {
			h := &f.Hunks[j]
			h.Section = m.Text(h.Section)
			h.Lines = slices.Clone(h.Lines)
			for k := range h.Lines {
				h.Lines[k].Text = []byte(m.Text(string(h.Lines[k].Text)))
			}
		}
	}
	return &out
}

// culpritLine matches a line that names the culprit like a trailer, but stands before
// other text of the message.
var culpritLine = source.Lazy(
	`(?im)^[ \t]*(?:fixes|fixes-commit|fixed|regressed-by|introduced-by|broken-by|caused-by|bug-introduced-by|culprit)[ \t]*:[ \t]*(?:<commit [A-Z]+>\W*?)+$\n?`,
)

// ofFix masks the message of the fix. It drops lines such as "Fixes: <commit A>", like
// trailers: their number would reveal the number of culprits.
func (m *Mask) ofFix(message string) string {
	return culpritLine().ReplaceAllString(m.replace(message, m.spans(message, true)), "")
}

func (m *Mask) replace(text string, spans []nameSpan) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	from := 0
	for _, s := range spans {
		b.WriteString(text[from:s.from] + "<commit " + m.label(s.commit) + ">")
		from = s.to
	}
	return b.String() + text[from:]
}

// spans returns the names of commits in a text, in order and without overlaps. Among
// overlapping names it keeps the one that begins first, then the longest.
func (m *Mask) spans(text string, ofFix bool) []nameSpan {
	all := m.find(text, ofFix)
	if closed, cuts := closeSeams(text); len(cuts) > 0 {
		for _, s := range m.find(closed, ofFix) {
			all = append(all, nameSpan{cuts.place(s.from), cuts.place(s.to-1) + 1, s.commit})
		}
	}
	slices.SortStableFunc(all, func(a, b nameSpan) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	kept, end := all[:0], 0
	for _, s := range all {
		if s.from >= end {
			kept, end = append(kept, s), s.to
		}
	}
	return kept
}

// find returns the names of commits in a text, in no order.
func (m *Mask) find(text string, ofFix bool) []nameSpan {
	m.learn([]string{text})
	all := m.hashSpans(text)
	for i := range all {
		all[i].to = m.pastTitle(text, all[i])
	}
	all = append(all, m.quotedSpans(text, ofFix)...)
	if ofFix {
		all = append(all, m.numberSpans(text)...)
	}
	return all
}

// patchTexts returns the lines of a patch.
func patchTexts(p *gitext.Patch) []string {
	var out []string
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			out = append(out, h.Section)
			for _, l := range h.Lines {
				out = append(out, string(l.Text))
			}
		}
	}
	return out
}

// ownSerial matches what git-svn and Phabricator write into the message of each
// commit.
var ownSerial = source.Lazy(`(?m)^\s*(?:git-svn-id:|Differential Revision:)`)
