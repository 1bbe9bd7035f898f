package investigate

import (
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// The line that sets a field which is missing is shown, if the code around the frames does not have
// it. The messages are those of Python and of Node.js.
func TestValueThatFailed(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	filler := strings.Repeat("    # nothing\n", 80)
	text := "class Server:\n    def start(self):\n        self.conn = None\n" + filler + "    def stop(self):\n        self.conn.close()\n"
	crashed := h.Commit("start", gittest.Files{"server.py": text})
	const trace = "Traceback (most recent call last):\n  File \"server.py\", line 85, in stop\n    self.conn.close()\n"
	for message, want := range map[string]string{
		"AttributeError: 'NoneType' object has no attribute 'close'": "self.conn: server.py:3 self.conn = None\n",
		"AttributeError: 'Conn' object has no attribute 'close'":     "",
	} {
		req := askedAt(h, crashed, trace+message+"\n").first(Options{})
		_, values, _ := strings.Cut(req.Messages[1].Text, "# Where the value that failed is set\n(outside of the code above)\n\n")
		if values, _, _ = strings.Cut(values, "\n\n"); strings.TrimSuffix(want, "\n") != strings.TrimSuffix(values, "\n") {
			t.Errorf("%s: %q, want %q", message, values, want)
		}
	}
}
