package fixeval

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// A Trajectory is the result of one trajectory of a model.
type Trajectory struct {
	Said    fix.Verdict `json:"said,omitempty"`    // the engine's verdict on its patch; "" if it has none
	Verdict fix.Verdict `json:"verdict,omitempty"` // the judge's verdict on the patch
	Edited  int         `json:"edited,omitempty"`  // files that the patch changes, except tests
	// RightFile says that the fix changes one of these files too. Distance is the mean of their
	// distances from the nearest file of the fix; it counts only if Edited is not 0.
	RightFile bool     `json:"right_file,omitempty"`
	Found     int      `json:"found,omitempty"` // files of the fix that the patch changes
	Of        int      `json:"of,omitempty"`    // files of the fix
	Distance  float64  `json:"distance,omitempty"`
	Smells    []string `json:"smells,omitempty"` // names of smells, as in git agent trace smells
}

// attempts divides the runs of a model into trajectories. A trajectory is a repair with the
// analysis before it, if there is one.
func attempts(runs []fix.Run) [][]fix.Run {
	var list [][]fix.Run
	analysed := false
	for _, run := range runs {
		if run.Phase == fix.PhaseReview || run.Phase == fix.PhaseTest {
			continue
		}
		if !analysed || run.Phase == fix.PhaseAnalysis {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], run)
		analysed = run.Phase == fix.PhaseAnalysis
	}
	return list
}

// trajectories judges the patch of each trajectory, including patches that the engine rejected or
// considered equal to another.
func (s *session) trajectories(ctx context.Context, p *prepared, b *bench, all [][]fix.Run) ([]Trajectory, error) {
	var list []Trajectory
	for _, runs := range all {
		t := Trajectory{Of: len(p.truth.paths())}
		if tried := runs[len(runs)-1].Tried; tried != nil {
			judged, err := b.judged(ctx, *tried)
			if err != nil {
				return nil, err
			}
			t.Said, t.Verdict = tried.Verdict, judged.Verdict
			t.measure(p, tried.Patch)
		}
		if names := runsOf(&fix.AgentReport{Runs: runs}); s.opt.Smells != nil && len(names) > 0 {
			t.Smells = s.opt.Smells(ctx, names)
		}
		list = append(list, t)
	}
	return list, nil
}

// measure measures the distance between the files of a patch and the files of the fix.
func (t *Trajectory) measure(p *prepared, patch fix.Patch) {
	sum, paths := 0, p.truth.paths()
	for _, f := range patch.Files {
		if p.judge.isTest(f.Path) {
			continue
		}
		least := -1
		for _, c := range p.truth.changes {
			if d := distance(f.Path, c.path); least < 0 || d < least {
				least = d
			}
		}
		t.Edited++
		t.Found += stat.Count(slices.Contains(paths, f.Path))
		t.RightFile = t.RightFile || least == 0
		sum += least
	}
	if t.Edited > 0 {
		t.Distance = float64(sum) / float64(t.Edited)
	}
}

// distance returns the number of edges between two files in the tree of files (Passerine,
// section V.B): 0 for the same file, 2 for two files of one folder.
func distance(a, b string) int {
	as, bs := strings.Split(path.Clean(a), "/"), strings.Split(path.Clean(b), "/")
	same := 0
	for same < min(len(as), len(bs)) && as[same] == bs[same] {
		same++
	}
	return len(as) + len(bs) - 2*same
}

// A bench judges each patch of an answer once.
type bench struct {
	judge *judge
	known map[string]Judged // by the contents of the patch
}

// judged judges a patch.
func (b *bench) judged(ctx context.Context, t fix.Trial) (Judged, error) {
	files := slices.Clone(t.Patch.Files)
	slices.SortFunc(files, func(x, y gitext.Overlay) int { return strings.Compare(x.Path, y.Path) })
	key := ""
	for _, f := range files {
		key += fmt.Sprintf("%q %o %s %q\n", f.Path, f.Mode, f.OID, f.Content)
	}
	if j, ok := b.known[key]; ok {
		j.Origin = source.FirstBytes(t.Origin, maxText)
		return j, nil
	}
	j, err := b.judge.judge(ctx, t)
	if err == nil {
		b.known[key] = j
	}
	return j, err
}
