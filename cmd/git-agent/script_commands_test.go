package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are additional commands for scripts, besides testscript's own.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"commit":  cmdCommit,
	"exits":   cmdExits,
	"masked":  cmdMasked,
	"fill":    cmdFill,
	"scatter": cmdScatter,
	"listing": cmdListing,
	"valid":   cmdValid,
}

// cmdCommit commits everything one hour after the last commit:
//
//	commit <message> [author=<name>] [date=<date>]
func cmdCommit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: commit <message> [author=<name>] [date=<date>]")
	}
	last, err := time.Parse(time.RFC3339, ts.Getenv("GIT_COMMITTER_DATE"))
	ts.Check(err)
	date, author := last.Add(time.Hour).Format(time.RFC3339), "Ada Author"
	for _, arg := range args[1:] {
		switch key, value, _ := strings.Cut(arg, "="); key {
		case "author":
			author = value
		case "date":
			date = value
		}
	}
	ts.Setenv("GIT_AUTHOR_NAME", author)
	ts.Setenv("GIT_AUTHOR_DATE", date)
	ts.Setenv("GIT_COMMITTER_DATE", date)
	ts.Check(ts.Exec("git", "add", "-A"))
	message := strings.ReplaceAll(args[0], `\n`, "\n")
	ts.Check(ts.Exec("git", "commit", "-q", "--no-verify", "--allow-empty", "--no-gpg-sign", "--cleanup=verbatim", "-m", message))
}

// cmdExits runs a program that must exit with a code:
//
//	exits <code> <program> <argument>...
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits <code> <program> <argument>...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s exits with %d, want %s", args[1], code, args[0])
	}
}

// cmdMasked writes the last standard output to a file with object ids replaced
// by the subjects of the commits that they name, so that one golden file
// serves SHA-1 and SHA-256:
//
//	masked <file>
func cmdMasked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: masked <file>")
	}
	text := ts.ReadFile("stdout")
	ts.Check(ts.Exec("git", "-c", "color.ui=false", "rev-list", "--all", "--reflog", "--format=%H %s"))
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		oid, subject, found := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !found || oid == "commit" {
			continue
		}
		name := "{" + subject + "}"
		text = strings.ReplaceAll(text, oid, name)
		text = strings.ReplaceAll(text, oid[:12], name)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// cmdFill writes a file of some size that compresses well:
//
//	fill <file> <mebibytes> <text>
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fill <file> <mebibytes> <text>")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	line := args[2] + "\n"
	block := bytes.Repeat([]byte(line), (1<<20)/len(line)+1)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	for range n {
		_, err := f.Write(block)
		ts.Check(err)
	}
	ts.Check(f.Close())
}

// cmdScatter writes many small files with the same text:
//
//	scatter <directory> <number> <text>
func cmdScatter(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: scatter <directory> <number> <text>")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	for i := range n {
		dir := filepath.Join(ts.MkAbs(args[0]), fmt.Sprint(i%100))
		ts.Check(os.MkdirAll(dir, 0o755))
		ts.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.c", i)), []byte(args[2]+"\n"), 0o644))
	}
}

// cmdListing writes the name, the kind, the size and the time of each file
// below the current directory to a file:
//
//	listing <file>
func cmdListing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listing <file>")
	}
	var b strings.Builder
	top := ts.MkAbs(".")
	ts.Check(filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintf(&b, "%s %v %d %v\n", strings.TrimPrefix(path, top), info.Mode(), info.Size(), info.ModTime())
		}
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}
