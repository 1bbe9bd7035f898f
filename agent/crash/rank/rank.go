package rank

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// An Algorithm is a way to order the files of a report.
type Algorithm string

// The algorithms.
const (
	Baseline1 Algorithm = "baseline1" // files in the order of the stack
	Baseline2 Algorithm = "baseline2" // files of pending exceptions first
	Ours      Algorithm = "rank"      // the choice model
)

// Algorithms lists the algorithms, the default first.
var Algorithms = []Algorithm{Ours, Baseline1, Baseline2}

// answerAt is the least probability at which the first file is named as the answer. A file that the project
// copied from others is never the answer: of the fixes of the 856 shared cases, one changed such a file.
const answerAt = 0.15

// Rank orders the files of a report. The frames must be mapped to the files of the commit.
func Rank(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, algorithm Algorithm) (*crash.Answer, error) {
	ranking := &crash.Answer{Commit: commit, Algorithm: string(algorithm), Main: MainStack(report)}
	switch algorithm {
	case Baseline1, Baseline2:
		ranking.Files = inOrder(report, algorithm == Baseline2)
		ranking.Answered = len(ranking.Files) > 0
		return ranking, nil
	case Ours:
	default:
		return nil, fmt.Errorf("unknown algorithm %q; the algorithms are %s", algorithm, names())
	}
	known, err := gather(ctx, repo, commit, report)
	if err != nil {
		return nil, err
	}
	_ = ranking.Unread("not all uses of the files were counted", known.usesUnread)
	_ = ranking.Unread("not all changes of the files were found", known.changesUnread)
	ranking.Files = choose(report, known.files, committed())
	tested, err := testedFile(ctx, repo, commit, ranking.Files)
	if err := ranking.Unread("the file that a test is about was not found", err); err != nil {
		return nil, err
	}
	if tested != nil {
		ranking.Files = slices.Insert(ranking.Files, 0, *tested)
	}
	listed := map[string]bool{}
	for _, f := range ranking.Files {
		listed[f.Path] = true
	}
	similar := known.found.wordedFiles(known.search.words, listed)
	literal, err := literalFiles(ctx, repo, commit, report, listed)
	if err := ranking.Unread("not all texts that the failed test quotes were found", err); err != nil {
		return nil, err
	}
	said, err := saidFiles(ctx, repo, commit, report, listed)
	if err := ranking.Unread("not all files that the message names were found", err); err != nil {
		return nil, err
	}
	named, err := spokenFiles(ctx, repo, commit, report, listed)
	if err := ranking.Unread("not all classes that the message names were found", err); err != nil {
		return nil, err
	}
	related, err := known.history.related(ctx, repo, commit, ranking.Files, listed)
	if err := ranking.Unread("not all files that change together were found", err); err != nil {
		return nil, err
	}
	builders, err := buildFiles(ctx, repo, commit, report, ranking.Files)
	if err := ranking.Unread("the build file was not found", err); err != nil {
		return nil, err
	}
	ranking.Files = slices.Concat(ranking.Files, builders, literal, said, named, unite(related, similar, listed))
	ranking.Answered = len(ranking.Files) > 0 && ranking.Files[0].Probability >= answerAt && !source.IsVendored(ranking.Files[0].Path)
	return ranking, nil
}

// A gathering is what is known of a report's files before they are ordered.
type gathering struct {
	files   []*evidence
	history *past
	search  search
	found   mentions

	// The errors for parts of the repository that cannot be read, or nil. The rest is known.
	usesUnread, changesUnread error
}

// gather returns all evidence of a located report.
func gather(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) (*gathering, error) {
	g := &gathering{files: collect(report)}
	g.search = searchOf(report, g.files)
	if g.found, g.usesUnread = g.search.find(ctx, repo, commit); g.usesUnread != nil && !gitext.Unreadable(g.usesUnread) {
		return nil, g.usesUnread
	}
	g.search.measureUsage(g.found, report, g.files)
	if g.history, g.changesUnread = pastOf(ctx, repo, commit, g.files); g.changesUnread != nil && !gitext.Unreadable(g.changesUnread) {
		return nil, g.changesUnread
	}
	g.history.markAges(g.files)
	readLines(ctx, repo, commit, report, g.files, g.search.quoted)
	markNear(report, g.files)
	return g, nil
}

// unite merges the files that change together with those of a ranking, and the files that share
// words with the report. A file in both lists comes before the others.
func unite(related []crash.File, similar []worded, listed map[string]bool) []crash.File {
	score := map[string]float64{}
	files := map[string]*crash.File{}
	for i, f := range related {
		score[f.Path] = 0.9 / (1 + 0.3*float64(i))
		files[f.Path] = &related[i]
	}
	for _, w := range similar {
		if listed[w.path] {
			continue // its class is in the message
		}
		score[w.path] += w.score / similar[0].score
		if files[w.path] == nil {
			files[w.path] = &crash.File{Path: w.path, Related: true}
		}
		files[w.path].Reasons = append(files[w.path].Reasons, w.reason())
	}
	var out []crash.File
	for _, f := range files {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b crash.File) int {
		return cmp.Or(cmp.Compare(score[b.Path], score[a.Path]), strings.Compare(a.Path, b.Path))
	})
	return out[:min(len(out), relatedMost)]
}

func names() string {
	var list []string
	for _, a := range Algorithms {
		list = append(list, string(a))
	}
	return strings.Join(list, ", ")
}

// choose orders the files by a model's shares.
func choose(report *crash.Report, files []*evidence, m *Model) []crash.File {
	isManaged := managed(files)
	shares := m.shares(files, isManaged)
	out := make([]crash.File, len(files))
	for i, e := range files {
		out[i] = crash.File{
			Path: e.path, Score: shares[i], Probability: m.Calibration.Probability(shares[i], isManaged),
			Frames: e.frames, Reasons: e.reasons(report),
		}
	}
	slices.SortStableFunc(out, func(a, b crash.File) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return out
}

// managed reports whether the first file of a report is in a managed language.
func managed(files []*evidence) bool { return len(files) > 0 && isManaged(files[0].path) }

// inOrder lists the files in the order of the stacks; with exceptionsFirst, the files of pending
// exceptions come first.
func inOrder(report *crash.Report, exceptionsFirst bool) []crash.File {
	var out []crash.File
	at := map[string]int{}
	add := func(i int) {
		for j, f := range report.Stacks[i].Frames {
			if f.Path == "" {
				continue
			}
			n, ok := at[f.Path]
			if !ok {
				n = len(out)
				at[f.Path] = n
				out = append(out, crash.File{Path: f.Path, Score: 1 / float64(n+1)})
			}
			out[n].Frames = append(out[n].Frames, crash.FrameRef{Stack: i, Frame: j})
		}
	}
	for _, exceptions := range []bool{exceptionsFirst, !exceptionsFirst} {
		for i, s := range report.Stacks {
			if (s.Kind == crash.StackException) == exceptions {
				add(i)
			}
		}
	}
	return out
}
