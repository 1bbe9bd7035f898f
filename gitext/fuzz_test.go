package gitext

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"git-agent/gitext/gitcmd"
)

// For any input, a parser of git's bytes must end with a consistent result or an
// error. Seeds are real output.

const someOID = "0123456789abcdef0123456789abcdef01234567"

func FuzzPatch(f *testing.F) {
	raw := ":100644 100644 " + someOID + " " + someOID + " M\tf\n"
	f.Add([]byte(raw + "\ndiff --git a/f b/f\nindex 0..1\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@ x\n a\n-b\n+c\n\\ No newline at end of file\n=\n"))
	f.Add([]byte(":100644 120000 " + someOID + " " + someOID + " T\tf\n\ndiff --git a/f b/f\ndeleted file mode 100644\n@@ -1 +0,0 @@\n-a\ndiff --git a/f b/f\nnew file mode 120000\n@@ -0,0 +1 @@\n+x\n"))
	f.Add([]byte(":100644 100644 " + someOID + " " + someOID + " R100\t\"a\\tb\"\tc\n\ndiff --git \"a/a\\tb\" b/c\nsimilarity index 100%\n"))
	f.Add([]byte(raw + "\ndiff --git a/f b/f\nBinary files a/f and b/f differ\n"))
	f.Add([]byte(raw + "\ndiff --git a/f b/f\n@@ -1,3 +1,3 @@\n\n\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		reader := newPatchReader(bufio.NewReaderSize(bytes.NewReader(in), 64), PatchOptions{MaxBytes: 1 << 10})
		var p Patch
		if reader.patch(&p) != nil {
			return
		}
		for _, file := range p.Files {
			for _, h := range file.Hunks {
				checkHunk(t, h)
			}
		}
	})
}

// checkHunk compares a hunk's lines with the counts in its header.
func checkHunk(t *testing.T, h Hunk) {
	t.Helper()
	old, new := 0, 0
	for _, l := range h.Lines {
		if (l.Op == '+') != (l.Old == 0 && l.New != 0) || (l.Op == '-') != (l.New == 0 && l.Old != 0) {
			if h.OldStart > 0 && h.NewStart > 0 {
				t.Errorf("line %+v", l)
			}
		}
		if l.Op != '+' {
			old++
		}
		if l.Op != '-' {
			new++
		}
	}
	if old != h.OldLines || new != h.NewLines {
		t.Errorf("hunk of %d,%d lines says %d,%d", old, new, h.OldLines, h.NewLines)
	}
}

func FuzzBlame(f *testing.F) {
	f.Add([]byte(someOID + " 1 1 2\nauthor A\nprevious " + someOID + " a b\nfilename \"a\\tb\"\n\ttext\n" + someOID + " 2 2\n\tmore\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := blameReader{lines: gitcmd.NewLineReader(bufio.NewReaderSize(bytes.NewReader(in), 64)), commits: map[OID]*blameCommit{}}
		lines, err := r.all()
		if err == nil && len(lines) > bytes.Count(in, []byte("\n\t"))+1 {
			t.Errorf("%d lines", len(lines))
		}
	})
}

func FuzzLog(f *testing.F) {
	f.Add([]byte("\x00" + someOID + "\x00" + someOID + "\x001\x002\x00A\x00a@b\x00subject\n\n:100644 100644 " + someOID + " " + someOID + " M\tf\n\ndiff --git a/f b/f\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newEntryReader(bufio.NewReaderSize(bytes.NewReader(in), 64), 0)
		for {
			e, err := r.next()
			if err != nil {
				return
			}
			if e.OID.valid() != nil {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

func FuzzStat(f *testing.F) {
	f.Add([]byte(":100644 100644 " + someOID + " " + someOID + " R090\x00a\x00b\x001\t2\t\x00a\x00b\x00=\n"))
	f.Add([]byte(":100644 100644 " + someOID + " " + someOID + " M\x00a\x00-\t-\ta\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var s Stat
		if err := readStat(bufio.NewReader(bytes.NewReader(in)), &s); err == nil && len(s.blobs) > 2*s.Files {
			t.Errorf("%d files, %d blobs", s.Files, len(s.blobs))
		}
	})
}

func FuzzGrep(f *testing.F) {
	f.Add([]byte(someOID + ":a:b\x003\x00text\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(in), 64)
		for {
			m, err := readMatch(r, someOID, maxGrepLine)
			if err != nil {
				return
			}
			if bytes.ContainsRune(m.Text, '\n') || len(m.Text) > maxGrepLine {
				t.Errorf("match %+v", m)
			}
		}
	})
}

func FuzzCommit(f *testing.F) {
	f.Add([]byte("tree " + someOID + "\nparent " + someOID + "\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 2 -0330\nencoding latin1\ngpgsig x\n y\n\nsubject\n\nbody\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, _, err := parseCommit(in)
		if err != nil {
			return
		}
		if c.Tree.valid() != nil || !bytes.HasSuffix(in, []byte(c.Message)) {
			t.Errorf("commit %+v", c)
		}
		if strings.Contains(c.Subject(), "\n") {
			t.Errorf("subject %q", c.Subject())
		}
	})
}
