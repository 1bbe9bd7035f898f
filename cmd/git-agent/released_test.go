package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
)

// keep writes what the program stores now as that of a version, once, when it is released:
//
//	go test -ldflags '-X git-agent/cmd/git-agent/app.version=0.2.0' ./cmd/git-agent -run TestReleasedFiles -keep=0.2.0
var keep = flag.String("keep", "", "the version whose files TestReleasedFiles makes in testdata/released")

const releasedDir = "testdata/released"

// releasedBench is a repository with the same commits each time, and what a version made of it.
type releasedBench struct {
	*agentBench
	report, cases, files string // files are those of the version
}

// stored are the databases of a version, and whether each is below the state directory.
var stored = map[string]bool{"traces.db": true, "cache.db": false, "index.db": false}

func newReleasedBench(t *testing.T, version string) *releasedBench {
	t.Helper()
	files, err := filepath.Abs(filepath.Join(releasedDir, version))
	if err != nil {
		t.Fatal(err)
	}
	b, report := newCrashBench(t, "GIT_AUTHOR_DATE=2024-01-05T00:00:00Z", "GIT_COMMITTER_DATE=2024-01-05T00:00:00Z",
		"GIT_DEFAULT_HASH=sha1") // the files name commits
	b.shell(`mkdir -p clones/o && git clone -q --bare r clones/o/c`)
	return &releasedBench{b, report, filepath.Join(b.home, "clones"), files}
}

// folder returns the program's own folder of the repository, which a command has made.
func (b *releasedBench) folder(state bool) string {
	b.t.Helper()
	place := ".cache"
	if state {
		place = ".state"
	}
	found, err := filepath.Glob(filepath.Join(b.home, place, "git-agent", "r-*"))
	if err != nil || len(found) != 1 {
		b.t.Fatalf("folders %q, %v", found, err)
	}
	return found[0]
}

// record makes the files of a version with the present program.
func (b *releasedBench) record() {
	b.t.Helper()
	if _, err := os.Stat(b.files); err == nil {
		b.t.Fatalf("%s is there already; what a version wrote is never written again", b.files)
	}
	b.serve(looksFirst)
	b.run(app.ExitFound, "crash", b.report)
	b.serve(always(reports(b.bug)))
	b.run(app.ExitFound, "szz", b.innocent+"^")
	b.run(app.ExitFound, "index", "build")
	steps, _ := b.run(app.ExitFound, "trace", "export", "--format=steps")
	list, _ := b.run(app.ExitFound, "trace", "list", "--json")
	b.setenv("GIT_AGENT_MODEL", "")
	cases := `{"id":"a","repo":"o/c","fix":"` + b.git("rev-parse", "HEAD~1") + `","bics":["` + b.bug + `"],"of":"mine"}` + "\n"
	b.write("cases.jsonl", cases)
	b.write("steps.jsonl", steps)
	b.write("list.jsonl", list)
	b.run(app.ExitFound, "szz", "--journal="+filepath.Join(b.files, "szz.journal"), "HEAD~1")
	b.run(app.ExitFound, "eval", "szz", filepath.Join(b.files, "cases.jsonl"), "--repos="+b.cases, "--algorithm=rank,b", "--journal="+filepath.Join(b.files, "eval.journal"))
	b.write("eval.journal", strings.ReplaceAll(b.read("eval.journal"), filepath.Join(b.files, "cases.jsonl"), "cases.jsonl")) // no path of this machine
	for name, state := range stored {
		data, err := os.ReadFile(filepath.Join(b.folder(state), name))
		if err != nil {
			b.t.Fatal(err)
		}
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
		if _, err := w.Write(data); err != nil || w.Close() != nil {
			b.t.Fatal(err)
		}
		b.write(name+".gz", packed.String())
	}
}

