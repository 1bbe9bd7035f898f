// Package clients knows the programs that can use the server of git agent mcp. It edits their
// configuration: it adds, changes and removes one entry. It also writes the folder that some of
// them load as a plugin, with skills.
//
// Promises:
//
//   - Everything else in a file stays as it is, byte by byte: comments, unknown keys, order,
//     indentation and line ends. An edit is checked before it is written; where the place of the
//     entry is in doubt, the file is refused, and the error has the lines to add by hand.
//   - An entry of the same name that starts another program is never touched.
//   - A file is replaced completely or not at all, and only if it is as it was when the change
//     was shown. A link of the user's own is followed; in a project, a link is refused.
//   - Nothing is started, and nothing is read besides the files of Client.Path and the folder of a
//     plugin.
package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"git-agent/gitext/disk"
)

// Name is the name of the server in each client's configuration.
const Name = "git-agent"

// Server is how a client starts the server.
type Server struct {
	Command string
	Args    []string
}

// Places are the directories with configuration.
type Places struct {
	Getenv func(key string) string // HOME and the clients' own variables
	Top    string                  // of the project's work tree, or ""
	System string                  // GOOS; "" is the present one
}

// Client is a program with its configuration files.
type Client struct {
	Name  string // as on our command line
	Title string
	// Programs are names of the client in PATH.
	Programs []string
	user     func(p Places) string // the file of the user; "" without a home directory
	signs    func(p Places) string // a folder or file that shows that the client is used
	project  string                // the file in a project, with slashes; "" if it has none
	file     file
	extra    []field // of a new entry
	// folder is the client's variable for the project's folder, if the client may start servers in
	// another folder.
	folder string
	// Elsewhere says that the client may start servers in another folder than the project's, and
	// has no variable for the project's folder.
	Elsewhere bool
}

// file edits the text of a configuration file.
type file interface {
	read(text string) (entry map[string]any, err error)
	install(text string, fields, extra []field) (string, error)
	uninstall(text string) (string, error)
}

// emptyEnv is the member that some clients write into each entry themselves.
var emptyEnv = field{"env", struct{}{}}

// All returns the clients in the order of the manual page.
func All() []Client {
	home := func(path ...string) func(Places) string {
		return func(p Places) string { return p.below(p.home(), path...) }
	}
	return []Client{{
		Name: "claude", Title: "Claude Code", Programs: []string{"claude"},
		user: func(p Places) string {
			if dir := p.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
				return filepath.Join(dir, ".claude.json")
			}
			return p.below(p.home(), ".claude.json")
		},
		project: ".mcp.json", file: jsonFile{"mcpServers"}, extra: []field{{"type", "stdio"}, emptyEnv},
	}, {
		Name: "codex", Title: "Codex", Programs: []string{"codex"},
		user: func(p Places) string {
			if dir := p.Getenv("CODEX_HOME"); dir != "" {
				return filepath.Join(dir, "config.toml")
			}
			return p.below(p.home(), ".codex", "config.toml")
		},
		signs: home(".codex"), project: ".codex/config.toml", file: tomlFile{"mcp_servers"},
	}, {
		Name: "gemini", Title: "Gemini CLI", Programs: []string{"gemini"},
		user: home(".gemini", "settings.json"), signs: home(".gemini"), project: ".gemini/settings.json", file: jsonFile{"mcpServers"},
	}, {
		Name: "cursor", Title: "Cursor", Programs: []string{"cursor", "cursor-agent"},
		user: home(".cursor", "mcp.json"), signs: home(".cursor"), project: ".cursor/mcp.json", file: jsonFile{"mcpServers"}, extra: []field{{"type", "stdio"}}, folder: "${workspaceFolder}",
	}, {
		Name: "vscode", Title: "VS Code", Programs: []string{"code"},
		user:    func(p Places) string { return p.below(p.appData(), "Code", "User", "mcp.json") },
		signs:   func(p Places) string { return p.below(p.appData(), "Code", "User") },
		project: ".vscode/mcp.json", file: jsonFile{"servers"}, extra: []field{{"type", "stdio"}}, folder: "${workspaceFolder}",
	}, {
		Name: "zed", Title: "Zed", Programs: []string{"zed", "zeditor"},
		user: func(p Places) string {
			if p.system() == "windows" {
				return p.below(p.appData(), "Zed", "settings.json")
			}
			return p.below(p.config(), "zed", "settings.json")
		},
		project: ".zed/settings.json", file: jsonFile{"context_servers"}, extra: []field{emptyEnv},
	}, {
		Name: "windsurf", Title: "Windsurf", Programs: []string{"windsurf"},
		user: home(".codeium", "windsurf", "mcp_config.json"), signs: home(".codeium", "windsurf"), file: jsonFile{"mcpServers"}, Elsewhere: true,
	}}
}

