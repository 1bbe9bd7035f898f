package fixtrain

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/fix/generate/mutate"
	"git-agent/agent/source"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

const (
	// mostChanged bounds the changed lines of code of a counted fix, and mostLines the lines of
	// its function.
	mostChanged = 8
	mostLines   = 250
)

// fixSubject matches subjects of commits that probably fix a bug.
var fixSubject = regexp.MustCompile(`(?i)\b(fix(es|ed)?|bugs?|wrong(ly)?|incorrect(ly)?|correct(ly)?|crash(es)?|panics?|off[- ]by[- ]one|regression)\b`)

// A tally counts the edits of a kind, and those that were exactly the fix.
type tally struct{ edits, hits int }

// count tells for each kind of edit how often it is exactly a fix in the history of repositories.
func count(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("count", flag.ContinueOnError)
	dir := flags.String("repos", ".", "the folder that holds the repositories")
	ends := flags.String("ext", "", "count files with these endings, such as .ts,.tsx")
	misses := flags.Int("misses", 0, "print the diffs of so many fixes of one line that no edit makes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, fixes, hit := map[mutate.Op]*tally{}, 0, 0
	for _, name := range flags.Args() {
		repo, err := material.Open(ctx, *dir, name)
		if err != nil {
			return err
		}
		err = eachFix(ctx, repo, strings.Split(*ends, ","), func(f oneFix) {
			fixes++
			found := f.count(all)
			hit += found
			if found == 0 && *misses > 0 && f.changed <= 2 {
				*misses--
				fmt.Printf("%s %s\n%s\n", name, f.commit.Short(), f.diff)
			}
		})
		if err = closing(repo, err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	fmt.Printf("%d fixes, %d (%.1f %%) are one edit\n", fixes, hit, 100*float64(hit)/float64(max(fixes, 1)))
	for _, op := range slices.Sorted(maps.Keys(all)) {
		t := all[op]
		fmt.Printf("%-20s %7d edits %4d hits  %.3f in a thousand\n", op, t.edits, t.hits, 1000*float64(t.hits)/float64(t.edits))
	}
	return nil
}

func closing(repo *gitext.Repo, err error) error {
	if closed := repo.Close(); err == nil {
		err = closed
	}
	return err
}

// oneFix is a small fix within one function.
type oneFix struct {
	commit        gitext.OID
	path          string
	before, after []byte
	function      source.Extent
	changed       int
	diff          string
}

// eachFix calls use with the small fixes of a history.
func eachFix(ctx context.Context, repo *gitext.Repo, ends []string, use func(oneFix)) error {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: head, NoMerges: true, Files: true, NoRenames: true, MaxFiles: 40}) {
		if err != nil {
			return err
		}
		if len(e.Parents) != 1 || !fixSubject.MatchString(e.Subject) {
			continue
		}
		var only []gitext.FileChange
		for _, f := range e.Files {
			if slices.Contains(ends, path.Ext(f.NewPath)) && !source.IsTestPath(f.NewPath) {
				only = append(only, f)
			}
		}
		if len(only) != 1 || only[0].Status != 'M' {
			continue
		}
		if f, ok, err := smallFix(ctx, repo, e, only[0].NewPath); err != nil {
			return err
		} else if ok {
			use(f)
		}
	}
	return nil
}

// smallFix reads a commit's change of a file; ok says that it is small, and within one function.
func smallFix(ctx context.Context, repo *gitext.Repo, e gitext.LogEntry, name string) (f oneFix, ok bool, err error) {
	patch, err := repo.Patch(ctx, e.Parents[0], e.OID, gitext.PatchOptions{Paths: []string{name}})
	if err != nil || len(patch.Files) != 1 || len(patch.Files[0].Hunks) == 0 || len(patch.Files[0].Hunks) > mostChanged {
		return f, false, err
	}
	f = oneFix{commit: e.OID, path: name}
	if f.before, err = repo.BlobAt(ctx, e.Parents[0], name, 1<<20); err != nil {
		return f, false, nil
	}
	if f.after, err = repo.BlobAt(ctx, e.OID, name, 1<<20); err != nil {
		return f, false, nil
	}
	lines := bytes.Split(f.before, []byte("\n"))
	for i, h := range patch.Files[0].Hunks {
		f.changed += max(h.OldLines, h.NewLines)
		around, inside := source.FunctionAround(name, lines, max(h.OldStart, 1))
		if !inside || i > 0 && around != f.function || h.OldStart+h.OldLines-1 > around.End {
			return f, false, nil
		}
		f.function = around
		for _, l := range h.Lines {
			f.diff += fmt.Sprintf("%c%s\n", l.Op, l.Text)
		}
	}
	return f, f.changed <= mostChanged && f.function.End-f.function.Start < mostLines, nil
}

// count adds the edits of the function, with those that follow from probes, to the tallies. It
// returns 1 if one of them is the fix.
func (f *oneFix) count(all map[mutate.Op]*tally) int {
	file, ok := mutate.Read(f.path, f.before)
	if !ok {
		return 0
	}
	fn, ok := file.Function(f.function, mutate.Clues{})
	if !ok {
		return 0
	}
	want, found := mutate.Normal(f.path, f.after), 0
	longer := dense(want) - dense(mutate.Normal(f.path, f.before)) // most edits have another length
	var add func(list []mutate.Edit)
	add = func(list []mutate.Edit) {
		for _, e := range list {
			t := all[e.Op]
			if t == nil {
				t = &tally{}
				all[e.Op] = t
			}
			t.edits++
			if dense(e.Text)-dense(string(f.before[e.Off:e.End])) == longer && mutate.Normal(f.path, e.Apply(f.before)) == want {
				t.hits++
				found = 1
			}
			if e.More != nil {
				add(e.More())
			}
		}
	}
	add(fn.Edits())
	return found
}

// dense returns the number of bytes of a text that are not white space.
func dense(s string) int {
	return len(s) - strings.Count(s, " ") - strings.Count(s, "\n") - strings.Count(s, "\t") - strings.Count(s, "\r")
}