func (b *releasedBench) write(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(b.files, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.files, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// read returns a file of the version.
func (b *releasedBench) read(name string) string {
	b.t.Helper()
	f, err := os.Open(filepath.Join(b.files, name))
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close() // it is only read
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			b.t.Fatal(err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// place puts the databases of the version where the program looks for its own.
func (b *releasedBench) place() {
	b.t.Helper()
	b.run(app.ExitFound, "szz", "--engine=offline", "HEAD~1") // makes the folder in the cache
	folder := filepath.Base(b.folder(false))
	for name, state := range stored {
		dir := filepath.Join(b.home, ".cache", "git-agent", folder)
		if state {
			dir = filepath.Join(b.home, ".state", "git-agent", folder)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.read(name+".gz")), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
}

// What each released version stored is read by this one: recorded runs, exported steps, journals,
// case files, caches and indexes.
func TestReleasedFiles(t *testing.T) {
	t.Parallel()
	if *keep != "" {
		newReleasedBench(t, *keep).record()
		return
	}
	versions, err := os.ReadDir(releasedDir)
	if err != nil || len(versions) == 0 {
		t.Fatalf("no version has files: %v", err)
	}
	for _, v := range versions {
		t.Run(v.Name(), func(t *testing.T) {
			b := newReleasedBench(t, v.Name())
			b.place()
			b.readsRuns()
			b.readsJournals()
			b.readsCaches()
		})
	}
}

// readsRuns lists, shows, exports and replays the runs of the version.
func (b *releasedBench) readsRuns() {
	b.t.Helper()
	list, _ := b.run(app.ExitFound, "trace", "list", "--json")
	b.keeps("trace list", list, b.read("list.jsonl"))
	for line := range strings.Lines(b.read("list.jsonl")) {
		var row render.TraceRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			b.t.Fatal(err)
		}
		b.run(app.ExitFound, "trace", "show", row.ID)
		for _, format := range []string{"steps", "atif", "otel"} {
			if out, _ := b.run(app.ExitFound, "trace", "export", "--format="+format, row.ID); out == "" {
				b.t.Errorf("%s of %s is empty", format, row.ID)
			}
		}
		// The texts of tools may change, and a replay then names the difference.
		if out, _ := b.answers("trace", "replay", row.ID); out == "" {
			b.t.Errorf("nothing is said of the replay of %s", row.ID)
		}
	}
	steps, _ := b.run(app.ExitFound, "trace", "export", "--format=steps")
	b.keeps("trace export", steps, b.read("steps.jsonl"))
	b.answers("trace", "replay", filepath.Join(b.files, "steps.jsonl"))
}

// answers runs a command that finds something or nothing, and does not fail.
func (b *releasedBench) answers(args ...string) (string, string) {
	b.t.Helper()
	code, out, errs := b.runAny("", args...)
	if code != app.ExitFound && code != app.ExitNothing {
		b.t.Errorf("git agent %v exits with %d\n%s%s", args, code, out, errs)
	}
	return out, errs
}

// keeps compares lines of JSON with those of the version: properties may have been added, and
// none is missing or has another value.
func (b *releasedBench) keeps(what, now, then string) {
	b.t.Helper()
	lines := strings.Split(strings.TrimSpace(now), "\n")
	for i, line := range strings.Split(strings.TrimSpace(then), "\n") {
		var was, is map[string]any
		if i >= len(lines) {
			b.t.Errorf("%s: line %d of the version is missing", what, i+1)
			return
		}
		if err := json.Unmarshal([]byte(line), &was); err != nil {
			b.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(lines[i]), &is); err != nil {
			b.t.Fatal(err)
		}
		for name, value := range was {
			if !reflect.DeepEqual(is[name], value) {
				b.t.Errorf("%s, line %d: %s is %v, and was %v", what, i+1, name, is[name], value)
			}
		}
	}
}

// readsJournals prints the answers and the report of the version's journals, and asks its cases.
func (b *releasedBench) readsJournals() {
	b.t.Helper()
	out, _ := b.run(app.ExitFound, "eval", "merge", filepath.Join(b.files, "szz.journal"))
	if !strings.Contains(out, b.bug) {
		b.t.Errorf("the journal of szz says %s", out)
	}
	out, _ = b.run(app.ExitFound, "eval", "merge", "--no-times", filepath.Join(b.files, "eval.journal"))
	again, _ := b.run(app.ExitFound, "eval", "szz", "--no-times", filepath.Join(b.files, "cases.jsonl"), "--repos="+b.cases, "--algorithm=rank,b")
	for _, text := range []string{out, again} {
		if !strings.Contains(text, "rank") || !strings.Contains(text, "1 case") && !strings.Contains(text, "cases") {
			b.t.Errorf("the report is %s", text)
		}
	}
}

// readsCaches finds the version's cache sound and answers with it and with its index as without.
func (b *releasedBench) readsCaches() {
	b.t.Helper()
	for name, what := range map[string]string{"cache verify": "cache.db", "index status": "commits"} {
		out, errs := b.answers(strings.Fields(name)...)
		if !strings.Contains(out, what) {
			b.t.Errorf("git agent %s says %s%s", name, out, errs)
		}
	}
	with, errs := b.run(app.ExitFound, "szz", "--engine=offline", "--format=%H", "HEAD~1")
	if err := os.RemoveAll(b.folder(false)); err != nil {
		b.t.Fatal(err)
	}
	without, _ := b.run(app.ExitFound, "szz", "--engine=offline", "--format=%H", "HEAD~1")
	if with != without || !strings.HasPrefix(with, b.bug+"\n") {
		b.t.Errorf("with the cache and the index of the version: %s%s, and without: %s", with, errs, without)
	}
}
