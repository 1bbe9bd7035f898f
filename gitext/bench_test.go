//go:build unix

package gitext

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The benchmarks run in the repository that GITEXT_BENCH names, and are
// skipped without it:
//
//	GITEXT_BENCH=/repos/linux.git go test ./gitext -run - -bench . -benchtime 3x
//
// Each measures a call of gitext and the plain git command. Benchmarks that a
// commit-graph may speed up run three times: without filters, with the shadow's
// filters, and with plain git in the unchanged repository.

func benchRepo(b *testing.B, mode BloomMode) (*Repo, OID) {
	b.Helper()
	dir := os.Getenv("GITEXT_BENCH")
	if dir == "" {
		b.Skip("GITEXT_BENCH names no repository")
	}
	data := os.Getenv("GITEXT_BENCH_DATA") // keeps the graph between runs
	if data == "" || mode != BloomBuild {
		data = b.TempDir()
	}
	r, err := Open(b.Context(), OpenOptions{Dir: dir, DataDir: data, Bloom: mode})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	tip, err := r.Resolve(b.Context(), "HEAD")
	if err != nil {
		b.Fatal(err)
	}
	return r, tip
}

// benchCommits are the newest n commits without merges.
func benchCommits(b *testing.B, r *Repo, tip OID, n int) []OID {
	b.Helper()
	var oids []OID
	for e, err := range r.Log(b.Context(), LogOptions{Tip: tip, Max: n, NoMerges: true}) {
		if err != nil {
			b.Fatal(err)
		}
		oids = append(oids, e.OID)
	}
	return oids
}

// plainGit runs the user's git, and reads and drops its output.
func plainGit(b *testing.B, dir, stdin string, args ...string) {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}

const benchPatches = 1000

func BenchmarkPatches(b *testing.B) {
	r, tip := benchRepo(b, BloomAuto)
	oids := benchCommits(b, r, tip, benchPatches)
	b.Run("git", func(b *testing.B) {
		var in strings.Builder
		for _, oid := range oids {
			in.WriteString(string(oid) + "\n")
		}
		countCPU(b)
		for b.Loop() {
			plainGit(b, r.gitDir, in.String(), "diff-tree", "--stdin", "-r", "-p", "--raw", "--root", "--full-index", "-M")
		}
	})
	b.Run("gitext", func(b *testing.B) {
		countCPU(b)
		for b.Loop() {
			for _, err := range r.Patches(b.Context(), oids, PatchOptions{Context: 3, Renames: true}) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func BenchmarkCommits(b *testing.B) {
	r, tip := benchRepo(b, BloomAuto)
	oids := benchCommits(b, r, tip, 5000)
	b.Run("git", func(b *testing.B) {
		var in strings.Builder
		for _, oid := range oids {
			in.WriteString(string(oid) + "\n")
		}
		countCPU(b)
		for b.Loop() {
			plainGit(b, r.gitDir, in.String(), "cat-file", "--batch", "--buffer")
		}
	})
	b.Run("gitext", func(b *testing.B) {
		countCPU(b)
		for b.Loop() {
			if _, err := r.Commits(b.Context(), oids); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchFile is a text file changed by recent commits.
func benchFile(b *testing.B, r *Repo, tip OID) string {
	b.Helper()
	if path := os.Getenv("GITEXT_BENCH_FILE"); path != "" {
		return path
	}
	for p, err := range r.Patches(b.Context(), benchCommits(b, r, tip, 50), PatchOptions{}) {
		if err != nil {
			continue
		}
		for _, f := range p.Files {
			if f.Status == 'M' && len(f.Hunks) > 0 {
				if _, err := r.BlobAt(b.Context(), tip, f.NewPath, 0); err == nil {
					return f.NewPath
				}
			}
		}
	}
	b.Skip("no changed file found")
	return ""
}

// BenchmarkHistory measures the savings by the Bloom filters in the shadow.
func BenchmarkHistory(b *testing.B) {
	plain, tip := benchRepo(b, BloomOff)
	path := benchFile(b, plain, tip)
	questions := map[string]struct {
		git []string
		ask func(*testing.B, *Repo)
	}{
		"blame": {
			git: []string{"blame", "-w", "--porcelain", string(tip), "--", path},
			ask: func(b *testing.B, r *Repo) {
				if _, err := r.Blame(b.Context(), tip, path, BlameOptions{IgnoreSpace: true}); err != nil {
					b.Fatal(err)
				}
			},
		},
		"blame-L": {
			git: []string{"blame", "-w", "--porcelain", "-L1,10", string(tip), "--", path},
			ask: func(b *testing.B, r *Repo) {
				if _, err := r.Blame(b.Context(), tip, path, BlameOptions{IgnoreSpace: true, Ranges: []LineRange{{1, 10}}}); err != nil {
					b.Fatal(err)
				}
			},
		},
		"log": {
			git: []string{"log", "--format=%H", string(tip), "--", path},
			ask: func(b *testing.B, r *Repo) {
				for _, err := range r.Log(b.Context(), LogOptions{Tip: tip, Paths: []string{path}}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			},
		},
		"log-S": {
			git: []string{"log", "--format=%H", "-Sreturn", string(tip), "--", path},
			ask: func(b *testing.B, r *Repo) {
				for _, err := range r.LogS(b.Context(), PickaxeOptions{Needle: "return", LogOptions: LogOptions{Tip: tip, Paths: []string{path}}}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			},
		},
		"log-L": {
			git: []string{"log", "--format=%H", "-s", "-L1,10:" + path, string(tip)},
			ask: func(b *testing.B, r *Repo) {
				for _, err := range r.LogL(b.Context(), LogLOptions{Tip: tip, Path: path, Start: 1, End: 10}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			},
		},
	}
	filters, _ := benchRepo(b, BloomBuild)
	for name, q := range questions {
		b.Run(name+"/git", func(b *testing.B) {
			countCPU(b)
			for b.Loop() {
				plainGit(b, plain.gitDir, "", q.git...)
			}
		})
		b.Run(name+"/shadow", func(b *testing.B) {
			countCPU(b)
			for b.Loop() {
				q.ask(b, plain)
			}
		})
		b.Run(name+"/bloom", func(b *testing.B) {
			countCPU(b)
			for b.Loop() {
				q.ask(b, filters)
			}
		})
	}
}

// BenchmarkOpen measures the cost of Open at each start of the program.
func BenchmarkOpen(b *testing.B) {
	r, _ := benchRepo(b, BloomAuto)
	b.Run("git", func(b *testing.B) {
		countCPU(b)
		for b.Loop() {
			plainGit(b, r.gitDir, "", "rev-parse", "--git-dir")
		}
	})
	data := b.TempDir()
	b.Run("gitext", func(b *testing.B) {
		countCPU(b)
		for b.Loop() {
			r, err := Open(b.Context(), OpenOptions{Dir: r.gitDir, DataDir: data})
			if err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
}
