package main

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/evalcmd"
	"git-agent/cmd/git-agent/szzcmd"
	"git-agent/cmd/git-agent/tracecmd"
	"git-agent/cmd/git-agent/verbs"

	"github.com/alecthomas/kong"
)

// cli defines the whole command line. Package ui makes usage texts, the options in the manual
// pages, and completions from cli, and a test checks that they agree.
type cli struct {
	app.Globals

	Szz        szzcmd.Szz    `cmd:"" help:"find the commits that introduced the bug that a commit fixes"`
	Fix        verbs.Fix     `cmd:"" help:"repair a bug, and prove the patch by the tests"`
	Crash      verbs.Crash   `cmd:"" help:"rank the files and the commits behind a crash report"`
	Bisect     verbs.Bisect  `cmd:"" help:"find the commit since which a command fails, by running it at few commits"`
	Tool       toolCmd       `cmd:"" help:"run one of the agents' git tools, and print what an agent would see"`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"serve the git tools, szz, crash, parts of fix and bisect to other agents over the Model Context Protocol"`
	Eval       evalcmd.Cmd   `cmd:"" help:"measure answers on cases whose correct answer is known"`
	Trace      tracecmd.Cmd  `cmd:"" help:"show, export, replay or resume recorded runs"`
	Index      indexCmd      `cmd:"" help:"build, update, describe or remove an index that answers searches of the whole history at once"`
	Cache      cacheCmd      `cmd:"" help:"inspect, verify, prune or clear the cache"`
	Doctor     doctorCmd     `cmd:"" help:"check git, the repository and the installation"`
	Schema     schemaCmd     `cmd:"" help:"print the JSON Schema of an output, an event, a case file or a journal"`
	Man        manCmd        `cmd:"" help:"show or install the manual pages"`
	ManAsHelp  manCmd        `cmd:"" name:"help" hidden:"" help:"show a manual page, as git help does"`
	Completion completionCmd `cmd:"" help:"print a completion script for a shell"`
	Version    versionCmd    `cmd:"" help:"print the version"`
}

// newParser returns a parser of the whole command line, which parses into c.
func newParser(c *cli, a *app.App) (*kong.Kong, error) {
	return kong.New(c, parserOptions(a)...)
}

// newParserFor returns a parser for args that parses into c. If the first of args is the name of
// a verb, the parser knows only that verb: kong needs 3 ms of processor time for the options of
// all verbs. The parser of completion knows all verbs, because its script completes them.
func newParserFor(args []string, c *cli, a *app.App) (*kong.Kong, error) {
	if len(args) == 0 || args[0] == "completion" {
		return newParser(c, a)
	}
	all := reflect.ValueOf(c).Elem()
	for i := range all.NumField() {
		field := all.Type().Field(i)
		tag := func(key string) string { return field.Tag.Get(key) }
		if field.Anonymous || cmp.Or(tag("name"), strings.ToLower(field.Name)) != args[0] {
			continue
		}
		var extra []string
		if _, hidden := field.Tag.Lookup("hidden"); hidden {
			extra = append(extra, `hidden:""`)
		}
		verb := kong.DynamicCommand(args[0], tag("help"), "", all.Field(i).Addr().Interface(), extra...)
		return kong.New(&c.Globals, append(parserOptions(a), verb)...)
	}
	return newParser(c, a)
}

// mayBeEmpty lists the options of which an empty value means something, or adds nothing.
var mayBeEmpty = []string{"format", "hint"}

// emptyValue returns an error for an option whose value is given and empty, as "--patch=$FILE" is
// where a script has not set FILE. Such an option would count as missing, and the answer would be
// about something else.
func emptyValue(k *kong.Context) error {
	for _, p := range k.Path {
		if p.Flag == nil || slices.Contains(mayBeEmpty, p.Flag.Name) {
			continue
		}
		value := reflect.Indirect(p.Flag.Target)
		if value.Kind() == reflect.String && value.String() == "" {
			return app.Usagef("--%s needs a value, and it is empty", p.Flag.Name)
		}
	}
	return nil
}

// parserOptions returns the common options of all parsers of the command line.
func parserOptions(a *app.App) []kong.Option {
	return []kong.Option{
		kong.Name("git agent"),
		kong.Description("Answer questions about a repository's history."),
		kong.NoDefaultHelp(),
		kong.Writers(a.Stdout, a.Stderr),
		kong.Exit(func(int) {}), // exit codes are chosen in exit.go
		kong.Bind(a),
		kong.Vars{"recorded_verbs": verbs.Alternatives(app.RecordedVerb.VerbName)},
	}
}

// splitPaths splits args at the first "--", because kong would parse the paths
// after it as revisions. It also replaces --color and --no-color, which git
// accepts without a value, by --color=always and --color=never.
func splitPaths(args []string) (before, paths []string) {
	for i, arg := range args {
		switch arg {
		case "--":
			return before, args[i+1:]
		case "--color":
			arg = "--color=always"
		case "--no-color":
			arg = "--color=never"
		}
		before = append(before, arg)
	}
	return before, nil
}

// countOptions replaces options such as -3 by -n3, as in git, if the verb in args has an
// option -n. For other verbs, they stay and are an error.
func countOptions(root *kong.Node, args []string) []string {
	verb := root
	for _, arg := range args {
		if i := slices.IndexFunc(verb.Children, func(n *kong.Node) bool { return n.Name == arg }); i >= 0 {
			verb = verb.Children[i]
		}
	}
	if !slices.ContainsFunc(verb.Flags, func(f *kong.Flag) bool { return f.Short == 'n' }) {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if digits := strings.TrimPrefix(arg, "-"); digits != arg && digits != "" && strings.Trim(digits, "0123456789") == "" {
			args[i] = "-n" + digits
		}
	}
	return args
}
