package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// The first build of a Cargo project compiles the crates of registries that it needs, too, and a
// proof builds several times from nothing. So these crates are compiled once, from a skeleton of
// the project: its manifests and lock files, with an empty program in place of each source file.
// No code of the work tree runs, neither a build script nor a macro, and its configuration of Cargo
// does not count. What Cargo made of the empty programs is removed. The name of the result is a
// hash of all that the skeleton holds, so no other branch can have put something else there. Each
// workspace gets copies.

const (
	// crateOutput is Cargo's directory for output among the caches of a workspace.
	crateOutput = "cargo-target"
	// cratesComplete is a file beside crates of a build that was not ended early.
	cratesComplete = "git-agent-complete"
	maxManifest    = 1 << 20 // bytes
)

// emptyProgram is a valid library, program, build script and test.
const emptyProgram = "#![allow(warnings)]\npub fn main() {}\n"

// cratesTest is a test of each package of a skeleton: Cargo compiles what tests need only for one.
const cratesTest = "tests/zz_git_agent.rs"

// A CrateBuild says what is built.
type CrateBuild struct {
	Command string // it must only build, with Cargo
	// Chosen says that only the integration tests in Tests will run later, by their names.
	Chosen bool
	Tests  []string
}

// runs reports whether the code of a path may be part of a test that runs.
func (b *CrateBuild) runs(p string) bool {
	dir, base := path.Split(p)
	return !b.Chosen || path.Base(dir) != "tests" || slices.Contains(b.Tests, strings.TrimSuffix(base, ".rs"))
}

// CompileCrates compiles the crates that the work tree needs, within a time limit, and keeps them
// with Options.Compiled. The work tree must be that of the last Prepare, with the same arguments.
// This workspace and all with the result as Options.Crates
// show the crates to their commands. The result is "" if there are no such crates, or none can be
// compiled alone, or if a test looks for Cargo's output at its usual place: one of those that build
// names, if it does. The caches of the workspace are emptied. Only the compiler of the crates reads
// Options.CratesOnly, so the other commands have what these crates were compiled to.
func (w *Workspace) CompileCrates(
	ctx context.Context, commit gitext.OID, over []gitext.Overlay, build CrateBuild, limit time.Duration,
) (string, error) {
	if w.crates == nil {
		return "", nil
	}
	w.opt.Crates = ""
	files, err := w.skeleton(ctx, commit, over, build)
	if err != nil || !needsCrates(files) {
		return "", err
	}
	if err := w.emptyCache(); err != nil {
		return "", err
	}
	b := crateBuild{w: w, end: time.Now().Add(limit)}
	for name, dir := range map[string]*string{"skeleton": &b.dir, "crates": &b.output} {
		if *dir, err = w.scratch.Dir(name); err != nil {
			return "", err
		}
		defer sandbox.RemoveAll(*dir)
	}
	if err := layFiles(b.dir, files); err != nil {
		return "", fmt.Errorf("copy the manifests: %w", err)
	}
	name, err := b.compile(ctx, files, build.Command)
	if err != nil {
		return "", err
	}
	w.opt.Crates = name
	return name, w.emptyCache()
}

var (
	cargoConfig = source.Lazy(`(^|/)\.cargo/config(\.toml)?$`)
	// otherCrates matches a configuration of Cargo with which it would compile the crates again: it
	// changes how, for which platform or from which sources.
	otherCrates = source.Lazy(`rustflags|\btarget\b|\[(source|patch|profile|unstable|env)\b`)
)

// usualOutput matches the usual place of Cargo's output in a test.
var usualOutput = source.Lazy(`"target"|\btarget/(debug|release)\b`)

// looksForOutput reports whether a test looks for programs at the usual place of Cargo's output, as
// tests of commands did before Cargo named the programs to them.
func looksForOutput(tree *os.Root, name string) bool {
	text, ok := readManifest(tree, name)
	return ok && usualOutput().Match(text)
}

// skeleton returns the files of a skeleton by their paths; none if the configuration of Cargo in the
// tree has an influence on crates, or a test that runs looks for Cargo's output at its usual place.
func (w *Workspace) skeleton(ctx context.Context, commit gitext.OID, over []gitext.Overlay, build CrateBuild) (map[string][]byte, error) {
	paths, err := w.Paths(ctx, commit, over)
	if err != nil {
		return nil, err
	}
	tree, err := os.OpenRoot(w.tree)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	for _, l := range w.opt.Locks {
		paths = append(paths, l.Path)
	}
	files, sources := map[string][]byte{}, []string{}
	for _, p := range paths {
		switch base := path.Base(p); {
		case cargoConfig().MatchString(p):
			if text, ok := readManifest(tree, p); !ok || otherCrates().Match(text) {
				return nil, nil
			}
		case base == "Cargo.toml" || base == "Cargo.lock" || base == "rust-toolchain" || base == "rust-toolchain.toml":
			if text, ok := readManifest(tree, p); ok {
				files[p] = text
			}
		case path.Ext(p) == ".rs" && source.IsTestPath(p) && build.runs(p) && looksForOutput(tree, p):
			return nil, nil
		case path.Ext(p) == ".rs":
			sources = append(sources, p)
		}
	}
	addPrograms(files, sources)
	return files, nil
}

