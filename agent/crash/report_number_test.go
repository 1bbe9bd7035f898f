package crash

import "testing"

// The number of a frame is the report's, and else its place, which counts from 0 as well.
func TestNumber(t *testing.T) {
	t.Parallel()
	s := Stack{Kind: StackCrash, Thread: "de::tests::test_escape", Frames: []Frame{
		{Raw: "#3  0x00007f in raise () from /lib/libc.so.6"},
		{Raw: "7: ron::parse::Parser::escaped_byte_buf at ./src/parse.rs:1213:46"},
		{Raw: `File "/src/humanize/number.py", line 113, in ordinal`},
	}}
	for i, want := range []int{3, 7, 2} {
		if got := s.Number(i); got != want {
			t.Errorf("frame %d: %d, want %d", i, got, want)
		}
	}
	if got := s.Name(); got != `the stack of thread "de::tests::test_escape"` {
		t.Error(got)
	}
	s.Test = "test_ordinal[1-1st]"
	if got := s.Name(); got != `the stack of test "test_ordinal[1-1st]"` {
		t.Error(got)
	}
}
