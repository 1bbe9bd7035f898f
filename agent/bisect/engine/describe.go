package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// maxEvidence bounds the changed files that a culprit shows.
const maxEvidence = 20

// describe returns the culprit with its changes as evidence.
func (e *Engine) describe(ctx context.Context, r *Result, opened map[string]bool) (*suspect.Suspect, error) {
	a := r.Answer
	commit, err := e.Repo.Commit(ctx, a.First)
	if err != nil {
		return nil, err
	}
	s := &suspect.Suspect{Commit: commit, Probability: a.Probability, Confirmation: r.confirmation()}
	s.Reason = r.reason(len(commit.Parents) == 0, e.Repo.ShallowBoundary()[commit.OID])
	if len(commit.Parents) == 1 {
		patch, err := e.Repo.Patch(ctx, commit.Parents[0], commit.OID, gitext.PatchOptions{Renames: true, IgnoreSpace: true})
		if err != nil && !gitext.Unreadable(err) {
			return nil, err
		}
		if patch != nil {
			r.noteOnlyTests(patch)
			if s.Evidence, err = e.evidence(ctx, commit.OID, patch, opened); err != nil {
				return nil, err
			}
		}
	}
	if len(s.Evidence) == 0 {
		s.Evidence = []suspect.Evidence{{Text: commit.Subject(), Command: "git show " + string(commit.OID)}}
	}
	return s, nil
}

// verbs are the clauses of the outcomes.
func (r *Result) verbs() (isNew, isOld string) {
	switch {
	case r.Builds:
		return "the code does not build", "builds"
	case r.Question.Fixed:
		return "the command passes", "fails"
	}
	return "the command fails", "passes"
}

// reason says in a clause why the commit is named. root says that the repository has no parent of it, and cut that its
// parents are not in this shallow clone.
func (r *Result) reason(root, cut bool) string {
	isNew, _ := r.verbs()
	switch {
	case r.Status == bisect.Proved:
		return isNew + " since this commit"
	case r.Status == bisect.Always && root:
		return isNew + " at it, and the repository has no older commit on this way"
	case r.Status == bisect.Always && cut:
		return isNew + " at it, where this shallow clone ends; git fetch --unshallow gets older commits"
	case r.Status == bisect.Always && r.isNew():
		return isNew + " at it; before it, the tests cannot run, because they use what does not exist there: whether the bug is older is not known"
	case r.Status == bisect.Always:
		return isNew + " at it, and no older commit was found where it can be judged and does not"
	}
	return "the most probable of the commits that are left"
}

// ByChance says that a flaky command ends as at the tip by chance, as often at a good commit as there.
func (r *Result) ByChance(old *bisect.OldError) string {
	verb := "fails"
	if r.Question.Fixed {
		verb = "passes"
	}
	n := 0
	for _, run := range r.Runs {
		n += stat.Count(run.Outcome == bisect.New)
	}
	return fmt.Sprintf("the command %s by chance, in %d of %s, before and after each commit since %s: the runs do not tell which one began it",
		verb, n, agent.Plural(len(r.Runs), "run"), old.Commit.Short())
}

// isNew reports whether what the command tests does not exist at a parent of the commit.
func (r *Result) isNew() bool {
	return slices.ContainsFunc(r.Parents, func(p bisect.ParentRuns) bool { return strings.HasPrefix(r.howAt(p.Commit), testrun.EarlyHow) })
}

// confirmation says what the runs at the commit and at its parents show.
func (r *Result) confirmation() *suspect.Confirmation {
	isNew, isOld := r.verbs()
	text := isNew + " at it" + times(r.At.New, r.At.Old)
	if r.At.New == 0 {
		text = "the command was not judged at it"
	}
	for _, p := range r.Parents {
		switch how := r.howAt(p.Commit); {
		case p.Old > 0 && how != "" && how != passes && !r.Question.Fixed && !r.Builds:
			text += fmt.Sprintf("; its parent %s %s", p.Commit.Short(), how)
		case p.Old > 0:
			text += fmt.Sprintf(" and %s at its parent %s%s", isOld, p.Commit.Short(), times(p.Old, p.New))
		case p.New > 0:
			text += fmt.Sprintf(" and at its parent %s, too", p.Commit.Short())
		default:
			text += fmt.Sprintf(" and was not judged at its parent %s", p.Commit.Short())
		}
	}
	status := suspect.Unclear
	if r.Status == bisect.Proved {
		status = suspect.Confirmed
	}
	return &suspect.Confirmation{Status: status, Detail: text}
}

