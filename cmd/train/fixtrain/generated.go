package fixtrain

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/generate"
	"git-agent/agent/fix/generate/mutate"
	"git-agent/agent/fix/localize"
	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	// mostRanked bounds the candidates among which the fix of a bug is looked for.
	mostRanked = 20000
	// sawChange is the factor for the further edits of a candidate that changed the failure. It is
	// that of the offline engine.
	sawChange = 3
	// waitingRanked is the number of candidates from which the offline engine chooses.
	waitingRanked = 300
)

// A rankedFix is where the developers' fix stands among the candidates of a bug.
type rankedFix struct {
	rank   int // from 1; 0 if it is not there
	of     int // the candidates that were made
	origin string
	kind   generate.Kind
}

// generated tells for each bug whether its fix is among the candidates of the offline engine, and
// where.
func generated(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("generated", flag.ContinueOnError)
	dir := flags.String("repos", ".", "the folder that holds the repositories")
	from := flags.String("measured", "", "the folder of what was measured; without it, the functions that the fix changes are given")
	like := flags.String("like", "", "also look for a candidate whose description has this text, such as one with the same effect")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return eachBug(ctx, *dir, flags.Args(), func(repo *gitext.Repo, b bug) error {
		l, output, err := locationsOf(ctx, repo, b, *from)
		if err != nil {
			return fmt.Errorf("%s: %w", b.ID, err)
		}
		found, err := rankFix(ctx, repo, b, l, output, *like)
		if err != nil {
			return fmt.Errorf("%s: %w", b.ID, err)
		}
		place := "-"
		if found.rank > 0 {
			place = fmt.Sprint(found.rank)
		}
		_, err = fmt.Fprintf(out, "%-22s %6s of %5d  %s %s\n", b.ID, place, found.of, found.kind, found.origin)
		return err
	})
}

// locationsOf returns the suspected functions of a bug by what was measured, or the changed ones.
func locationsOf(ctx context.Context, repo *gitext.Repo, b bug, from string) (*fix.Localization, []byte, error) {
	if from == "" {
		l, err := changedFunctions(ctx, repo, b)
		return l, nil, err
	}
	var m measured
	text, err := os.ReadFile(filepath.Join(from, b.ID+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		l, err := changedFunctions(ctx, repo, b)
		return l, nil, err
	}
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, nil, err
	}
	in, err := inputOf(ctx, repo, b, m, ofRuns)
	if err != nil {
		return nil, nil, err
	}
	l, err := localize.Localize(ctx, repo, in)
	return l, m.Reproduction.Output, err
}

// changedFunctions returns the functions that the fix changes, in the order of its files.
func changedFunctions(ctx context.Context, repo *gitext.Repo, b bug) (*fix.Localization, error) {
	changed, err := changedLines(ctx, repo, b)
	if err != nil {
		return nil, err
	}
	l := &fix.Localization{}
	for _, name := range b.SrcFiles {
		text, err := repo.BlobAt(ctx, b.Base, name, 8<<20)
		if err != nil {
			continue // the fix adds the file
		}
		lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		for _, e := range source.Functions(name, lines) {
			lines := gitext.LineRange{Start: e.Start, End: e.End}
			if changed.in(localize.Listed{Path: name, Lines: lines}) {
				l.Locations = append(l.Locations, fix.Location{Path: name, Lines: lines})
			}
		}
	}
	return l, nil
}

// rankFix looks for the fix, or a candidate with a text in its description, among the candidates, in the order of the offline engine when each
// candidate in a function of the fix that has further edits changes the failure, and no other does.
func rankFix(ctx context.Context, repo *gitext.Repo, b bug, l *fix.Localization, output []byte, like string) (rankedFix, error) {
	p, err := problemOf(ctx, repo, b)
	if err != nil {
		return rankedFix{}, err
	}
	want, err := fixedTexts(ctx, repo, b)
	if err != nil {
		return rankedFix{}, err
	}
	changed, err := changedLines(ctx, repo, b)
	if err != nil {
		return rankedFix{}, err
	}
	found := rankedFix{}
	queue := &candidates{}
	stop := errors.New("enough")
	try := func() error {
		c := heap.Pop(queue).(generate.Candidate)
		found.of++
		if found.rank == 0 && (want.is(c) || like != "" && strings.Contains(c.Origin, like)) {
			found.rank, found.origin, found.kind = found.of, c.Origin, c.Kind
		}
		if c.More != nil && inLocation(l, c, changed) {
			for _, next := range c.More() {
				next.Prior *= sawChange
				heap.Push(queue, next)
			}
		}
		if found.of >= mostRanked {
			return stop
		}
		return nil
	}
	for c := range generate.Candidates(ctx, repo, generate.Input{Problem: p, Localization: l, Output: output}) {
		heap.Push(queue, c)
		if queue.Len() >= waitingRanked && try() != nil {
			return found, nil
		}
	}
	for queue.Len() > 0 {
		if try() != nil {
			break
		}
	}
	return found, nil
}

// inLocation reports whether a candidate changes a function that the fix changes.
func inLocation(l *fix.Localization, c generate.Candidate, changed truth) bool {
	if c.Location >= len(l.Locations) {
		return false
	}
	at := l.Locations[c.Location]
	return changed.in(localize.Listed{Path: at.Path, Lines: at.Lines})
}

// A fixedFile is what a fix makes of a file.
type fixedFile struct {
	tokens  string
	longer  int // how many bytes of code longer it is
	present int // bytes of the file before the fix that are not white space
}

// fixedFiles are the files that a fix changes, by path.
type fixedFiles map[string]fixedFile

// fixedTexts returns what a fix makes of its files.
func fixedTexts(ctx context.Context, repo *gitext.Repo, b bug) (fixedFiles, error) {
	want := fixedFiles{}
	for _, name := range b.SrcFiles {
		after, err := repo.BlobAt(ctx, b.Fix, name, 8<<20)
		if err != nil {
			return nil, err
		}
		before, err := repo.BlobAt(ctx, b.Base, name, 8<<20)
		old, tokens := mutate.Normal(name, before), mutate.Normal(name, after)
		if err != nil || old != tokens {
			want[name] = fixedFile{tokens: tokens, longer: dense(tokens) - dense(old), present: dense(string(before))}
		}
	}
	return want, nil
}

// is reports whether a candidate is the fix.
func (t fixedFiles) is(c generate.Candidate) bool {
	if len(c.Files) != len(t) {
		return false
	}
	for _, f := range c.Files {
		want, ok := t[f.Path]
		if !ok || c.Kind == generate.Mutation && dense(string(f.Content))-want.present != want.longer {
			return false // most mutations have another length
		}
		if mutate.Normal(f.Path, f.Content) != want.tokens {
			return false
		}
	}
	return true
}

// candidates are a heap by prior.
type candidates []generate.Candidate

func (c candidates) Len() int           { return len(c) }
func (c candidates) Less(i, j int) bool { return c[i].Prior > c[j].Prior }
func (c candidates) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }

// Push is for container/heap.
func (c *candidates) Push(x any) { *c = append(*c, x.(generate.Candidate)) }

// Pop is for container/heap.
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