// readManifest reads a regular file. A file that names a toolchain by its path does not count,
// because the path may lead into the work tree.
func readManifest(tree *os.Root, name string) ([]byte, bool) {
	info, err := tree.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxManifest {
		return nil, false
	}
	text, err := tree.ReadFile(filepath.FromSlash(name))
	return text, err == nil && !(strings.HasPrefix(path.Base(name), "rust-toolchain") && bytes.Contains(text, []byte("path")))
}

// addPrograms adds empty programs: those that Cargo finds by their places, or by a manifest that
// lists some of this kind. Tests, examples and benchmarks are left out otherwise, because each
// costs a link.
func addPrograms(files map[string][]byte, sources []string) {
	listed := map[string]bool{}
	for name, text := range files {
		if path.Base(name) != "Cargo.toml" {
			continue
		}
		for dir, table := range map[string]string{"tests": "[[test]]", "examples": "[[example]]", "benches": "[[bench]]"} {
			listed[dir] = listed[dir] || bytes.Contains(text, []byte(table))
		}
		if bytes.Contains(text, []byte("[package]")) {
			sources = append(sources, path.Join(path.Dir(name), cratesTest))
			listed[cratesTest] = true
		}
	}
	for _, p := range sources {
		parts := strings.Split(path.Dir(p), "/")
		left := slices.ContainsFunc(parts, func(part string) bool {
			return (part == "tests" || part == "examples" || part == "benches") && !listed[part]
		})
		if !left || strings.HasSuffix(p, cratesTest) {
			files[p] = []byte(emptyProgram)
		}
	}
}

// needsCrates reports whether files are of a Cargo project, and its lock file, if it has one, names
// crates from elsewhere.
func needsCrates(files map[string][]byte) bool {
	manifest, locked, crates := false, false, false
	for name, text := range files {
		manifest = manifest || path.Base(name) == "Cargo.toml"
		locked = locked || path.Base(name) == "Cargo.lock"
		crates = crates || path.Base(name) == "Cargo.lock" && bytes.Contains(text, []byte("\nsource = "))
	}
	return manifest && (crates || !locked)
}

