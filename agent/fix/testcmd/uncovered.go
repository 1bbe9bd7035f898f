package testcmd

import (
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/source"
)

// A guessed command does not measure coverage: that takes time, and where the project demands a share of covered
// lines, a part of the tests fails with every patch.

// A nodeCovered says how the files of a project in Node.js ask for coverage.
type nodeCovered struct {
	off   map[string]string // by tool, the option that turns off what its configuration turns on
	loads bool              // nyc also loads modules, which the tests may need
}

// nodeConfigs are the files in which a tool may be told to measure coverage, how they say so, and the option
// that turns it off.
var nodeConfigs = []struct {
	tool, off string
	asks      source.Pattern
	files     []string
}{
	{
		"jest", "--coverage=false", source.Lazy(`\bcollectCoverage["']?\s*:\s*true`),
		strings.Fields("package.json jest.config.js jest.config.cjs jest.config.mjs jest.config.ts jest.config.json"),
	},
	{
		"vitest", "--coverage.enabled=false", source.Lazy(`\bcoverage["']?\s*:\s*\{[^{}]*\benabled["']?\s*:\s*true`),
		strings.Fields(`vitest.config.js vitest.config.mjs vitest.config.ts vitest.config.mts
			vite.config.js vite.config.mjs vite.config.ts vite.config.mts`),
	},
}

var nycLoads = source.Lazy(`"nyc"\s*:\s*\{[^{}]*"require"\s*:`)

func (d directory) nodeCovered() nodeCovered {
	c := nodeCovered{off: map[string]string{}}
	for _, config := range nodeConfigs {
		if slices.ContainsFunc(config.files, func(name string) bool { return config.asks().MatchString(d.text(name)) }) {
			c.off[config.tool] = config.off
		}
	}
	if option := d.tapUncovered(); option != "" {
		c.off["tap"] = option
	}
	c.loads = nycLoads().MatchString(d.text("package.json"))
	for _, name := range []string{".nycrc", ".nycrc.json", ".nycrc.yml", ".nycrc.yaml", "nyc.config.js"} {
		c.loads = c.loads || strings.Contains(d.text(name), "require")
	}
	return c
}

// tapVersion matches the version of tap that a project wants.
var tapVersion = source.Lazy(`^[^\d]*(\d+)`)

// tapUncovered returns the option that turns off coverage in the version of tap that the project wants; "" if that is
// not known. Since version 15, tap fails where a line is not covered.
func (d directory) tapUncovered() string {
	m, _ := d.manifest()
	version := tapVersion().FindStringSubmatch(m.DevDependencies["tap"])
	if version == nil {
		return ""
	}
	switch major, _ := strconv.Atoi(version[1]); {
	case major < 15:
		return ""
	case major < 18:
		return "--no-coverage"
	}
	return "--disable-coverage"
}

var (
	// coverageTools match the beginning of a command that runs tests below nyc or c8.
	coverageTools = source.Lazy(`^(?:nyc|c8)((?: +--(?:reporter|include|exclude|temp-dir|report-dir|reports-dir) +[^\s-]\S*| +-\S+)*) +`)
	// coverageLoads matches their options that load a module, which the tests may need.
	coverageLoads = source.Lazy(` (?:-r|-i|--require|--loader|--import)(?:[ =]|$)`)
	// coverageOptions match the options of jest, vitest and tap that ask for coverage or say how to measure it.
	coverageOptions = source.Lazy(`^--(?:coverage|collectCoverage|coverage\.enabled|100|check-coverage)(?:=true)?$|^--coverage\.\w+(?:\.\w+)?=`)
)

// uncovered returns a part of a script that runs tests, without the measurement of coverage.
func (n nodeProject) uncovered(part string) string {
	vars, rest := nodeVars().FindString(part), n.bare(part)
	if m := coverageTools().FindStringSubmatch(rest); m != nil && !n.covered.loads && !coverageLoads().MatchString(m[1]) {
		below := n.expand(rest[len(m[0]):])
		switch tests := n.bare(below); {
		case nodeTester().MatchString(tests):
			part, rest = vars+tests, tests
		case n.kind(below, 0) == partTests: // a script
			return vars + below
		}
	}
	list, ok := words(rest)
	if !ok {
		return part
	}
	name, at := tool(list)
	if name != "jest" && name != "vitest" && name != "lab" && (name != "tap" || n.covered.off["tap"] == "") {
		return part
	}
	if name == "lab" {
		return vars + strings.Join(append(raws(list[:at+1]), labUncovered(list[at+1:])...), " ")
	}
	kept := slices.DeleteFunc(slices.Clone(list[at+1:]), func(w word) bool { return coverageOptions().MatchString(w.value) })
	off := n.covered.off[name]
	if len(kept) == len(list)-at-1 && off == "" {
		return part
	}
	out := append(raws(list[:at+1]), raws(kept)...)
	if off != "" {
		out = append(out, off)
	}
	return vars + strings.Join(out, " ")
}

// labCovers reports whether an argument makes lab measure coverage.
func labCovers(w word) bool { return labCoverage().MatchString(w.value) }

var (
	labCoverage = source.Lazy(`^(?:-c|--coverage|(?:-t|--threshold)(?:=?\d+)?)$`)
	// labLints match the options by which lab also runs ESLint, or tsc.
	labLints = source.Lazy(`^(?:-L|--lint|-Y|--types)$`)
)

// labUncovered returns the arguments of lab without those for coverage and for linters.
func labUncovered(args []word) []string {
	var out []string
	for i, a := range args {
		limit := i > 0 && (args[i-1].value == "-t" || args[i-1].value == "--threshold")
		if !labCovers(a) && !labLints().MatchString(a.value) && !limit {
			out = append(out, a.raw)
		}
	}
	return out
}

// pytestOptions matches what a configuration of pytest adds to each command, over several lines.
var pytestOptions = source.Lazy(`(?m)^\s*addopts\s*=.*(?:\n[ \t"'\-].*)*`)

// pytestUncovered returns the option that turns off the coverage that the configuration of pytest asks for, or "".
func (d directory) pytestUncovered() string {
	for _, name := range []string{"pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
		for _, options := range pytestOptions().FindAllString(d.text(name), -1) {
			if strings.Contains(options, "--cov") {
				return " --no-cov"
			}
		}
	}
	return ""
}

// coverageCure says how to leave coverage out of a command, by the line in which its tool says that too few lines are covered.
func coverageCure(line string) Cure {
	switch {
	case strings.HasPrefix(line, "Jest: "):
		return Cure{Advice: "add --coverage=false to jest"}
	case strings.HasPrefix(line, "ERROR: Coverage for "):
		return Cure{Advice: "take the command behind nyc or c8, or add --coverage.enabled=false to vitest, --disable-coverage to tap, --no-coverage to tap before 18"}
	case strings.Contains(line, ":jacoco-maven-plugin:"):
		return Cure{Advice: "add -Djacoco.skip to the command"}
	}
	return Cure{Advice: "add --no-cov to pytest"}
}
