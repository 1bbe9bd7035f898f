// Command crash-train extracts what the ranking of crash files is fitted on. It is
// not installed.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/crash/locate"
	"git-agent/gitext"
)

type crashCase struct {
	ID          string   `json:"id"`
	Repo        string   `json:"repo"`
	CrashCommit string   `json:"crash_commit"`
	Report      string   `json:"report"`
	FixFiles    []string `json:"fix_files"`
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Ecosystem   string   `json:"ecosystem"`
	Intro       []string `json:"intro_commits"`
}

type row struct {
	crashCase
	Parsed  *crash.Report `json:"parsed"`
	Foreign [][]bool      `json:"foreign"`
	Err     string        `json:"err,omitempty"`
}

func main() {
	cases, repos := os.Args[1], os.Args[2]
	f, err := os.Open(cases)
	if err != nil {
		panic(err)
	}
	byRepo := map[string][]crashCase{}
	var order []string
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var c crashCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			panic(err)
		}
		if byRepo[c.Repo] == nil {
			order = append(order, c.Repo)
		}
		byRepo[c.Repo] = append(byRepo[c.Repo], c)
	}
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	work := make(chan string)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for name := range work {
				dir := filepath.Join(repos, strings.ReplaceAll(name, "/", "+"), "repo")
				if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
					dir = filepath.Join(dir, ".git")
				}
				for _, c := range byRepo[name] {
					r := extract(dir, c)
					mu.Lock()
					_ = out.Encode(r)
					mu.Unlock()
				}
			}
		})
	}
	for _, name := range order {
		work <- name
	}
	close(work)
	wg.Wait()
}

func extract(dir string, c crashCase) row {
	r := row{crashCase: c}
	ctx := context.Background()
	repo, err := gitext.Open(ctx, gitext.OpenOptions{Dir: dir})
	if err != nil {
		r.Err = err.Error()
		return r
	}
	defer repo.Close()
	r.Parsed, err = format.Read(strings.NewReader(c.Report))
	if err != nil {
		r.Err = err.Error()
		return r
	}
	if _, err := locate.Locate(ctx, repo, gitext.OID(c.CrashCommit), r.Parsed); err != nil {
		r.Err = fmt.Sprint(err)
	}
	for _, s := range r.Parsed.Stacks {
		var fs []bool
		for _, f := range s.Frames {
			fs = append(fs, locate.Foreign(f))
		}
		r.Foreign = append(r.Foreign, fs)
	}
	return r
}
