package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-agent/man"
)

// recipe returns the script of a section of git-agent-recipes(7). Of a job, it is the script
// that the job runs.
func recipe(t *testing.T, section string) string {
	t.Helper()
	page, err := man.Page("git-agent-recipes")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(page, ".SH "+section+"\n")
	_, code, open := strings.Cut(after, "\n.nf\n")
	code, _, closed := strings.Cut(code, "\n.fi\n")
	if !found || !open || !closed {
		t.Fatalf("no section %s with a script", section)
	}
	code = strings.NewReplacer(`\e`, `\`, `\-`, "-", `\(aq`, "'", `\(ga`, "`", `\&`, "").Replace(code)
	lines := strings.Split(code, "\n")
	if i := slices.IndexFunc(lines, func(l string) bool {
		return strings.HasSuffix(l, "|") && regexp.MustCompile(`^ *(- |run: )\|$`).MatchString(l)
	}); i >= 0 {
		lines = lines[i+1:]
	}
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], " "))
	for i, l := range lines {
		lines[i] = l[min(indent, len(l)):]
	}
	return strings.Join(lines, "\n") + "\n"
}

// recipeBench is a repository in which the work tree, not yet committed, fixes the bug of HEAD~1,
// with the other programs of the recipes on PATH, which only write down their arguments and
// files.
func recipeBench(t *testing.T) *agentBench {
	t.Helper()
	b := newAgentBench(t)
	b.git("reset", "-q", "--soft", "HEAD~1")
	bin := filepath.Join(b.home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	fake := "#!/bin/sh\n{ echo \"$0 $*\"; cat found.txt; } >>\"$HOME/told\"\n"
	for name, text := range map[string]string{
		"gh": fake, "curl": fake, "b4": "#!/bin/sh\ncat \"$HOME/series\"\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	b.setenv("GIT_CONFIG_COUNT", "1")
	b.setenv("GIT_CONFIG_KEY_0", "agent.trailerFloor")
	b.setenv("GIT_CONFIG_VALUE_0", "10%")
	return b
}

// commitAs commits the fix with a message, and returns what git printed.
func (b *agentBench) commitAs(message string) (string, error) {
	cmd := b.command("git", "commit", "-q", "-m", message)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestRecipesOfHooks(t *testing.T) {
	t.Parallel()
	b := recipeBench(t)
	for _, name := range []string{"prepare-commit-msg", "commit-msg"} {
		hook := filepath.Join(b.dir, ".git", "hooks", name)
		if err := os.WriteFile(hook, []byte(recipe(t, strings.ToUpper(strings.ReplaceAll(name, "-", `\-`)))), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	right := "Fixes: " + b.bug[:12] + ` ("a: count from two")`
	if out, err := b.commitAs("fix the count\n\nFixes: " + b.bug[:12] + ` ("b: another")`); err == nil || !strings.Contains(out, `another subject: "a: count from two"`) {
		t.Errorf("a wrong trailer is committed: %v, %s", err, out)
	}
	if out, err := b.commitAs("fix the count"); err != nil || !strings.Contains(b.git("log", "-1", "--format=%B"), right) {
		t.Errorf("%v, %s, message %q", err, out, b.git("log", "-1", "--format=%B"))
	}
}

// quotedScript finds the scripts of hooks of pre-commit.
var quotedScript = regexp.MustCompile(`(?s)sh -c '(.*?)'`)

// The hooks of pre-commit for a clone of git-agent are those of the page for an installed one. They
// check the message and what is pushed.
func TestRecipesOfPreCommit(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{}
	plain := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, ";", " ")), " ") }
	page := quotedScript.FindAllStringSubmatch(recipe(t, `PRE\-COMMIT`), -1)
	for i, name := range []string{"push", "message"} { // in the page, the message comes first
		found := quotedScript.FindAllStringSubmatch(string(text), -1)
		if len(found) != 2 || len(page) != 2 {
			t.Fatalf("%q, %q", found, page)
		}
		scripts[name] = page[1-i][1]
		if a, b := plain(found[i][1]), plain(scripts[name]); strings.ReplaceAll(a, "git-agent", "git agent") != b {
			t.Errorf("%s: the repository has\n%s\nand the page\n%s", name, a, b)
		}
	}
	b := recipeBench(t)
	hook := func(name, script string) {
		t.Helper()
		text := "#!/bin/sh\nPRE_COMMIT_FROM_REF=$FROM PRE_COMMIT_TO_REF=$TO exec sh -c '" + script + "' \"$@\"\n"
		if err := os.WriteFile(filepath.Join(b.dir, ".git", "hooks", name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hook("commit-msg", scripts["message"])
	wrong := "fix the count\n\nFixes: " + b.bug[:12] + ` ("b: another")`
	if out, err := b.commitAs(wrong); err == nil || !strings.Contains(out, `another subject: "a: count from two"`) {
		t.Errorf("a wrong trailer is committed: %v, %s", err, out)
	}
	if out, err := b.commitAs("fix the count\n\nFixes: " + b.bug[:12] + ` ("a: count from two")`); err != nil {
		t.Errorf("a right trailer is refused: %s", out)
	}
	if err := os.Remove(filepath.Join(b.dir, ".git", "hooks", "commit-msg")); err != nil {
		t.Fatal(err)
	}
	b.git("commit", "-q", "--allow-empty", "-m", wrong)
	b.git("commit", "-q", "--allow-empty", "-m", "lib: more")
	b.git("init", "-q", "--bare", filepath.Join(b.home, "to.git"))
	hook("pre-push", plain(scripts["push"])) // as > in YAML does
	push := func(from string) (string, error) {
		cmd := b.command("git", "push", "-q", filepath.Join(b.home, "to.git"), "HEAD:refs/heads/x")
		cmd.Env = append(b.env, "FROM="+from, "TO=HEAD")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := push("HEAD~2"); err == nil || !strings.Contains(out, "another subject") {
		t.Errorf("a wrong trailer is pushed: %v, %s", err, out)
	}
	if out, err := push("HEAD~1"); err != nil {
		t.Errorf("the newest commit is refused: %s", out)
	}
}

func TestRecipesOfJobs(t *testing.T) {
	t.Parallel()
	b := recipeBench(t)
	if out, err := b.commitAs("fix the count"); err != nil {
		t.Fatal(out)
	}
	b.shell("cd r && git format-patch -q -1 --stdout >../series")
	for name, value := range map[string]string{
		"BASE": "HEAD~1", "NUMBER": "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD~1", "GITLAB_TOKEN": "t", "CI_API_V4_URL": "u",
		"CI_PROJECT_ID": "1", "CI_MERGE_REQUEST_IID": "7", "MESSAGE_ID": "m",
	} {
		b.setenv(name, value)
	}
	trailer := "Fixes: " + b.bug[:12] + ` ("a: count from two")`
	for section, has := range map[string]string{"GITHUB WORKFLOW": "gh pr comment 7 --body-file found.txt", "GITLAB JOB": "/merge_requests/7/notes"} {
		told := filepath.Join(b.home, "told")
		os.Remove(told)
		b.runRecipe(section)
		if text, _ := os.ReadFile(told); !strings.Contains(string(text), has) || !strings.Contains(string(text), trailer) {
			t.Errorf("%s: %s", section, text)
		}
		os.Remove(told)
		b.setenv("GIT_CONFIG_VALUE_0", "100%")
		b.runRecipe(section)
		if _, err := os.Stat(told); err == nil {
			t.Errorf("%s speaks below the floor", section)
		}
		b.setenv("GIT_CONFIG_VALUE_0", "10%")
	}
	if out := b.runRecipe("MAILED SERIES"); !strings.HasPrefix(out, trailer) {
		t.Errorf("mailed series: %s", out)
	}
}

// runRecipe runs a script of the page and returns its output.
func (b *agentBench) runRecipe(section string) string {
	b.t.Helper()
	out, err := b.command("sh", "-ec", recipe(b.t, section)).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", section, err, out)
	}
	return string(out)
}
