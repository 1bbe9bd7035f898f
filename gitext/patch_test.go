package gitext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// nastyHistory has every kind of change that a patch can show.
func nastyHistory(f *fixture) {
	oddHistory(f)
	f.write("crlf", "a\r\nb\r\nc\r\n")
	f.write("no-newline", "a\nb")
	f.write("binary", "a\x00b\n")
	f.write("latin1", "gr\xfc\xdfe\n")
	f.write("type", "was a file\n")
	f.write("mode", "x\n")
	f.write("gone", "1\n2\n3\n")
	f.write("blank", "a\n\n\n\nb\n\n\nc\n")
	f.write("space", "if (x) {\n  y();\n}\n")
	f.write("looks like a patch", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n:100644\n=\n\\ No newline at end of file\n")
	f.write("cr only", "a\rb\rc\r")
	f.write("long", strings.Repeat("x", 200_000)+"\nend\n")
	f.write("copied", strings.Repeat("some line to copy\nand another\n", 10))
	f.commit("base")
	f.write("crlf", "a\r\nB\r\nc\n")
	f.write("no-newline", "a\nb\nc")
	f.write("binary", "a\x00c\n")
	f.write("latin1", "gr\xfc\xdfe\nmehr\n")
	os.Remove(filepath.Join(f.dir, "type"))
	os.Symlink("mode", filepath.Join(f.dir, "type"))
	os.Chmod(filepath.Join(f.dir, "mode"), 0o755)
	os.Remove(filepath.Join(f.dir, "gone"))
	f.write("blank", "a\n\n\nb\n\n\n\nc\n\n")
	f.write("space", "if (x)   {\n\ty();\n}\n")
	f.write("looks like a patch", "diff --git a/y b/y\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+b\n:100644 100644\n=\n-\n+\n\\ No newline at end of file\n")
	f.write("cr only", "a\rB\rc\r\n")
	f.write("long", strings.Repeat("x", 200_001)+"\nend\n")
	f.write("copied", strings.Repeat("some line to copy\nand another\n", 10)+"more\n")
	f.write("the copy", strings.Repeat("some line to copy\nand another\n", 10))
	f.write("empty", "")
	f.commit("change everything")
	f.write("no-newline", "a\nb\nc\n")
	f.write("empty", "\n")
	os.Remove(filepath.Join(f.dir, "binary"))
	f.commit("and again")
	f.commit("an empty commit")
	f.git("checkout", "-q", "-b", "side", "HEAD~2")
	f.write("on side", "x\n")
	f.commit("side")
	f.git("checkout", "-q", "main")
	f.clock += 60
	f.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	sub := another(f.t)
	first := sub.commit("one")
	f.git("update-index", "--add", "--cacheinfo", "160000,"+string(first)+",mod")
	f.git("commit", "-q", "-m", "add a submodule")
	f.git("update-index", "--cacheinfo", "160000,"+string(sub.commit("two"))+",mod")
	f.git("commit", "-q", "-m", "move a submodule")
}

// patchText prints a patch's hunks as git does, one file after the other.
func patchText(p *Patch) string {
	var b strings.Builder
	for _, f := range p.Files {
		fmt.Fprintf(&b, "%c %q %q %o %o %s %s\n", f.Status, f.OldPath, f.NewPath, f.OldMode, f.NewMode, f.OldOID, f.NewOID)
		if f.Binary {
			b.WriteString("binary\n")
		}
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "@@ -%s +%s @@\n", spanText(h.OldStart, h.OldLines), spanText(h.NewStart, h.NewLines))
			for _, l := range h.Lines {
				fmt.Fprintf(&b, "%c%s\n", l.Op, l.Text)
				if l.NoNewline {
					b.WriteString("\\ No newline at end of file\n")
				}
			}
		}
	}
	return b.String()
}

