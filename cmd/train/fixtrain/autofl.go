package fixtrain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"git-agent/cmd/train/heldout"
)

// A publishedAnswer is a line of a file that `git agent eval fix --answers` reads.
type publishedAnswer struct {
	ID        string   `json:"id"`
	Locations []string `json:"locations"`
}

// A publishedMethod is a method that the failing tests of a bug run, in the data of AutoFL.
type publishedMethod struct {
	Signature string `json:"signature"`
	Path      string `json:"src_path"`
	Text      string `json:"snippet"`
	First     int    `json:"begin_line"`
	Last      int    `json:"end_line"`
	True      bool   `json:"is_bug"`            // the fix of the developers changes it
	Failing   int    `json:"num_failing_tests"` // tests that fail and run it; 0 in the data of BugsInPy
}

func (m publishedMethod) place() string { return fmt.Sprintf("%s:%d-%d", m.Path, m.First, m.Last) }

// A publishedBug is a bug with the answers of some runs.
type publishedBug struct {
	name    string // as AutoFL writes it: project_number
	python  bool
	methods []publishedMethod
	runs    []publishedRun
}

// id returns the id of the bug in the case files that benchmark makes.
func (b publishedBug) id() string { return caseID(b.name) }

func caseID(bug string) string {
	project, number := cutBug(bug)
	return project + "-" + number
}

func cutBug(bug string) (project, number string) {
	at := max(strings.LastIndexByte(bug, '_'), 0)
	return bug[:at], strings.TrimPrefix(bug[at:], "_")
}

// autofl writes the answers of AutoFL (coinse/autofl), an agent with published results for bugs of
// BugsInPy and Defects4J, in the form that `git agent eval fix --answers` reads. Several runs are
// joined as AutoFL's authors do.
func autofl(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("autofl", flag.ContinueOnError)
	from := flags.String("from", ".", "the checkout of coinse/autofl")
	runs := flags.String("runs", "", "the folders of the runs within it, separated by commas; * stands for any part of a name")
	first := flags.Int("first", 10, "the number of methods to write for each bug")
	check := flags.String("check", "", "a file of published ranks within the checkout, combined_fl_results/*.json, to compare the order with")
	cases := flags.String("cases", "", "a case file: only its bugs are written, with the lines that the methods have in their commits")
	repos := flags.String("repos", ".", "the folder that holds the repositories of -cases")
	if err := flags.Parse(args); err != nil {
		return err
	}
	a := autoflRuns{tree: os.DirFS(*from), first: *first, projects: flags.Args(), out: os.Stdout, notes: os.Stderr}
	if err := a.open(*runs); err != nil {
		return err
	}
	if *check != "" {
		if err := a.readRanks(*check); err != nil {
			return err
		}
	}
	if *cases != "" {
		var err error
		if a.bases, err = readBases(*repos, *cases); err != nil {
			return err
		}
		defer a.bases.close()
	}
	return a.write(ctx)
}

// autoflRuns are runs of AutoFL whose answers are written.
type autoflRuns struct {
	tree     fs.FS
	folders  []string
	first    int
	projects []string // all if empty
	ranks    map[string]map[string]publishedRank
	bases    *bases // nil if the published lines are written
	out      io.Writer
	notes    io.Writer
}

// open finds the folders that a comma-separated list of patterns names, in its order.
func (a *autoflRuns) open(list string) error {
	if list == "" {
		return errors.New("-runs is missing; name the folders of the runs, such as 'results/bip_autofl_*/gpt-4-0613'")
	}
	for pattern := range strings.SplitSeq(list, ",") {
		found, err := fs.Glob(a.tree, path.Clean(pattern))
		if err != nil {
			return fmt.Errorf("-runs: %s: %w", pattern, err)
		}
		if len(found) == 0 {
			return fmt.Errorf("-runs: the checkout that -from names has no folder %s", pattern)
		}
		a.folders = append(a.folders, found...)
	}
	return nil
}

// write writes the answers to all bugs of the projects.
func (a *autoflRuns) write(ctx context.Context) error {
	bugs, err := a.bugs()
	if err != nil {
		return err
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	var compared comparison
	var lacking []string
	for _, name := range bugs {
		b, err := a.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			lacking = append(lacking, name)
			continue
		}
		if err != nil {
			return err
		}
		order := b.order()
		places, err := a.places(ctx, b, order)
		if err != nil {
			return err
		}
		if err := enc.Encode(publishedAnswer{ID: b.id(), Locations: places}); err != nil {
			return err
		}
		if a.ranks != nil {
			compared.add(b, order, a.ranks[name])
		}
	}
	a.sayHeldOut(bugs)
	if len(lacking) > 0 {
		fmt.Fprintf(a.notes, "left out, because the checkout lacks their snippet.json: %d bugs, %s\n", len(lacking), strings.Join(lacking, ", "))
	}
	if a.bases != nil {
		a.bases.print(a.notes)
	}
	if a.ranks != nil {
		compared.print(a.notes)
	}
	return nil
}

