package engine

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

func TestSuspectRunsNothing(t *testing.T) {
	// The output of somebody else's test run leads to the function and its history, even if it
	// contains the path of another work tree. No command is run: the engine has no options to
	// run one with.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("size: bytes", gittest.Files{"size.c": "int size(int words)\n{\n\treturn 2 * words;\n}\n"})
	broke := h.Commit("size: bits", gittest.Files{"size.c": "int size(int words)\n{\n\treturn 16 + words;\n}\n"})
	e := &Engine{Repo: h.Open()}
	output := "--- FAIL: TestSize (0.01s)\n" + e.Repo.WorkTree() + "/size.c:3: Failure\nExpected equality\n"
	ans, err := e.Suspect(t.Context(), fix.Problem{Tree: fix.Tree{Commit: broke}, Test: "touch ran"}, []byte(output), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := ans.Localization.Locations[0]
	if first.Function != "size" || first.Grounds[0].Text != "the output names its line 3" || ans.History.Blamed[0].Commit.OID != broke {
		t.Errorf("%+v, history %+v", first, ans.History)
	}
	if rep := ans.Reproduction; strings.Join(rep.Failing, " ") != "TestSize" || rep.State != "" || len(rep.Output) > 0 {
		t.Errorf("reproduction %+v", rep)
	}
	if status := h.Git("status", "--porcelain"); status != "" {
		t.Errorf("the work tree has changed: %s", status)
	}
}

func TestDossierWithholdsSecrets(t *testing.T) {
	// A file with a name typical of secrets is not shown, nor are changes of a file from the
	// time when it had such a name. Other commits that wrote the lines are shown.
	t.Parallel()
	h := gittest.New(t)
	body := "f() {\n\techo one\n\techo two\n\techo three\n\techo four\n}\n"
	h.Commit("add the key", gittest.Files{"deploy.key": "# hunter2\n" + body})
	h.Git("mv", "deploy.key", "deploy.sh")
	h.Commit("rename", gittest.Files{"deploy.sh": body})
	head := h.Commit("deploy: echo more", gittest.Files{"deploy.sh": strings.Replace(body, "two", "2", 1)})
	e := &Engine{Repo: h.Open()}
	ask := func(path string) (*Dossier, error) {
		problem := fix.Problem{Tree: fix.Tree{Commit: head}, Given: []fix.GivenLocation{{Path: path}}}
		return e.Dossier(t.Context(), problem, DossierOptions{Heuristics: fix.Heuristics, Tokens: 2000})
	}
	d, err := ask("deploy.sh")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.Text, "hunter2") || strings.Contains(d.Text, "add the key") || !strings.Contains(d.Text, "deploy: echo more") || !strings.Contains(d.Text, "Note: Of 1 commit nothing is shown") {
		t.Errorf("%s", d.Text)
	}
	if d, err := ask("deploy.key"); err == nil || !strings.Contains(err.Error(), "deploy.key is withheld") {
		t.Errorf("%+v, %v", d, err)
	}
}
