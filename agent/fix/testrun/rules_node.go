package testrun

import (
	"encoding/json"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// nodeUnit are names of scripts that usually run tests without linters and coverage, for
// projects whose script "test" also runs those.
var nodeUnit = []string{"tests-only", "test:unit", "unit", "test-unit", "unit-test", "test:node", "mocha", "jest"}

// A nodeProject is a package.json and the program that runs its scripts.
type nodeProject struct {
	scripts map[string]string
	run     string // "npm", "pnpm", "yarn" or "bun"
}

func (d directory) nodeProject() (nodeProject, bool) {
	var manifest struct{ Scripts map[string]string }
	if json.Unmarshal([]byte(d.text("package.json")), &manifest) != nil {
		return nodeProject{}, false
	}
	run := "npm"
	switch {
	case d.has("pnpm-lock.yaml"):
		run = "pnpm"
	case d.has("yarn.lock"):
		run = "yarn"
	case d.has("bun.lock", "bun.lockb"):
		run = "bun"
	}
	return nodeProject{manifest.Scripts, run}, true
}

func proposeNode(d directory) []Proposal {
	n, ok := d.nodeProject()
	if !ok {
		return nil
	}
	var out []Proposal
	if script := n.scripts["test"]; script != "" && !strings.Contains(script, "no test specified") {
		if p, ok := n.withoutLinters(); ok {
			out = append(out, p)
		}
		test := n.run + " test"
		if n.run == "bun" {
			test = "bun run test"
		}
		p := Proposal{Test: watchless(script) + test, From: "package.json"}
		if n.scripts["build"] != "" && n.scripts["pretest"] == "" &&
			(strings.Contains(script, "dist/") || strings.Contains(script, "build/") || strings.Contains(script, "lib/test")) {
			p.Build = n.run + " run build"
		}
		out = append(out, p)
	}
	for _, name := range nodeUnit {
		if n.scripts[name] != "" {
			p := Proposal{Test: watchless(n.scripts[name]) + n.run + " run " + name, From: "package.json"}
			if !slices.ContainsFunc(out, func(o Proposal) bool { return o.Test == p.Test }) {
				out = append(out, p)
			}
		}
	}
	return out
}

// A nodePart is the purpose of a part of a script.
type nodePart int

const (
	partOther nodePart = iota // a build, or unknown
	partLints
	partTests
)

var (
	nodeLinter = source.Lazy(
		`^(?:npx +)?(?:eslint|standard|semistandard|xo|prettier|jshint|jscs|tslint|biome|oxlint|stylelint|markdownlint\S*|remark|evalmd|eclint|flow|tsd|attw|publint|depcheck|knip|dtslint|ls-lint|cspell|aud|npx aud|npm audit|tsc .*--noEmit|vue-tsc)\b`,
	)
	nodeTester = source.Lazy(
		`^(?:npx +)?(?:(?:nyc|c8)(?: +--?\S+)* +)?(?:mocha|jest|vitest|tap|tape|ava|jasmine|karma|uvu|qunit|lab|borp|tap-\S+|bun test|node(?: +--\S+)* +--test\b|node +(?:\./)?(?:test|spec)\S*)(?:\s|$)`,
	)
	nodeLints = source.Lazy(`^(?:lint|standard|format|prettier|style|types?|typecheck|check-types|type-check|audit|spell)(?:$|[:-])`)
	nodeRuns  = source.Lazy(`^(?:npm run(?:-script)?|npm|yarn run|yarn|pnpm run|pnpm|bun run) +(?:-s +|--silent +)?([\w:.-]+)$`)
	nodeVars  = source.Lazy(`^(?:(?:cross-env +)?(?:\w+=\S* +)+)`)
)

// withoutLinters returns the testing part of the script "test", if the script also runs
// linters: complaints of linters are no bugs, and linters need additional packages.
func (n nodeProject) withoutLinters() (Proposal, bool) {
	p := Proposal{From: "package.json"}
	var build, test []string
	lints := false
	for _, hook := range []string{"pretest", "posttest"} {
		for _, part := range scriptParts(n.scripts[hook]) {
			switch what := n.kind(part, 0); {
			case what == partLints:
				lints = true
			case hook == "pretest":
				build = append(build, n.start(part))
			}
		}
	}
	for _, part := range scriptParts(n.scripts["test"]) {
		switch n.kind(part, 0) {
		case partLints:
			lints = true
		case partTests:
			test = append(test, watchless(part)+n.start(part))
		case partOther:
			if len(test) > 0 {
				return p, false // this part may need the tests
			}
			build = append(build, n.start(part))
		}
	}
	p.Build, p.Test = strings.Join(build, " && "), strings.Join(test, " && ")
	return p, lints && len(test) > 0
}

// scriptParts splits a script into consecutive commands. It returns none if the script uses
// other features of the shell.
func scriptParts(script string) []string {
	if script == "" || strings.ContainsAny(strings.ReplaceAll(script, "&&", ""), "&|;<>`$()\n") {
		return nil
	}
	var parts []string
	for part := range strings.SplitSeq(script, "&&") {
		parts = append(parts, strings.TrimSpace(part))
	}
	return parts
}

// kind returns the purpose of a part of a script. depth bounds scripts that run each other.
func (n nodeProject) kind(part string, depth int) nodePart {
	const deepest = 4
	part = nodeVars().ReplaceAllString(part, "")
	if m := nodeRuns().FindStringSubmatch(part); m != nil {
		if nodeLints().MatchString(m[1]) {
			return partLints
		}
		if script := n.scripts[m[1]]; script != "" && depth < deepest {
			return n.kindOfAll(scriptParts(script), depth+1)
		}
	}
	switch {
	case nodeLinter().MatchString(part):
		return partLints
	case nodeTester().MatchString(part):
		return partTests
	}
	return partOther
}

// kindOfAll returns the purpose of several parts together: they test if one of them tests, and
// lint if all of them lint.
func (n nodeProject) kindOfAll(parts []string, depth int) nodePart {
	lint := 0
	for _, part := range parts {
		switch n.kind(part, depth) {
		case partTests:
			return partTests
		case partLints:
			lint++
		}
	}
	if lint > 0 && lint == len(parts) {
		return partLints
	}
	return partOther
}

// start returns the command that starts a part of a script alone, because the programs of
// packages are not on PATH.
func (n nodeProject) start(part string) string {
	vars := nodeVars().FindString(part)
	program := strings.TrimPrefix(vars, "cross-env ")
	rest := part[len(vars):]
	if nodeRuns().MatchString(rest) || strings.HasPrefix(rest, "node ") || strings.HasPrefix(rest, "npx ") || strings.HasPrefix(rest, "bun ") {
		return program + rest
	}
	switch n.run {
	case "npm":
		return program + "npx --no-install " + rest
	case "bun":
		return program + "bunx " + rest
	case "yarn":
		return program + "yarn run " + rest
	}
	return program + n.run + " exec " + rest
}

// watchless returns the assignment that keeps a script from waiting for changes.
func watchless(script string) string {
	if strings.Contains(script, "react-scripts test") || strings.Contains(script, "watch") ||
		strings.Contains(script, "vitest") && !strings.Contains(script, "vitest run") {
		return "CI=true "
	}
	return ""
}
