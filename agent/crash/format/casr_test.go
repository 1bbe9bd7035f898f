package format

import (
	"strings"
	"testing"
)

// A .casrep file has the report of the tool that found the crash, or the stack alone.
func TestCASR(t *testing.T) {
	const head = `{"Date": "2022-01-28T14:09:51.223415+03:00", "ProcCmdline": "/srv/real @@", "CrashSeverity": {"Type": "NOT_EXPLOITABLE"}, "Stacktrace": ["#0 0x4c5d7e in real /srv/src/real.c:3:7", "#1 0x4c5e1c in main /srv/src/main.c:3:4"]`
	for name, test := range map[string]struct{ text, problem, function string }{
		"a sanitizer": {
			head + `, "AsanReport": ["==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602", "READ of size 4 at 0x602", "    #0 0x4c5d7e in other /srv/src/other.c:3:7"]}`,
			"heap-buffer-overflow", "other",
		},
		"Python": {
			head + `, "PythonReport": ["Traceback (most recent call last):", "  File \"/srv/x.py\", line 3, in run", "    y()", "ValueError: no"]}`,
			"ValueError", "run",
		},
		"the stack alone": {head + `}`, "", "real"},
	} {
		r, err := Read(strings.NewReader(test.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s := r.Severity; s == nil || !s.Stated || s.Class != "NOT_EXPLOITABLE" {
			t.Errorf("%s: %+v", name, s)
		}
		if len(r.Stacks) == 0 || r.Stacks[0].Frames[0].Function != test.function || test.problem != "" && (len(r.Problems) == 0 || r.Problems[0].Kind != test.problem) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
