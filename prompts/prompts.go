// Package prompts embeds every text that git-agent sends to a model: tool/NAME.txt describes a
// tool and its parameters; szz/NAME.txt, crash/NAME.txt and fix/NAME.txt are for the agent
// engines of these verbs, loop/NAME.txt is for the loop if a conversation goes astray, and
// mcp/NAME.txt is for other agents.
//
// Each text has a content hash. A recorded run stores the hash, and the key of a cached answer
// includes it, so that a changed text never mixes old and new answers. The package knows neither
// git nor a model; it fails only for a name that is not embedded, or a template that does not fit
// its data.
package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

//go:embed tool/*.txt szz/*.txt crash/*.txt fix/*.txt loop/*.txt mcp/*.txt
var files embed.FS

// Prompt is one embedded text.
type Prompt struct {
	Name string // path without its ending: "tool/git_blame"
	Text string
	Hash string // hex SHA-256 of Text
}

// Get returns the text called name.
func Get(name string) (Prompt, error) {
	data, err := files.ReadFile(name + ".txt")
	if err != nil {
		return Prompt{}, fmt.Errorf("no prompt is called %q", name)
	}
	sum := sha256.Sum256(data)
	return Prompt{Name: name, Text: string(data), Hash: hex.EncodeToString(sum[:])}, nil
}

// All returns every text, sorted by name.
func All() ([]Prompt, error) {
	var all []Prompt
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		p, err := Get(strings.TrimSuffix(path, ".txt"))
		all = append(all, p)
		return err
	})
	return all, err
}

// Render fills the text as a text/template. A field that data lacks is an
// error, never an empty place in a prompt.
func (p Prompt) Render(data any) (string, error) {
	t, err := template.New(p.Name).Option("missingkey=error").Parse(p.Text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("prompt %q: %w", p.Name, err)
	}
	return b.String(), nil
}

// Tool is the description of a tool for a model.
type Tool struct {
	Description string
	Params      map[string]string // the meaning of each parameter, "" for a self-explanatory name
	Narrow      string            // advice on smaller questions, for a cut or late answer
}

// ForTool reads tool/NAME, with or without advice on investigating with the tool.
func ForTool(name string, advice bool) (Tool, error) {
	p, err := Get("tool/" + name)
	if err != nil {
		return Tool{}, err
	}
	p.Text, err = p.Render(map[string]bool{"Advice": advice})
	return p.Tool(), err
}

// Tool parses the text of a tool: a description, then one line "@param: meaning", or "@param"
// alone, for each parameter and "@@narrow: ..." for the advice on smaller questions.
func (p Prompt) Tool() Tool {
	t := Tool{Params: map[string]string{}}
	var description []string
	for line := range strings.Lines(p.Text) {
		line = strings.TrimRight(line, "\n")
		key, meaning, _ := strings.Cut(line, ": ")
		switch {
		case key == "@@narrow":
			t.Narrow = meaning
		case strings.HasPrefix(key, "@"):
			t.Params[key[1:]] = meaning
		default:
			description = append(description, line)
		}
	}
	t.Description = strings.TrimSpace(strings.Join(description, "\n"))
	return t
}
