package locate

import (
	"strings"
	"testing"

	"git-agent/agent/crash/format"
)

// Methods that compilers make are at the line of their class, and tell nothing of the version. The frames are like those of
// pinterest/ktlint#2005 and google/google-java-format#203.
func TestMethodsOfCompilers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		report, path, text string
		same, moved        int
	}{
		"Kotlin": {
			`	at com.pinterest.ktlint.Context.access$execute(Context.kt:1)
	at com.pinterest.ktlint.Context$execute$2$1.invoke(Context.kt:4)
	at com.pinterest.ktlint.Context$execute$2$1.invoke(Context.kt:1)
`, "Context.kt", "internal class Context private constructor(\n) {\n    private fun execute(node: Node) {\n        children.forEach { execute(it) }\n    }\n}\n", 1, 0,
		},
		"Java": {
			`java.lang.StringIndexOutOfBoundsException: -1
	at com.google.googlejavaformat.java.FormatFileCallable.call(FormatFileCallable.java:4)
	at com.google.googlejavaformat.java.FormatFileCallable.call(FormatFileCallable.java:1)
`, "FormatFileCallable.java", "public class FormatFileCallable implements Callable<String> {\n\n  public String call() {\n    return input.substring(at);\n  }\n}\n", 0, 0,
		},
		"a heading, as of testcontainers-java#375 behind its repair": {
			"java.lang.NullPointerException: no\n\tat org.slf4j.MDC.put(MDC.java:116)\n\tat org.testcontainers.utility.AuditLogger.doLog(AuditLogger.java:4)\n",
			"AuditLogger.java", "class AuditLogger {\n\n    void doLog(@NotNull String action,\n               @NotNull DockerCmd cmd) {\n        doLog(action, cmd, null);\n    }\n}\n", 0, 1,
		},
		"another version": {
			`java.lang.StringIndexOutOfBoundsException: -1
	at com.google.googlejavaformat.java.FormatFileCallable.call(FormatFileCallable.java:8)
`, "FormatFileCallable.java", "public class FormatFileCallable implements Callable<String> {\n\n  public String call() {\n    return input.substring(at);\n  }\n\n  void other() {\n    int a = 0;\n  }\n}\n", 0, 1,
		},
	} {
		report, err := format.Read(strings.NewReader(test.report))
		if err != nil || len(report.Stacks) != 1 {
			t.Fatal(report, err)
		}
		for i := range report.Stacks[0].Frames {
			if f := &report.Stacks[0].Frames[i]; strings.HasSuffix(f.File, test.path) {
				f.Path = test.path
			}
		}
		same, moved := 0, 0
		for _, s := range Sites(report, test.path, splitText(test.text)) {
			if s.Moved {
				moved++
			} else if s.sure {
				same++
			}
		}
		if same != test.same || moved != test.moved {
			t.Errorf("%s: %d same and %d moved", name, same, moved)
		}
	}
}
