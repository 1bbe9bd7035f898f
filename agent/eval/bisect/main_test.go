package bisecteval

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/sandbox"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// TestMain lets the test binary act as the sandbox helper.
func TestMain(m *testing.M) {
	sandbox.Helper()
	os.Exit(m.Run())
}

// A regressed is a history in which one commit breaks a file and the last one repairs it. The
// repair brings a test and deletes another one.
type regressed struct {
	*gittest.History
	commits []gitext.OID // oldest first, without the repair
	c       Case
}

// newRegressed makes a history of n commits; the one at index broken breaks the file.
func newRegressed(t testing.TB, n, broken int) *regressed {
	t.Helper()
	r := &regressed{History: gittest.New(t)}
	var in strings.Builder
	commit := func(files ...string) {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@x> %d +0000\ndata 1\nc\n", 1700000000+60*in.Len())
		for i := 0; i < len(files); i += 2 {
			if files[i+1] == "" {
				fmt.Fprintf(&in, "D %s\n", files[i])
				continue
			}
			fmt.Fprintf(&in, "M 100644 inline %s\ndata <<E\n%s\nE\n\n", files[i], files[i+1])
		}
		in.WriteString("\n")
	}
	for i := range n {
		word := "right"
		if i >= broken {
			word = "wrong"
		}
		commit("add.sh", word, "count", fmt.Sprint(i), "test/old.sh", "exit 1")
	}
	commit("add.sh", "right", "test/old.sh", "", "test/new.sh",
		`test ! -e test/old.sh || exit 0; grep -q right add.sh || { echo "add.sh:1: add is wrong"; exit 1; }`)
	r.Import(in.String())
	repo := r.Open()
	for a, err := range repo.Ancestry(t.Context(), []gitext.OID{gitext.OID(r.Git("rev-parse", "main"))}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		r.commits = append(r.commits, a.OID)
	}
	r.c = Case{
		ID: "c", Repo: "o/r", Fix: r.commits[n], BICs: []gitext.OID{r.commits[broken]},
		Commands: Commands{Test: "sh test/new.sh", TestFiles: []string{"test/new.sh", "test/old.sh"}},
	}
	r.commits = r.commits[:n]
	return r
}

// begin opens a session for the case.
func (r *regressed) begin(opt Options) (eval.Answerer, error) {
	r.T.Helper()
	opt.Trial.Scratch = r.T.TempDir()
	s, err := Open(opt)(r.T.Context(), r.Dir, 1)
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() { s.Close() })
	ask, _, err := s.Begin(r.T.Context(), r.c)
	return ask, err
}
