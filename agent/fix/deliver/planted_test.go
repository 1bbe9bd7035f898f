//go:build unix

package deliver

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"git-agent/agent/fix"
)

// A planted journal is the journal of a killed delivery after somebody changed it or the
// repository. Such a journal may come with an archive. out is a directory outside of the
// repository.
type planted struct {
	name  string
	forge func(j *journal, p *place, out string) error
	held  bool // the recovery goes on and touches nothing outside, rather than refusing
}

var plantedJournals = []planted{
	{name: "branch outside", forge: func(j *journal, p *place, out string) (err error) {
		j.Branch, err = filepath.Rel(filepath.Join(p.Dir, ".git/refs/heads"), filepath.Join(out, "victim"))
		return err
	}},
	{name: "branch behind a link", held: true, forge: func(j *journal, p *place, out string) error {
		j.Branch = "far/victim"
		return os.Symlink(out, filepath.Join(p.Dir, ".git/refs/heads/far"))
	}},
	{name: "path outside", forge: set(func(j *journal) { j.Files[0].Path = []byte("../new") })},
	{name: "path in the git directory", forge: set(func(j *journal) { j.Files[0].Path = []byte(".GIT/hooks/pre-commit") })},
	{name: "path that is not clean", forge: set(func(j *journal) { j.Files[0].Path = []byte("sub//x") })},
	{name: "permissions of another user", forge: set(func(j *journal) { j.Files[0].Perm |= fs.ModeSetuid })},
	{name: "more directories than the path has", forge: set(func(j *journal) { j.Files[0].Dirs = 9 })},
	{name: "fewer directories than none", forge: set(func(j *journal) { j.Files[0].Dirs = -1 })},
	{name: "unknown target", forge: set(func(j *journal) { j.Target = "everywhere" })},
	{name: "head that is no commit", forge: set(func(j *journal) { j.Head = "--output=x" })},
	{name: "backup elsewhere", forge: set(func(j *journal) { j.Name = "../../heads/main" })},
	{name: "no time", forge: set(func(j *journal) { j.Began = time.Time{} })},
	{name: "no file", forge: set(func(j *journal) { j.Files = nil })},
	{name: "work tree of others", forge: func(_ *journal, p *place, out string) error {
		p.Git("config", "core.worktree", out)
		return nil
	}},
	{name: "index behind a link", forge: func(_ *journal, p *place, out string) error {
		index := filepath.Join(p.Dir, ".git/index")
		return errors.Join(os.Rename(index, filepath.Join(out, "index")), os.Symlink(filepath.Join(out, "index"), index))
	}},
	{name: "common directory of others", held: true, forge: func(j *journal, p *place, out string) error {
		j.Branch = "victim"
		return errors.Join(os.CopyFS(filepath.Join(out, "other"), os.DirFS(filepath.Join(p.Dir, ".git"))),
			os.WriteFile(filepath.Join(out, "other/refs/heads/victim.lock"), nil, 0o644),
			os.WriteFile(filepath.Join(p.Dir, ".git/commondir"), []byte(filepath.Join(out, "other")+"\n"), 0o644))
	}},
}

// set changes only the journal.
func set(change func(*journal)) func(*journal, *place, string) error {
	return func(j *journal, _ *place, _ string) error { change(j); return nil }
}

func TestPlantedJournal(t *testing.T) {
	// No content of a journal and no link of the repository makes a recovery write or remove
	// anything outside of the repository. No delivery writes over such a journal.
	killed := newPlace(t)
	killed.Commit("base", killBase)
	tree := killed.tree()
	killed.kill("written", tree, Index, killPatch)
	for _, v := range plantedJournals {
		t.Run(v.name, func(t *testing.T) {
			p := killed.copy(t)
			path := filepath.Join(p.Dir, ".git", journalName)
			note, out := &journal{}, t.TempDir()
			text, err := os.ReadFile(path)
			if err = errors.Join(err, os.WriteFile(filepath.Join(out, "victim.lock"), nil, 0o644), json.Unmarshal(text, note), v.forge(note, p, out)); err != nil {
				t.Fatal(err)
			}
			if text, err = json.Marshal(note); err == nil {
				err = os.WriteFile(path, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			p.repo = p.Open()
			before := contents(t, out)
			_, err = Apply(t.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: killPatch}}, tree, Options{Target: Index})
			if !errors.As(err, new(*Refusal)) && v.name != "work tree of others" {
				t.Errorf("another delivery: %v", err)
			}
			done, err := Recover(t.Context(), p.repo)
			if (err == nil) != v.held {
				t.Errorf("%+v, %v", done, err)
			}
			if after := contents(t, out); after != before {
				t.Errorf("outside\n%s\nbecame\n%s", before, after)
			}
		})
	}
}

// contents describes the files below a directory.
func contents(t *testing.T, dir string) string {
	t.Helper()
	all := ""
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all += fmt.Sprintf("%s %x\n", path, sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestJournalWrittenInPart(t *testing.T) {
	// An empty or partial journal of a killed process describes nothing: the next recovery
	// removes it, and the next delivery writes over all of it.
	p := newPlace(t)
	p.Commit("base", killBase)
	path := filepath.Join(p.Dir, ".git", journalName)
	for _, rest := range []string{"", `{"Name":"` + string(make([]byte, 64<<10))} {
		if err := os.WriteFile(path, []byte(rest), 0o600); err != nil {
			t.Fatal(err)
		}
		if done, err := Recover(t.Context(), p.Open()); done != nil || err != nil {
			t.Errorf("%+v, %v", done, err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Error("the journal is still there")
		}
		if err := os.WriteFile(path, []byte(rest), 0o600); err != nil {
			t.Fatal(err)
		}
		p.kill("written", p.tree(), Index, killPatch)
		if found, err := Interrupted(t.Context(), p.repo); found == nil || err != nil {
			t.Errorf("not found: %v", err)
		}
		if done, err := Recover(t.Context(), p.repo); done == nil || err != nil {
			t.Errorf("%+v, %v", done, err)
		}
	}
}
