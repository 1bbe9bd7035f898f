package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"git-agent/agent/eval"
	bisectcase "git-agent/agent/eval/bisect"
	crashcase "git-agent/agent/eval/crash"
	fixcase "git-agent/agent/eval/fix"
	szzcase "git-agent/agent/eval/szz"
	"git-agent/agent/shard"
	"git-agent/agent/trace"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/doctor"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/schema"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/tracecmd"
)

type schemaCmd struct {
	// Name is one of formats; a test compares them.
	Name string `arg:"" optional:"" name:"format" enum:",affected,bisect,cache-prune,cache-stats,cache-verify,case-bisect,case-crash,case-fix,case-szz,check,check-list,crash,crash-groups,doctor,eval,event,fix,index,journal,risk,stat,steps,szz,tool,trace,trace-list,trace-replay,trace-smells" default:"" help:"the format, such as szz; default: list all of them"`
}

// Run prints the schema of a format, or the names of all.
func (c *schemaCmd) Run(_ context.Context, a *app.App) error {
	if c.Name == "" {
		for _, f := range formats() {
			if _, err := fmt.Fprintf(a.Stdout, "%-13s %s\n", f.Name, f.Title); err != nil {
				return err
			}
		}
		return nil
	}
	f, _ := formatNamed(c.Name) // the parser knows the names
	text, err := f.Text()
	if err != nil {
		return err
	}
	_, err = a.Stdout.Write(text)
	return err
}

// formatNamed finds a format by its name, or by the ID in its objects.
func formatNamed(name string) (schema.Format, bool) {
	all := formats()
	i := slices.IndexFunc(all, func(f schema.Format) bool { return f.Name == name || f.ID == name && name != "" })
	if i < 0 {
		return schema.Format{}, false
	}
	return all[i], true
}

// formats returns all documented formats of JSON, in the order of their names.
func formats() []schema.Format {
	first, others := trace.LineTypes()
	list := slices.Concat(render.Formats(), store.Formats(), tracecmd.Formats(), []schema.Format{
		doctor.Format(),
		app.EventFormat(),
		{Name: "tool", Title: "git agent tool --json: the answer of a tool", ID: toolSchema, Type: reflect.TypeFor[toolAnswer]()},
		{Name: "eval", Title: "git agent eval --json: the report of an evaluation", ID: eval.Schema, Type: reflect.TypeFor[eval.Report](), Own: eval.OwnTypes()},
		{Name: "case-szz", Title: "a line of a case file of git agent eval szz", Type: reflect.TypeFor[szzcase.Case](), Open: true},
		{Name: "case-fix", Title: "a line of a case file of git agent eval fix", Type: reflect.TypeFor[fixcase.Case](), Open: true},
		{Name: "case-crash", Title: "a line of a case file of git agent eval crash", Type: reflect.TypeFor[crashcase.Case](), Open: true},
		{Name: "case-bisect", Title: "a line of a case file of git agent eval bisect", Type: reflect.TypeFor[bisectcase.Case](), Open: true},
		{Name: "journal", Title: "a line of a journal of szz or of an evaluation", ID: shard.Schema, Variants: []schema.Variant{
			{Type: reflect.TypeFor[shard.Header](), ID: true}, {Type: shard.LineType()},
		}},
		{Name: "steps", Title: "git agent trace export --format=steps: a line of a recorded run", ID: trace.StepsSchema, Variants: []schema.Variant{
			{Type: first, ID: true}, {Type: others},
		}},
	})
	slices.SortFunc(list, func(a, b schema.Format) int { return strings.Compare(a.Name, b.Name) })
	return list
}
