package gitext

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext/gitcmd"
)

func TestMissingObjectsCostTheirOwnAnswer(t *testing.T) {
	ctx, missed := gitcmd.CountUnread(t.Context())
	// In a clone without some blobs, every operation names the missing one; batch
	// operations continue, and nothing is fetched.
	f := newFixture(t)
	for i := range 5 {
		f.write("f", fmt.Sprintf("version %d\n%s", i, strings.Repeat("same\n", 5)))
		f.write("g", fmt.Sprintf("other %d\n", i))
		f.commit(fmt.Sprint("commit ", i))
	}
	f.git("config", "uploadpack.allowFilter", "true")
	clone := filepath.Join(t.TempDir(), "partial")
	f.git("clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+f.dir, clone)
	oids := oidLines(f.git("rev-list", "HEAD"))
	for _, oid := range []OID{oids[0], oids[1], oids[2]} { // blobs of these and no others
		f.at(clone, "cat-file", "blob", string(oid)+":f")
		f.at(clone, "cat-file", "blob", string(oid)+":g")
	}
	before := f.at(clone, "count-objects", "-v")
	r := openAt(t, OpenOptions{Dir: clone})
	if !r.Partial() {
		t.Error("not recognised as partial")
	}
	var good, lacking []OID
	i := 0
	for p, err := range r.Patches(ctx, oids, PatchOptions{Context: 3, Renames: true}) {
		var missing *MissingObjectError
		switch {
		case err == nil && p.Commit == oids[i]:
			good = append(good, p.Commit)
		case errors.As(err, &missing):
			lacking = append(lacking, oids[i])
		default:
			t.Errorf("%s: %v", oids[i], err)
		}
		i++
	}
	equal(t, "patches", good, oids[:2])
	equal(t, "no patches", lacking, oids[2:])
	stats, err := r.Stats(ctx, oids)
	if err != nil || len(stats) != 5 {
		t.Fatalf("%+v, %v", stats, err)
	}
	for i, s := range stats {
		if (s.Err == nil) != (i < 2) || s.Files != 2 {
			t.Errorf("stat %d: %+v", i, s)
		}
	}
	counted := missed().Missing
	all, allMissed := gitcmd.CountUnread(ctx)
	if counted != 6 { // three patches, three stats
		t.Errorf("%d misses counted", counted)
	}
	wantMissing := func(what string, err error) {
		t.Helper()
		if now := missed().Missing; now <= counted {
			t.Errorf("%s: not counted", what)
		} else {
			counted = now
		}
		var missing *MissingObjectError
		if !errors.As(err, &missing) {
			t.Errorf("%s: %v, want a *MissingObjectError", what, err)
		} else if _, err := f.try(f.dir, "cat-file", "-e", string(missing.OID)); err != nil {
			t.Errorf("%s: %s is not an object of the origin", what, missing.OID)
		}
	}
	_, err = r.Blame(ctx, oids[0], "f", BlameOptions{})
	wantMissing("blame", err)
	_, err = r.BlobAt(ctx, oids[4], "f", 0)
	wantMissing("blob", err)
	_, err = r.Patch(ctx, oids[4], oids[3], PatchOptions{})
	wantMissing("patch", err)
	_, err = r.Grep(ctx, oids[4], GrepOptions{Pattern: "same"})
	wantMissing("grep", err)
	if f.at(clone, "count-objects", "-v") != before {
		t.Error("something was fetched")
	}
	f.at(clone, "cat-file", "blob", string(oids[4])+":g")
	before = f.at(clone, "count-objects", "-v")
	inner, innerMissed := gitcmd.CountUnread(all)
	matches, err := r.Grep(inner, oids[4], GrepOptions{Pattern: "e"})
	wantMissing("grep with matches in another file", err) // git's exit code is 0
	if len(matches) != 1 || matches[0].Path != "g" {
		t.Errorf("%+v", matches)
	}
	n := 0
	for _, err = range r.LogS(ctx, PickaxeOptions{LogOptions: LogOptions{Tip: oids[0]}, Needle: "version 4"}) {
		n++
	}
	wantMissing("log -S", err)
	whole, wholeMissed := gitcmd.CountUnread(all)
	if lines, err := r.Blame(whole, oids[0], "g", BlameOptions{}); err != nil || len(lines) != 1 {
		t.Errorf("a blame that needs nothing old: %v, %v", lines, err)
	}
	if n == 0 || f.at(clone, "count-objects", "-v") != before {
		t.Error("something was fetched")
	}
	if entries := collect(t, r.Log(ctx, LogOptions{Tip: oids[0], Paths: []string{"f"}})); len(entries) != 5 {
		t.Errorf("a log of trees: %d entries", len(entries))
	}
	if err := r.CheckConnectivity(ctx); !errors.As(err, new(*MissingObjectError)) {
		t.Errorf("whole: %v", err)
	}
	if allMissed().Missing != 1 || innerMissed().Missing != 1 || wholeMissed().Missing != 0 {
		t.Errorf("the parts counted %d, %d and %d", allMissed().Missing, innerMissed().Missing, wholeMissed().Missing)
	}
	if now := missed().Missing; now != counted {
		t.Errorf("%d misses without one", now-counted)
	}
	os.RemoveAll(clone)
}

func TestPartialCloneThatLacksNothing(t *testing.T) {
	// The mark of a partial clone stays after all objects have been fetched.
	f := newFixture(t)
	f.write("f", "one\n")
	f.commit("one")
	f.write("f", "two\n")
	f.commit("two")
	f.git("tag", "-a", "-m", "tagged", "v1")
	f.git("config", "uploadpack.allowFilter", "true")
	clone := filepath.Join(t.TempDir(), "partial")
	f.git("clone", "-q", "--filter=blob:limit=1m", "--no-checkout", "file://"+f.dir, clone)
	r := openAt(t, OpenOptions{Dir: clone})
	if !r.Partial() {
		t.Error("not recognised as partial")
	}
	if err := r.CheckConnectivity(t.Context()); err != nil {
		t.Error(err)
	}
	if err := newFixture(t).open().CheckConnectivity(t.Context()); err != nil {
		t.Errorf("without a commit: %v", err)
	}
}

func TestMissingTree(t *testing.T) {
	// If a commit's tree is missing, git's message is that it cannot read the
	// commit as a tree.
	f := newFixture(t)
	f.write("f", "one\n")
	first := f.commit("one")
	tree := f.oid("HEAD^{tree}")
	f.write("f", "two\n")
	second := f.commit("two")
	if err := os.Remove(filepath.Join(f.dir, ".git", "objects", string(tree[:2]), string(tree[2:]))); err != nil {
		t.Fatal(err)
	}
	r := f.open()
	for what, ask := range map[string]func() error{
		"patch":   func() error { _, err := r.Patch(t.Context(), first, second, PatchOptions{}); return err },
		"changes": func() error { _, err := r.Changes(t.Context(), first, second, PatchOptions{}); return err },
		"log": func() error {
			return errors.Join(errorsOf(r.Log(t.Context(), LogOptions{Tip: second, Paths: []string{"f"}}))...)
		},
		"grep":  func() error { _, err := r.Grep(t.Context(), first, GrepOptions{Pattern: "one"}); return err },
		"tree":  func() error { _, err := r.Tree(t.Context(), first); return err },
		"blob":  func() error { _, err := r.BlobAt(t.Context(), first, "f", 0); return err },
		"blame": func() error { _, err := r.Blame(t.Context(), first, "f", BlameOptions{}); return err },
		"whole": func() error { return r.CheckConnectivity(t.Context()) },
	} {
		var missing *MissingObjectError
		if err := ask(); !errors.As(err, &missing) || missing.OID != tree {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// errorsOf reads a sequence to its end.
func errorsOf[V any](seq iter.Seq2[V, error]) (list []error) {
	for _, err := range seq {
		list = append(list, err)
	}
	return list
}

func TestMissingFolder(t *testing.T) {
	// A folder with a missing tree is not reported as a missing path.
	f := newFixture(t)
	f.write("d/f", "one\n")
	head := f.commit("one")
	tree := f.oid("HEAD:d")
	if err := os.Remove(filepath.Join(f.dir, ".git", "objects", string(tree[:2]), string(tree[2:]))); err != nil {
		t.Fatal(err)
	}
	r := f.open()
	for what, ask := range map[string]func() error{
		"blame": func() error { _, err := r.Blame(t.Context(), head, "d/f", BlameOptions{}); return err },
		"blob":  func() error { _, err := r.BlobAt(t.Context(), head, "d/f", 0); return err },
		"grep":  func() error { _, err := r.Grep(t.Context(), head, GrepOptions{Pattern: "one"}); return err },
		"whole": func() error { return r.CheckConnectivity(t.Context()) },
	} {
		var missing *MissingObjectError
		if err := ask(); !errors.As(err, &missing) || missing.OID != tree {
			t.Errorf("%s: %v", what, err)
		}
	}
}
