package bisecttrain

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"git-agent/agent/bisect/prior"
	"git-agent/agent/fix"
	"git-agent/agent/fix/coverage"
	"git-agent/gitext"
)

// A row is a range of commits with their features in one state of knowledge.
type row struct {
	ID       string  `json:"id"`
	Repo     string  `json:"repo"`
	Language string  `json:"language"`
	State    string  `json:"state"`
	Failed   bool    `json:"failed"` // the test failed here, so that its output is known
	Place    int     `json:"place"`  // of the culprit, from 0 for the newest commit
	Seconds  float64 `json:"seconds"`
	prior.Example
}

// executed reports whether it is known what the failing tests execute.
func (r row) executed() bool {
	return slices.Contains([]string{stateCovered, stateExecuted, stateWhole}, r.State)
}

// These are the states of knowledge of a test that fails.
const (
	stateAll      = "all"      // the command, the test, its output and the opened files
	stateOutput   = "output"   // the command, the test and its output
	stateTest     = "test"     // the command and the test
	stateCommand  = "command"  // only the command
	stateExecuted = "executed" // all, and the lines that the failing tests execute
	stateWhole    = "whole"    // all, and the lines that the whole command executes
	stateCovered  = "covered"  // all, and the lines that failing and passing tests execute
)

var states = []string{stateCovered, stateExecuted, stateWhole, stateAll, stateOutput, stateTest, stateCommand}

// rowOptions choose the ranges and the states of rows.
type rowOptions struct {
	even           bool
	states         []string
	covered, whole map[string]failing // results of reproduce -cover, and with -whole
}