func spanText(start, lines int) string {
	if lines == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// plainHunks are the hunks in git's own patch text, with all headings cut.
func plainHunks(text string) string {
	var b strings.Builder
	old, new := 0, 0
	for line := range strings.Lines(text) {
		switch {
		case old > 0 || new > 0:
			if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "-") {
				old--
			}
			if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "+") {
				new--
			}
			b.WriteString(line)
		case strings.HasPrefix(line, "@@ "):
			h, _ := parseHunkHeader(strings.TrimSuffix(line, "\n"))
			old, new = h.OldLines, h.NewLines
			b.WriteString(strings.Join(strings.SplitN(line, " ", 5)[:3], " ") + " @@\n")
		case strings.HasPrefix(line, `\`):
			b.WriteString(line)
		}
	}
	return b.String()
}

func hunksOnly(p *Patch) string {
	var b strings.Builder
	for _, f := range p.Files {
		text := patchText(&Patch{Files: []FileChange{f}})
		_, hunks, _ := strings.Cut(text, "\n")
		b.WriteString(strings.TrimPrefix(hunks, "binary\n"))
	}
	return b.String()
}

func TestPatchesAreGits(t *testing.T) {
	// For every kind of change and option the files are those of diff-tree
	// --raw -z, and the hunks are byte for byte those of diff-tree -p.
	f := newFixture(t)
	nastyHistory(f)
	r := f.open()
	oids := oidLines(f.git("rev-list", "HEAD"))
	for name, c := range map[string]struct {
		opt  PatchOptions
		args []string
	}{
		"plain":    {PatchOptions{Context: 3}, []string{"-U3", "--no-renames"}},
		"U0":       {PatchOptions{}, []string{"-U0", "--no-renames"}},
		"renames":  {PatchOptions{Context: 3, Renames: true}, []string{"-M"}},
		"copies":   {PatchOptions{Context: 3, Renames: true, Copies: true}, []string{"-M", "-C"}},
		"function": {PatchOptions{Context: 3, FunctionContext: true}, []string{"-W", "--no-renames"}},
		"paths":    {PatchOptions{Context: 1, Paths: []string{"crlf", ":(top)magic", "star*[x]?", "-dash"}}, []string{"-U1", "--no-renames"}},
	} {
		t.Run(name, func(t *testing.T) {
			i := 0
			for p, err := range r.Patches(t.Context(), oids, c.opt) {
				if err != nil {
					t.Fatal(err)
				}
				if p.Commit != oids[i] {
					t.Fatalf("patch %d is of %s, want %s", i, p.Commit, oids[i])
				}
				i++
				comparePatch(t, f, p, c.opt.Paths, c.args)
				single, err := r.Patch(t.Context(), p.Parent, p.Commit, c.opt)
				if err != nil || patchText(single) != patchText(p) {
					t.Errorf("%s: Patch and Patches differ: %v", p.Commit, err)
				}
			}
			if i != len(oids) {
				t.Errorf("%d patches of %d commits", i, len(oids))
			}
		})
	}
}

// comparePatch compares a patch with plain git's.
func comparePatch(t *testing.T, f *fixture, p *Patch, paths, args []string) {
	t.Helper()
	parent := string(p.Parent)
	if parent == "" {
		parent = string(emptyTreeSHA1)
	}
	ask := func(kind ...string) string {
		full := append(append([]string{"--literal-pathspecs", "diff-tree", "-r", "--full-index"}, kind...), parent, string(p.Commit), "--")
		return f.git(append(full, paths...)...)
	}
	withoutText := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-U") })
	raw := strings.Split(ask(append(withoutText, "--raw", "-z")...), "\x00")
	i := 0
	for _, file := range p.Files {
		meta := fmt.Sprintf(":%06o %06o %s %s %c", file.OldMode, file.NewMode, file.OldOID, file.NewOID, file.Status)
		want := []string{meta, file.NewPath}
		if file.Status == 'R' || file.Status == 'C' {
			want = []string{fmt.Sprintf("%s%03d", meta, file.Score), file.OldPath, file.NewPath}
		}
		if i+len(want) > len(raw) || !slices.Equal(raw[i:i+len(want)], want) {
			t.Fatalf("%s: file %q, git says %q", p.Commit, want, raw[i:min(len(raw), i+3)])
		}
		i += len(want)
	}
	if i != len(raw)-1 {
		t.Errorf("%s: git has more files: %q", p.Commit, raw[i:])
	}
	text := ask(append(args, "-p")...)
	if got, want := hunksOnly(p), plainHunks(text); got != want {
		t.Errorf("%s: hunks differ:\n got %q\nwant %q", p.Commit, got, want)
	}
}

func TestPatchLinesRebuildTheFile(t *testing.T) {
	// Applying the hunks by their line numbers turns the old file into the new.
	f := newFixture(t)
	nastyHistory(f)
	r := f.open()
	for p, err := range r.Patches(t.Context(), oidLines(f.git("rev-list", "HEAD")), PatchOptions{Context: 2, Renames: true}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range p.Files {
			if file.Binary || file.Submodule || file.Status == 'T' {
				continue
			}
			old, new := blobOrNone(t, r, file.OldOID), blobOrNone(t, r, file.NewOID)
			if got := apply(t, old, file.Hunks); !bytes.Equal(got, new) {
				t.Errorf("%s %q: got %q, want %q", p.Commit, file.NewPath, got, new)
			}
		}
	}
}

func blobOrNone(t *testing.T, r *Repo, oid OID) []byte {
	t.Helper()
	if oid.zero() {
		return nil
	}
	text, err := r.Blob(t.Context(), oid, 0)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func apply(t *testing.T, old []byte, hunks []Hunk) []byte {
	t.Helper()
	lines := slices.Collect(bytes.Lines(old))
	var out []byte
	at := 0 // lines of old that are used up
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l.Op == '+' {
				out = append(out, l.Text...)
				if !l.NoNewline {
					out = append(out, '\n')
				}
				continue
			}
			for at < l.Old-1 {
				out = append(out, lines[at]...)
				at++
			}
			if want := bytes.TrimSuffix(lines[at], []byte("\n")); !bytes.Equal(want, l.Text) {
				t.Errorf("line %d is %q, the patch says %q", l.Old, want, l.Text)
			}
			if l.Op == ' ' {
				out = append(out, lines[at]...)
			}
			at++
		}
	}
	return append(out, bytes.Join(lines[at:], nil)...)
}

func TestPatchMarksSpecialFiles(t *testing.T) {
	// Binary files and submodules are marked; a change of type keeps both sides.
	f := newFixture(t)
	nastyHistory(f)
	r := f.open()
	found := map[string]FileChange{}
	for p, err := range r.Patches(t.Context(), oidLines(f.git("rev-list", "--reverse", "HEAD")), PatchOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range p.Files {
			found[string(file.Status)+" "+file.NewPath] = file
		}
	}
	if b := found["M binary"]; !b.Binary || b.Hunks != nil {
		t.Errorf("binary: %+v", b)
	}
	if m := found["M mod"]; !m.Submodule || len(m.Hunks) != 1 || !strings.HasPrefix(string(m.Hunks[0].Lines[0].Text), "Subproject commit ") {
		t.Errorf("submodule: %+v", m)
	}
	if c := found["T type"]; c.OldMode != 0o100644 || c.NewMode != 0o120000 || len(c.Hunks) != 2 {
		t.Errorf("type: %+v", c)
	}
	if m := found["M mode"]; m.NewMode != 0o100755 || m.Hunks != nil {
		t.Errorf("mode: %+v", m)
	}
}

func TestPatchIsBounded(t *testing.T) {
	// Above MaxBytes, hunks are left out and Truncated is set; the files stay,
	// and the next commit is not affected.
	f := newFixture(t)
	f.write("a", strings.Repeat("line\n", 10_000))
	f.write("b", "small\n")
	f.commit("big")
	f.write("b", "smaller\n")
	f.commit("small")
	r := f.open()
	oids := oidLines(f.git("rev-list", "--reverse", "HEAD"))
	var got []*Patch
	for p, err := range r.Patches(t.Context(), oids, PatchOptions{MaxBytes: 1000}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	if !got[0].Truncated || len(got[0].Files) != 2 || got[0].Files[0].Hunks != nil {
		t.Errorf("big: %+v", got[0])
	}
	if got[1].Truncated || len(got[1].Files[0].Hunks) != 1 {
		t.Errorf("small: %+v", got[1])
	}
}

func TestPatchesCanBeLeft(t *testing.T) {
	// Breaking out of the loop and cancelling the context both end git at once.
	f := newFixture(t)
	for i := range 20 {
		f.write("f", strings.Repeat(fmt.Sprintln(i), 1000))
		f.commit("c")
	}
	r := f.open()
	oids := oidLines(f.git("rev-list", "HEAD"))
	for range r.Patches(t.Context(), oids, PatchOptions{}) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n, failures := 0, 0
	for _, err := range r.Patches(ctx, oids, PatchOptions{}) {
		n++
		if err != nil {
			failures++
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
		cancel()
	}
	if failures > 1 || n > len(oids) {
		t.Errorf("%d results, %d failures", n, failures)
	}
}

func TestPatchRefusesBadArguments(t *testing.T) {
	// Invalid object ids, paths and algorithms never reach git.
	f := simple(t)
	head := f.oid("HEAD")
	r := f.open()
	for _, c := range []struct {
		parent, commit OID
		opt            PatchOptions
	}{
		{"", "HEAD", PatchOptions{}}, {"--output=x", head, PatchOptions{}}, {"", head, PatchOptions{Paths: []string{""}}},
		{"", head, PatchOptions{Paths: []string{"a\x00b"}}},
	} {
		if _, err := r.Patch(t.Context(), c.parent, c.commit, c.opt); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	for _, err := range r.Patches(t.Context(), []OID{"--stdin", head}, PatchOptions{}) {
		if err == nil {
			break
		}
		t.Log(err)
	}
	if p, err := r.Patch(t.Context(), "", head, PatchOptions{Paths: []string{"no such file"}}); err != nil || len(p.Files) != 0 {
		t.Errorf("a path that is not there: %+v, %v", p, err)
	}
}

func TestStatsAreGits(t *testing.T) {
	// Counts are those of git's numstat for every commit.
	f := newFixture(t)
	nastyHistory(f)
	r := f.open()
	oids := oidLines(f.git("rev-list", "HEAD"))
	stats, err := r.Stats(t.Context(), oids)
	if err != nil || len(stats) != len(oids) {
		t.Fatalf("%d stats, %v", len(stats), err)
	}
	for i, s := range stats {
		parent := string(emptyTreeSHA1)
		if _, err := f.try(f.dir, "rev-parse", "-q", "--verify", string(oids[i])+"^"); err == nil {
			parent = string(oids[i]) + "^"
		}
		files, added, deleted := 0, 0, 0
		for line := range strings.Lines(f.git("diff-tree", "-r", "--numstat", "-M", parent, string(oids[i]))) {
			var a, d int
			fmt.Sscanf(line, "%d\t%d\t", &a, &d) // of a binary file there are none
			files, added, deleted = files+1, added+a, deleted+d
		}
		if s.Commit != oids[i] || s.Files != files || s.Added != added || s.Deleted != deleted {
			t.Errorf("%s: got %+v, git says %d files, %d and %d lines", oids[i], s, files, added, deleted)
		}
	}
}

func TestUncommitted(t *testing.T) {
	// Staged and work tree changes are those of git diff, seen from anywhere.
	f := simple(t)
	f.write("sub/x", "x\n")
	f.write(".gitattributes", "f -diff\n")
	f.commit("more")
	f.write("f", "one\nstaged\n")
	f.git("add", "f")
	f.write("f", "one\nstaged\nand not\n")
	f.write("sub/x", "y\n")
	f.write("new", "untracked\n")
	r := openAt(t, OpenOptions{Dir: filepath.Join(f.dir, "sub")})
	staged, err := r.PatchStaged(t.Context(), PatchOptions{Context: 3})
	if err != nil || len(staged.Files) != 1 || hunksOnly(staged) != plainHunks(f.git("diff", "--cached", "--text")) {
		t.Errorf("staged: %+v, %v", staged, err)
	}
	tree, err := r.PatchWorktree(t.Context(), PatchOptions{Context: 3})
	if err != nil || len(tree.Files) != 2 || hunksOnly(tree) != plainHunks(f.git("diff", "HEAD", "--text")) || tree.Parent != f.oid("HEAD") {
		t.Errorf("work tree: %+v, %v", tree, err)
	}
	one, err := r.PatchWorktree(t.Context(), PatchOptions{Paths: []string{"sub/x"}})
	if err != nil || len(one.Files) != 1 || one.Files[0].NewPath != "sub/x" {
		t.Errorf("one path: %+v, %v", one, err)
	}
	if err := os.Chtimes(filepath.Join(f.dir, ".gitattributes"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if tree, err = r.PatchWorktree(t.Context(), PatchOptions{}); err != nil || len(tree.Files) != 2 {
		t.Errorf("a file with another time only: %+v, %v", tree, err)
	}
	f.write("f", "bin\x00ary\n")
	if tree, err = r.PatchWorktree(t.Context(), PatchOptions{}); err != nil || !tree.Files[0].Binary || tree.Files[0].Hunks != nil {
		t.Errorf("binary: %+v, %v", tree, err)
	}
	unborn := another(t)
	unborn.write("f", "x\n")
	unborn.git("add", "f")
	if p, err := unborn.open().PatchStaged(t.Context(), PatchOptions{}); err != nil || len(p.Files) != 1 || p.Parent != "" {
		t.Errorf("before the first commit: %+v, %v", p, err)
	}
}

func TestTreesAndChanges(t *testing.T) {
	// The list of a commit's files is git's, names and all; the list of
	// changes is that of the patch.
	f := newFixture(t)
	nastyHistory(f)
	r := f.open()
	head := f.oid("HEAD")
	entries, err := r.Tree(t.Context(), head)
	var got strings.Builder
	for _, e := range entries {
		kind := "blob"
		if e.Submodule {
			kind = "commit"
		}
		fmt.Fprintf(&got, "%06o %s %s\t%s\x00", e.Mode, kind, e.OID, e.Path)
	}
	if want := f.git("ls-tree", "-r", "-z", "HEAD"); err != nil || got.String() != want {
		t.Errorf("got %q, %v, want %q", got.String(), err, want)
	}
	if below, err := r.Tree(t.Context(), head, "a b"); err != nil || len(below) != 1 || below[0].Path != "a b/x b/y.moved" {
		t.Errorf("below a folder: %v, %v", below, err)
	}
	if none, err := r.Tree(t.Context(), head, "nope", "*"); err != nil || none != nil {
		t.Errorf("below nothing: %v, %v", none, err)
	}
	opt := PatchOptions{Renames: true}
	for p, err := range r.Patches(t.Context(), oidLines(f.git("rev-list", "HEAD")), opt) {
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.Changes(t.Context(), p.Parent, p.Commit, opt)
		for i := range p.Files {
			p.Files[i].Hunks, p.Files[i].Binary = nil, false
		}
		if err != nil || patchText(&Patch{Files: files}) != patchText(p) {
			t.Errorf("%s: got %v, %v", p.Commit, files, err)
		}
	}
}

func TestLargeCommits(t *testing.T) {
	// Ten thousand files in a commit, and a file of 100 MB, give a right or a
	// bounded answer, and do not affect later commits.
	if testing.Short() {
		t.Skip("writes 100 MB")
	}
	f := newFixture(t, "--bare")
	var in bytes.Buffer
	commit := func(message string) {
		f.clock += 60
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter C <c@d> %d +0000\ndata %d\n%s\n", f.clock, len(message), message)
	}
	commit("many files")
	for i := range 10_000 {
		text := fmt.Sprintf("file %d\n", i)
		fmt.Fprintf(&in, "M 100644 inline d%d/f%d\ndata %d\n%s\n", i%100, i, len(text), text)
	}
	commit("a large file")
	large := strings.Repeat("0123456789abcde\n", 100<<20/16)
	fmt.Fprintf(&in, "M 100644 inline large\ndata %d\n%s\n", len(large), large)
	commit("a file above the bound of a patch")
	fmt.Fprintf(&in, "M 100644 inline medium\ndata %d\n%s\n", 4<<20, large[:4<<20])
	commit("a small change")
	in.WriteString("M 100644 inline small\ndata 2\nx\n\n")
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = f.dir, &in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := f.open()
	var got []*Patch
	for p, err := range r.Patches(t.Context(), oidLines(f.git("rev-list", "--reverse", "main")), PatchOptions{MaxBytes: 1 << 20}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	if len(got) != 4 || len(got[0].Files) != 10_000 || got[0].Truncated || len(got[0].Files[9_999].Hunks) != 1 {
		t.Errorf("many files: %d, %v", len(got[0].Files), got[0].Truncated)
	}
	if got[1].Truncated || len(got[1].Files) != 1 || !got[1].Files[0].Binary {
		t.Errorf("large: %v", got[1].Truncated)
	}
	if !got[2].Truncated || len(got[2].Files) != 1 || got[2].Files[0].Hunks != nil {
		t.Errorf("above the bound: %v", got[2].Truncated)
	}
	if got[3].Truncated || len(got[3].Files[0].Hunks) != 1 {
		t.Errorf("small: %+v", got[3])
	}
	var tooLarge *TooLargeError
	if _, err := r.BlobAt(t.Context(), f.oid("main"), "large", 1<<20); !errors.As(err, &tooLarge) || tooLarge.Size != 100<<20 {
		t.Errorf("blob: %v", err)
	}
}
