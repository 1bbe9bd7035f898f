// Package material reads what the trainers of all verbs work on, and writes what they make of it:
// repositories and their histories, cases and rows, and fitted models.
package material

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"

	"git-agent/agent/eval"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/train/heldout"
	"git-agent/gitext"
)

// Open opens the first of the named repositories that is in a folder.
func Open(ctx context.Context, folder string, names ...string) (*gitext.Repo, error) {
	return open(ctx, folder, names, nil)
}

// OpenIndexed also opens the index of changed lines, if the repository has one.
func OpenIndexed(ctx context.Context, folder string, names ...string) (*gitext.Repo, error) {
	data := store.New(os.Getenv, func(text string) { fmt.Fprintln(os.Stderr, text) }, "")
	return open(ctx, folder, names, data.Index)
}

func open(ctx context.Context, folder string, names []string, index func(context.Context, *gitext.Repo) gitext.ChangeIndex) (*gitext.Repo, error) {
	dir, ok := eval.Finder{Dir: folder}.Find(names...)
	if !ok {
		return nil, fmt.Errorf("no %s under %q", names[len(names)-1], folder)
	}
	return gitext.Open(ctx, gitext.OpenOptions{Dir: dir, Bloom: gitext.BloomBuild, Index: index})
}

// History returns the commits in the history of HEAD except merges, newest first.
func History(ctx context.Context, repo *gitext.Repo) iter.Seq2[gitext.Commit, error] {
	return func(yield func(gitext.Commit, error) bool) {
		oids, err := history(ctx, repo)
		if err != nil {
			yield(gitext.Commit{}, err)
			return
		}
		for part := range slices.Chunk(oids, 4096) { // bounds the memory for messages
			commits, err := repo.Commits(ctx, part)
			if err != nil {
				yield(gitext.Commit{}, err)
				return
			}
			for _, c := range commits {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

func history(ctx context.Context, repo *gitext.Repo) ([]gitext.OID, error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	var oids []gitext.OID
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: head, NoMerges: true}) {
		if err != nil {
			return nil, err
		}
		oids = append(oids, e.OID)
	}
	return oids, nil
}

// ReadTraining reads cases or rows to train or tune on. None may be of a repository that is held
// out for the verb.
func ReadTraining[T any](verb string, files []string, repo func(T) string) ([]T, error) {
	list, err := eval.ReadLines[T](files...)
	if err == nil && len(list) == 0 {
		err = errors.New("the files are empty")
	}
	if err != nil {
		return nil, err
	}
	return list, heldout.Refuse(verb, list, repo)
}

// EachRepo calls use with the rows of each repository, in the order of their names, and with all other
// rows, to which a model can be fitted that does not know the repository.
func EachRepo[T any](rows []T, repo func(T) string, use func(name string, own, others []T)) {
	own := map[string][]T{}
	for _, r := range rows {
		own[repo(r)] = append(own[repo(r)], r)
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		use(name, own[name], slices.DeleteFunc(slices.Clone(rows), func(r T) bool { return repo(r) == name }))
	}
}

// WriteEach has use write JSON to standard output for each item, such as the name of a repository.
// An error of one item is told, and the next one follows; use need not return errors of the output.
func WriteEach[T any](ctx context.Context, items []T, use func(item T, out *json.Encoder) error) error {
	buffer := bufio.NewWriter(os.Stdout) // keeps its first error for Flush
	out := json.NewEncoder(buffer)
	for _, item := range items {
		if err := use(item, out); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n", item, err)
		}
		if err := errors.Join(ctx.Err(), buffer.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// PrintModel prints a fitted model as the file that the program embeds.
func PrintModel(m any) error {
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "\t")
	return out.Encode(m)
}
