package crashtrain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/eval"
	"git-agent/agent/source"
	"git-agent/cmd/train/heldout"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// These constants bound a case. A fix with more files rarely fixes only one crash, and a message
// with more lines is a change log.
const (
	mostFixFiles     = 8
	mostMessageLines = 1000
)

// A minedCase refers to a report in a commit message. It has no text of the repository except
// paths.
type minedCase struct {
	ID          string     `json:"id"`
	Repo        string     `json:"repo"`
	CrashCommit gitext.OID `json:"crash_commit"`
	Fix         gitext.OID `json:"fix"`
	ReportLines [2]int     `json:"report_lines"`
	FixFiles    []string   `json:"fix_files"`
	Type        string     `json:"type,omitempty"`
	Source      string     `json:"source"`
	Ecosystem   string     `json:"ecosystem"`
	Stack       string     `json:"stack"` // hash of the report's content, to recognize copies
}

// mine writes a case for every fix in the history of HEAD whose message has a crash report with
// at least one frame. A fix with copies in other branches or repositories is only one case.
func mine(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mine", flag.ContinueOnError)
	dir := flags.String("repos", ".", "the `folder` that holds the repositories")
	skip := flags.String("skip", "", "leave out the fixes and the reports of these case `files`, separated by commas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := heldout.RefuseNames("crash", flags.Args()); err != nil {
		return err
	}
	known, err := knownReports(*skip)
	if err != nil {
		return err
	}
	return material.WriteEach(ctx, flags.Args(), func(name string, out *json.Encoder) error {
		cases, err := mineRepo(ctx, *dir, name, known)
		for _, c := range cases {
			out.Encode(c)
		}
		fmt.Fprintf(os.Stderr, "%s: %d cases\n", name, len(cases))
		return err
	})
}

// knownReports returns the fixes and the stacks of case files.
func knownReports(files string) (map[string]bool, error) {
	known := map[string]bool{}
	if files == "" {
		return known, nil
	}
	cases, err := eval.ReadLines[minedCase](strings.Split(files, ",")...)
	for _, c := range cases {
		known[string(c.Fix)], known[c.Stack] = true, true
	}
	return known, err
}

// mineRepo returns the cases of one repository, newest first, and adds them to known.
func mineRepo(ctx context.Context, dir, name string, known map[string]bool) ([]minedCase, error) {
	repo, err := material.Open(ctx, dir, name)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	return mineHistory(ctx, repo, name, known)
}

