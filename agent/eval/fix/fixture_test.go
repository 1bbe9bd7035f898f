package fixeval

import (
	"context"
	"slices"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A bug is a repository of a shell program that adds two numbers and doubles one. A commit broke
// add; the next one fixes it and adds a test.
type bug struct {
	*gittest.History
	c     Case
	later gitext.OID // the commit after the fix
}

const (
	brokenAdd = "add() {\n\techo $(($1 - $2))\n}\n"
	fixedAdd  = "add() {\n\techo $(($1 + $2))\n}\n"
	double    = "double() {\n\tadd \"$1\" \"$1\"\n}\n"
)

// newBug writes the repository. In the tree before the fix, double prints 0, so its test in the
// suite also fails.
func newBug(t *testing.T) *bug {
	h := gittest.New(t)
	h.Commit("start", gittest.Files{"lib.sh": fixedAdd + "\n# other\nid() {\n\techo \"$1\"\n}\n", "README": "numbers\n"})
	base := h.Commit("break it", gittest.Files{"lib.sh": brokenAdd + "\n# other\nid() {\n\techo \"$1\"\n}\n",
		"test/old.sh": ". ./lib.sh\n[ \"$(id 7)\" = 7 ] || exit 1\n", "test/gone.sh": "exit 1\n"})
	fixed := h.Commit("fix it", gittest.Files{"lib.sh": fixedAdd + "\n# other\nid() {\n\techo \"$1\"\n}\n",
		"test/add.sh": ". ./lib.sh\n[ \"$(add 2 3)\" = 5 ] || { echo 'add 2 3 is not 5'; exit 1; }\n", "test/gone.sh": gittest.Gone})
	later := h.Commit("more", gittest.Files{"lib.sh": fixedAdd + double})
	yes := true
	return &bug{h, Case{ID: "b", Repo: "o/r", Base: base, Fix: fixed, TestFiles: []string{"test/add.sh", "test/gone.sh"}, SrcFiles: []string{"lib.sh"},
		TestCmd: "sh test/add.sh", SuiteCmd: "for t in test/*.sh; do sh $t || exit 1; done", Category: "SL", Blameable: &yes, Lang: "sh", BugReport: "add subtracts"}, later}
}

// local are the options of commands in tests.
var local = trial.Options{Sandbox: sandbox.None}

// begin opens a session and begins the bug's case.
func (b *bug) begin(opt Options) (eval.Session, eval.Answerer) {
	b.T.Helper()
	opt.Trial.Scratch = b.T.TempDir()
	s, err := Open(opt)(b.T.Context(), b.Dir, 1)
	if err != nil {
		b.T.Fatal(err)
	}
	b.T.Cleanup(func() { s.Close() })
	ask, absent, err := s.Begin(b.T.Context(), b.c)
	if err != nil || absent != nil {
		b.T.Fatalf("absent %q, %v", absent, err)
	}
	return s, ask
}

// answer returns the prediction of an engine that answers with these patches. Each patch writes
// files.
func (b *bug) answer(algorithm string, patches ...gittest.Files) Prediction {
	b.T.Helper()
	ans := &fix.Answer{Reproduction: fix.Reproduction{State: fix.Failing}, Tried: len(patches)}
	for _, files := range patches {
		ans.Plausible = append(ans.Plausible, fix.Trial{Verdict: fix.Plausible, Origin: "a test", Patch: patchOf(files)})
	}
	return b.answerWith(algorithm, ans)
}

func (b *bug) answerWith(algorithm string, ans *fix.Answer) Prediction {
	b.T.Helper()
	_, ask := b.begin(Options{Trial: local, Repair: func(context.Context, Inquiry) (*fix.Answer, error) { return ans, nil }})
	a, err := ask(b.T.Context(), algorithm)
	if err != nil {
		b.T.Fatal(err)
	}
	return a.(Prediction)
}

func patchOf(files gittest.Files) fix.Patch {
	var p fix.Patch
	for path, text := range files {
		o := gitext.Overlay{Path: path, Mode: 0o100644, Content: []byte(text)}
		if text == gittest.Gone {
			o = gitext.Overlay{Path: path}
		}
		p.Files = append(p.Files, o)
	}
	slices.SortFunc(p.Files, func(a, b gitext.Overlay) int { return len(a.Path) - len(b.Path) })
	return p
}
