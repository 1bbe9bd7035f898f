package lineindex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// changed lists the subjects of the commits that changed a text, by the index.
func changed(t *testing.T, repo *gitext.Repo, x *Index, tip gitext.OID, text string) string {
	t.Helper()
	hits, ok := x.Candidates(t.Context(), gitext.ChangeQuery{Text: text, Tip: tip})
	if !ok {
		t.Fatalf("the index does not answer for %q", text)
	}
	var list []string
	for h, err := range hits {
		if err != nil {
			t.Fatal(err)
		}
		c, err := repo.Commit(t.Context(), h.OID)
		if err != nil {
			t.Fatal(err)
		}
		s := c.Subject()
		if !h.Certain {
			s += "?"
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}

func build(t *testing.T, dir string, repo *gitext.Repo) Built {
	t.Helper()
	b, err := Build(t.Context(), dir, repo, BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// numbered makes a history of one file; each commit adds a line to it.
func numbered(t *testing.T, commits int) *gittest.History {
	t.Helper()
	h := gittest.New(t)
	text := ""
	for i := range commits {
		text += fmt.Sprintf("line number%d\n", i)
		h.Commit(fmt.Sprint("c", i), gittest.Files{"a.txt": text})
	}
	return h
}

func TestUpdateAddsNewCommitsOnly(t *testing.T) {
	h := numbered(t, 5)
	repo, dir := h.Open(), t.TempDir()
	if b := build(t, dir, repo); b.Added != 5 || !b.Header.Complete {
		t.Errorf("%+v", b)
	}
	h.Commit("new", gittest.Files{"b.txt": "line number3\n"})
	x := opened(t, dir, repo)
	if got := changed(t, repo, x, h.Head(), "number3"); got != "new? c3" {
		t.Errorf("before the update: %q", got)
	}
	if n, err := x.Newer(t.Context()); n != 1 || err != nil {
		t.Errorf("%d newer commits, %v", n, err)
	}
	if b := build(t, dir, repo); b.Added != 1 || b.Replace != "" {
		t.Errorf("%+v", b)
	}
	if got := changed(t, repo, opened(t, dir, repo), h.Head(), "number3"); got != "new c3" {
		t.Errorf("after the update: %q", got)
	}
	// A reader that was opened before still answers.
	if got := changed(t, repo, x, h.Head(), "number3"); got != "new? c3" {
		t.Errorf("a reader from before the update: %q", got)
	}
}

func TestForcedPushAndBranches(t *testing.T) {
	h := numbered(t, 4)
	repo, dir := h.Open(), t.TempDir()
	build(t, dir, repo)
	h.Git("reset", "-q", "--hard", "HEAD~2")
	other := h.Commit("other", gittest.Files{"a.txt": "line number3\n"})
	h.Git("reflog", "expire", "--expire=now", "--all")
	h.Git("gc", "-q", "--prune=now") // the stored heads are gone
	if b := build(t, dir, repo); b.Added != 1 {
		t.Errorf("%d commits were added", b.Added)
	}
	if got := changed(t, repo, opened(t, dir, repo), other, "number3"); got != "other" {
		t.Errorf("a commit that is gone is found: %q", got)
	}
	h.Git("checkout", "-q", "-b", "side", "HEAD~1")
	side := h.Commit("side", gittest.Files{"c.txt": "number3 again\n"})
	build(t, dir, repo)
	x := opened(t, dir, repo)
	if got := changed(t, repo, x, side, "number3"); got != "side" {
		t.Errorf("on the branch: %q", got)
	}
	if got := changed(t, repo, x, other, "number3"); got != "other" {
		t.Errorf("beside the branch: %q", got)
	}
}

// TestStoppedBuildGoesOn ends builds after each batch, like a kill, and builds the rest.
func TestStoppedBuildGoesOn(t *testing.T) {
	h := numbered(t, 3*batchSize/2)
	repo := h.Open()
	whole := t.TempDir()
	build(t, whole, repo)
	dir := t.TempDir()
	for n := 0; ; n++ {
		stop := func(Progress) bool { return n == 0 }
		_, err := Build(t.Context(), dir, repo, BuildOptions{Workers: 1, stop: stop, everyBatch: true})
		if err == nil {
			break
		}
		if !errors.Is(err, errStopped) || n > 0 {
			t.Fatal(err)
		}
		x := opened(t, dir, repo)
		if x.Header.Complete || x.Header.Commits != batchSize {
			t.Errorf("after a stop: %+v", x.Header)
		}
		if got := changed(t, repo, x, h.Head(), "number1\n"[:7]); !strings.HasSuffix(got, " c1") {
			t.Errorf("half an index answers %.100q", got)
		}
	}
	want, got := opened(t, whole, repo), opened(t, dir, repo)
	if want.Header.Commits != got.Header.Commits || want.Header.Text != got.Header.Text || !slices.Equal(want.starts, got.starts) {
		t.Errorf("in one go %+v, in two %+v", want.Header, got.Header)
	}
	if a, b := changed(t, repo, want, h.Head(), "number17"), changed(t, repo, got, h.Head(), "number17"); a != b {
		t.Errorf("in one go %q, in two %q", a, b)
	}
}

func TestTwoBuilders(t *testing.T) {
	repo, dir := numbered(t, 2).Open(), t.TempDir()
	w, err := cache.WriteIndex(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), dir, repo, BuildOptions{}); !errors.Is(err, cache.ErrHeld) {
		t.Errorf("a second builder got %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	build(t, dir, repo)
}

func TestShallowClone(t *testing.T) {
	h := numbered(t, 6)
	repo, dir := h.Shallow(3), t.TempDir()
	build(t, dir, repo)
	if got := changed(t, repo, opened(t, dir, repo), h.Head(), "number1"); got != "c3" {
		t.Errorf("at the boundary, git finds the first commit of the clone: %q", got)
	}
	// The index of the whole repository does not fit, and is replaced.
	other := h.Open()
	var stale *staleError
	if _, err := Open(t.Context(), dir, other); !errors.As(err, &stale) {
		t.Errorf("the index of a shallow clone is opened for a whole one: %v", err)
	}
	if b := build(t, dir, other); b.Replace == "" || b.Added != 6 {
		t.Errorf("%+v", b)
	}
}

func TestPartialClone(t *testing.T) {
	h := numbered(t, 4)
	h.Git("config", "uploadpack.allowFilter", "true")
	clone := &gittest.History{T: t, Dir: t.TempDir(), Time: h.Time}
	clone.Git("clone", "-q", "--bare", "--filter=blob:none", "file://"+h.Dir, ".")
	repo, dir := clone.Open(), t.TempDir()
	build(t, dir, repo)
	x := opened(t, dir, repo)
	if got := changed(t, repo, x, h.Head(), "number2"); got != "c3? c2? c1? c0?" {
		t.Errorf("where all files are missing, git decides about all commits: %q", got)
	}
}

func TestDamagedIndex(t *testing.T) {
	h := numbered(t, 4)
	repo, dir := h.Open(), t.TempDir()
	build(t, dir, repo)
	path := cache.IndexPath(dir)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 100; at < len(data); at += len(data) / 40 {
		bad := slices.Clone(data)
		for i := at; i < min(at+64, len(bad)); i++ {
			bad[i] ^= 0x5a
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := Open(t.Context(), dir, repo)
		if err != nil {
			continue // damage that shows at once
		}
		hits, _ := x.Candidates(t.Context(), gitext.ChangeQuery{Text: "number2", Tip: h.Head()})
		var found []gitext.OID
		for hit, err := range hits {
			if err != nil {
				found = nil
				break
			}
			found = append(found, hit.OID)
		}
		if found != nil && len(found) != 1 {
			t.Errorf("damage at %d: a wrong answer, %v", at, found)
		}
		x.Close()
	}
	if err := os.WriteFile(path, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b := build(t, dir, repo); b.Added != 4 {
		t.Errorf("a damaged index was not replaced: %+v", b)
	}
}

func TestEmptyRepository(t *testing.T) {
	repo, dir := gittest.New(t).Open(), t.TempDir()
	if b := build(t, dir, repo); b.Added != 0 || b.Header.Commits != 0 {
		t.Errorf("%+v", b)
	}
	opened(t, dir, repo)
	if _, err := Open(t.Context(), t.TempDir(), repo); !errors.Is(err, cache.ErrNoIndex) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without an index: %v", err)
	}
}

// TestSegments makes a block of each record, so that a few commits fill segments.
func TestSegments(t *testing.T) {
	defer func(was int) { blockSize = was }(blockSize)
	blockSize = 1
	h := gittest.New(t)
	repo, dir := h.Open(), t.TempDir()
	files := 0
	for i, count := range []int{100, 150, 10, 300, 7} { // ends before, after and in a segment
		some := gittest.Files{}
		for range count {
			some[fmt.Sprintf("f%d.txt", files)] = fmt.Sprintf("in file%d of all\n", files)
			files++
		}
		h.Commit(fmt.Sprint("c", i), some)
		build(t, dir, repo)
	}
	x := opened(t, dir, repo)
	if x.Header.Blocks != files || x.Header.Segments != files/segmentBlocks {
		t.Errorf("%d files: %+v", files, x.Header)
	}
	for n := 0; n < files; n += 13 {
		text := fmt.Sprintf("file%d of", n)
		want := map[bool]string{n < 100: "c0", n >= 100 && n < 250: "c1", n >= 250 && n < 260: "c2", n >= 260 && n < 560: "c3", n >= 560: "c4"}[true]
		if got := changed(t, repo, x, h.Head(), text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		blocks, err := x.blocksWith(t.Context(), []string{text})
		if err != nil || len(blocks) > 3 {
			t.Errorf("%q: %d blocks to unpack, %v", text, len(blocks), err)
		}
	}
	if got := changed(t, repo, x, h.Head(), "of a"); got != "c4 c3 c2 c1 c0" {
		t.Errorf("a text shorter than a sequence: %q", got)
	}
}

func TestTextChanges(t *testing.T) {
	h := gittest.New(t)
	repo, dir := h.Open(), t.TempDir()
	made := h.Commit("made", gittest.Files{"a.c": "int needle(void);\nint needles;\n"})
	h.Commit("part of a word", gittest.Files{"b.c": "int my_needle;\n"})
	used := h.Commit("used", gittest.Files{"c.c": "x = needle() + needle();\n", "a.c": "int needle(int);\nint needles;\n"})
	h.Git("mv", "c.c", "d.c")
	moved := h.Commit("moved", gittest.Files{"d.c": "x = needle();\n"})
	build(t, dir, repo)
	x := opened(t, dir, repo)
	list, err := x.TextChanges(t.Context(), h.Head(), []string{"needle", "int", "absent_name"})
	if err != nil {
		t.Fatal(err)
	}
	want := []gitext.TextChange{
		{OID: moved, Path: "d.c", OldPath: "d.c", Added: 1, Place: 1},
		{OID: moved, OldPath: "c.c", Removed: 2, Place: 1},
		{OID: used, Path: "c.c", OldPath: "c.c", Added: 2, Place: 2},
		{OID: used, Path: "a.c", OldPath: "a.c", Removed: 1, Added: 1, Place: 2},
		{OID: made, Path: "a.c", OldPath: "a.c", Added: 1, Place: 4},
	}
	got := list[0].Changes
	if len(got) == len(want) {
		for i := range got { // git orders the files of a commit by their names
			if !slices.Contains(want, got[i]) || got[i].Place != want[i].Place {
				t.Errorf("%+v", got[i])
			}
		}
	} else {
		t.Errorf("%+v", got)
	}
	if !list[1].Common || len(list[2].Changes) > 0 || list[2].Common {
		t.Errorf("%+v", list[1:])
	}
	if list, err := x.TextChanges(t.Context(), made, []string{"needle"}); err != nil || len(list[0].Changes) != 1 {
		t.Errorf("from an older commit: %+v, %v", list, err)
	}
}

// The index reads its missing commits from git, so an update changes no answer.
func TestTextChangesOfNewerCommits(t *testing.T) {
	h := gittest.New(t)
	repo, dir := h.Open(), t.TempDir()
	h.Commit("made", gittest.Files{"a.c": "int needle(void);\n"})
	build(t, dir, repo)
	before := opened(t, dir, repo)
	used := h.Commit("used", gittest.Files{"c.c": "x = needle();\n", "other.c": "int nothing;\n"})
	h.Git("rm", "-q", "a.c")
	gone := h.Commit("gone", gittest.Files{"b.bin": "\x00\x01needle\x02"})
	h.Git("checkout", "-q", "-b", "side", "HEAD~1")
	h.Commit("elsewhere", gittest.Files{"side.c": "needle\n"})
	if !before.Covers(t.Context(), gone) {
		t.Error("an index that lacks two commits does not cover their history")
	}
	ask := func(x *Index) []gitext.TextHistory {
		list, err := x.TextChanges(t.Context(), gone, []string{"needle", "nothing"})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	got := ask(before)
	build(t, dir, repo)
	if want := ask(opened(t, dir, repo)); !reflect.DeepEqual(got, want) {
		t.Errorf("before the update: %+v\nafter: %+v", got, want)
	}
	places := map[gitext.OID]int{}
	for _, ch := range got[0].Changes {
		places[ch.OID] = ch.Place
	}
	if len(got[0].Changes) != 4 || places[gone] != 1 || places[used] != 2 {
		t.Errorf("%+v", got[0].Changes)
	}
	if before.Covers(t.Context(), gitext.OID(strings.Repeat("1", len(gone)))) {
		t.Error("the index covers a commit that does not exist")
	}
}

// git log -G compares two files with their common end. If a line is frequent in that end,
// it may count as changed between changed lines, although both files have it. The index
// has the lines of the same comparison.
func TestCommonEnds(t *testing.T) {
	h := gittest.New(t)
	end := strings.Repeat("  }\n"+strings.Repeat("x", 200)+"\n", 40)
	for _, name := range []string{"old", "new"} {
		var lines []string
		for i := range 10 {
			lines = append(lines, fmt.Sprintf("%s(%d)", name, i))
		}
		h.Commit(name, gittest.Files{"f": gittest.Lines(slices.Insert(lines, 5, "  }")...) + end})
	}
	d := newDiffer(t, h.Dir)
	opt := gitext.PickaxeOptions{LogOptions: gitext.LogOptions{Tip: h.Head()}, Needle: "^  }$"}
	if err := d.compare(t.Context(), opt, true); err != nil {
		t.Error(err)
	}
	if d.hits != 2 {
		t.Errorf("git lists %d commits, so the test is worth nothing", d.hits)
	}
}
