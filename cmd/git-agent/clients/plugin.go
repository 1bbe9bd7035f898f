package clients

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
)

// skills are the texts of the skills. A test compares the tools, parameters, commands and options in
// them with those that the program has.
//
//go:embed skills
var skills embed.FS

// PluginFile is one file of a plugin.
type PluginFile struct {
	Path string // with slashes
	Text string
}

// summary describes the plugin. The MCP registry allows 100 characters.
const summary = "Which commit brought in this bug, what is behind this crash: git history, read-only and offline"

// author is the author of the plugin.
type author struct {
	Name string `json:"name"`
}

// authors are those of the LICENSE.
var authors = author{"the git-agent authors"}

// manifest is the manifest of Claude Code and of Codex.
type manifest struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Author      author   `json:"author"`
	License     string   `json:"license"`
	Keywords    []string `json:"keywords"`
	Skills      string   `json:"skills,omitempty"`
	Servers     string   `json:"mcpServers,omitempty"`
}

// marketplace lets Claude Code install the plugin from its own folder.
type marketplace struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Owner       author  `json:"owner"`
	Plugins     []offer `json:"plugins"`
}

type offer struct {
	Name        string `json:"name"`
	Source      string `json:"source"`
	Description string `json:"description"`
}

// starts is how a client starts the server.
type starts struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// extension is the manifest of Gemini CLI.
type extension struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Servers     map[string]starts `json:"mcpServers"`
}

// registration is the description of a server in the MCP registry. It has no package until one is
// published.
type registration struct {
	Schema      string `json:"$schema"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version"`
}

// PluginFiles returns the files of a folder that clients load as a plugin or an extension: the
// server, and skills that say which tools answer which question. One folder serves Claude Code,
// Codex and Gemini CLI, and has the description of the server for the MCP registry. version is that of the program.
func PluginFiles(version string, server Server) ([]PluginFile, error) {
	version = semantic(version)
	servers := map[string]starts{Name: {server.Command, server.Args}}
	about := manifest{
		Name:        Name,
		Version:     version,
		Description: summary,
		Author:      authors,
		License:     "MIT",
		Keywords:    []string{"git", "szz", "bisect", "crash", "blame"},
	}
	pointed := about
	pointed.Skills, pointed.Servers = "./skills/", "./.mcp.json"
	list, err := documents([]document{
		{".claude-plugin/plugin.json", about},
		{".claude-plugin/marketplace.json", marketplace{Name, summary, authors, []offer{{Name, "./", summary}}}},
		{".codex-plugin/plugin.json", pointed},
		{".mcp.json", map[string]any{"mcpServers": servers}},
		{"gemini-extension.json", extension{Name, version, summary, servers}},
		{"server.json", registration{
			Schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
			Name:   "io.github.git-agent/git-agent", Title: "git agent", Description: summary, Version: version,
		}},
	})
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(skills, "skills", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := skills.ReadFile(name)
		list = append(list, PluginFile{name, string(text)})
		return err
	})
	return list, err
}

// Skill is a skill without its front matter.
type Skill struct{ Description, Text string }

// SkillOf returns a skill by its name.
func SkillOf(name string) (Skill, error) {
	text, err := skills.ReadFile("skills/" + name + "/SKILL.md")
	if err != nil {
		return Skill{}, fmt.Errorf("no skill is called %q", name)
	}
	head, body, _ := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n\n")
	_, description, _ := strings.Cut(head, "\ndescription: ")
	return Skill{description, body}, nil
}

type document struct {
	path  string
	value any
}

func documents(all []document) (list []PluginFile, err error) {
	for _, d := range all {
		text, err := json.MarshalIndent(d.value, "", "  ")
		if err != nil {
			return nil, err
		}
		list = append(list, PluginFile{d.path, string(text) + "\n"})
	}
	return list, nil
}

// semantic returns a version in the form that manifests require.
func semantic(version string) string {
	number := strings.TrimPrefix(version, "v")
	if number != "" && number[0] >= '0' && number[0] <= '9' && strings.Count(number, ".") >= 2 {
		return number
	}
	return "0.0.0-" + strings.Trim(version, "-")
}

// WritePlugin writes the files below a folder, which must be missing or empty, or hold an earlier
// plugin of ours. write replaces a file completely or not at all. It returns the written files.
func WritePlugin(
	dir string,
	files []PluginFile,
	write func(path string, mode fs.FileMode, write func(io.Writer) error) error,
) (written []string, err error) {
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := makeFolder(dir, path.Dir(f.Path)); err != nil {
			return written, err
		}
		place := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := write(place, 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, f.Text)
			return err
		}); err != nil {
			return written, err
		}
		written = append(written, place)
	}
	return written, nil
}

// maxManifest bounds the size of a manifest, in bytes.
const maxManifest = 1 << 20

// checkFolder refuses a folder with the files of others.
func checkFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	var old manifest
	text, err := disk.ReadRegular(filepath.Join(dir, ".claude-plugin", "plugin.json"), maxManifest)
	if err != nil || json.Unmarshal(text, &old) != nil || old.Name != Name {
		return fmt.Errorf("%s is not empty, and has no plugin of git-agent", dir)
	}
	return nil
}

// makeFolder makes a folder of the plugin. A link in its place is refused.
func makeFolder(dir, name string) error {
	at := dir
	for part := range strings.SplitSeq(name, "/") {
		at = filepath.Join(at, part)
		if err := os.Mkdir(at, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if info, err := os.Lstat(at); err != nil || !info.IsDir() {
			return errors.Join(fmt.Errorf("%s is no folder", at), err)
		}
	}
	return nil
}
