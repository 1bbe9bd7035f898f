package gittool

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/gitext"
)

// A CommitSearch looks for commits by a regular expression, like search_commits of Code
// Researcher (arXiv 2506.11060).
type CommitSearch struct {
	Tool    string // the name of the tool, for refusals
	Pattern string
	Paths   []string // only commits that changed one of them; nil is any
	Max     int      // most commits
	Mask    agent.Mask
}

// Bounds of a search.
const (
	maxWalked   = 50_000   // commits
	maxSearched = 16 << 10 // bytes of each message
	maxPattern  = 500      // bytes of an expression
	maxProgram  = 600      // instructions of the compiled expression
)

// expression compiles a model's regular expression. Each character of a message may cost
// a step for each instruction of the compiled expression.
func (q CommitSearch) expression() (*regexp.Regexp, error) {
	if len(q.Pattern) > maxPattern {
		return nil, q.refuse("the pattern has %d bytes, and at most %d are searched for; look for its rarest part", len(q.Pattern), maxPattern)
	}
	parsed, err := syntax.Parse("(?i)"+q.Pattern, syntax.Perl)
	if err != nil || strings.ContainsAny(q.Pattern, "\n\r") {
		return nil, q.refuse("%q is not a regular expression of one line", agent.Shorten(agent.CleanLine(q.Pattern), 100))
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return nil, q.refuse("the pattern repeats too much: write * or + in place of large numbers such as {1,1000}, or look for a shorter part")
	}
	return regexp.Compile("(?i)" + q.Pattern)
}

func (q CommitSearch) refuse(format string, args ...any) error {
	return &agent.CallError{Tool: q.Tool, Text: fmt.Sprintf(format, args...)}
}

// SearchMessages lists the newest commits of the scope whose message matches, in any
// case, each with the first matching line of its body.
func (s Scope) SearchMessages(ctx context.Context, repo *gitext.Repo, q CommitSearch) (agent.Result, error) {
	pattern, err := q.expression()
	if err != nil {
		return agent.Result{}, err
	}
	var b strings.Builder
	shown, walked := 0, 0
	var batch []gitext.OID
	flush := func() error {
		commits, err := repo.Commits(ctx, batch)
		batch = batch[:0]
		for _, m := range commits {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			m.Message = s.Redact.apply(m.Message[:min(len(m.Message), maxSearched)])
			if shown == q.Max || !pattern.MatchString(m.Message) {
				continue
			}
			shown++
			b.WriteString(q.line(m.OID, m.Committer.Time.UTC().Format(time.DateOnly), m.Subject()))
			if line := q.matching(m.Body(), pattern); line != "" {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
		return err
	}
	for entry, err := range repo.Log(ctx, gitext.LogOptions{Tip: s.Tip, Until: s.Until, Paths: q.Paths, Max: maxWalked}) {
		if err != nil {
			return agent.Result{}, err
		}
		walked++
		if batch = append(batch, entry.OID); len(batch) == 500 {
			if err := flush(); err != nil {
				return agent.Result{}, err
			}
		}
		if shown == q.Max {
			break
		}
	}
	if err := flush(); err != nil {
		return agent.Result{}, err
	}
	if shown == q.Max {
		b.WriteString(q.more())
	} else if walked == maxWalked {
		fmt.Fprintf(&b, "(only the newest %d commits were searched)\n", maxWalked)
	}
	if shown == 0 {
		return agent.Result{Text: fmt.Sprintf("no message of %s matches\n%s", agent.Plural(walked, "commit"), b.String()), Nothing: true}, nil
	}
	return agent.Result{Text: b.String()}, nil
}

func (q CommitSearch) more() string {
	return fmt.Sprintf("(the newest %d; there may be more: raise max, or give path)\n", q.Max)
}

// line describes a commit.
func (q CommitSearch) line(oid gitext.OID, date, subject string) string {
	return fmt.Sprintf("%s %s %s\n", oid.Short(), date, cmp.Or(q.Mask.Shorten(subject, 120), "(no subject)"))
}

// matching returns the first matching line of a text.
func (q CommitSearch) matching(text string, pattern *regexp.Regexp) string {
	for line := range strings.Lines(text) {
		if pattern.MatchString(line) {
			return q.Mask.Shorten(strings.TrimSpace(line), 200)
		}
	}
	return ""
}

// SearchChanges lists the newest commits of the scope that add or remove a line matching
// a POSIX extended regular expression, each with the files of these lines.
func (s Scope) SearchChanges(ctx context.Context, repo *gitext.Repo, q CommitSearch) (agent.Result, error) {
	if strings.ContainsAny(q.Pattern, "\n\r") {
		return agent.Result{}, q.refuse("the pattern must be one line")
	}
	if err := checkExpression(q.Pattern); err != nil {
		return agent.Result{}, wordRefusal(q.Tool, err)
	}
	var b strings.Builder
	shown := 0
	opt := gitext.PickaxeOptions{
		Needle:     q.Pattern,
		LogOptions: gitext.LogOptions{Tip: s.Tip, Until: s.Until, Paths: q.Paths, Max: q.Max, Files: true, MaxFiles: maxChangedFiles + 1},
	}
	for entry, err := range repo.LogG(ctx, opt) {
		if err != nil {
			return agent.Result{}, wordRefusal(q.Tool, explainPattern(err, q.Pattern, true))
		}
		shown++
		b.WriteString(q.line(entry.OID, entry.CommitTime.UTC().Format(time.DateOnly), s.Redact.apply(entry.Subject)))
		fmt.Fprintf(&b, "    %s\n", changedFiles(entry.Files))
	}
	switch shown {
	case 0:
		return agent.Result{Text: "no commit adds or removes a line that matches\n", Nothing: true}, nil
	case q.Max:
		b.WriteString(q.more())
	}
	return agent.Result{Text: b.String()}, nil
}

// maxChangedFiles is the number of named files of a commit.
const maxChangedFiles = 5

func changedFiles(files []gitext.FileChange) string {
	var names []string
	for _, f := range files[:min(len(files), maxChangedFiles)] {
		names = append(names, agent.Shorten(agent.CleanLine(cmp.Or(f.NewPath, f.OldPath)), 120))
	}
	if len(files) > maxChangedFiles {
		names = append(names, "and more")
	}
	return "in " + strings.Join(names, ", ")
}
