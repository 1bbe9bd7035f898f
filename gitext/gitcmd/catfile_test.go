package gitcmd

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"git-agent/gitext/gitdir"
)

const someID = "0123456789abcdef0123456789abcdef01234567"

func FuzzObjectHead(f *testing.F) {
	f.Add(someID + " blob 12")
	f.Add("x missing")
	f.Fuzz(func(t *testing.T, in string) {
		if head, err := parseObjectHead(in); err == nil && (!gitdir.IsOID(head.OID) || head.Size < 0) {
			t.Errorf("%+v", head)
		}
	})
}

// someGit runs git outside of any repository.
func someGit(t *testing.T) *Runner {
	t.Helper()
	env := append(UserEnv(true), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	return &Runner{Dir: t.TempDir(), Env: env, Pins: Pinned, Timeout: DefaultTimeout}
}

// storedBlob makes a repository with one blob and returns a reader of it.
func storedBlob(t *testing.T, text string) (o *CatFile, id string) {
	t.Helper()
	git := someGit(t)
	in := func(text string, args ...string) string {
		out, err := git.Output(t.Context(), Call{Args: args, Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	in("", "init", "-q")
	id = in(text, "hash-object", "-w", "--stdin")
	o = NewCatFile(git)
	t.Cleanup(o.Close)
	return o, id
}

// answers checks that the reader answers both kinds of question.
func answers(t *testing.T, o *CatFile, id, text string) {
	t.Helper()
	head, err := o.Info(t.Context(), id)
	if want := (ObjectHead{OID: id, Kind: "blob", Size: int64(len(text))}); err != nil || head != want {
		t.Errorf("got %+v, %v, want %+v", head, err, want)
	}
	o.Each(t.Context(), "contents", []string{id, "HEAD"}, func(i int, _ ObjectHead, content io.Reader, err error) {
		if i == 1 {
			if !errors.Is(err, ErrMissing) {
				t.Errorf("got %v, want errMissing", err)
			}
			return
		}
		if got, rerr := io.ReadAll(content); err != nil || rerr != nil || string(got) != text {
			t.Errorf("got %q, %v, %v", got, err, rerr)
		}
	})
}

func TestOldGitWithoutBatchCommand(t *testing.T) {
	// The plain --batch protocol gives the same answers.
	o, id := storedBlob(t, "one\n2\n")
	o.oldGit = true
	answers(t, o, id, "one\n2\n")
}

func TestKilledCatFileIsReplaced(t *testing.T) {
	// If cat-file is killed, the next question starts another one.
	o, id := storedBlob(t, "text")
	for range 3 {
		answers(t, o, id, "text")
		o.mu.Lock()
		if err := o.p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		o.mu.Unlock()
	}
	answers(t, o, id, "text")
}