// mineHistory returns the cases in the history of HEAD.
func mineHistory(ctx context.Context, repo *gitext.Repo, name string, known map[string]bool) ([]minedCase, error) {
	var cases []minedCase
	for fix, err := range material.History(ctx, repo) {
		if err != nil {
			return cases, err
		}
		c, ok, err := mineCommit(ctx, repo, fix, known)
		if err != nil {
			return cases, err
		}
		if ok {
			c.Repo, c.ID = name, name+"@"+fix.OID.Short()
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// mineCommit returns the case of a fix, and whether there is one.
func mineCommit(ctx context.Context, repo *gitext.Repo, fix gitext.Commit, known map[string]bool) (minedCase, bool, error) {
	if len(fix.Parents) != 1 || known[string(fix.OID)] || isUndone(fix) {
		return minedCase{}, false, nil
	}
	report, lines, ok := reportIn(fix.Message)
	if !ok {
		return minedCase{}, false, nil
	}
	c := minedCase{CrashCommit: fix.Parents[0], Fix: fix.OID, ReportLines: lines, Source: "message:mined",
		Ecosystem: ecosystemOf(report), Stack: hashOf(report)}
	if len(report.Problems) > 0 {
		c.Type = report.Problems[0].Kind
	}
	if known[c.Stack] {
		return c, false, nil
	}
	var err error
	if c.FixFiles, err = fixedFiles(ctx, repo, fix); err != nil || len(c.FixFiles) == 0 || len(c.FixFiles) > mostFixFiles {
		return c, false, err
	}
	known[c.Stack] = true
	return c, true, nil
}

// isUndone reports whether a commit undoes or restores another one, whose message it quotes.
func isUndone(c gitext.Commit) bool {
	subject := strings.ToLower(c.Subject())
	return strings.HasPrefix(subject, "revert") || strings.HasPrefix(subject, "reapply") || strings.Contains(c.Message, "This reverts commit")
}

// fixedFiles returns the source files of the parent that a fix changes, without tests and
// vendored code.
func fixedFiles(ctx context.Context, repo *gitext.Repo, fix gitext.Commit) ([]string, error) {
	changes, err := repo.Changes(ctx, fix.Parents[0], fix.OID, gitext.PatchOptions{})
	if gitext.Unreadable(err) {
		return nil, nil // objects are missing in this clone: no case
	}
	var files []string
	for _, f := range changes {
		if f.Status != 'A' && !f.Submodule && source.FileKindOf(f.OldPath) == source.SourceFile && !source.IsVendored(f.OldPath) {
			files = append(files, f.OldPath)
		}
	}
	return files, err
}

// heading matches a line that only announces a stack, such as "Traceback (most recent call
// last):".
var heading = source.Lazy(`(?i)\btraceback \(most recent|\bstack ?trace\b|\bback ?trace\b`)

// reportIn finds the report in a message: the fewest lines that give the same report as the whole
// message.
func reportIn(message string) (*crash.Report, [2]int, bool) {
	lines := strings.SplitAfter(message, "\n")
	report, err := format.Read(strings.NewReader(message))
	if err != nil || len(lines) > mostMessageLines || !hasFrame(report) || isSession(report) {
		return nil, [2]int{}, false
	}
	whole := hashOf(report)
	same := func(first, last int) bool {
		part, err := format.Read(strings.NewReader(strings.Join(lines[first-1:last], "")))
		return err == nil && hashOf(part) == whole
	}
	first, last := 1, len(lines)
	for last > first && same(first, last-1) {
		last--
	}
	for first < last && same(first+1, last) {
		first++
	}
	if first > 1 && heading().MatchString(lines[first-2]) && same(first-1, last) {
		first--
	}
	return report, [2]int{first, last}, true
}

// isSession reports whether all frames are in the input of an interpreter, such as <stdin>: the
// message shows how a language behaves, and no crash.
func isSession(report *crash.Report) bool {
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if !strings.HasPrefix(f.File, "<") {
				return false
			}
		}
	}
	return true
}

// hasFrame reports whether a report has a stack. A line that begins with the number of an
// issue looks like a frame, so a stack of a debugger has two frames with a place or an
// address.
func hasFrame(report *crash.Report) bool {
	least := 1
	if ecosystemOf(report) == native {
		least = 2
	}
	for _, s := range report.Stacks {
		sure := 0
		for _, f := range s.Frames {
			if !f.Assertion && (f.File != "" && f.Line > 0 || f.Module != "" || strings.Contains(f.Raw, "0x") || least == 1 && f.Function != "") {
				sure++
			}
		}
		if sure >= least {
			return true
		}
	}
	return false
}

// hashOf returns a hash of a report's content. It does not depend on line numbers in the report.
func hashOf(report *crash.Report) string {
	h := sha256.New()
	for _, p := range report.Problems {
		fmt.Fprintf(h, "%q %q %q\n", p.Kind, p.Message, p.Detail)
	}
	for _, s := range report.Stacks {
		fmt.Fprintf(h, "%q %q %q %d %d\n", s.Kind, s.Format, s.Thread, s.Problem, s.Omitted)
		for _, f := range s.Frames {
			fmt.Fprintf(h, "%q %q %d %q\n", f.Function, f.File, f.Line, f.Module)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// native is the ecosystem of all formats that are not in languages.
const native = "native"

// languages maps the formats of stacks to the names of groups in eval crash. All others are
// native.
var languages = map[string]string{"java": "java", "hs_err": "java", "python": "python", "pytest": "python", "go": "go", "go test": "go",
	"rust": "rust", "javascript": "javascript", "ruby": "ruby", "php": "php", "dotnet": "dotnet", "elixir": "elixir", "erlang": "elixir",
	"lua": "lua", "perl": "perl", "ocaml": "ocaml", "haskell": "haskell", "julia": "julia", "r": "r",
	"dart": "dart", "zig": "zig", "crystal": "crystal", "d": "d", "raku": "raku", "godot": "godot", "powershell": "powershell", "swift": "swift"}

// ecosystemOf returns the language of a report's main stack.
func ecosystemOf(report *crash.Report) string {
	if language := languages[report.Stacks[report.Main()].Format]; language != "" {
		return language
	}
	return native
}
