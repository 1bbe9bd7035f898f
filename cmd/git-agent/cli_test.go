package main

import (
	"bytes"
	"testing"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"

	"github.com/alecthomas/kong"
)

// The parser of one verb and the parser of all verbs have the same usage of the verb, and so the
// same options, arguments and texts.
func TestParserOfOneVerb(t *testing.T) {
	t.Parallel()
	a := &app.App{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
	all, err := newParser(&cli{}, a)
	if err != nil {
		t.Fatal(err)
	}
	usage := func(verb *kong.Node, root *kong.Application) string {
		var b bytes.Buffer
		ui.WriteUsage(&b, verb, root.Node)
		return b.String()
	}
	for _, verb := range all.Model.Children {
		one, err := newParserFor([]string{verb.Name}, &cli{}, a)
		if err != nil {
			t.Errorf("%s: %v", verb.Name, err)
			continue
		}
		if n := len(one.Model.Children); n != 1 && verb.Name != "completion" {
			t.Errorf("the parser for %s knows %d verbs", verb.Name, n)
		}
		for _, found := range one.Model.Children {
			if found.Name == verb.Name && (found.Hidden != verb.Hidden || usage(found, one.Model) != usage(verb, all.Model)) {
				t.Errorf("the usage of %s alone is\n%s", verb.Name, usage(found, one.Model))
			}
		}
	}
}
