package locate

import (
	"strings"
	"testing"

	"git-agent/agent/crash/format"
)

// Frames in methods of Scala with operators for names, and in functions of which the compiler does not name the method, are at their
// lines. The report is from scalameta/scalafmt#5362, the code is like that of v3.11.4.
func TestScalaOperators(t *testing.T) {
	t.Parallel()
	const code = `object Policy {
  final def <(exp: FT): Policy = <==(End < exp)
  class PolicyBoolean(private val flag: Boolean) {
    def ||(other: => Policy): Policy = if (flag) NoPolicy else other
  }
  def get(policy: PolicyBoolean): Policy = {
    val p = policy || {
      before(expire)
    }
    p
  }
}
`
	report, err := format.Read(strings.NewReader(`java.lang.NullPointerException: no
        at org.scalafmt.internal.Policy.$less(Policy.scala:2)
        at org.scalafmt.internal.Policy$.$anonfun$97(Policy.scala:8)
        at org.scalafmt.internal.Policy$PolicyBoolean$.$bar$bar$extension(Policy.scala:4)
        at org.scalafmt.internal.Policy$.get(Policy.scala:7)
`))
	if err != nil || len(report.Stacks) != 1 {
		t.Fatal(report, err)
	}
	frames := report.Stacks[0].Frames
	for i := range frames {
		frames[i].Path = "Policy.scala"
	}
	for ref, s := range Sites(report, "Policy.scala", splitText(code)) {
		if want := frames[ref.Frame].Line; s.At != want || s.Moved {
			t.Errorf("frame %d is at %d (%s), want %d", ref.Frame, s.At, s.Note, want)
		}
	}
}
