//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"git-agent/cmd/git-agent/app"
)

// BenchmarkSzz compares the processor time of an answer with that of its git commands: x-git is
// the total time, including the start of the program, divided by git's share.
//
//	go test ./cmd/git-agent -run - -bench Szz
//	GIT_AGENT_BENCH_REPO=<directory> go test ./cmd/git-agent -run - -bench Szz -benchtime 20x
//
// Each iteration takes another fix: the newest commits with a fix in their subject.
func BenchmarkSzz(b *testing.B) {
	dir := os.Getenv("GIT_AGENT_BENCH_REPO")
	if dir == "" {
		dir = top
	}
	b.Chdir(dir)
	list, err := exec.Command("git", "log", "--no-merges", "-i", "--grep=fix", "--format=%H", "-n", "200", "HEAD").Output()
	fixes := strings.Fields(string(list))
	if err != nil || len(fixes) == 0 {
		b.Skipf("no fixes in %s: %v", dir, err)
	}
	for _, algorithm := range []string{"b", "rank"} {
		b.Run(algorithm, func(b *testing.B) {
			own, git := cpuTime(syscall.RUSAGE_SELF), cpuTime(syscall.RUSAGE_CHILDREN)
			for i := 0; b.Loop(); i++ {
				args := []string{"szz", "--no-cache", "--json", "--algorithm=" + algorithm, fixes[i%len(fixes)]}
				if code := run(b.Context(), os.LookupEnv, nil, io.Discard, io.Discard, args); code > app.ExitNothing {
					b.Fatalf("%v exits with %d", args, code)
				}
			}
			own, git = cpuTime(syscall.RUSAGE_SELF)-own, cpuTime(syscall.RUSAGE_CHILDREN)-git
			n := time.Duration(b.N)
			own += n * startTime(b)
			b.ReportMetric(float64(own+git)/float64(git), "x-git")
			b.ReportMetric(float64((git/n).Microseconds())/1000, "git-cpu-ms/op")
			b.ReportMetric(float64((own/n).Microseconds())/1000, "own-cpu-ms/op")
		})
	}
}

// BenchmarkStart measures the processor time of `git agent version`, also as a multiple
// of that of `git version` in the same runs. It starts a built program, because the
// program of the tests contains more:
//
//	go build -o /path/of/git-agent ./cmd/git-agent
//	GIT_AGENT_BENCH_PROGRAM=/path/of/git-agent go test ./cmd/git-agent -run - -bench Start -benchtime 50x
func BenchmarkStart(b *testing.B) {
	program := os.Getenv("GIT_AGENT_BENCH_PROGRAM")
	if program == "" {
		b.Skip("GIT_AGENT_BENCH_PROGRAM is not set")
	}
	var own, git time.Duration
	for b.Loop() {
		own += timeOf(b, program, "version")
		git += timeOf(b, "git", "version")
	}
	b.ReportMetric(float64(own.Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(own)/float64(max(git, 1)), "x-git")
}

// timeOf is the processor time of one command.
func timeOf(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(name, args...)
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// startTime is the processor time of a start that does nothing.
func startTime(b *testing.B) time.Duration {
	b.Helper()
	const starts = 10
	var total time.Duration
	for range starts {
		cmd := exec.Command(os.Args[0])
		cmd.Args = []string{"git-agent", "--version"}
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		total += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return total / starts
}

func cpuTime(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
