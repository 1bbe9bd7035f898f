package testcmd

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// A nodeProject is a package.json and the program that runs its scripts.
type nodeProject struct {
	scripts map[string]string
	run     string // "npm", "pnpm", "yarn" or "bun"
	plug    bool   // yarn keeps the packages in archives, so that there is no node_modules
	covered nodeCovered
}

// deepestScript bounds scripts that run each other.
const deepestScript = 4

// A nodeManifest is a package.json.
type nodeManifest struct {
	Name           string
	Scripts        map[string]string
	PackageManager string // such as "pnpm@10.33.0"

	Dependencies, DevDependencies, PeerDependencies map[string]string
}

func (d directory) manifest() (m nodeManifest, ok bool) {
	return m, json.Unmarshal([]byte(d.text("package.json")), &m) == nil
}

func (d directory) nodeProject() (nodeProject, bool) {
	manifest, ok := d.manifest()
	if !ok {
		return nodeProject{}, false
	}
	run, at := d.nodeManager()
	return nodeProject{manifest.Scripts, run, run == "yarn" && at.has(".pnp.cjs", ".pnp.js", ".pnp.loader.mjs"), d.nodeCovered()}, true
}

// up returns the directory around this one; ok is false at the top.
func (d directory) up() (directory, bool) {
	return directory{d.layout, path.Dir(d.path)}, d.path != "."
}

// nodeManager returns the package manager of a directory, and the directory that names it: the
// root of a workspace has the only lock file for all packages in it. The field packageManager
// counts before lock files, because corepack obeys it too.
func (d directory) nodeManager() (name string, at directory) {
	for at, ok := d, true; ok; at, ok = at.up() {
		m, _ := at.manifest()
		if name, _, found := strings.Cut(m.PackageManager, "@"); found && nodeManagers[name] {
			return name, at
		}
		switch {
		case at.has("pnpm-lock.yaml"):
			return "pnpm", at
		case at.has("yarn.lock"):
			return "yarn", at
		case at.has("bun.lock", "bun.lockb"):
			return "bun", at
		case at.has("package-lock.json", "npm-shrinkwrap.json"):
			return "npm", at
		case at.has("pnpm-workspace.yaml"):
			return "pnpm", at
		}
	}
	return "npm", d
}

var nodeManagers = map[string]bool{"npm": true, "pnpm": true, "yarn": true, "bun": true}

var (
	nodeRuns = source.Lazy(`^(?:npm run(?:-script)?|npm|yarn run|yarn|pnpm run|pnpm|bun run) +(?:-s +|--silent +)?([\w:.-]+)((?: .*)?)$`)
	// nodeStarts matches the programs that start a program of a package.
	nodeStarts = source.Lazy(`^(?:(?:npx|bunx)(?: +--no-install| +--yes| +-y)*|npm exec(?: +--)?|pnpm exec|pnpm run|pnpm|yarn run|yarn|bun run) +|^(?:\.\.?/)*node_modules/\.bin/`)
)

// script returns the name of the script that a part of a script runs, and the arguments for it.
// ok is false if the part runs none.
func (n nodeProject) script(part string) (name, args string, ok bool) {
	m := nodeRuns().FindStringSubmatch(part[len(nodeVars().FindString(part)):])
	if m == nil || n.scripts[m[1]] == "" && !nodeLints().MatchString(m[1]) {
		return "", "", false
	}
	args = strings.TrimSpace(m[2])
	if args == "--" || strings.HasPrefix(args, "-- ") {
		args = strings.TrimSpace(args[2:])
	}
	return m[1], args, true
}

// expand replaces a script by its only command, if that starts a tool that can run single tests.
func (n nodeProject) expand(script string) string {
	part := script
	for range deepestScript {
		name, args, ok := n.script(part)
		parts := scriptParts(n.scripts[name])
		if !ok || len(parts) != 1 || n.scripts["pre"+name] != "" || n.scripts["post"+name] != "" {
			break
		}
		part = strings.TrimSpace(nodeVars().FindString(part) + parts[0] + " " + args)
	}
	if list, ok := words(n.bare(part)); ok {
		if name, _ := tool(list); focusers[name] != nil {
			return part
		}
	}
	return script
}

// flat replaces a part of a script by the commands of the script that it runs, if that takes no arguments and has no hooks.
func (n nodeProject) flat(part string, depth int) []string {
	name, args, ok := n.script(part)
	parts := scriptParts(n.scripts[name])
	if !ok || args != "" || depth == deepestScript || len(parts) == 0 || n.scripts["pre"+name]+n.scripts["post"+name] != "" {
		return []string{part}
	}
	var out []string
	for _, p := range parts {
		out = append(out, n.flat(p, depth+1)...)
	}
	return out
}

// firstTool returns the command of the first test tool that the script "test" runs with others, if it names its tests, and
// only linters run before it; else "".
func (n nodeProject) firstTool() string {
	var parts []string
	for _, part := range scriptParts(n.scripts["test"]) {
		parts = append(parts, n.flat(part, 0)...)
	}
	first := slices.IndexFunc(parts, func(part string) bool { return n.kind(part, 0) != partLints })
	if len(parts) < 2 || first < 0 || strings.Contains(parts[first], "dist/") {
		return ""
	}
	part := n.uncovered(parts[first])
	command := watchless(part) + n.start(part)
	if !n.tests(part) || !NamesTests(command) {
		return ""
	}
	return command
}

// bare returns a part of a script without its assignments and without the program that starts
// its program.
func (n nodeProject) bare(part string) string {
	part = part[len(nodeVars().FindString(part)):]
	return part[len(nodeStarts().FindString(part)):]
}

// tests reports whether a part of a script runs a test tool, which node may run by the path of its file.
func (n nodeProject) tests(part string) bool {
	part = n.bare(part)
	if list, ok := words(part); ok {
		if name, at := tool(list); at > 0 && strings.Contains(list[at].value, "node_modules/") {
			part = name + " " + strings.Join(raws(list[at+1:]), " ")
		}
	}
	return nodeTester().MatchString(part)
}

// start returns the command that starts a part of a script alone, because the programs of
// packages are not on PATH.
func (n nodeProject) start(part string) string {
	vars := nodeVars().FindString(part)
	program, rest := strings.TrimPrefix(vars, "cross-env "), part[len(vars):]
	if _, _, ok := n.script(part); ok {
		return program + rest
	}
	rest = n.bare(part)
	if strings.HasPrefix(rest, "node ") || strings.HasPrefix(rest, "bun ") || strings.HasPrefix(rest, "npm ") {
		return program + rest
	}
	switch n.run {
	case "npm":
		return program + "npx --no-install " + rest
	case "bun":
		return program + "bunx --no-install " + rest
	case "yarn":
		return program + "yarn run " + rest
	}
	return program + n.run + " exec " + rest
}
