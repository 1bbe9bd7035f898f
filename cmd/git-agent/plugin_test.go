package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/trial"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/clients"
	"git-agent/cmd/git-agent/mcpcmd"
	"git-agent/cmd/git-agent/ui"
)

// toolParams returns the parameters of each tool of the server, bisect included.
func toolParams(t *testing.T) map[string]map[string]json.RawMessage {
	t.Helper()
	opt, err := (&mcpcmd.Server{Trial: &trial.Options{}}).Options()
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]map[string]json.RawMessage{}
	for _, tool := range opt.Tools {
		var form struct{ Properties map[string]json.RawMessage }
		if err := json.Unmarshal(tool.Spec.Parameters, &form); err != nil {
			t.Fatal(err)
		}
		tools[tool.Spec.Name] = form.Properties
	}
	return tools
}

// verbOptions returns the options of each verb, and those of all verbs under "".
func verbOptions(t *testing.T) map[string][]string {
	t.Helper()
	var c cli
	parser, err := newParser(&c, app.NewApp(nil, strings.NewReader(""), io.Discard, io.Discard, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	verbs := map[string][]string{}
	for _, verb := range parser.Model.Children {
		for _, o := range ui.AllOptions(verb, parser.Model.Node) {
			name, _, _ := strings.Cut(strings.TrimPrefix(o.Long, "--"), "=")
			verbs[verb.Name] = append(verbs[verb.Name], strings.TrimPrefix(strings.Trim(name, " "), "[no-]"))
		}
	}
	return verbs
}

// The tools, parameters, verbs and options in the skills are those that the program has.
func TestSkillsNameWhatIsThere(t *testing.T) {
	files, err := clients.PluginFiles("v1.2.3-4-gabc", clients.Server{Command: "git-agent", Args: []string{"mcp"}})
	if err != nil {
		t.Fatal(err)
	}
	tools, verbs := toolParams(t), verbOptions(t)
	call, command := regexp.MustCompile("`([a-z_]+)\\(([a-z_, ]*)\\)`"), regexp.MustCompile("`git agent ([^`]+)`")
	named, skills := map[string]bool{}, 0
	for _, f := range files {
		if !strings.HasPrefix(f.Path, "skills/") {
			if !json.Valid([]byte(f.Text)) {
				t.Errorf("%s is not JSON", f.Path)
			}
			continue
		}
		skills++
		checkFrontMatter(t, f)
		for _, found := range call.FindAllStringSubmatch(f.Text, -1) {
			params, ok := tools[found[1]]
			if named[found[1]] = true; !ok {
				t.Errorf("%s: there is no tool %s", f.Path, found[1])
			}
			for param := range strings.SplitSeq(found[2], ", ") {
				if _, ok := params[param]; !ok {
					t.Errorf("%s: %s has no parameter %q", f.Path, found[1], param)
				}
			}
		}
		for _, found := range command.FindAllStringSubmatch(f.Text, -1) {
			words := strings.Fields(found[1])
			options, ok := verbs[words[0]]
			if !ok {
				t.Errorf("%s: there is no verb %s", f.Path, words[0])
			}
			for _, word := range words[1:] {
				if word == "--" {
					break
				}
				name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
				if strings.HasPrefix(word, "--") && !slices.Contains(options, name) {
					t.Errorf("%s: %s has no option --%s", f.Path, words[0], name)
				}
			}
		}
	}
	if skills < 5 {
		t.Errorf("%d skills", skills)
	}
	for _, name := range []string{"szz", "crash", "fix_locate", "fix_history", "bisect", "git_show", "git_blame"} {
		if !named[name] {
			t.Errorf("no skill names %s", name)
		}
	}
}

// checkFrontMatter checks what clients require of a skill.
func checkFrontMatter(t *testing.T, f clients.PluginFile) {
	t.Helper()
	m := regexp.MustCompile(`^---\nname: ([a-z-]{1,64})\ndescription: ([^\n:]+)\n---\n\n# `).FindStringSubmatch(f.Text)
	if m == nil || len(m[2]) > 1024 || f.Path != "skills/"+m[1]+"/SKILL.md" {
		t.Errorf("%s: the front matter is %q", f.Path, m)
	}
}

// The plugin is written to a new folder or over itself, and to no other.
func TestPluginFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	files, err := clients.PluginFiles("devel", clients.Server{Command: "git-agent", Args: []string{"mcp", "--allow=run"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if written, err := clients.WritePlugin(dir, files, app.WriteFile); err != nil || len(written) != len(files) {
			t.Fatalf("%v: %d files", err, len(written))
		}
	}
	for _, name := range []string{".mcp.json", "gemini-extension.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), `"--allow=run"`) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	var about struct{ Description, Version string }
	text, err := os.ReadFile(filepath.Join(dir, "server.json"))
	if err != nil || json.Unmarshal(text, &about) != nil || len(about.Description) > 100 || about.Version != "0.0.0-devel" {
		t.Errorf("%v: %+v", err, about)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := clients.WritePlugin(other, files, app.WriteFile); err == nil {
		t.Error("the plugin is written into a folder of others")
	}
	if err := os.RemoveAll(filepath.Join(dir, "skills")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, "skills")); err != nil {
		t.Skip(err)
	}
	if _, err := clients.WritePlugin(dir, files, app.WriteFile); err == nil {
		t.Error("a link is followed")
	}
}

// The command line lists the clients in the order of package clients.
func TestClientsAreListed(t *testing.T) {
	names := ""
	for _, c := range clients.All() {
		names += "," + c.Name
	}
	for _, option := range []string{"Install", "Uninstall"} {
		field, _ := reflect.TypeFor[mcpCmd]().FieldByName(option)
		if got := field.Tag.Get("enum"); got != names {
			t.Errorf("%s takes %s, want %s", option, got, names)
		}
	}
}
