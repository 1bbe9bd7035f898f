package prompts

import (
	"strings"
	"testing"
)

func TestAll(t *testing.T) {
	// Get finds every embedded text by its name. Each has its own hash, and
	// neither tabs nor spaces at the ends of lines.
	all, err := All()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d texts, %v", len(all), err)
	}
	hashes := map[string]string{}
	for _, p := range all {
		again, err := Get(p.Name)
		if err != nil || again != p {
			t.Errorf("%s: %+v, %v", p.Name, again, err)
		}
		if other := hashes[p.Hash]; other != "" || len(p.Hash) != 64 {
			t.Errorf("%s and %s have the hash %s", p.Name, other, p.Hash)
		}
		hashes[p.Hash] = p.Name
		for line := range strings.Lines(p.Text) {
			if line := strings.TrimSuffix(line, "\n"); strings.TrimRight(line, " \t\r") != line {
				t.Errorf("%s: blanks at the end of %q", p.Name, line)
			}
		}
	}
	if _, err := Get("tool/../prompts"); err == nil {
		t.Error("a name outside the embedded texts was found")
	}
}

func TestRender(t *testing.T) {
	// Data is inserted unchanged, without escaping, and none may be missing.
	p := Prompt{Name: "x", Text: "look at {{.commit}}"}
	got, err := p.Render(map[string]string{"commit": "<a&b>"})
	if got != "look at <a&b>" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := p.Render(map[string]string{}); err == nil {
		t.Errorf("a missing field gives %q", got)
	}
}

func TestForTool(t *testing.T) {
	// A tool's text is split into description, parameters and advice.
	tool, err := ForTool("git_show", true)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(tool.Description, "\n@") {
		t.Errorf("the description holds parameters: %s", tool.Description)
	}
	if _, named := tool.Params["commit"]; !named || tool.Params["context"] == "" || tool.Narrow == "" {
		t.Errorf("got %+v", tool)
	}
	if _, err := ForTool("git_push", true); err == nil {
		t.Error("an unknown tool has a description")
	}
}
