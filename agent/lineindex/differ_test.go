package lineindex

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// indexed builds an index of the repository in a new directory and opens it.
func indexed(t *testing.T, repo *gitext.Repo) *Index {
	t.Helper()
	dir := t.TempDir()
	if _, err := Build(t.Context(), dir, repo, BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	return opened(t, dir, repo)
}

func opened(t *testing.T, dir string, repo *gitext.Repo) *Index {
	t.Helper()
	x, err := Open(t.Context(), dir, repo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// A differ compares the answers of two repositories, one of which has an index.
type differ struct {
	plain, fast *gitext.Repo
	x           *Index

	asked, refused, hits, certain int
	slow, quick                   time.Duration
	worst                         time.Duration
	times                         []time.Duration
}

// compare asks both and returns the difference between their answers.
func (d *differ) compare(ctx context.Context, opt gitext.PickaxeOptions, regex bool) error {
	d.asked++
	log := (*gitext.Repo).LogS
	if regex {
		log = (*gitext.Repo).LogG
	}
	began := time.Now()
	want, wantErr := all(log(d.plain, ctx, opt))
	middle := time.Now()
	got, gotErr := all(log(d.fast, ctx, opt))
	took := time.Since(middle)
	d.slow, d.quick, d.worst = d.slow+middle.Sub(began), d.quick+took, max(d.worst, took)
	d.times = append(d.times, took)
	d.hits += len(want)
	if (wantErr == nil) != (gotErr == nil) {
		return fmt.Errorf("git: %v, index: %v", wantErr, gotErr)
	}
	if opt.Max == 0 {
		if err := d.compareLast(ctx, opt, regex, want, wantErr); err != nil {
			return err
		}
	}
	if !slices.Equal(want, got) {
		return fmt.Errorf("git %d entries, index %d:\n%s", len(want), len(got), firstDifference(want, got))
	}
	hits, ok := d.x.Candidates(ctx, gitext.ChangeQuery{Text: opt.Needle, Regexp: regex, Tip: opt.Tip, Since: opt.Since, Until: opt.Until})
	if !ok {
		d.refused++
		return nil
	}
	listed := map[string]bool{}
	for _, e := range want {
		listed[e[:strings.IndexByte(e, ' ')]] = true
	}
	for h, err := range hits {
		if err != nil {
			return err
		}
		if h.Certain {
			d.certain++
			if opt.Max == 0 && !listed[string(h.OID)] {
				return fmt.Errorf("%s is certain and git does not list it", h.OID)
			}
		}
	}
	return nil
}

// compareLast asks for the last entries only. If objects are missing, git fails with
// wantErr.
func (d *differ) compareLast(ctx context.Context, opt gitext.PickaxeOptions, regex bool, want []string, wantErr error) error {
	skipped := 0
	opt.Last, opt.Skipped = 3, &skipped
	log := (*gitext.Repo).LogS
	if regex {
		log = (*gitext.Repo).LogG
	}
	got, err := all(log(d.fast, ctx, opt))
	if (err == nil) != (wantErr == nil) || skipped+len(got) != len(want) {
		return fmt.Errorf("%d of the last entries, %d skipped, of %d: %v", len(got), skipped, len(want), err)
	}
	if last := want[skipped:]; !slices.Equal(last, got) {
		return fmt.Errorf("the last entries: %s", firstDifference(last, got))
	}
	return nil
}

func all(log func(func(gitext.LogEntry, error) bool)) ([]string, error) {
	var list []string
	var failed error
	log(func(e gitext.LogEntry, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		list = append(list, fmt.Sprintf("%s %v", e.OID, e))
		return true
	})
	return list, failed
}

func firstDifference(want, got []string) string {
	for i := range max(len(want), len(got)) {
		w, g := "-", "-"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			return fmt.Sprintf("at %d\ngit   %.300s\nindex %.300s", i, w, g)
		}
	}
	return ""
}

// A needler draws texts to search for from the changed lines of a history.
type needler struct {
	r     *rand.Rand
	lines []string
}

var word = regexp.MustCompile(`\w+`)

func (n *needler) line() string { return n.lines[n.r.IntN(len(n.lines))] }

// text returns a part of a line, a word of it, or the whole.
func (n *needler) text() string {
	line := n.line()
	switch n.r.IntN(5) {
	case 0:
		return line
	case 1, 2:
		if words := word.FindAllString(line, -1); len(words) > 0 {
			return words[n.r.IntN(len(words))]
		}
	case 3:
		if len(line) > 4 {
			at := n.r.IntN(len(line) - 4)
			return line[at:min(len(line), at+1+n.r.IntN(4))]
		}
	}
	at := n.r.IntN(len(line))
	return line[at:min(len(line), at+4+n.r.IntN(20))]
}

// expression returns a regular expression that matches some lines.
func (n *needler) expression() string {
	text := regexp.QuoteMeta(n.text())
	words := word.FindAllString(n.line(), -1)
	other := "x"
	if len(words) > 0 {
		other = words[n.r.IntN(len(words))]
	}
	switch n.r.IntN(9) {
	case 0:
		return "^" + text
	case 1:
		return text + "$"
	case 2:
		return text + ".*" + other
	case 3:
		return "(" + text + "|" + other + ")[^a-z]"
	case 4:
		return `\b` + other + `\b`
	case 5:
		return `\<` + other + `\(`
	case 6:
		return other + "[[:space:]]*[=(]"
	case 7:
		return other + "{1,2}(s|ed)?$"
	}
	return text
}

// TestSameAsGit compares LogS and LogG with and without an index over a history with
// every kind of diff. GIT_AGENT_INDEX_REPO names a repository to use instead,
// GIT_AGENT_INDEX_NEEDLES the number of searches, and GIT_AGENT_INDEX_DIR a directory
// with its index.
func TestSameAsGit(t *testing.T) { sameAsGit(t, 160) }

// TestCopiesSameAsGit is TestSameAsGit with small blocks, and with a copy for every
// repetition.
func TestCopiesSameAsGit(t *testing.T) {
	if os.Getenv("GIT_AGENT_INDEX_REPO") != "" {
		t.Skip("a large repository has copies of its own")
	}
	smallCopies(t)
	sameAsGit(t, 60)
}

func sameAsGit(t *testing.T, needles int) {
	t.Helper()
	var h history
	h.make(t)
	dir := h.Dir
	if large := os.Getenv("GIT_AGENT_INDEX_REPO"); large != "" {
		dir = large
	} else if testing.Short() {
		needles /= 4
	}
	if n, err := strconv.Atoi(os.Getenv("GIT_AGENT_INDEX_NEEDLES")); err == nil {
		needles = n
	}
	d := newDiffer(t, dir)
	tip, err := d.plain.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	seed, _ := strconv.ParseUint(os.Getenv("GIT_AGENT_INDEX_SEED"), 10, 64)
	n := &needler{r: rand.New(rand.NewPCG(seed, 1)), lines: someLines(t, d.x, seed)}
	times := someTimes(t, d.plain, tip)
	for i := range needles {
		opt := gitext.PickaxeOptions{LogOptions: gitext.LogOptions{Tip: tip, Files: i%2 == 0}, Needle: n.text()}
		regex := i%3 == 2
		if regex {
			opt.Needle = n.expression()
		}
		switch n.r.IntN(6) {
		case 0:
			opt.Since = times[n.r.IntN(len(times))]
		case 1:
			opt.Until = times[n.r.IntN(len(times))]
		case 2:
			opt.Max = 1 + n.r.IntN(5)
		}
		if err := d.compare(t.Context(), opt, regex); err != nil {
			t.Errorf("regexp %v, since %v, until %v, max %d, %q: %v", regex, opt.Since, opt.Until, opt.Max, opt.Needle, err)
		}
	}
	slices.Sort(d.times)
	t.Logf("%d searches, %d left to git, %d entries, %d certain; git %v, index %v, median %v, worst %v",
		d.asked, d.refused, d.hits, d.certain, d.slow, d.quick, d.times[len(d.times)/2], d.worst)
	if d.refused*2 > d.asked || d.hits == 0 || d.certain == 0 {
		t.Error("the comparison is worth nothing")
	}
}

func newDiffer(t *testing.T, dir string) *differ {
	t.Helper()
	d := &differ{plain: openRepo(t, dir, nil)}
	if built := os.Getenv("GIT_AGENT_INDEX_DIR"); built != "" && os.Getenv("GIT_AGENT_INDEX_REPO") != "" {
		began := time.Now()
		result, err := Build(t.Context(), built, d.plain, BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d commits added in %v, %+v, %d MB", result.Added, time.Since(began), result.Header, cache.IndexSize(built)>>20)
		d.x = opened(t, built, d.plain)
	} else {
		d.x = indexed(t, d.plain)
	}
	d.fast = openRepo(t, dir, d.x)
	return d
}

func openRepo(t *testing.T, dir string, x *Index) *gitext.Repo {
	t.Helper()
	opt := gitext.OpenOptions{Dir: dir}
	if x != nil {
		opt.Index = func(context.Context, *gitext.Repo) gitext.ChangeIndex { return x }
	}
	repo, err := gitext.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if x == nil { // the test closes an index itself
		t.Cleanup(func() { repo.Close() })
	}
	return repo
}

// someLines draws lines from all blocks of the index.
func someLines(t testing.TB, x *Index, seed uint64) []string {
	t.Helper()
	var lines []string
	r := rand.New(rand.NewPCG(seed, 2))
	for n := range x.Header.Blocks {
		data, err := x.store.Get(t.Context(), cache.PartKey{Kind: kindBlock, Num: uint32(n)})
		if err != nil {
			t.Fatal(err)
		}
		_, texts, err := splitBlock(data)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Split(string(texts), "\n")
		for range min(len(all), 40) {
			if line := all[r.IntN(len(all))]; strings.TrimSpace(line) != "" && !strings.Contains(line, "\x00") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// someTimes draws times of commits.
func someTimes(t *testing.T, repo *gitext.Repo, tip gitext.OID) []time.Time {
	t.Helper()
	var times []time.Time
	for e, err := range repo.Log(t.Context(), gitext.LogOptions{Tip: tip, Max: 20000}) {
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, e.CommitTime)
	}
	return times
}

// A history has renames, folders that are copies of others, binary files, submodules,
// links, merges, several roots, empty commits, and commits that are older than their
// parents.
type history struct{ *gittest.History }

func (h *history) make(t testing.TB) {
	t.Helper()
	h.History = gittest.New(t)
	r := rand.New(rand.NewPCG(7, 7))
	names := []string{"a.c", "dir/b.c", "dir/sub/c.py", "d.txt", "größe.txt", "with space.h", "bin.dat"}
	contents := map[string][]string{}
	for i := range 120 {
		h.step(r, names, contents, i)
	}
	if _, err := h.Open().Resolve(t.Context(), "HEAD"); err != nil {
		t.Fatal(err)
	}
}

var vocabulary = strings.Fields(`int return if else while count size needle_len buffer free malloc strlen
	parse_header write_record größe naïve 変数 x y z == != += -> static const void char NULL ( ) { } ; , "text" // NOTE`)

func sentence(r *rand.Rand) string {
	var words []string
	for range 1 + r.IntN(9) {
		words = append(words, vocabulary[r.IntN(len(vocabulary))])
	}
	return strings.Repeat("\t", r.IntN(3)) + strings.Join(words, " ") + []string{"", "", "", "\r"}[r.IntN(4)]
}

// step makes one commit.
func (h *history) step(r *rand.Rand, names []string, contents map[string][]string, i int) {
	seconds := 1700000000 + 3600*i
	if r.IntN(8) == 0 {
		seconds -= 3600 * 24 * r.IntN(9) // a wrong clock
	}
	if r.IntN(10) == 0 {
		seconds -= 3600 // the time of another commit
	}
	h.Time = seconds
	switch {
	case i > 20 && r.IntN(12) == 0:
		h.merge(r, i)
		return
	case r.IntN(20) == 0:
		h.Git("commit", "-q", "--allow-empty", "-m", "empty")
		return
	case i > 10 && r.IntN(10) == 0:
		h.rename(r, i, contents)
	}
	files := gittest.Files{}
	for range 1 + r.IntN(3) {
		name := names[r.IntN(len(names))]
		lines := contents[name]
		for range 1 + r.IntN(6) {
			at := r.IntN(len(lines) + 1)
			if len(lines) > 5 && r.IntN(2) == 0 {
				lines = slices.Delete(slices.Clone(lines), at%len(lines), at%len(lines)+1)
			} else {
				lines = slices.Insert(slices.Clone(lines), at, sentence(r))
			}
		}
		contents[name] = lines
		text := strings.Join(lines, "\n")
		if name == "bin.dat" {
			text = "\x00\x01" + strings.ReplaceAll(text, " ", "\x02") + " needle_len in a run\xff"
		} else if r.IntN(4) > 0 {
			text += "\n"
		}
		files[name] = text
	}
	h.Commit(fmt.Sprintf("change %d", i), files)
}

// merge joins a side branch, or an unrelated history.
func (h *history) merge(r *rand.Rand, i int) {
	main := strings.TrimSpace(h.Git("rev-parse", "HEAD"))
	if r.IntN(3) == 0 {
		h.Git("checkout", "-q", "--orphan", fmt.Sprintf("root%d", i))
		h.Git("rm", "-rfq", "--cached", ".")
		h.Git("clean", "-fdxq")
	} else {
		h.Git("checkout", "-q", "--detach", fmt.Sprintf("HEAD~%d", 1+r.IntN(3)))
	}
	for n := range 1 + r.IntN(3) {
		h.Commit(fmt.Sprintf("side %d.%d", i, n), gittest.Files{fmt.Sprintf("side%d.c", i): strings.Join([]string{sentence(r), sentence(r), sentence(r)}, "\n")})
	}
	side := strings.TrimSpace(h.Git("rev-parse", "HEAD"))
	h.Git("checkout", "-qf", "--detach", main)
	h.Git("merge", "-q", "--allow-unrelated-histories", "-s", "ours", "-m", fmt.Sprintf("merge %d", i), side)
}

// rename moves a file, turns one into a link, or adds a submodule.
func (h *history) rename(r *rand.Rand, i int, contents map[string][]string) {
	switch r.IntN(5) {
	case 3: // a tag as a folder
		h.Git("read-tree", fmt.Sprintf("--prefix=tags/v%d/", i), "HEAD:dir")
		h.Git("commit", "-qm", "tag")
		h.Git("reset", "-q", "--hard")
	case 4:
		h.Git("rm", "-rq", "--ignore-unmatch", "tags")
		h.Git("commit", "-q", "--allow-empty", "-m", "no more tags")
	case 0:
		h.Git("mv", "-k", "a.c", fmt.Sprintf("moved%d.c", i))
		delete(contents, "a.c")
	case 1:
		os.Remove(h.Dir + "/d.txt")
		if err := os.Symlink("dir/needle_len.c", h.Dir+"/d.txt"); err != nil && !errors.Is(err, os.ErrExist) {
			panic(err)
		}
		h.Git("add", "-A")
		h.Git("commit", "-qm", "link")
		os.Remove(h.Dir + "/d.txt")
	default:
		h.Git("update-index", "--add", "--cacheinfo", fmt.Sprintf("160000,%0*x,module", len(h.Head()), i))
		h.Git("commit", "-qm", "module")
		h.Git("update-index", "--force-remove", "module")
	}
}