// rows writes the rows of all cases.
func rows(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("rows", flag.ContinueOnError)
	var opt rowOptions
	flags.BoolVar(&opt.even, "even", false, "draw the culprit's place in the range, and not the range's length")
	root := flags.String("repos", "", "`folder` with the repositories")
	failed := flags.String("failing", "", "`file` with the results of reproduce")
	covered := flags.String("covered", "", "`file` with the results of reproduce -cover")
	whole := flags.String("whole", "", "`file` with the results of reproduce -cover -whole")
	only := flags.String("states", strings.Join(states, ","), "`states` of knowledge, with commas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	opt.states = strings.Split(*only, ",")
	cases, err := readRegressions(flags.Args())
	if err != nil {
		return err
	}
	shown, err := readFailing(*failed)
	if err != nil {
		return err
	}
	if opt.covered, err = readFailing(*covered); err != nil {
		return err
	}
	if opt.whole, err = readFailing(*whole); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, c := range cases {
		list, err := rowsOf(ctx, *root, c, shown[c.ID], opt)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.ID, err)
		}
		for _, r := range list {
			json.NewEncoder(out).Encode(r) // out keeps its first error for Flush
		}
		if err := errors.Join(ctx.Err(), out.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// readFailing reads the results of reproduce from a file that gzip compressed, or none.
func readFailing(name string) (map[string]failing, error) {
	shown := map[string]failing{}
	if name == "" {
		return shown, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for lines := json.NewDecoder(text); ; {
		var f failing
		if err := lines.Decode(&f); err == io.EOF {
			return shown, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		shown[f.ID] = f
	}
}

func rowsOf(ctx context.Context, root string, c regression, shown failing, opt rowOptions) ([]row, error) {
	repo, bad, err := openBefore(ctx, root, c)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	commits, _, err := drawRange(ctx, repo, c, bad, opt.even)
	if err != nil {
		return nil, err
	}
	laid, err := laidOver(ctx, repo, c)
	if err != nil {
		return nil, err
	}
	var list []row
	for _, state := range opt.states {
		r := row{ID: c.ID, Repo: c.Repo, Language: c.Langs[0], State: state, Failed: shown.State == "failing", Place: slices.Index(commits, c.BICs[0])}
		if (state == stateAll || state == stateOutput) && !r.Failed {
			continue
		}
		ev := evidence(c, shown, laid, state)
		if r.executed() {
			known := opt.covered
			if state == stateWhole {
				known = opt.whole
			}
			if ev.Executed = coverage.Suspicions(known[c.ID].Covered.spectrum(state == stateCovered)); ev.Executed == nil {
				continue
			}
		}
		begin := time.Now()
		if r.Example, err = prior.Examine(ctx, repo, bad, commits, ev); err != nil {
			return nil, err
		}
		r.Seconds = math.Round(time.Since(begin).Seconds()*1000) / 1000
		for _, v := range r.Vectors {
			for i := range v {
				v[i] = math.Round(v[i]*1000) / 1000
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// evidence returns what is known of a case in a state of knowledge.
func evidence(c regression, shown failing, laid []gitext.Overlay, state string) prior.Evidence {
	ev := prior.Evidence{Command: c.Proof.Command}
	if state == stateCommand {
		return ev
	}
	ev.Laid = map[string][]byte{}
	for _, o := range laid {
		ev.Laid[o.Path] = o.Content
	}
	if state == stateTest {
		return ev
	}
	ev.Output = []byte(shown.Output)
	if state != stateOutput && shown.Opened != nil {
		ev.Opened = map[string]bool{}
		for _, p := range shown.Opened {
			ev.Opened[p] = true
		}
	}
	return ev
}

// spectrum returns the lines that the failing tests execute, with those of the passing ones or without.
func (s *spectrum) spectrum(passing bool) *fix.Spectrum {
	if s == nil || len(s.Lines) == 0 {
		return nil
	}
	sp := &fix.Spectrum{Failing: s.Failing, Files: map[string][]fix.LineHits{}}
	if passing {
		sp.Passing = s.Passing
	}
	for path, lines := range s.Lines {
		for _, l := range lines {
			h := fix.LineHits{Line: l[0], Failing: l[1]}
			if passing {
				h.Passing = l[2]
			}
			sp.Files[path] = append(sp.Files[path], h)
		}
	}
	return sp
}

// These bound the ranges of commits.
const (
	leastCommits = 50
	mostCommits  = 5000
	tooFew       = 20
)

// drawRange draws a range that ends at bad, newest commit first. The logarithm of its length is
// uniform, or if even is true, the age of the culprit as a share of the range, both as far as the
// bounds and the history permit. good is the commit behind the range, if the history has one.
func drawRange(ctx context.Context, repo *gitext.Repo, c regression, bad gitext.OID, even bool) (commits []gitext.OID, good gitext.OID, err error) {
	all, parents, err := newestFirst(ctx, repo, bad, nil)
	if err != nil {
		return nil, "", err
	}
	place := slices.Index(all, c.BICs[0])
	if place < 0 || place >= mostCommits {
		return nil, "", fmt.Errorf("the culprit has place %d of %d", place, len(all))
	}
	h := fnv.New64a()
	h.Write([]byte(c.ID))
	share := rand.New(rand.NewPCG(h.Sum64(), 1)).Float64()
	want := int(leastCommits * math.Pow(mostCommits/leastCommits, share))
	if even {
		want = int(float64(place+1) / share)
	}
	want = min(max(want, leastCommits, place+2), mostCommits)
	var chain []gitext.OID // candidates for the good commit, newest first
	for next := parents[c.BICs[0]]; len(next) > 0; next = parents[next[0]] {
		chain = append(chain, next[0])
	}
	var failed error
	back := sort.Search(len(chain), func(i int) bool {
		n, err := repo.CountCommits(ctx, bad, []gitext.OID{chain[i]})
		failed = errors.Join(failed, err)
		return n >= want
	})
	best := all
	if back < len(chain) {
		good = chain[back]
		best, _, err = newestFirst(ctx, repo, bad, []gitext.OID{good})
	}
	if err := errors.Join(failed, err); err != nil {
		return nil, "", err
	}
	best = best[:min(len(best), mostCommits)]
	if len(best) < tooFew {
		return nil, "", fmt.Errorf("the range has only %d commits", len(best))
	}
	return best, good, nil
}

// newestFirst lists the ancestors of a commit, children before parents.
func newestFirst(ctx context.Context, repo *gitext.Repo, bad gitext.OID, not []gitext.OID) ([]gitext.OID, map[gitext.OID][]gitext.OID, error) {
	var list []gitext.OID
	parents := map[gitext.OID][]gitext.OID{}
	for a, err := range repo.Ancestry(ctx, []gitext.OID{bad}, not) {
		if err != nil {
			return nil, nil, err
		}
		list = append(list, a.OID)
		parents[a.OID] = a.Parents
	}
	slices.Reverse(list)
	return list, parents, nil
}
