package offline

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext/gittest"
)

// Dart names files by their package. The report is OpenFlutter/fluwx#422, whose file is in HEAD no more.
func TestGoneFileOfDart(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"pubspec.yaml": "name: fluwx\n", "lib/fluwx.dart": "library fluwx;\n", "lib/src/fluwx_iml.dart": "\nString getExtMsg() => x;\n"})
	with := h.Head()
	h.Git("rm", "-q", "lib/src/fluwx_iml.dart")
	h.Commit("introduce v4", gittest.Files{"lib/src/fluwx.dart": "class Fluwx {}\n"})
	report, err := format.Read(strings.NewReader("E/flutter (24077): Unhandled Exception: type 'Null' is not a subtype of type 'FutureOr<String>'\n" +
		"E/flutter (24077): #0      getExtMsg (package:fluwx/src/fluwx_iml.dart:2)\n" +
		"E/flutter (24077): #1      run (package:other/src/run.dart:2)\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Rank(t.Context(), h.Open(), crash.Question{Report: report})
	if err != nil || len(got.Files) == 0 || got.Files[0].Path != "lib/src/fluwx_iml.dart" || got.Commit != with {
		t.Errorf("%+v, %v", got, err)
	}
}
