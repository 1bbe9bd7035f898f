package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// maxEvidence bounds the changed files that a culprit shows.
const maxEvidence = 20

// describe returns the culprit with its changes as evidence.
func (e *Engine) describe(ctx context.Context, a *bisect.Answer, q Question, opened map[string]bool) (*suspect.Suspect, error) {
	commit, err := e.Repo.Commit(ctx, a.First)
	if err != nil {
		return nil, err
	}
	s := &suspect.Suspect{Commit: commit, Probability: a.Probability, Reason: reason(a, q)}
	s.Confirmation = confirmation(a, q)
	if len(commit.Parents) == 1 {
		patch, err := e.Repo.Patch(ctx, commit.Parents[0], commit.OID, gitext.PatchOptions{Renames: true, IgnoreSpace: true})
		if err != nil && !gitext.Unreadable(err) {
			return nil, err
		}
		if patch != nil {
			s.Evidence = evidence(commit.OID, patch, opened)
		}
	}
	if len(s.Evidence) == 0 {
		s.Evidence = []suspect.Evidence{{Text: commit.Subject(), Command: "git show " + string(commit.OID)}}
	}
	return s, nil
}

// verbs are the predicates of the outcomes.
func verbs(fixed bool) (isNew, isOld string) {
	if fixed {
		return "passes", "fails"
	}
	return "fails", "passes"
}

// reason says in a clause why the commit is named.
func reason(a *bisect.Answer, q Question) string {
	isNew, _ := verbs(q.Fixed)
	switch a.Status {
	case bisect.Proved:
		return "the command " + isNew + " since this commit"
	case bisect.Always:
		return "the command " + isNew + " at it, and no older commit was found where it can be judged and does not"
	}
	return "the most probable of the commits that are left"
}

// confirmation says what the runs at the commit and at its parents show.
func confirmation(a *bisect.Answer, q Question) *suspect.Confirmation {
	isNew, isOld := verbs(q.Fixed)
	text := fmt.Sprintf("the command %s at it%s", isNew, times(a.At.New, a.At.Old))
	if a.At.New == 0 {
		text = "the command was not judged at it"
	}
	for _, p := range a.Parents {
		switch {
		case p.Old > 0:
			text += fmt.Sprintf(" and %s at its parent %s%s", isOld, p.Commit.Short(), times(p.Old, p.New))
		case p.New > 0:
			text += fmt.Sprintf(" and at its parent %s, too", p.Commit.Short())
		default:
			text += fmt.Sprintf(" and was not judged at its parent %s", p.Commit.Short())
		}
	}
	status := suspect.Unclear
	if a.Status == bisect.Proved {
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
func evidence(oid gitext.OID, patch *gitext.Patch, opened map[string]bool) []suspect.Evidence {
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
		ev.Line, ev.Text = firstChange(f)
		if ev.Command += " -- " + quote.Shell(ev.Path); f.Status == 'D' {
			ev.Path, ev.Text = f.OldPath, "deleted"
		}
		list = append(list, ev)
	}
	return list
}

// firstChange returns the first new line of a file that says something, else the first removed
// one. Comments count only where there is nothing else.
func firstChange(f gitext.FileChange) (line int, text string) {
	for _, comments := range []bool{false, true} {
		for _, op := range []byte("+-") {
			for _, h := range f.Hunks {
				for _, l := range h.Lines {
					t := strings.TrimSpace(string(l.Text))
					if l.Op == op && len(t) > 2 && (comments || !startsComment(t)) {
						return max(l.New, l.Old), string(op) + " " + t
					}
				}
			}
		}
	}
	return 0, ""
}

// startsComment reports whether a line begins like a comment in a common language.
func startsComment(line string) bool {
	for _, mark := range []string{"#", "//", "/*", "*", "--", `"""`} {
		if strings.HasPrefix(line, mark) && !strings.HasPrefix(line, "#include") && !strings.HasPrefix(line, "#define") {
			return true
		}
	}
	return false
}
