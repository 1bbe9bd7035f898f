package commitmsg

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// messages are commit messages for all branches of the readers.
var messages = []string{
	"one line", "subject\n", "subject\n\nbody\n", "two line\nsubject\n\nbody\n\nmore\n", "\n\nlate subject\n\n\n\nbody\n",
	"subject  \n  indented second line\n\n  body kept as it is\n", "subject\n\nbody\n\nSigned-off-by: A <a@x>\n",
	"subject\r\n\r\nbody\r\n", "s\n \t\nbody after a blank-looking line", "subject\n\n\n",
	"fix\n\nFixes: 123456789012 (\"x\")\nCc: a@b\n", "fix\n\nFixes: 123456789012 (\"x\")\nprose here\n",
	"fix\n\nprose\nSigned-off-by: A <a@x>\n", "fix\n\np1\np2\np3\np4\nSigned-off-by: A <a@x>\n", "fix\n\np1\np2\np3\nSigned-off-by: A <a@x>\n",
	"fix\n\nKey: value\n  continued\n\tand more\nOther-Key : spaced\n", "Key: in the title\n", "Key: in the title\n\nprose: yes no\nbut prose\n",
	"fix\n\n(cherry picked from commit 0123456789012345678901234567890123456789)\n", "fix\n\nReviewed-by: A\n\nSigned-off-by: B\n",
	"fix\n\nhttp://x.y/z\nCloses: #12\n", "fix\n\nCloses: #12\nhttp://x.y/z\n", "fix\n\nKey:\n", "fix\n\nKey: v\n\n\n", "fix\n\n Key: v\n", "fix\n\nKey with blanks: v\n",
	"fix\n\nA: b\n\n---\n\nC: d\n", "fix\n\nbody\n---\nA: b\n", "revert: \"x\"\n\nThis reverts commit 0123456789012345678901234567890123456789.\n",
}

func TestMessagesAsGitReadsThem(t *testing.T) {
	// Subject and body are git's %s and %b for every message.
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@x")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	git("init", "-q")
	for _, m := range messages {
		git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", m)
		_, stored, _ := strings.Cut(git("cat-file", "commit", "HEAD"), "\n\n")
		subject, body := Split(stored)
		if want := strings.TrimSuffix(git("log", "-1", "--format=%s"), "\n"); subject != want {
			t.Errorf("subject of %q: got %q, want %q", stored, subject, want)
		}
		if want := git("log", "-1", "--format=format:%b"); body != want {
			t.Errorf("body of %q: got %q, want %q", stored, body, want)
		}
	}
}

func TestTrailersAsGitReadsThem(t *testing.T) {
	// Trailers are those that git interpret-trailers finds.
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, m := range messages {
		cmd := exec.Command("git", "interpret-trailers", "--parse", "--no-divider")
		cmd.Stdin = strings.NewReader(m)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		body, trailers := Trailers(m)
		for _, tr := range trailers {
			got.WriteString(strings.TrimRight(tr.Key+": "+tr.Value, " ") + "\n")
		}
		want := strings.ReplaceAll(string(out), " \n", "\n")
		if strings.Contains(m, "cherry picked") {
			want = "" // git echoes this line, which has no key
		}
		if got.String() != want {
			t.Errorf("%q:\n got %q\nwant %q", m, got.String(), want)
		}
		if len(trailers) > 0 && !strings.HasPrefix(m, strings.TrimRight(body, "\n")) {
			t.Errorf("%q: the body is not what precedes the trailers: %q", m, body)
		}
	}
}

func FuzzTrailers(f *testing.F) {
	for _, m := range messages {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, in string) {
		body, trailers := Trailers(in)
		if len(trailers) == 0 && body != in && !strings.HasPrefix(in, strings.TrimRight(body, "\n")) {
			t.Errorf("%q lost to %q", in, body)
		}
		for _, tr := range trailers {
			if tr.Key == "" || strings.Contains(tr.Value, "\n") {
				t.Errorf("trailer %+v", tr)
			}
		}
		Split(in)
	})
}
