//go:build unix

package lineindex

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"git-agent/gitext"
)

// BenchmarkSearch compares searches of a whole history with those of git, in processor
// time including child processes: x-git is git's time divided by the time of the index.
// first lists 21 entries with their files, like git_log_search, all lists all entries.
//
//	go test ./agent/lineindex -run - -bench Search
//	GIT_AGENT_INDEX_REPO=<directory> GIT_AGENT_INDEX_DIR=<directory> \
//	    go test ./agent/lineindex -run - -bench Search -benchtime 20x -timeout 60m
//
// The first directory has the repository, the second one its index, which is built if it
// does not exist. Each iteration takes another text.
func BenchmarkSearch(b *testing.B) {
	dir, at := os.Getenv("GIT_AGENT_INDEX_REPO"), os.Getenv("GIT_AGENT_INDEX_DIR")
	if dir == "" {
		var h history
		h.make(b)
		dir = h.Dir
	}
	if at == "" {
		at = b.TempDir()
	}
	plain := benchRepo(b, dir, nil)
	if _, err := Build(b.Context(), at, plain, BuildOptions{}); err != nil {
		b.Fatal(err)
	}
	x, err := Open(b.Context(), at, plain)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	fast := benchRepo(b, dir, x)
	tip, err := plain.Resolve(b.Context(), "HEAD")
	if err != nil {
		b.Fatal(err)
	}
	n := &needler{r: rand.New(rand.NewPCG(1, 1)), lines: someLines(b, x, 1)}
	for _, c := range []struct {
		name  string
		regex bool
		opt   gitext.LogOptions
	}{
		{"S/first", false, gitext.LogOptions{Max: 21, Files: true}},
		{"S/all", false, gitext.LogOptions{}},
		{"G/first", true, gitext.LogOptions{Max: 21, Files: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var own []time.Duration
			var sum, git time.Duration
			for b.Loop() {
				opt := gitext.PickaxeOptions{LogOptions: c.opt, Needle: n.text()}
				opt.Tip = tip
				if c.regex {
					opt.Needle = n.expression()
				}
				took := search1(b, fast, opt, c.regex)
				own, sum = append(own, took), sum+took
				git += search1(b, plain, opt, c.regex)
			}
			slices.Sort(own)
			b.ReportMetric(float64(git)/float64(sum), "x-git")
			b.ReportMetric(milliseconds(own[len(own)/2]), "median-ms")
			b.ReportMetric(milliseconds(own[len(own)-1]), "worst-ms")
			b.ReportMetric(milliseconds(git)/float64(len(own)), "git-ms/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func benchRepo(b *testing.B, dir string, x *Index) *gitext.Repo {
	opt := gitext.OpenOptions{Dir: dir}
	if x != nil {
		opt.Index = func(context.Context, *gitext.Repo) gitext.ChangeIndex { return x }
	}
	repo, err := gitext.Open(b.Context(), opt)
	if err != nil {
		b.Fatal(err)
	}
	return repo
}

// search1 returns the processor time of one search.
func search1(b *testing.B, repo *gitext.Repo, opt gitext.PickaxeOptions, regex bool) time.Duration {
	log := (*gitext.Repo).LogS
	if regex {
		log = (*gitext.Repo).LogG
	}
	began := processorTime()
	for _, err := range log(repo, b.Context(), opt) {
		if err != nil {
			b.Fatal(err)
		}
	}
	return processorTime() - began
}

// processorTime returns the time of this process and of its children.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var use syscall.Rusage
		if syscall.Getrusage(who, &use) == nil {
			sum += time.Duration(use.Utime.Nano() + use.Stime.Nano())
		}
	}
	return sum
}