func (a *autoflRuns) sayHeldOut(bugs []string) {
	said := map[string]bool{}
	for _, name := range bugs {
		project, _ := cutBug(name)
		if repo := cmp.Or(defects4JRepos[project], project); !said[project] && heldout.Out("fix", repo) {
			fmt.Fprintf(a.notes, "%s is held out: measure on it, and tune nothing with it\n", repo)
		}
		said[project] = true
	}
}

// bugs returns the bugs of the projects that a run has, by project and number.
func (a *autoflRuns) bugs() ([]string, error) {
	names := map[string]bool{}
	found := map[string]bool{}
	for _, folder := range a.folders {
		files, err := fs.ReadDir(a.tree, folder)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			name, ok := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".json"), "XFL-")
			if !ok {
				continue
			}
			project, _ := cutBug(name)
			if len(a.projects) > 0 && !slices.Contains(a.projects, project) {
				continue
			}
			found[project] = true
			if a.bases == nil || a.bases.bugs[caseID(name)].ID != "" {
				names[name] = true
			}
		}
	}
	for _, project := range a.projects {
		if !found[project] {
			return nil, fmt.Errorf("the runs have no bug of %s", project)
		}
	}
	return slices.SortedFunc(maps.Keys(names), func(x, y string) int {
		p, _ := cutBug(x)
		q, _ := cutBug(y)
		return cmp.Or(cmp.Compare(p, q), numberOf(caseID(x))-numberOf(caseID(y)), cmp.Compare(x, y))
	}), nil
}

// read reads the methods of a bug, and the answers to it.
func (a *autoflRuns) read(name string) (publishedBug, error) {
	b := publishedBug{name: name, python: true}
	err := a.readJSON(path.Join("data/bugsinpy", name, "snippet.json"), &b.methods)
	if errors.Is(err, fs.ErrNotExist) {
		b.python = false
		err = a.readJSON(path.Join("data/defects4j", name, "snippet.json"), &b.methods)
	}
	if err != nil {
		return b, err
	}
	for _, folder := range a.folders {
		var r publishedRun
		err := a.readJSON(path.Join(folder, "XFL-"+name+".json"), &r)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return b, err
		}
		b.runs = append(b.runs, r)
	}
	return b, nil
}

func (a *autoflRuns) readJSON(name string, to any) error {
	text, err := fs.ReadFile(a.tree, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// places returns the lines of the first methods of an order. Functions that a scope defines twice
// have one signature, and all are named.
func (a *autoflRuns) places(ctx context.Context, b publishedBug, order []string) ([]string, error) {
	by := map[string][]publishedMethod{}
	for _, m := range b.methods {
		same := func(o publishedMethod) bool { return o.place() == m.place() }
		if !slices.ContainsFunc(by[m.Signature], same) {
			by[m.Signature] = append(by[m.Signature], m)
		}
	}
	list := []string{}
	for _, signature := range order[:min(max(a.first, 0), len(order))] {
		for _, m := range by[signature] {
			if a.bases != nil {
				var err error
				if m, err = a.bases.find(ctx, b.id(), m); err != nil {
					return nil, err
				}
			}
			list = append(list, m.place())
		}
	}
	return list, nil
}

// A publishedRank is the rank of a method in the published results.
type publishedRank struct {
	Rank int `json:"autofl_rank"`
}

func (a *autoflRuns) readRanks(name string) error {
	var of struct {
		Ranks map[string]map[string]publishedRank `json:"buggy_methods"`
	}
	if err := a.readJSON(path.Clean(name), &of); err != nil {
		return fmt.Errorf("-check: %w", err)
	}
	if len(of.Ranks) == 0 {
		return fmt.Errorf("-check: %s has no ranks under \"buggy_methods\"", name)
	}
	a.ranks = of.Ranks
	return nil
}

// A comparison tells for how many bugs the order has the published ranks of the true methods.
type comparison struct {
	same, without, unknown int
	different              []string
}

func (c *comparison) add(b publishedBug, order []string, published map[string]publishedRank) {
	switch {
	case published == nil:
		c.unknown++
		return
	case len(published) == 0:
		c.without++
		return
	}
	var wrong []string
	for _, signature := range slices.Sorted(maps.Keys(published)) {
		switch rank := slices.Index(order, signature) + 1; rank {
		case published[signature].Rank:
		case 0:
			wrong = append(wrong, fmt.Sprintf("the data lack %s, published at %d", signature, published[signature].Rank))
		default:
			wrong = append(wrong, fmt.Sprintf("%s is at %d instead of %d", signature, rank, published[signature].Rank))
		}
	}
	if wrong == nil {
		c.same++
	} else {
		c.different = append(c.different, b.name+": "+strings.Join(wrong, "; "))
	}
}

func (c *comparison) print(out io.Writer) {
	fmt.Fprintf(out, "the true methods have their published ranks in %d of %d bugs; %d others have no true method, %d no published ranks\n",
		c.same, c.same+len(c.different), c.without, c.unknown)
	for _, d := range c.different {
		fmt.Fprintln(out, d)
	}
}
