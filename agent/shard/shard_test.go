package shard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestParse(t *testing.T) {
	for _, s := range []string{"1/1", "3/8", "8/8", "1/1000000"} {
		if got, err := Parse(s); err != nil || got.String() != s {
			t.Errorf("%s is %v, %v", s, got, err)
		}
	}
	for s, want := range map[string]string{
		"0/8": "shards are counted from 1, so the first of 8 is 1/8 and the last 8/8", "9/8": "there is no shard 9 of 8; the last is 8/8",
		"": "a shard is <i>/<n>", "3": "a shard is <i>/<n>", "/8": "a shard is <i>/<n>", "3/": "a shard is <i>/<n>", "-1/8": "a shard is <i>/<n>",
		"+1/8": "a shard is <i>/<n>", " 1/8": "a shard is <i>/<n>", "1/8/2": "a shard is <i>/<n>", "1/0": "the number of shards is from 1", "0/0": "the number of shards is from 1",
		"1/1000001": "the number of shards is from 1 to 1000000", "1/99999999999999999999": "a shard is <i>/<n>",
	} {
		if got, err := Parse(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %v, %v; want an error with %q", s, got, err, want)
		}
	}
}

// items returns n items of repositories of very different sizes.
func items(n int) []Item {
	var list []Item
	for i := range n {
		repo := 0
		for repo < 30 && i%(2<<repo) == 0 {
			repo++
		}
		list = append(list, Item{Group: fmt.Sprintf("o/r%d", repo), ID: fmt.Sprintf("case %d", i)})
	}
	return list
}

// Every item is assigned to exactly one shard. The shards are even, and share few repositories:
// at most two of each shard are in other shards, too.
func TestDeal(t *testing.T) {
	for _, n := range []int{0, 1, 7, 503} {
		for _, of := range []int{1, 2, 7, 64} {
			all := items(n)
			seen := map[int]bool{}
			shardsOf := map[string]map[int]bool{}
			for index := 1; index <= of; index++ {
				own := Shard{index, of}.Deal(all)
				if len(own) != n/of && len(own) != n/of+1 || !slices.IsSorted(own) {
					t.Fatalf("%d items: shard %d/%d has %d: %v", n, index, of, len(own), own)
				}
				for _, i := range own {
					if seen[i] {
						t.Fatalf("item %d is dealt twice", i)
					}
					seen[i] = true
					if shardsOf[all[i].Group] == nil {
						shardsOf[all[i].Group] = map[int]bool{}
					}
					shardsOf[all[i].Group][index] = true
				}
			}
			pairs := 0
			for _, in := range shardsOf {
				pairs += len(in)
			}
			if len(seen) != n || n > 0 && pairs > len(shardsOf)+of-1 {
				t.Errorf("%d items, %d shards: %d dealt, %d pairs of %d repositories and shards", n, of, len(seen), pairs, len(shardsOf))
			}
		}
	}
}

// The assignment does not depend on the order of the items, and neither does the digest of items
// added in the order of assignment.
func TestDealIsStable(t *testing.T) {
	all := items(997)
	names := func(list []Item, index int) []string {
		var out []string
		for _, i := range (Shard{index, 7}).Deal(list) {
			out = append(out, list[i].Group+list[i].ID)
		}
		slices.Sort(out)
		return out
	}
	digest := func(list []Item) string {
		var d Digest
		for _, i := range Order(list) {
			d.Add([]byte(list[i].ID))
		}
		return d.String()
	}
	shuffled := slices.Clone(all)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for index := 1; index <= 7; index++ {
		if !slices.Equal(names(all, index), names(shuffled, index)) {
			t.Errorf("shard %d depends on the order", index)
		}
	}
	if digest(all) != digest(shuffled) || digest(all) == digest(all[1:]) {
		t.Error("the digest is not that of the set")
	}
	// Journals rely on the assignment: another build must assign in the same way.
	if got := fmt.Sprint(Shard{2, 3}.Deal(items(12))); got != "[1 5 6 10]" {
		t.Errorf("the deal has changed: %s", got)
	}
}

// The texts of a digest cannot run into each other.
func TestDigest(t *testing.T) {
	of := func(texts ...string) string {
		var d Digest
		for _, text := range texts {
			d.Add([]byte(text))
		}
		return d.String()
	}
	if of("ab", "c") == of("a", "bc") || of("a") == of("a", "") || of("a", "b") == of("b", "a") {
		t.Error("two lists have the same digest")
	}
}

func header(index, of, entries int) Header {
	return Header{Kind: "toy", Build: "v1", Git: "2.34.1", Options: map[string]string{"algorithm": "rank"}, Cases: of * entries, Digest: "d", Shard: Shard{index, of}.String(), Entries: entries}
}