// Find returns the client with a name.
func Find(name string) (Client, bool) {
	all := All()
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

func (p Places) system() string {
	if p.System != "" {
		return p.System
	}
	return runtime.GOOS
}

func (p Places) home() string {
	if p.system() == "windows" {
		return p.Getenv("USERPROFILE")
	}
	return p.Getenv("HOME")
}

// config returns the folder of configuration on systems with XDG_CONFIG_HOME. Zed uses it on
// macOS, too.
func (p Places) config() string {
	if dir := p.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) && p.system() != "darwin" {
		return dir
	}
	return p.below(p.home(), ".config")
}

// appData returns the folder in which desktop programs keep their data.
func (p Places) appData() string {
	switch p.system() {
	case "windows":
		return p.Getenv("APPDATA")
	case "darwin":
		return p.below(p.home(), "Library", "Application Support")
	}
	return p.config()
}

// below joins a path, or returns "" if its beginning is unknown.
func (p Places) below(dir string, path ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, path...)...)
}

// Path returns the configuration file of the user, or of the project.
func (c Client) Path(p Places, project bool) (string, error) {
	switch {
	case !project:
		if path := c.user(p); path != "" {
			return path, nil
		}
		return "", errors.New("the home directory is unknown")
	case c.project == "":
		return "", fmt.Errorf("%s has no configuration for projects", c.Title)
	case p.Top == "":
		return "", errors.New("there is no work tree")
	}
	return filepath.Join(p.Top, filepath.FromSlash(c.project)), nil
}

// sign returns a path that exists if the user has used the client.
func (c Client) sign(p Places) string {
	if c.signs != nil {
		return c.signs(p)
	}
	return c.user(p)
}

// serve returns how this client starts a server. A client that may start it in any folder is
// told the project's.
func (c Client) serve(s Server) Server {
	named := slices.ContainsFunc(s.Args, func(arg string) bool { return strings.HasPrefix(arg, "--repo=") })
	if c.folder != "" && !named {
		s.Args = append(slices.Clone(s.Args), "--repo="+c.folder)
	}
	return s
}

// fields returns the members of an entry that decide what is started.
func (c Client) fields(s Server) []field {
	return []field{{"command", s.Command}, {"args", s.Args}}
}

// Read returns the server that a text of the client's configuration starts, or nil.
func (c Client) Read(text []byte) (*Server, error) {
	entry, err := c.file.read(string(text))
	if err != nil || entry == nil {
		return nil, err
	}
	s := &Server{}
	s.Command, _ = entry["command"].(string)
	switch args := entry["args"].(type) {
	case []string:
		s.Args = args
	case []any:
		for _, arg := range args {
			text, _ := arg.(string)
			s.Args = append(s.Args, text)
		}
	}
	return s, nil
}

// Ours reports whether the server is git agent mcp.
func (s Server) Ours() bool {
	name := strings.TrimSuffix(s.Command[strings.LastIndexAny(s.Command, `/\`)+1:], ".exe")
	args := s.Args
	if name == "git" && len(args) > 0 && args[0] == "agent" {
		name, args = "git-agent", args[1:]
	}
	if exe, err := os.Executable(); err == nil && s.Command == exe { // a copy under another name
		name = "git-agent"
	}
	return name == "git-agent" && slices.Contains(args, "mcp")
}

// FindProgram returns the file that a name stands for in PATH, or "".
func FindProgram(p Places, name string) string {
	names := []string{name}
	if p.system() == "windows" {
		names = []string{name + ".exe", name + ".cmd"}
	}
	for _, dir := range filepath.SplitList(p.Getenv("PATH")) {
		for _, name := range names {
			file := filepath.Join(dir, name)
			info, err := os.Stat(file)
			if err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || p.system() == "windows") {
				return file
			}
		}
	}
	return ""
}

// Command returns the command that starts the running program: its name if PATH has it, or else
// its path. The configuration of a project is for other machines, too, and has the name.
func Command(p Places, exe string, project bool) string {
	found := FindProgram(p, Name)
	a, err1 := os.Stat(found)
	b, err2 := os.Stat(exe)
	if project || exe == "" || err1 == nil && err2 == nil && os.SameFile(a, b) {
		return Name
	}
	return exe
}

// Present reports whether the user has the client: it has left files, or is in PATH.
func (c Client) Present(p Places) bool {
	if sign := c.sign(p); sign != "" {
		if _, err := os.Stat(sign); err == nil {
			return true
		}
	}
	return slices.ContainsFunc(c.Programs, func(name string) bool { return FindProgram(p, name) != "" })
}

// Installed returns the server in a configuration file of the client, or nil.
func (c Client) Installed(p Places, project bool) (*Server, error) {
	path, err := c.Path(p, project)
	if err != nil {
		return nil, nil // there is no such file
	}
	text, err := disk.ReadRegular(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c.Read(text)
}
