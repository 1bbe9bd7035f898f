package rank

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// A report without a frame in the repository gets the files that share its rare words. Words that
// many files have, tests and documents count for little or nothing.
func TestFilesWithWordsOfTheReport(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	files := gittest.Files{
		"fs/registry.go":      "x := 1\nreturn fmt.Errorf(\"didn't find backend called %q\", name)\n",
		"fs/registry_test.go": "want := \"didn't find backend called\"\n",
		"docs/faq.md":         "didn't find backend called\n",
		"a.go":                "// cannot be read now\n",
	}
	for _, dir := range []string{"b", "c", "d", "e", "f", "g", "h", "i"} {
		files[dir+"/x.go"] = "// cannot be read now\n"
	}
	head := h.Commit("one", files)
	report := &crash.Report{
		Problems: []crash.Problem{{Kind: "panic", Message: `didn't find backend called "foo": cannot be read now`}},
		Stacks:   []crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{{Raw: `File "<registry_stdin>", line 1`, File: "<registry_stdin>"}}}},
	}
	got, err := Rank(t.Context(), h.Open(), head, report, Ours)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Files) == 0 || got.Answered || got.Files[0].Path != "fs/registry.go" || !got.Files[0].Related || got.Files[0].Reasons[0] != `has "backend", "didn", "find" of the report` {
		t.Errorf("%+v", got.Files)
	}
	for _, f := range got.Files {
		if strings.Contains(strings.Join(f.Reasons, " "), "registry_stdin") || strings.HasSuffix(f.Path, "_test.go") || strings.HasSuffix(f.Path, ".md") {
			t.Errorf("%s is in the list", f.Path)
		}
	}
}

// Words of errors that the interpreter itself prints say nothing of a file. The report is of boltons.
func TestWordsOfTheInterpreter(t *testing.T) {
	t.Parallel()
	report := &crash.Report{Problems: []crash.Problem{{Kind: "AttributeError", Message: "'set' object has no attribute 'issupserset'. Did you mean: 'issuperset'?"}}}
	got := slices.Sorted(maps.Keys(wordsOf(report)))
	if strings.Join(got, " ") != "issuperset issupserset set" {
		t.Errorf("%q", got)
	}
}