// times counts runs, if there are several.
func times(agreeing, others int) string {
	if agreeing+others <= 1 {
		return ""
	}
	return fmt.Sprintf(" (%d of %s)", agreeing, agent.Plural(agreeing+others, "run"))
}

// evidence lists the files that the culprit changes: those that the command opened first, and
// source files before others. Each shows its first new line, or the first removed one.
func (e *Engine) evidence(ctx context.Context, oid gitext.OID, patch *gitext.Patch, opened map[string]bool) ([]suspect.Evidence, error) {
	files := slices.Clone(patch.Files)
	weight := func(f gitext.FileChange) int {
		w := 0
		if opened[f.NewPath] {
			w -= 2
		}
		if source.FileKindOf(f.NewPath) == source.SourceFile {
			w--
		}
		return w
	}
	slices.SortStableFunc(files, func(a, b gitext.FileChange) int { return cmp.Compare(weight(a), weight(b)) })
	var list []suspect.Evidence
	for _, f := range files[:min(len(files), maxEvidence)] {
		ev := suspect.Evidence{Path: cmp.Or(f.NewPath, f.OldPath), Command: "git show " + string(oid)}
		var err error
		if ev.Line, ev.Text, err = e.firstChange(ctx, f); err != nil {
			return nil, err
		}
		if ev.Command += " -- " + quote.Pathspec(ev.Path); f.Status == 'D' {
			ev.Path, ev.Text = f.OldPath, "deleted"
		}
		list = append(list, ev)
	}
	return list, nil
}

// firstChange returns the first new line of a file that is code, else the first removed one.
// Other lines, such as comments and imports, count only where there is nothing else.
func (e *Engine) firstChange(ctx context.Context, f gitext.FileChange) (line int, text string, err error) {
	isNew, err := e.codeOf(ctx, f.NewPath, f.NewOID, f.NewMode != 0 && !f.Submodule)
	if err != nil {
		return 0, "", err
	}
	if line, text = firstLine(f, '+', isNew); text != "" {
		return line, text, nil
	}
	isOld, err := e.codeOf(ctx, f.OldPath, f.OldOID, f.OldMode != 0 && !f.Submodule)
	if err != nil {
		return 0, "", err
	}
	line, text = firstLine(f, '-', isOld)
	for _, op := range []byte("+-") {
		if text == "" {
			line, text = firstLine(f, op, anyLine)
		}
	}
	return line, text, nil
}

// firstLine returns the first new or removed line of a file that says something and counts.
func firstLine(f gitext.FileChange, op byte, counts func(line int) bool) (line int, text string) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			at := max(l.New, l.Old)
			if t := strings.TrimSpace(string(l.Text)); l.Op == op && len(t) > 2 && counts(at) {
				return at, string(op) + " " + t
			}
		}
	}
	return 0, ""
}

func anyLine(int) bool { return true }

// codeOf returns a function that reports whether a line of a file is code. Each line is if the file
// cannot be read, is large or does not exist, and so is each line after the first maxLines.
func (e *Engine) codeOf(ctx context.Context, path string, oid gitext.OID, exists bool) (func(line int) bool, error) {
	if !exists {
		return anyLine, nil
	}
	blob, err := e.Repo.Blob(ctx, oid, source.MaxLexed)
	var large *gitext.TooLargeError
	switch {
	case errors.As(err, &large) || gitext.Unreadable(err):
		return anyLine, nil
	case err != nil:
		return nil, err
	}
	kinds := source.LineKinds(path, blob, maxLines)
	return func(line int) bool { return line < 1 || line > len(kinds) || kinds[line-1] == source.LineCode }, nil
}

// maxLines bounds the lines of a file that are searched for comments, because a lexer takes a second for a megabyte.
const maxLines = 3000

// ReplacedNote is a sentence for the user where git shows other commits than the search takes, by git replace or by
// the file grafts. It is empty where git shows the commits as they are.
func ReplacedNote(ctx context.Context, repo *gitext.Repo) (string, error) {
	n, err := repo.Replaced(ctx)
	if err != nil || n == 0 {
		return "", err
	}
	return "the history is searched as it was committed: what git replace or grafts put in place of " + agent.Plural(n, "commit") +
		" counts for git bisect, and not here", nil
}
