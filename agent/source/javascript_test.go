package source

import "testing"

func TestIsScript(t *testing.T) {
	for file, want := range map[string][2]bool{ // JavaScript, TypeScript
		"a.js": {true, false}, "lib/a.MJS": {true, false}, "a.cjs": {true, false}, "a.jsx": {true, false},
		"a.ts": {false, true}, "a.d.mts": {false, true}, "a.cts": {false, true}, "a.tsx": {false, true},
		"a.json": {}, "js": {}, "a.vue": {},
	} {
		if got := [2]bool{IsJavaScript(file), IsTypeScript(file)}; got != want || IsScript(file) != (want[0] || want[1]) {
			t.Errorf("%s: %v, script %v", file, got, IsScript(file))
		}
	}
}
