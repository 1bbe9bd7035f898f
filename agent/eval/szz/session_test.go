package szzeval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// memory is an eval.Journal in memory.
type memory struct {
	mu      sync.Mutex
	records []eval.Record
}

func (m *memory) Kept(context.Context) iter.Seq2[eval.Record, error] {
	return func(yield func(eval.Record, error) bool) {
		for _, r := range m.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (m *memory) Keep(_ context.Context, r eval.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, r)
	return nil
}

// git runs git in a repository with a fixed identity and clock.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// history commits a file once for each text and returns the commits.
func history(t *testing.T, dir string, texts ...string) []gitext.OID {
	t.Helper()
	git(t, dir, "init", "-q")
	var list []gitext.OID
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, "f.c"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "add", "f.c")
		git(t, dir, "commit", "-q", "-m", fmt.Sprintf("step %d", i))
		list = append(list, gitext.OID(git(t, dir, "rev-parse", "HEAD")))
	}
	return list
}

// The offline engine answers through the same interface as other engines. A right
// answer is found, a missing fix skips its case, and a missing BIC is reported.
func TestSZZSession(t *testing.T) {
	repos := t.TempDir()
	dir := filepath.Join(repos, "o", "r")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	steps := history(t, dir, "int a;\nint b;\nint c;\n", "int a;\nint wrong;\nint c;\n", "int a;\nint b;\nint c;\n")
	p := eval.Plan{Task: Task{}, Algorithms: []string{"b"}, Version: "v", Repos: eval.Finder{Dir: repos}, Journal: &memory{},
		Open: Open(Options{Context: szz.ContextOptions{NoAnnotations: true}}),
		Cases: []eval.Case{
			Case{ID: "found", Repo: "o/r", Fix: steps[2], BICs: steps[1:2]},
			Case{ID: "no-bic", Repo: "o/r", Fix: steps[2], BICs: oids("a")},
			Case{ID: "no-fix", Repo: "o/r", Fix: oid("f"), BICs: steps[1:2]},
			Case{ID: "one-bic", Repo: "o/r", Fix: steps[2], BICs: append(oids("a"), steps[1])},
		}}
	res, err := eval.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failed) != 0 || len(res.Skipped) != 2 || len(res.Partial) != 1 || res.Partial[0].ID != "one-bic" {
		t.Errorf("failed %v, skipped %v, partial %v", res.Failed, res.Skipped, res.Partial)
	}
	if o := res.Outcomes["b"]; o[0].Row.(scoreRow).Rank != 1 || o[0].Tally[answers] != 1 || o[3].Tally[found] != 1 || o[3].Tally[bics] != 2 {
		t.Errorf("outcomes: %+v", o)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "agent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the clone was written to: %v", err)
	}
}

// No text of a fix that an engine sees contains five digits of a BIC's hash or a
// BIC's subject. The test needs case files and clones:
//
//	GIT_AGENT_EVAL_CASES=a.jsonl:b.jsonl GIT_AGENT_EVAL_REPOS=clones go test -run Leak
func TestNoHintLeaks(t *testing.T) {
	files, repos := os.Getenv("GIT_AGENT_EVAL_CASES"), os.Getenv("GIT_AGENT_EVAL_REPOS")
	if files == "" || repos == "" {
		t.Skip("GIT_AGENT_EVAL_CASES and GIT_AGENT_EVAL_REPOS are not set")
	}
	cases, _, err := eval.ReadCaseFiles(t.Context(), Task{}, filepath.SplitList(files))
	if err != nil {
		t.Fatal(err)
	}
	e := &leakSeeker{t}
	_, err = eval.Run(t.Context(), eval.Plan{Task: Task{}, Cases: cases, Algorithms: []string{"none"}, Repos: eval.Finder{Dir: repos}, Open: e.open, Journal: &memory{}, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
}

// leakSeeker is an engine that searches its input for traces of the BICs.
type leakSeeker struct {
	t *testing.T
}

type leakSession struct {
	*session
	t *testing.T
}

func (e *leakSeeker) open(ctx context.Context, dir string, cases int) (eval.Session, error) {
	s, err := Open(Options{Context: szz.ContextOptions{NoAnnotations: true}})(ctx, dir, cases)
	if err != nil {
		return nil, err
	}
	return &leakSession{s.(*session), e.t}, nil
}

func (s *leakSession) Begin(ctx context.Context, of eval.Case) (eval.Answerer, []gitext.OID, error) {
	c := of.(Case)
	absent, err := s.absent(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	fix, err := szz.NewContext(ctx, s.repo, c.Fix, s.opt.Context)
	if err != nil {
		return nil, nil, err
	}
	if len(fix.Annotations) > 0 {
		s.t.Errorf("%s has annotations: %v", c.ID, fix.Annotations)
	}
	for right := range c.truth() {
		s.look(ctx, c, "the message", fix.Message, right)
		s.look(ctx, c, "the commit", fix.Commit.Message, right)
		s.look(ctx, c, "the notes", strings.Join(fix.Notes, "\n"), right)
	}
	return func(context.Context, string) (eval.Answer, error) { return Prediction{}, nil }, absent, nil
}

// look reports as a test error any trace of a BIC in a text.
func (s *leakSession) look(ctx context.Context, c Case, what, text string, culprit gitext.OID) {
	text = flat(text)
	if at := strings.Index(text, string(culprit[:5])); at >= 0 {
		s.t.Errorf("%s: %s shows the hash of %s: %q", c.ID, what, culprit.Short(), text[max(0, at-30):min(len(text), at+30)])
	}
	commit, err := s.repo.Commit(ctx, culprit)
	if err != nil {
		return // the BIC is absent, so there is no subject to leak
	}
	own, err := s.repo.Commit(ctx, c.Fix)
	if err != nil {
		s.t.Error(err)
		return
	}
	// A short subject ("fix typo") may be ordinary words of another message, and
	// a fix of a fix often begins with the same words. Neither identifies a commit.
	subject := flat(commit.Subject())
	if len(subject) >= 20 && !strings.HasPrefix(flat(own.Subject()), subject) && strings.Contains(text, subject) {
		s.t.Errorf("%s: %s shows the subject of %s: %q", c.ID, what, culprit.Short(), subject)
	}
}

// flat converts text to lower case on one line, for searching.
func flat(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
