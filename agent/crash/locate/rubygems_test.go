package locate

import (
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// The stack of ttscoff/doing#36 ends with the script by which RubyGems starts bin/doing.
func TestScriptOfRubyGems(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"lib/doing/wwid.rb": "class WWID\nend\n", "bin/doing": "#!/usr/bin/env ruby\nwwid = WWID.new\n"})
	gems := "/srv/ian/.rbenv/versions/2.0.0-p247/lib/ruby/gems/2.0.0/gems/doing-0.2.4/"
	report := &crash.Report{Stacks: []crash.Stack{
		{Kind: crash.StackCrash, Format: "ruby", Frames: []crash.Frame{
			{Function: "initialize", File: gems + "lib/doing/wwid.rb", Line: 2},
			{Function: "new", File: gems + "bin/doing", Line: 2},
			{Function: "load", File: "/srv/ian/.rbenv/versions/2.0.0-p247/bin/doing", Line: 23},
			{Function: "<main>", File: "/srv/ian/.rbenv/versions/2.0.0-p247/bin/doing", Line: 23},
		}},
		{Kind: crash.StackThread, Format: "ruby", Frames: []crash.Frame{{Function: "new", File: "/srv/ian/src/doing/bin/doing", Line: 2}}},
	}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"lib/doing/wwid.rb", "bin/doing", "", ""} {
		if f := report.Stacks[0].Frames[i]; f.Path != want {
			t.Errorf("%s: %q, want %q", f.Function, f.Path, want)
		}
	}
	if f := report.Stacks[1].Frames[0]; f.Path != "bin/doing" {
		t.Errorf("without a gem: %q", f.Path)
	}
}
