package doctor

import (
	"path/filepath"
	"slices"

	"git-agent/cmd/git-agent/clients"
	"git-agent/gitext/disk"
)

// checkClients says which clients of git agent mcp have the server in the configuration of the
// user or, if top is the work tree of a project, of the project. Clients that are not there are
// not mentioned.
func checkClients(v *visit, top string) (list []finding) {
	for _, c := range clients.All() {
		if f, found := checkClient(c, clients.Places{Getenv: v.Getenv, Top: top}); found {
			list = append(list, f)
		}
	}
	return list
}

func checkClient(c clients.Client, places clients.Places) (f finding, found bool) {
	const check = "client"
	project := places.Top != ""
	path, err := c.Path(places, project)
	if err != nil {
		return finding{}, false // it has no such file
	}
	server, err := c.Installed(places, project)
	switch {
	case err != nil:
		return warn(check, "", "%s: %s cannot be read: %v", c.Title, path, err), true
	case server == nil && !project && c.Present(places):
		return ok(check, "%s is here without the server, which git agent mcp --install=%s adds", c.Title, c.Name), true
	case server == nil:
		return finding{}, false
	case !server.Ours():
		return warn(check, "", "%s: the server %s in %s is another one, which starts %q", c.Title, clients.Name, path, server.Command), true
	case !runs(places, server.Command):
		return warn(check, "git agent mcp --install="+c.Name+projectOption(project), "%s: %s starts %q, which is not there", c.Title, path, server.Command), true
	}
	if slices.Contains(server.Args, "--allow=run") {
		path += ", and may run commands"
	}
	return ok(check, "%s has the server, in %s", c.Title, path), true
}

func projectOption(project bool) string {
	if project {
		return " --scope=project"
	}
	return ""
}

// runs reports whether a client's command is there.
func runs(places clients.Places, command string) bool {
	if filepath.IsAbs(command) {
		return disk.Exists(command)
	}
	return clients.FindProgram(places, command) != ""
}
