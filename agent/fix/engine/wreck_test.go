package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/model/modeltest"
)

// A model that wrecks its scratch tree makes no patch, which is no error of the run: the
// next trajectory begins with a whole tree, and repairs the bug.
func TestWreckedTree(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"rm -rf .git * .[a-z]*",
		"ln -sf /etc/passwd size.sh",
		"head -c 20000000 /dev/zero >size.sh",
		"rm size.sh; mkdir size.sh; touch size.sh/x",
		"printf 'gitdir: /nowhere' >x; rm -rf .git; mv x .git",
		"rm -f .gitignore .gitattributes; mkfifo .gitignore .gitattributes",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			n := 0
			b := newBench(t, func(req modeltest.Request) modeltest.Reply {
				switch n++; {
				case req.Turn() == 0 && n == 1:
					return modeltest.Call("bash", fmt.Sprintf(`{"command":%q}`, command))
				case req.Turn() == 0:
					return modeltest.Call("bash", `{"command":"sed -i 's/head -n 1/cat/' size.sh"}`)
				case n < 4:
					return modeltest.Call("finish", gives)
				}
				return modeltest.Call("finish", finishes)
			})
			b.question.Method = fix.Method{Tools: fix.Bash, Auto: true}
			ans, err := b.Answer(t.Context(), b.question, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(ans.Plausible) != 1 || strings.Contains(string(ans.Plausible[0].Patch.Diff), "passwd") {
				t.Errorf("%+v, %+v", ans.Answer, ans.Agent)
			}
			if left, err := os.ReadDir(b.Trial.Scratch); err != nil || len(left) > 1 {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}