func open(t testing.TB, path string, h Header) *Journal {
	t.Helper()
	j, err := Open(path, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// body returns the answer to a question, with characters that encoders write in several
// ways.
func body(id string) []byte { return fmt.Appendf(nil, `{"text":%q,"more":"<>& \u2028 é"}`, id) }

// write makes a journal without waiting for the disk.
func write(t testing.TB, path string, h Header, ids ...string) {
	t.Helper()
	h.Schema = Schema
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		text = fmt.Appendf(text, "\n{\"crc32c\":%q,\"id\":%q,\"entry\":%s}", checksum(id, body(id)), id, body(id))
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

func appendAll(t testing.TB, j *Journal, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := j.Append(id, body(id)); err != nil {
			t.Fatal(err)
		}
	}
}

func idsOf(t testing.TB, j *Journal) string {
	t.Helper()
	var ids []string
	for e, err := range j.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if want := body(e.ID); string(e.Body) != string(want) {
			t.Errorf("the body is %s, want %s", e.Body, want)
		}
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, " ")
}

// A journal that was cut off at any byte continues with all complete entries, and without
// incomplete ones.
func TestCutJournal(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	j := open(t, whole, header(1, 2, 3))
	appendAll(t, j, "a", "b\n\"x\"", "c")
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for n := range len(text) + 1 {
		if n < len(lines[0])-2 && n%50 != 0 { // each write waits for the disk
			continue
		}
		path := filepath.Join(dir, fmt.Sprint(n))
		if err := os.WriteFile(path, text[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path, header(1, 2, 3))
		if err != nil {
			t.Fatalf("cut at byte %d: %v", n, err)
		}
		want, end := []string{}, len(lines[0])
		for i, id := range []string{"a", "b\n\"x\"", "c"} {
			if end += len(lines[i+1]); n >= end-1 { // a line is complete without its end
				want = append(want, id)
			}
		}
		if got := idsOf(t, j); got != strings.Join(want, " ") {
			t.Fatalf("cut at byte %d: it has %q, want %q", n, got, want)
		}
		if n%40 != 0 && n != end-1 {
			j.Close()
			continue
		}
		appendAll(t, j, "d")
		if got := idsOf(t, j); got != strings.Join(append(want, "d"), " ") {
			t.Fatalf("cut at byte %d and continued: it has %q", n, got)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A damaged entry is left out, but the others are kept.
func TestDamagedEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, header(1, 1, 3))
	appendAll(t, j, "one", "two", "three")
	text, _ := os.ReadFile(path)
	damaged := strings.Replace(string(text), `"text":"two"`, `"text":"tow"`, 1)
	if err := os.WriteFile(path, []byte(damaged), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := idsOf(t, j); got != "one three" {
		t.Errorf("it has %q", got)
	}
}

// Several goroutines may append at once.
func TestAppendAtOnce(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "j"), header(1, 1, 20))
	var work sync.WaitGroup
	for k := range 10 {
		work.Go(func() {
			for i := range 2 {
				appendAll(t, j, fmt.Sprint(k, "-", i))
			}
		})
	}
	work.Wait()
	if n := len(strings.Fields(idsOf(t, j))); n != 20 {
		t.Errorf("it has %d entries", n)
	}
}

// Open does not change a file that is not a journal, nor a journal of other work.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	open(t, mine, header(1, 2, 3))
	other := func(change func(*Header)) Header {
		h := header(1, 2, 3)
		change(&h)
		return h
	}
	for want, h := range map[string]Header{
		"the build is v2, not v1":                 other(func(h *Header) { h.Build = "v2" }),
		"the kind is szz, not toy":                other(func(h *Header) { h.Kind = "szz" }),
		"the shard is 2/2, not 1/2":               other(func(h *Header) { h.Shard = "2/2" }),
		"the number of shards is 4, not 2":        other(func(h *Header) { h.Shard = "1/4" }),
		"the number of cases is 7, not 6":         other(func(h *Header) { h.Cases = 7 }),
		"the cases are others":                    other(func(h *Header) { h.Digest = "e" }),
		`the option algorithm is "b", not "rank"`: other(func(h *Header) { h.Options = map[string]string{"algorithm": "b"} }),
		`the option more is "x", not ""`:          other(func(h *Header) { h.Options = map[string]string{"algorithm": "rank", "more": "x"} }),
	} {
		if _, err := Open(mine, h); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	for name, text := range map[string]string{"cases.jsonl": `{"id":"x"}` + "\n", "text": "words", "page": "<html>\n", "damaged": `{"schema":"git-agent/journal/1","shard":"9/3"}` + "\n"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, header(1, 2, 3)); err == nil || !strings.Contains(err.Error(), "is no journal") {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := os.ReadFile(path); string(after) != text {
			t.Errorf("%s was changed to %q", name, after)
		}
	}
	if _, err := Open(os.DevNull, header(1, 2, 3)); err == nil {
		t.Error("a device was opened")
	}
	if _, err := Open(filepath.Join(dir, "none", "j"), header(1, 2, 3)); err == nil {
		t.Error("a file in no directory was opened")
	}
}

// A line gives the same entry in the form of Append and reformatted, and a damaged line gives
// none in either form.
func TestReadEntry(t *testing.T) {
	for _, id := range []string{"plain", `with "quotes" and \`, "<é>", ""} {
		body := []byte(`{"a":"}","id":"\",\"entry\":"}`)
		name, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		written := fmt.Sprintf(`{"crc32c":%q,"id":%s,"entry":%s}`, checksum(id, body), name, body)
		for _, text := range []string{written, strings.Replace(written, `,"entry":`, `, "entry": `, 1)} {
			e, ok := readEntry([]byte(text))
			if !ok || e.ID != id || string(e.Body) != string(body) || text[e.At.Offset:e.At.Offset+e.At.Length] != string(body) {
				t.Errorf("%s is read as %+v, %v", text, e, ok)
			}
			for i := range text {
				damaged := []byte(text)
				damaged[i] ^= 1
				if e, ok := readEntry(damaged); ok && (e.ID != id || string(e.Body) != string(body)) {
					t.Errorf("%s is read as %+v", damaged, e)
				}
			}
		}
	}
}
