package locate

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext/gittest"
)

// The frames of square/okhttp#7186, to which R8's retrace gave names of files of Java, and lines of its own.
func TestClassesOfKotlin(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const folder = "okhttp/src/jvmMain/kotlin/okhttp3/internal/"
	tip := h.Commit("one", gittest.Files{
		folder + "connection/RealCall.kt":     "package okhttp3.internal.connection\n\nclass RealCall {\n  fun acquireConnectionNoEvents(c: RealConnection) {\n    check(this.connection == null)\n  }\n}\n",
		folder + "cache/DiskLruCache.kt":      "package okhttp3.internal.cache\n",
		"tests/okhttp3/internal/Sink.java":    "class Sink {\n  void put() {\n    flush();\n  }\n}\n",
		"samples/kotlin/other/Interceptor.kt": "package other\n",
	})
	report, err := format.Read(strings.NewReader(`Fatal Exception: java.lang.IllegalStateException: Check failed.
       at okhttp3.internal.connection.RealCall.acquireConnectionNoEvents(RealCall.java:89)
       at okhttp3.internal.cache.Other.get(DiskLruCache.java:52)
       at okhttp3.internal.Sink.put(Sink.java:3)
       at okhttp3.internal.http.Interceptor.intercept(Interceptor.java:166)
`))
	if err != nil {
		t.Fatal(err)
	}
	repo := h.Open()
	if _, err := Locate(t.Context(), repo, tip, report); err != nil {
		t.Fatal(err)
	}
	if fit, err := Compare(t.Context(), repo, tip, report); err != nil || fit.Other() {
		t.Errorf("%+v, %v", fit, err)
	}
	frames := report.Stacks[0].Frames
	for i, want := range []string{folder + "connection/RealCall.kt", folder + "cache/DiskLruCache.kt", "tests/okhttp3/internal/Sink.java", ""} {
		if frames[i].Path != want {
			t.Errorf("frame %d: %q, want %q", i, frames[i].Path, want)
		}
	}
	if frames[0].DefinedAt != 4 {
		t.Errorf("acquireConnectionNoEvents: %+v", frames[0])
	}
}

// A line with a property of Kotlin calls its accessor, as in sqldelight's issue 901.
func TestPropertyOfKotlin(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	text := "package poet\n\nclass File {\n  private val module: Module\n    get() = service.moduleOf(file)!!\n\n  fun iterate(index: Index) {\n    index.folders(module)\n    done()\n  }\n}\n"
	tip := h.Commit("one", gittest.Files{"src/poet/File.kt": text})
	repo := h.Open()
	for line, want := range map[string]crash.Fit{"8": {Same: 1}, "9": {}} {
		report, err := format.Read(strings.NewReader("kotlin.KotlinNullPointerException\n" +
			"\tat poet.File.getModule(File.kt:5)\n\tat poet.File.iterate(File.kt:" + line + ")\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Locate(t.Context(), repo, tip, report); err != nil {
			t.Fatal(err)
		}
		fit, err := Compare(t.Context(), repo, tip, report)
		if err != nil {
			t.Fatal(err)
		}
		if fit != want {
			t.Errorf("line %s: %+v, want %+v", line, fit, want)
		}
	}
}
