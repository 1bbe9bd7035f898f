package localize

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// A report that names a function with its class puts it first, whatever other functions have of the report's words:
// the functions of ractors.rb came before the to_s of Rails that the report named.
func TestReportNamesAFunction(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("r", gittest.Files{
		"lib/time_with_zone.rb": "class TimeWithZone\n  def utc\n    @utc\n  end\n\n  def to_s\n    time\n  end\n\n  def utc?\n    zone\n  end\nend\n",
		"lib/ractors.rb":        "module Ractors\n  # Runs in the main ractor, and raises in a non-main ractor.\n  def self.on_main\n    raises main, ractor\n  end\nend\n",
		"lib/console/render.rb": "def to_s\n  1\nend\n",
	})
	for _, test := range []struct{ report, first, ground string }{
		{"ActiveSupport::TimeWithZone#to_s raises in a non-main Ractor", "to_s", "the report names ActiveSupport::TimeWithZone#to_s"},
		{"A Ractor raises in main. Is it TimeWithZone.utc?", "utc?", "the report names TimeWithZone.utc"},
		{"It raises in a non-main Ractor, unlike String#freeze", "on_main", "the report speaks of main, ractor, raises"},
	} {
		l := localize(t, h, Input{Problem: fix.Problem{Report: test.report}, Max: 1})
		if got := names(l); got != test.first {
			t.Errorf("%s: %s, want %s", test.report, got, test.first)
		}
		if g := l.Locations[0].Grounds; len(g) == 0 || g[0].Text != test.ground {
			t.Errorf("%s: %v", test.report, g)
		}
	}
	h.Commit("clauses", gittest.Files{
		"lib/string.ex": "defmodule String do\n" + strings.Repeat("  def split(a, b) do\n    a\n  end\n\n", 5) + "end\n",
		"lib/mix.ex":    "defmodule Mix do\n  def trim(empty) do\n    middle(empty)\n  end\nend\n",
	})
	l := localize(t, h, Input{Problem: fix.Problem{Report: "String.split with trim removes the empty middle"}, Max: 5})
	if got := names(l); got != "split split split split split" {
		t.Errorf("the clauses of one function are not first: %s", got)
	}
	failing := Input{Problem: fix.Problem{Report: "TimeWithZone#to_s raises"}, Reproduction: fix.Reproduction{Failing: []string{"test_on_main"}}, Max: 1}
	if l := localize(t, h, failing); len(l.Locations) > 0 && l.Locations[0].Score > namedShare {
		t.Errorf("the report decided beside a failing test: %v", l.Locations[0])
	}
}
