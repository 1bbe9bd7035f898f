package rank

import (
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

func TestSpokenFiles(t *testing.T) {
	// The messages come from two commits: gentoo/portage f88d6ddea7 and triplea-game/triplea
	// 7185c060a9.
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("import", gittest.Files{
		"lib/LocationsManager.py":      "class LocationsManager:\n\tpass\n",
		"lib/use.py":                   "# The class LocationsManager is elsewhere\n",
		"lib/tests/LocationsManager.c": "class LocationsManager:\n",
		"lib/a.py":                     "class Task(object):\n", "lib/b.py": "class Task:\n", "lib/c.py": "class Task:\n",
		"src/games/data/BattleRecords.java":   "package games.data;\n\npublic class BattleRecords extends X {\n}\n",
		"src/other/data/BattleRecords.java":   "public class BattleRecords {\n}\n",
		"src/games/data/BrokenException.java": "public class BrokenException extends X {\n}\n",
		"config/config.go":                    "package config\n\ntype Settings struct {\n\ttimeout int\n}\n",
		"config/use.go":                       "package config\n\n// the struct Settings is elsewhere\nvar s Settings\n",
	})
	repo := h.Open()
	for message, want := range map[string]string{
		"'LocationsManager' object has no attribute 'profiles_complex'":     "lib/LocationsManager.py",
		"type object 'LocationsManager' has no attribute 'x'":               "lib/LocationsManager.py",
		"games.data.BattleRecords$SerializationProxy":                       "src/games/data/BattleRecords.java",
		"Could not initialize class games/data/BattleRecords":               "src/games/data/BattleRecords.java",
		"games.data.BattleRecords cannot be cast to class java.lang.String": "src/games/data/BattleRecords.java",
		// emansih/FireflyMobile#76
		"Unable to start activity ComponentInfo{org.games/games.data.BattleRecords}: java.lang.X: no": "src/games/data/BattleRecords.java",
		"games.data.BrokenException":        "",
		"no.data.BattleRecords":             "",
		"'Task' object is not callable":     "",
		"'NoneType' object is not iterable": "",
		"LocationsManager failed":           "",
		// encoding/json and a virtual machine of Java name a field with its class.
		"json: cannot unmarshal string into Go struct field Settings.timeout of type int": "config/config.go",
		`Cannot invoke "String.length()" because "BattleRecords.names" is null`:           "", // two classes
		`Cannot invoke "String.length()" because "Settings.names" is null`:                "config/config.go",
		"cannot read Settings.java": "",
		"":                          "",
	} {
		report := &crash.Report{Problems: []crash.Problem{{Kind: "x", Message: message}}}
		got, err := spokenFiles(t.Context(), repo, tip, report, map[string]bool{})
		if err != nil || pathsOf(got) != want {
			t.Errorf("%q: %q, %v, want %q", message, pathsOf(got), err, want)
		}
		for _, f := range got {
			if !f.Related || len(f.Reasons) != 1 {
				t.Errorf("%+v", f)
			}
		}
		if got, err := spokenFiles(t.Context(), repo, tip, report, map[string]bool{want: true}); err != nil || len(got) > 0 {
			t.Errorf("%q: listed already, and again %q, %v", message, pathsOf(got), err)
		}
	}
}

func TestRankAddsSpokenFiles(t *testing.T) {
	// The class in a message comes after the files of the stack, and before the files that
	// changed with them.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{"a.py": "1\n", "b.py": "class Other:\n\tpass\n", "c.py": "class C:\n\tpass\n"})
	tip := h.Commit("both", gittest.Files{"a.py": "2\n", "b.py": "class Other:\n\tpass\n\n"})
	report := &crash.Report{
		Problems: []crash.Problem{{Kind: "AttributeError", Message: "'C' object has no attribute 'x'"}},
		Stacks:   []crash.Stack{stackOf(crash.StackCrash, "f a.py")},
	}
	ranking, err := Rank(t.Context(), h.Open(), tip, report, Ours)
	if err != nil || pathsOf(ranking.Files) != "a.py c.py b.py" {
		t.Errorf("%s, %v", pathsOf(ranking.Files), err)
	}
}
