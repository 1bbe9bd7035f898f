package prior

import (
	"context"
	"math"
	"slices"
	"sort"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// An examination collects the features of the commits of a range.
type examination struct {
	repo    *gitext.Repo
	ev      Evidence
	changes []change
	tree    *tree
	focus   *focus
	views   map[string]*fileView
	code    *code

	messages *source.IDF // of the messages
	patches  *source.IDF // of the changed lines

	weighedFocus, weighedOutput, weighedNarrow *source.Weighed
	partsOf                                    map[string][]string // memory of named
	readings                                   map[gitext.OID]*reading
}

// cheap are the features that need no patch, and costly the others.
var (
	cheap = []string{
		"age", "source", "opened", "stem", "near", "named", "mentioned", "its_test", "tests", "opened_other", "relevant",
		"share", "top", "file_reach", "file_reach_all", "file_like", "file_likely", "path_name", "name", "best_name", "files", "sources", "path_words", "body", "words", "best_word",
		"says_fix", "says_rewrite", "says_feature", "says_remove", "says_fast", "says_change", "says_release", "says_docs", "says_test", "says_style",
	}
	costly = []string{
		"read", "added", "removed", "alive", "dead", "no_code", "test_lines", "line_in_output", "in_output",
		"test_code", "test_name", "output_code", "test_change", "reach", "reach_all", "owned", "narrow_code", "narrow_name", "narrow_change", "like", "likely", "line_words", "adds_called", "large", "creates", "only_adds",
	}
)

// FeatureNames lists the features in the order of a vector.
func FeatureNames() []string { return slices.Concat(cheap, costly, executing) }

// ExecutingNames lists the features that need the lines that the failing tests execute. They are the last ones.
func ExecutingNames() []string { return slices.Clone(executing) }

// CheapNames lists the features that are known of all commits.
func CheapNames() []string { return slices.Clone(cheap) }

// newExamination reads what costs little: names of files, messages and the test.
func newExamination(ctx context.Context, repo *gitext.Repo, bad gitext.OID, commits []gitext.OID, ev Evidence) (*examination, error) {
	x := &examination{
		repo:     repo,
		ev:       ev,
		messages: source.NewIDF(),
		patches:  source.NewIDF(),
		readings: map[gitext.OID]*reading{},
		partsOf:  map[string][]string{},
	}
	var err error
	if x.tree, err = readTree(ctx, repo, bad); err != nil {
		return nil, err
	}
	if x.changes, err = readChanges(ctx, repo, commits); err != nil {
		return nil, err
	}
	if x.focus, err = readFocus(ctx, repo, x.tree, ev); err != nil {
		return nil, err
	}
	for _, c := range x.changes {
		x.messages.Add(c.message)
	}
	x.lookAtFiles()
	return x, nil
}

// Examine returns the features of the commits.
func Examine(ctx context.Context, repo *gitext.Repo, bad gitext.OID, commits []gitext.OID, ev Evidence) (Example, error) {
	x, err := newExamination(ctx, repo, bad, commits, ev)
	if err != nil {
		return Example{}, err
	}
	if err := x.readCode(ctx); err != nil {
		return Example{}, err
	}
	names := FeatureNames()
	place := map[string]int{}
	for i, name := range names {
		place[name] = i
	}
	out := Example{Vectors: make([][]float64, len(commits)), Merges: make([]bool, len(commits))}
	for i := range x.changes {
		v := make([]float64, len(names))
		set := func(name string, value float64) { v[place[name]] = value }
		c := &x.changes[i]
		set("age", math.Log(float64(i+1)/float64(len(commits))))
		x.fileFeatures(c, set)
		x.messageFeatures(c, set)
		out.Vectors[i], out.Merges[i] = v, c.merge
	}
	order, err := x.readBest(ctx, out)
	if err != nil {
		return Example{}, err
	}
	for i := range x.changes {
		v := out.Vectors[i]
		x.patchFeatures(&x.changes[i], func(name string, value float64) { v[place[name]] = value })
	}
	x.guessUnread(out, order)
	return out, nil
}

// readBest reads the patches of the commits that the cheap features make most suspicious.
func (x *examination) readBest(ctx context.Context, out Example) (order []int, err error) {
	cheapest := committed().Cheap
	scores := make([]float64, len(out.Vectors))
	for i, v := range out.Vectors {
		for j, name := range cheap {
			scores[i] += cheapest[name] * v[j]
		}
		if out.Merges[i] {
			scores[i] = math.Inf(-1)
		}
	}
	for i := range scores {
		if !out.Merges[i] && x.relevant(&x.changes[i]) {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
	files := 0
	for i, c := range order {
		if files += min(x.changes[c].files, mostPaths); i == mostPatches || i > 0 && files > mostDiffs {
			order = order[:i]
			break
		}
	}
	var best []gitext.OID
	for _, i := range order {
		best = append(best, x.changes[i].oid)
	}
	if err := x.readPatches(ctx, best); err != nil {
		return nil, err
	}
	x.countFunctions()
	x.weighedFocus, x.weighedOutput, x.weighedNarrow = x.patches.Weigh(x.focus.code), x.patches.Weigh(x.focus.output), x.patches.Weigh(x.focus.narrow)
	return order, nil
}

// guessUnread gives the commits whose patches were not read the mean features of the less
// suspicious half of the read ones. Without them, they would look like empty patches.
func (x *examination) guessUnread(out Example, order []int) {
	read := slices.Concat(costly, executing)
	mean := make([]float64, len(read))
	n := 0.0
	for _, i := range order[len(order)/2:] {
		if x.readings[x.changes[i].oid] != nil {
			n++
			for j := range mean {
				mean[j] += out.Vectors[i][len(cheap)+j]
			}
		}
	}
	if n == 0 {
		return
	}
	for i := range x.changes {
		c := &x.changes[i]
		if x.readings[c.oid] != nil || c.merge || !x.relevant(c) {
			continue
		}
		for j, name := range read {
			if name != "read" {
				out.Vectors[i][len(cheap)+j] = mean[j] / n
			}
		}
	}
}
