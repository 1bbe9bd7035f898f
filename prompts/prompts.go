// Package prompts holds every text that git-agent says to a model, as embedded
// files: tool/NAME.txt describes a tool and its parameters; szz/NAME.txt,
// crash/NAME.txt and fix/NAME.txt are what the agent engines of these verbs say,
// loop/NAME.txt what the loop says when a conversation goes astray, mcp/NAME.txt what
// other agents are told.
//
// Each text has a content hash. A recorded run stores it, and a cached answer
// is keyed by it, so that changing a text never mixes old answers with new.
// The package knows neither git nor a model; it fails only for a name that is
// not embedded, or a template that does not fit its data.
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

// Tool is the description of a tool, as a model reads it.
type Tool struct {
	Description string
	Params      map[string]string // what each parameter means, "" where its name says enough
	Narrow      string            // how to ask for less, said when an answer is cut or late
}

// ForTool reads tool/NAME, with or without advice on how to investigate with the tool.
func ForTool(name string, advice bool) (Tool, error) {
	p, err := Get("tool/" + name)
	if err != nil {
		return Tool{}, err
	}
	p.Text, err = p.Render(map[string]bool{"Advice": advice})
	return p.Tool(), err
}

// Tool reads the text as that of a tool: a description, then one line
// "@param: meaning", or "@param" alone, for each parameter and "@@narrow: ..."
// for the advice on smaller questions.
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
