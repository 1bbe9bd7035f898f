package shard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// journals writes the complete journals of three shards with two entries each.
func journals(t *testing.T) []string {
	dir := t.TempDir()
	var paths []string
	for index := 1; index <= 3; index++ {
		path := filepath.Join(dir, fmt.Sprint(index))
		write(t, path, header(index, 3, 2), fmt.Sprint("a", index), fmt.Sprint("b", index))
		paths = append(paths, path)
	}
	return paths
}

// Complete journals are joined in any order, and bodies can be read again.
func TestJoin(t *testing.T) {
	paths := journals(t)
	slices.Reverse(paths)
	paths = append(paths, filepath.Join(t.TempDir(), "empty"))
	if err := os.WriteFile(paths[3], nil, 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := Join(paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	var ids []string
	for e, err := range set.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
		if body, err := set.Body(e.Ref()); err != nil || string(body) != string(e.Body) {
			t.Errorf("%s is %q again, not %q; %v", e.ID, body, e.Body, err)
		}
	}
	if got := strings.Join(ids, " "); got != "a1 b1 a2 b2 a3 b3" || fmt.Sprint(set.Gits) != "[2.34.1]" {
		t.Errorf("it has %s, git %v", got, set.Gits)
	}
}

// Overlaps, gaps and mixtures are named, together with the shards to run again.
func TestJoinComplains(t *testing.T) {
	other := func(change func(*Header)) func(*testing.T, []string) []string {
		return func(t *testing.T, paths []string) []string {
			h := header(2, 3, 2)
			change(&h)
			path := filepath.Join(t.TempDir(), "other")
			write(t, path, h, "a2", "b2")
			return []string{paths[0], path, paths[2]}
		}
	}
	for _, test := range []struct {
		name  string
		make  func(t *testing.T, paths []string) []string
		want  string
		again string
	}{
		{"gap", func(_ *testing.T, p []string) []string { return p[1:2] }, "gap: of the 3 shards, no journal is given for 1,3", "1,3"},
		{"cut", func(t *testing.T, p []string) []string {
			text, _ := os.ReadFile(p[1])
			if err := os.WriteFile(p[1], text[:len(text)-9], 0o644); err != nil {
				t.Fatal(err)
			}
			return p
		}, "is incomplete: 1 of 2 answers are missing", "2"},
		{"overlap", func(_ *testing.T, p []string) []string { return append(p, p[1]) }, "both hold shard 2/3", ""},
		{"answer twice", func(t *testing.T, p []string) []string {
			write(t, p[2], header(3, 3, 2), "a3", "b3", "a1")
			return p
		}, "both have an answer to a1", ""},
		{"build", other(func(h *Header) { h.Build = "v2" }), "mixed: ", ""},
		{"options", other(func(h *Header) { h.Options = nil }), `the option algorithm is "", not "rank"`, ""},
		{"cases", other(func(h *Header) { h.Digest = "e" }), "the cases are others", ""},
		{"number", other(func(h *Header) { h.Shard = "2/4" }), "the number of shards is 4, not 3", ""},
	} {
		_, err := Join(test.make(t, journals(t)), Options{})
		var bad *ProblemsError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) || Ranges(bad.Again) != test.again {
			t.Errorf("%s: the error is %v, again %+v; want %q, again %s", test.name, err, bad, test.want, test.again)
		}
	}
}

// With Partial, gaps are accepted, but overlaps and mixtures are not.
func TestJoinPartial(t *testing.T) {
	paths := journals(t)
	if _, err := Join(paths[:1], Options{Partial: true}); err != nil {
		t.Error(err)
	}
	if _, err := Join([]string{paths[0], paths[0]}, Options{Partial: true}); err == nil {
		t.Error("an overlap was accepted")
	}
	if _, err := Join(nil, Options{Partial: true}); err == nil {
		t.Error("no journals were accepted")
	}
}

// There may be more journals than Body keeps open.
func TestJoinMany(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	of := maxOpen + 10
	for index := 1; index <= of; index++ {
		path := filepath.Join(dir, fmt.Sprint(index))
		write(t, path, header(index, of, 1), fmt.Sprint(index))
		paths = append(paths, path)
	}
	set, err := Join(paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for e := range set.Entries() {
		if body, err := set.Body(e.Ref()); err != nil || string(body) != string(e.Body) {
			t.Fatal(err)
		}
	}
	if len(set.files) > maxOpen {
		t.Errorf("%d journals are open", len(set.files))
	}
}

func TestRanges(t *testing.T) {
	for want, list := range map[string][]int{"": nil, "3": {3}, "1-3": {1, 2, 3}, "1,3-4,9": {1, 3, 4, 9}} {
		if got := Ranges(list); got != want {
			t.Errorf("%v is %s, want %s", list, got, want)
		}
	}
}