// The words of a sanitizer's kind of fault are of no file. The kinds are from reports of util-linux
// and Open vSwitch.
func TestWordsOfASanitizer(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"Stack-buffer-overflow WRITE 1":     "",
		"heap-use-after-free":               "",
		"use-of-uninitialized-value":        "",
		"the-buffer of heap-use-after-free": "buffer",
	} {
		report := &crash.Report{Problems: []crash.Problem{{Kind: kind}}}
		if got := strings.Join(slices.Sorted(maps.Keys(wordsOf(report))), " "); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// Files outside of the stacks follow those of the stacks: first the files that changed with these
// and have words of the report.
func TestFilesOutsideOfTheStacks(t *testing.T) {
	t.Parallel()
	related := []crash.File{{Path: "a.c", Related: true, ByHistory: true}, {Path: "b.c", Related: true, ByHistory: true}}
	similar := []worded{{path: "c.c", score: 9, words: []string{"x"}}, {path: "b.c", score: 8, words: []string{"y"}}, {path: "named.c", score: 7}}
	got := unite(related, similar, map[string]bool{"named.c": true})
	if pathsOf(got) != "b.c c.c a.c" || !got[0].ByHistory || got[1].ByHistory || got[0].Reasons[0] != `has "y" of the report` {
		t.Errorf("%+v", got)
	}
}

// A missing class without a frame in the repository names the build file at the top of the tree. The
// report is like one of killme2008/aviatorscript.
func TestMissingClassWithoutAFrame(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	head := h.Commit("one", gittest.Files{"pom.xml": "<project/>\n", "src/A.java": "class A {}\n"})
	report := &crash.Report{Problems: []crash.Problem{{Kind: "java.lang.NoClassDefFoundError", Message: "org/apache/Missing"}}}
	got, err := Rank(t.Context(), h.Open(), head, report, Ours)
	if err != nil || pathsOf(got.Files) != "pom.xml" {
		t.Errorf("%+v, %v", got.Files, err)
	}
}

// What a run-time or a tool says of each such failure is of no file, and neither are the paths and the
// lines of libraries. The reports are of ovn-kubernetes, cri-o, lxc, drgn, eclipse.jdt.ls and
// multipath-tools, and of yangtools and cdt for the paths.
func TestWordsOfRunTimes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		message string
		frames  []crash.Frame
		want    string
	}{
		{`"assignment to entry in nil map" (assignment to entry in nil map)`, nil, ""},
		{"runtime error: invalid memory address or nil pointer dereference", nil, ""},
		{"unexpected signal during runtime execution", []crash.Frame{
			{Raw: "runtime.throw(0x117fe4a, 0x2a)", Function: "runtime.throw", File: "/opt/rh/go-toolset-1.10/root/usr/lib/golang/src/runtime/panic.go", Line: 616},
		}, ""},
		{"expected str, bytes or os.PathLike object, not NoneType", []crash.Frame{
			{Raw: `File "/usr/lib64/python3.10/os.py", line 823, in fsdecode`, Function: "fsdecode", File: "/usr/lib64/python3.10/os.py", Line: 823,
				Quote: "filename = fspath(filename)  # Does type-checking of `filename`."},
		}, "NoneType fsdecode"},
		{`Cannot invoke "org.eclipse.IType.getClassFile()" because "type" is null`, nil, "IType eclipse getClassFile"},
		{"/Users" + "/u/sfc-ut3/sfc-model/target/classes (Is a directory)", nil, "classes"},
		{`C:\Users\u\work\settings.xml (in use)`, nil, "settings use xml"},
		{"336 bytes in 1 blocks are possibly lost in loss record 3 of 3", nil, ""},
		{"'ascii' codec can't decode byte 0xe2 in position 5: ordinal not in range(128)", nil, "ascii"},
	} {
		report := &crash.Report{Problems: []crash.Problem{{Message: test.message}}, Stacks: []crash.Stack{{Kind: crash.StackCrash, Frames: test.frames}}}
		if got := strings.Join(slices.Sorted(maps.Keys(wordsOf(report))), " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.message, got, test.want)
		}
	}
}

// A file that the project copied from others comes behind its own, and is no guess at all outside of the
// stacks. The stack is of ovn-org/ovn-kubernetes, f24f31db6801.
func TestCopiedFiles(t *testing.T) {
	t.Parallel()
	const set, runtime = "go-controller/vendor/k8s.io/apimachinery/pkg/util/sets/set.go", "go-controller/pkg/node/controller.go"
	report := &crash.Report{Stacks: []crash.Stack{stackOf(crash.StackCrash, "Insert "+set, "sync "+runtime)}}
	if got := ranked(report); got != runtime+" "+set {
		t.Errorf("%s", got)
	}
	h := gittest.New(t)
	tip := h.Commit("one", gittest.Files{"vendor/a/podCache.go": "// podCache\n", "node/cache.go": "// podCache\n", set: "\n\n"})
	alone := &crash.Report{
		Problems: []crash.Problem{{Kind: "panic", Message: "podCache"}},
		Stacks:   []crash.Stack{stackOf(crash.StackCrash, "Insert "+set)},
	}
	got, err := Rank(t.Context(), h.Open(), tip, alone, Ours)
	if err != nil || got.Answered || pathsOf(got.Files) != set+" node/cache.go" || !strings.Contains(strings.Join(got.Files[0].Reasons, "; "), "a copy of the code of others") {
		t.Errorf("%+v, %v", got, err)
	}
}

// Functions that only print the stack or wait for another thread are as little at fault as those that
// allocate. The names are of openzfs/zfs.
func TestFunctionsThatOnlyReportOrWait(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"spl_dumpstack": true, "spl_panic": true, "cv_wait_common": true, "__cv_wait": true, "__cv_timedwait_sig": true, "schedule_timeout": true,
		"dmu_tx_wait": false, "txg_wait_synced": false, "dsl_dataset_disown": false, "vdev_rebuild": false,
	} {
		if Helper(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