// layFiles writes files below a directory.
func layFiles(dir string, files map[string][]byte) error {
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(p, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A crateBuild is the build of a skeleton in a directory.
type crateBuild struct {
	w           *Workspace
	dir, output string
	end         time.Time
}

// compile builds the skeleton, unless that was done before, and returns the name of the result.
func (b *crateBuild) compile(ctx context.Context, files map[string][]byte, command string) (string, error) {
	res, err := b.run(ctx, "rustc -vV")
	if err != nil || res.Exit != 0 {
		return "", err
	}
	name := crateKey(files, command, os.Getenv("RUSTFLAGS"), string(res.Output))
	err = b.w.crates.Take(name, b.output)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(filepath.Join(b.output, cratesComplete)); err == nil {
		return name, nil
	}
	res, err = b.run(ctx, command)
	if err != nil {
		return "", err
	}
	kept, err := b.prune()
	if err != nil || kept == 0 {
		return "", err
	}
	if !res.TimedOut && !res.Full {
		if err := os.WriteFile(filepath.Join(b.output, cratesComplete), nil, 0o600); err != nil {
			return "", err
		}
	}
	return name, b.w.crates.Put(name, b.output)
}

// run runs a command in the skeleton. It does not see the work tree.
func (b *crateBuild) run(ctx context.Context, command string) (Result, error) {
	w := b.w
	if err := w.emptyTemp(); err != nil {
		return Result{}, err
	}
	limit := time.Until(b.end)
	if limit <= 0 {
		return Result{Outcome: Unknown, TimedOut: true, Exit: -1}, nil
	}
	set := slices.Concat(w.installed(nil), []string{"TMPDIR=" + w.temp, "CARGO_TARGET_DIR=" + b.output}, w.offline())
	res, err := sandbox.Run(ctx, sandbox.Spec{
		Dir: b.dir, Command: command, Timeout: limit, Env: w.opt.Env, Set: set,
		Memory: w.opt.Memory, Disk: w.disk, Sandbox: w.level, Network: w.opt.Network, Writable: []string{w.temp, b.output},
		Readable: slices.Concat(w.opt.Readable, w.opt.Setup.readable()), Hidden: w.opt.Hidden, Cache: w.cache, Home: w.home,
	})
	return Result{Output: res.Output, Exit: res.Exit, TimedOut: res.TimedOut, Full: res.Full != ""}, err
}

// crateKey returns the name of the crates of a skeleton. Of the source files, those count that
// decide what a package needs.
func crateKey(files map[string][]byte, more ...string) string {
	var names []string
	for name := range files {
		if path.Ext(name) != ".rs" || slices.Contains([]string{"build.rs", "lib.rs", "main.rs"}, path.Base(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%q %q\n", name, files[name])
	}
	fmt.Fprintf(h, "%q\n", more)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// prune removes what was not made of a crate from elsewhere, and returns the number of what
// remains.
func (b *crateBuild) prune() (kept int, err error) {
	crates, own, err := b.lockedCrates()
	if err != nil {
		return 0, err
	}
	err = filepath.WalkDir(b.output, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // just removed
		}
		if err != nil || !d.IsDir() || d.Name() != fingerprints {
			return err
		}
		n, err := b.pruneProfile(filepath.Dir(p), crates, own)
		kept += n
		if err == nil {
			err = fs.SkipDir
		}
		return err
	})
	return kept, err
}

// fingerprints is the directory in which Cargo notes, in an entry for each crate, what is built.
const fingerprints = ".fingerprint"

// pruneProfile is prune for the directory of one profile.
func (b *crateBuild) pruneProfile(dir string, crates, own map[string]bool) (kept int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if !slices.Contains([]string{fingerprints, "deps", "build"}, e.Name()) {
			if err := sandbox.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return 0, err
			}
		}
	}
	gone := map[string]bool{}
	entries, err = os.ReadDir(filepath.Join(dir, fingerprints))
	for _, e := range entries {
		name, id := cutLast(e.Name())
		if crates[name] && (!own[name] || b.isElsewhere(dir, name, id)) {
			kept++
			continue
		}
		gone[id] = true
		if err := sandbox.RemoveAll(filepath.Join(dir, fingerprints, e.Name())); err != nil {
			return 0, err
		}
	}
	for _, sub := range []string{"deps", "build"} {
		files, _ := os.ReadDir(filepath.Join(dir, sub)) // without its entry in fingerprints, a file is not used
		for _, f := range files {
			stem, _, _ := strings.Cut(f.Name(), ".")
			if _, id := cutLast(stem); gone[id] {
				sandbox.RemoveAll(filepath.Join(dir, sub, f.Name()))
			}
		}
	}
	return kept, err
}

// cutLast cuts a text at its last hyphen.
func cutLast(s string) (before, after string) {
	i := strings.LastIndexByte(s, '-')
	return s[:max(i, 0)], s[i+1:]
}

// isElsewhere reports whether something was made of a crate from elsewhere, although the project
// has a crate of the same name, such as an earlier release of itself that another crate needs. The
// compiler names the sources. What a build script said is of such a crate if it says when it must
// run again, as the empty programs say nothing.
func (b *crateBuild) isElsewhere(profile, name, id string) bool {
	for _, pattern := range []string{"deps/*-" + id + ".d", "build/" + name + "-" + id + "/*.d"} {
		found, _ := filepath.Glob(filepath.Join(profile, pattern)) // without special characters
		for _, p := range found {
			text, err := os.ReadFile(p)
			_, sources, _ := bytes.Cut(text, []byte(": "))
			below, _, _ := bytes.Cut(sources, []byte(" "))
			return err == nil && filepath.IsAbs(string(below)) && !strings.HasPrefix(string(below), b.dir+string(filepath.Separator))
		}
	}
	runs, _ := filepath.Glob(filepath.Join(profile, fingerprints, name+"-"+id, "run-build-script-*.json"))
	for _, p := range runs {
		text, err := os.ReadFile(p)
		return err == nil && bytes.Contains(text, []byte(`"RerunIf`))
	}
	return false
}

// lockedCrates returns the names of the crates that are from elsewhere by the lock files of the
// skeleton, which Cargo has read or made, and the names of the project's own.
func (b *crateBuild) lockedCrates() (crates, own map[string]bool, err error) {
	crates, own = map[string]bool{}, map[string]bool{}
	err = filepath.WalkDir(b.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "Cargo.lock" || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxLock))
		readCrates(text, crates, own)
		return err
	})
	return crates, own, err
}

// readCrates reads the packages of a lock file: crates have a source, the project's own have none.
func readCrates(lock []byte, crates, own map[string]bool) {
	for _, p := range strings.Split("\n"+string(lock), "\n[") {
		name, source := "", false
		for l := range strings.Lines(p) {
			l = strings.TrimSpace(l)
			if value, ok := strings.CutPrefix(l, `name = "`); ok {
				name = strings.TrimSuffix(value, `"`)
			}
			source = source || strings.HasPrefix(l, `source = "`)
		}
		if source {
			crates[name] = true
		} else {
			own[name] = true
		}
	}
}
