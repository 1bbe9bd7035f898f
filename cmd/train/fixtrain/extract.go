package fixtrain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/agent/crash/format"
	"git-agent/agent/fix/localize"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// A state is a state of knowledge about a bug.
type state string

// These are the states. In all but the last, the tree and the failing command are known.
const (
	ofWords  state = "words"        // the names of failing tests and their output
	ofReport state = "words+report" // and a report
	ofStacks state = "words+stacks" // or stacks and places in the output
	ofRuns   state = "words+stacks+coverage"
	ofAll    state = "all"
	noTests  state = "report" // the report alone
)

var states = []state{ofWords, ofReport, ofStacks, ofRuns, ofAll, noTests}

// A row is a bug with the features of its functions in a state.
type row struct {
	ID    string   `json:"id"`
	Repo  string   `json:"repo"`
	State state    `json:"state"`
	Files []string `json:"files"` // changed by the fix
	Right []bool   `json:"right"` // whether the fix changes the function
	localize.Example
}

func (r row) repository() string { return r.Repo }

func extract(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("extract", flag.ContinueOnError)
	dir := flags.String("repos", ".", "the folder that holds the repositories")
	from := flags.String("measured", "", "the folder of what was measured; without it, only the state of a report alone is written")
	if err := flags.Parse(args); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	return eachBug(ctx, *dir, flags.Args(), func(repo *gitext.Repo, b bug) error {
		var m measured
		known := states
		if *from == "" {
			known = []state{noTests}
		} else if text, err := os.ReadFile(filepath.Join(*from, b.ID+".json")); err != nil {
			return err
		} else if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("%s: %w", b.ID, err)
		}
		changed, err := changedLines(ctx, repo, b)
		if err != nil {
			return err
		}
		for _, s := range known {
			in, err := inputOf(ctx, repo, b, m, s)
			if err != nil {
				return err
			}
			ex, err := localize.Examine(ctx, repo, in)
			if err != nil {
				return fmt.Errorf("%s: %w", b.ID, err)
			}
			r := row{ID: b.ID, Repo: b.Repo, State: s, Files: b.SrcFiles, Example: ex}
			for _, f := range ex.Functions {
				r.Right = append(r.Right, changed.in(f))
			}
			if err := out.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// inputOf returns the knowledge about a bug in a state.
func inputOf(ctx context.Context, repo *gitext.Repo, b bug, m measured, s state) (localize.Input, error) {
	p, err := problemOf(ctx, repo, b)
	if err != nil {
		return localize.Input{}, err
	}
	if s == noTests {
		p.Tree.Over, p.Test, p.Report = nil, "", b.BugReport
		return localize.Input{Problem: p}, nil
	}
	in := localize.Input{Problem: p, Reproduction: m.Reproduction}
	if s == ofReport || s == ofAll {
		in.Problem.Report = b.BugReport
	}
	if s == ofStacks || s == ofRuns || s == ofAll {
		if report, err := format.Read(bytes.NewReader(m.Reproduction.Output)); err == nil {
			in.Stacks = report.Stacks
		}
		for _, place := range testlog.Read(m.Reproduction.Output).Places {
			in.Places = append(in.Places, localize.Place{File: place.File, Line: place.Line})
		}
	}
	if s == ofRuns || s == ofAll {
		in.Spectrum = m.Spectrum
	}
	return in, nil
}

// truth maps paths to the first lines of the functions changed by a fix.
type truth map[string][]int

// in reports whether a fix changes a function.
func (t truth) in(f localize.Listed) bool {
	for _, start := range t[f.Path] {
		if f.Lines.Start <= start && start <= f.Lines.End {
			return true
		}
	}
	return false
}

// changedLines finds the functions whose lines a fix changes. An insertion counts for the line
// before it. An insertion after the last line of a function counts only if the fix changes no
// line within a function.
func changedLines(ctx context.Context, repo *gitext.Repo, b bug) (truth, error) {
	patch, err := repo.Patch(ctx, b.Base, b.Fix, gitext.PatchOptions{Paths: b.SrcFiles})
	if err != nil {
		return nil, err
	}
	within, after := truth{}, truth{}
	for _, f := range patch.Files {
		if f.OldPath == "" {
			continue
		}
		text, err := repo.BlobAt(ctx, b.Base, f.OldPath, 8<<20)
		if errors.Is(err, gitext.ErrNotExist) {
			continue // the fix adds the file
		}
		if err != nil {
			return nil, err
		}
		functions := source.Functions(f.OldPath, bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")))
		for _, h := range f.Hunks {
			for _, fn := range functions {
				switch last := max(h.OldStart, h.OldStart+h.OldLines-1); {
				case fn.Start > last || fn.End < h.OldStart:
				case h.OldLines == 0 && fn.End == h.OldStart:
					after[f.OldPath] = append(after[f.OldPath], fn.Start)
				default:
					within[f.OldPath] = append(within[f.OldPath], fn.Start)
				}
			}
		}
	}
	if len(within) == 0 {
		return after, nil
	}
	return within, nil
}
