package crashtool

import (
	"strings"
	"testing"

	"git-agent/agent/crash/format"
)

// What the commit lacks of the project is listed; other code is not. The second report is in the form
// of those of Elasticsearch.
func TestMissing(t *testing.T) {
	for name, test := range map[string]struct {
		report string
		paths  map[string]string // of the tracked files in the report
		gone   string            // a function that its file does not have
		want   string
	}{
		"C": {
			"#0  0x1 in push (q=0x0) at /build/p/src/queue.c:4\n#1  0x2 in drop () at /build/p/src/gone.c:5\n#2  0x3 in old () at /build/p/src/main.c:9\n" +
				"#3  0x4 in run () at /build/p/vendor/x/run.c:1\n#4  0x5 in poll () at /usr/src/poll.c:2\n#5  0x6 in drop () at /build/p/src/gone.c:7\n",
			map[string]string{"/build/p/src/queue.c": "src/queue.c", "/build/p/src/main.c": "src/main.c"}, "old",
			"there is no file src/gone.c (#1 of \"crash\")\nthe function old() is not in src/main.c (#2 of \"crash\")\n",
		},
		"Java": {
			"java.lang.IllegalStateException: closed\n\tat org.elasticsearch.index.store.Store.ensureOpen(Store.java:320)\n" +
				"\tat org.elasticsearch.index.engine.InternalEngine.flush(InternalEngine.java:9)\n\tat java.util.ArrayList.get(ArrayList.java:1)\n",
			map[string]string{"org/elasticsearch/index/store/Store.java": "server/src/main/java/org/elasticsearch/index/store/Store.java"}, "",
			"there is no file org/elasticsearch/index/engine/InternalEngine.java (#1 of \"crash\")\n",
		},
		"nothing": {"#0  0x1 in push (q=0x0) at /build/p/src/queue.c:4\n", map[string]string{"/build/p/src/queue.c": "src/queue.c"}, "", ""},
	} {
		report, err := format.Read(strings.NewReader(test.report))
		if err != nil {
			t.Fatal(err)
		}
		for i := range report.Stacks {
			for j := range report.Stacks[i].Frames {
				f := &report.Stacks[i].Frames[j]
				f.Path = test.paths[f.File]
				f.Moved = f.Function == test.gone
			}
		}
		if got := (&Case{Report: report}).Missing(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
