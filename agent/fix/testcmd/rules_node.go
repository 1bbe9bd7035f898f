package testcmd

import (
	"slices"
	"strings"

	"git-agent/agent/source"
)

// nodeUnit are names of scripts that usually run tests without linters and coverage, for
// projects whose script "test" also runs those.
var nodeUnit = []string{"tests-only", "test:unit", "test-api", "unit", "test-unit", "unit-test", "test:node", "mocha", "jest"}

func proposeNode(d directory) []Proposal {
	n, ok := d.nodeProject()
	if !ok {
		return nil
	}
	var out []Proposal
	add := func(p Proposal) {
		p.From = "package.json"
		if !slices.ContainsFunc(out, func(o Proposal) bool { return o.Build == p.Build && o.Test == p.Test }) {
			out = append(out, p)
		}
	}
	if script := n.scripts["test"]; script != "" && !strings.Contains(script, "no test specified") {
		p, ok := n.runner()
		if !ok || strings.Contains(p.Test, " && ") {
			if part := n.firstTool(); part != "" {
				if build := n.before(); build != "" {
					add(Proposal{Build: build, Test: part, Part: true})
				}
				add(Proposal{Test: part, Part: true})
			}
		}
		if ok {
			add(p)
			if n.run != "npm" && !n.plug {
				m := n
				m.run = "npm" // the packages may be there without the manager
				p, _ = m.runner()
				add(p)
			}
		}
		test := n.run + " test"
		if n.run == "bun" {
			test = "bun run test"
		}
		p = Proposal{Test: watchless(script) + test, all: nodeAll().MatchString(script)}
		if n.scripts["build"] != "" && n.scripts["pretest"] == "" &&
			(strings.Contains(script, "dist/") || strings.Contains(script, "build/") || strings.Contains(script, "lib/test")) {
			p.Build = n.run + " run build"
		}
		add(p)
		if built, ok := n.builtRunner(); ok {
			add(built)
		}
	}
	for _, name := range nodeUnit {
		if n.scripts[name] != "" {
			add(Proposal{Test: watchless(n.scripts[name]) + n.run + " run " + name})
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
		`^(?:eslint|standard|semistandard|xo|prettier|jshint|jscs|tslint|biome|oxlint|oxfmt|stylelint|markdownlint\S*|remark|evalmd|eclint|flow|tsd|tstyche|attw|publint|depcheck|knip|dtslint|ls-lint|cspell|aud|npm audit|(?:nyc|c8) +(?:check-coverage|report)|vitest\b.* --typecheck\.only|codecov|coveralls|(?:tsc|tsgo)\b.* --noEmit|(?:tsc|tsgo) --noEmit|vue-tsc)\b`,
	)
	nodeTester = source.Lazy(
		`^(?:(?:nyc|c8)(?: +--?\S+)* +(?:npx +)?)?(?:mocha|jest|vitest|tap|tape|ava|jasmine|karma|uvu|qunit|lab|borp|tap-\S+|bun test|(?:node|tsx)(?: +--?\S+(?: +\S*(?:ts-node|tsx|swc|babel|register)\S*)?)* +--test\b|(?:node|tsx|ts-node)(?: +(?:-C|--conditions|-r|--require|--import|--loader) +[^\s-]\S*| +--?\S+)* +(?:\./)?(?:test|spec)\S*)(?:\s|$)`,
	)
	nodeLints = source.Lazy(`^(?:(?:test:)?(?:lint|types?|typings?|tsc|tsd)|standard|format|prettier|style|typecheck|check-types|type-check|audit|spell)(?:$|[:-])`)
	nodeVars  = source.Lazy(`^(?:(?:cross-env +)?(?:\w+=\S* +)+)`)
	// nodeAll matches a script that runs a script of all packages of a workspace.
	nodeAll = source.Lazy(
		`\b(?:pnpm|npm|yarn) (?:.* )?(?:-r|--recursive|recursive|-ws|--workspaces|workspaces)(?: |$)|(?:^|&& *)(?:npx +|yarn +|pnpm +(?:exec +)?)?(?:turbo|nx|lerna) `,
	)
	// nodeTypes matches a command of vitest up to the option by which it also runs tsc. tsc then writes into the
	// installed package of vitest, which can only be read, so that the command fails with any patch.
	nodeTypes = source.Lazy(`(\bvitest\b.*?) --typecheck(?:\.enabled)?(?:=true)?(?:\s|$)`)
)

// runner returns the testing part of the script "test": the command of the test tool itself, to
// which arguments can be added. Complaints of linters are no bugs, and linters need additional
// packages, so they are left out. ok is false if the script does more than lint, build and test.
func (n nodeProject) runner() (Proposal, bool) {
	var p Proposal
	var build, test []string
	lints, single := false, true
	if before := n.before(); before != "" {
		build = append(build, before)
	}
	for _, hook := range []string{"pretest", "posttest"} {
		lints = lints || slices.ContainsFunc(scriptParts(n.scripts[hook]), func(part string) bool { return n.kind(part, 0) == partLints })
	}
	for _, part := range scriptParts(n.scripts["test"]) {
		part = n.expand(part)
		kind := n.kind(part, 0)
		if strings.HasPrefix(n.bare(part), "tsc ") && strings.Contains(n.scripts["test"], "vitest") {
			kind = partLints // vitest reads the sources, and not what tsc made of them
		}
		switch kind {
		case partLints:
			lints = true
		case partTests:
			if inner := n.flat(part, 0); len(inner) == 1 && coverageTools().MatchString(inner[0]) {
				part = inner[0]
			}
			part = n.uncovered(strings.TrimSpace(nodeTypes().ReplaceAllString(part, "$1 ")))
			single = single && n.tests(part)
			test = append(test, watchless(part)+n.start(part))
		case partOther:
			if len(test) > 0 {
				return Proposal{}, false // this part may need the tests
			}
			build = append(build, n.start(part))
		}
	}
	p.Build, p.Test = strings.Join(build, " && "), strings.Join(test, " && ")
	return p, len(test) > 0 && (lints || len(test) == 1 && single && len(build) == 0 && !strings.Contains(p.Test, "dist/"))
}

// before returns what the script "pretest" builds, "" if it only lints. The tests may run without that, as where it
// makes types, which no test tool reads.
func (n nodeProject) before() string {
	var build []string
	for _, part := range scriptParts(n.scripts["pretest"]) {
		if n.kind(part, 0) != partLints {
			build = append(build, n.start(part))
		}
	}
	return strings.Join(build, " && ")
}

// builtRunner returns the build and the test tool of a script "test" that does just this, for a command that runs one
// file: the script itself runs all tests.
func (n nodeProject) builtRunner() (Proposal, bool) {
	p, ok := n.runner()
	return p, !ok && p.Build != "" && NamesTests(p.Test) && !testsBuilt().MatchString(p.Test)
}

// testsBuilt matches a test tool that runs what tests were built to, which are other files.
var testsBuilt = source.Lazy(`[ /'](?:dist|build|out|lib)(?:[ /']|$)`)

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
	if name, _, ok := n.script(part); ok {
		if nodeLints().MatchString(name) {
			return partLints
		}
		if depth < deepestScript {
			return n.kindOfAll(scriptParts(n.scripts[name]), depth+1)
		}
	}
	switch part = n.bare(part); {
	case nodeLinter().MatchString(part):
		return partLints
	case n.tests(part):
		return partTests
	}
	if below := part[len(coverageTools().FindString(part)):]; below != part && depth < deepestScript {
		return n.kind(below, depth+1)
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

// nodeWatches matches the collections of scripts whose tests wait for changes of files, unless CI says that nobody is there.
var nodeWatches = source.Lazy(`(?:\b\w+-scripts|\bcraco|\breact-app-rewired|\brazzle) +test\b`)

// watchless returns the assignment that keeps a script from waiting for changes.
func watchless(script string) string {
	if nodeWatches().MatchString(script) || strings.Contains(script, "watch") ||
		strings.Contains(script, "vitest") && !strings.Contains(script, "vitest run") && !strings.Contains(script, "--run") {
		return "CI=true "
	}
	return ""
}
