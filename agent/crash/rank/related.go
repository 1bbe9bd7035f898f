package rank

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"time"

	"git-agent/agent/crash"
	"git-agent/gitext"
)

// If no stack names the cause of a crash, the cause is in one case of four in a file that changes
// together with the first files of the ranking.
const (
	relatedTo   = 5                    // first files that are examined
	relatedMost = 10                   // files that are named
	relatedWide = 15                   // most files of a commit that counts
	relatedFade = 365 * 24 * time.Hour // age at which a commit counts 1/e
	relatedNear = 2                    // factor for a file in a directory of the first files
	relatedDirs = 3                    // first files whose directories count as near
)

// related returns the files that most often changed in one commit with the first files of a ranking,
// except the listed files. If files cannot be read, it uses the others and returns an error for which
// gitext.Unreadable is true.
func (p *past) related(ctx context.Context, repo *gitext.Repo, commit gitext.OID, ranked []crash.File, listed map[string]bool) ([]crash.File, error) {
	if len(ranked) == 0 {
		return nil, nil
	}
	weight := map[string]float64{} // of the first files, by rank
	for i, f := range ranked[:min(len(ranked), relatedTo)] {
		weight[f.Path] = 1 / float64(i+1)
	}
	together, err := p.changedTogether(ctx, repo, weight)
	if err != nil {
		return nil, err
	}
	together.prefer(ranked)
	return together.top(ctx, repo, commit, listed)
}

// A companion is a file that changed together with others.
type companion struct {
	path    string
	score   float64
	commits int
}

type companions map[string]*companion

// changedTogether counts how often each file changed together with a weighted file.
func (p *past) changedTogether(ctx context.Context, repo *gitext.Repo, weight map[string]float64) (companions, error) {
	var commits []gitext.OID
	age := map[gitext.OID]time.Duration{}
	for _, c := range p.commits {
		if slices.ContainsFunc(c.paths, func(path string) bool { return weight[path] > 0 }) {
			commits = append(commits, c.oid)
			age[c.oid] = p.at.Sub(c.time)
		}
	}
	touched, err := repo.Touched(ctx, commits, relatedWide+1)
	if err != nil {
		return nil, err
	}
	found := companions{}
	for _, oid := range commits {
		t := touched[oid]
		if t.Files > relatedWide {
			continue
		}
		most := 0.0
		for _, path := range t.Paths {
			most = max(most, weight[path])
		}
		for _, path := range t.Paths {
			if found[path] == nil {
				found[path] = &companion{path: path}
			}
			found[path].score += most * math.Exp(-float64(max(age[oid], 0))/float64(relatedFade))
			found[path].commits++
		}
	}
	return found, nil
}

// prefer increases the score of files in a directory of the first files.
func (c companions) prefer(ranked []crash.File) {
	near := map[string]bool{}
	for _, f := range ranked[:min(len(ranked), relatedDirs)] {
		near[path.Dir(f.Path)] = true
	}
	for p, f := range c {
		if near[path.Dir(p)] {
			f.score *= relatedNear
		}
	}
}

// top returns the source files that changed together most often, without files that are listed
// already, that are copies of the code of others, or that are missing in the commit.
func (c companions) top(ctx context.Context, repo *gitext.Repo, commit gitext.OID, listed map[string]bool) ([]crash.File, error) {
	var list []*companion
	for p, f := range c {
		if !listed[p] && ownSource(p) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *companion) int {
		switch {
		case a.score != b.score && a.score > b.score:
			return -1
		case a.score != b.score:
			return 1
		case a.path < b.path:
			return -1
		}
		return 1
	})
	var paths []string
	for _, f := range list[:min(len(list), 2*relatedMost)] {
		paths = append(paths, f.path)
	}
	if len(paths) == 0 {
		return nil, nil
	}
	present, err := presentOf(ctx, repo, commit, paths)
	if err != nil {
		return nil, err
	}
	var out []crash.File
	for _, f := range list {
		if present[f.path] && len(out) < relatedMost {
			out = append(out, crash.File{
				Path: f.path, Related: true, ByHistory: true,
				Reasons: []string{fmt.Sprintf("changed with the files above in %s", commitsOf(f.commits))},
			})
		}
	}
	return out, nil
}

// presentOf returns those of some paths that a commit has.
func presentOf(ctx context.Context, repo *gitext.Repo, commit gitext.OID, paths []string) (map[string]bool, error) {
	tree, err := repo.Tree(ctx, commit, paths...)
	if err != nil {
		return nil, err
	}
	present := map[string]bool{}
	for _, e := range tree {
		present[e.Path] = true
	}
	return present, nil
}

func commitsOf(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprintf("%d commits", n)
}
