package execute

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// cargoRun begins each command of Rust: warnings are no errors, and there is no debug
// information.
const cargoRun = "RUSTFLAGS=--cap-lints=warn CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0 cargo "

// forRust runs the tests of the crate that has the first test of the fix: its integration
// tests in tests/, and the test modules inside of its source files.
func (s *suite) forRust(ctx context.Context) error {
	crate, err := s.above(ctx, s.fix.commit.OID, s.fix.tests[0], "Cargo.toml")
	if err != nil {
		return err
	}
	s.module = crate
	targets := ""
	for _, p := range s.fix.tests {
		rel := strings.TrimPrefix(p, crate+"/")
		switch name, ok := strings.CutSuffix(rel, ".rs"); {
		case crate != "." && rel == p || !ok:
		case path.Dir(rel) == "tests":
			targets += " --test " + quote.Shell(path.Base(name))
		case strings.HasPrefix(rel, "src/") && !strings.Contains(targets, " --lib") && !strings.Contains(targets, " --bins"):
			targets += s.libraryOrPrograms(ctx)
		}
	}
	if targets == "" { // only data of the tests changes
		targets = " --tests"
	}
	if err := s.readTestModules(ctx); err != nil {
		return err
	}
	if targets, err = s.withFeatures(ctx, targets); err != nil {
		return err
	}
	s.command = s.inModule() + cargoRun + "test --offline --no-fail-fast" + targets
	s.control = s.inModule() + cargoRun + "build --offline" + s.libraryOrPrograms(ctx)
	return nil
}

// withFeatures adds to the targets of cargo the features that their tests require at the fix.
func (s *suite) withFeatures(ctx context.Context, targets string) (string, error) {
	text, err := s.repo.BlobAt(ctx, s.fix.commit.OID, path.Join(s.module, "Cargo.toml"), 1<<20)
	if err != nil {
		return targets, tolerable(err)
	}
	var needed []string
	for _, table := range testTable().FindAllSubmatch(text, -1) {
		name, features := targetName().FindSubmatch(table[1]), requiredFeatures().FindSubmatch(table[1])
		if name == nil || features == nil || !strings.Contains(targets+" ", " --test "+quote.Shell(string(name[1]))+" ") {
			continue
		}
		for _, f := range quotedName().FindAllSubmatch(features[1], -1) {
			if !slices.Contains(needed, string(f[1])) {
				needed = append(needed, string(f[1]))
			}
		}
	}
	if len(needed) > 0 {
		targets += " --features " + quote.Shell(strings.Join(needed, ","))
	}
	return targets, nil
}

// These patterns read the tables of a manifest of Rust that describe test programs.
var (
	testTable        = source.Lazy(`(?m)^\[\[test\]\]\s*\n((?:[^\[\n][^\n]*\n?|\n)*)`)
	targetName       = source.Lazy(`(?m)^\s*name\s*=\s*"([^"]+)"`)
	requiredFeatures = source.Lazy(`(?m)^\s*required-features\s*=\s*\[([^\]]*)\]`)
	quotedName       = source.Lazy(`"([^"]+)"`)
)

// libraryOrPrograms selects the target with the code of a crate.
func (s *suite) libraryOrPrograms(ctx context.Context) string {
	entries, err := s.repo.Tree(ctx, s.fix.commit.OID, path.Join(s.module, "src/lib.rs"))
	if err == nil && len(entries) == 0 {
		return " --bins"
	}
	return " --lib"
}

// findInline adds to the tests of a fix the Rust source files with changed test modules.
func (f *candidateFix) findInline(ctx context.Context, repo *gitext.Repo) error {
	for _, c := range f.changes {
		if c.Submodule || c.Status == 'D' || path.Ext(c.NewPath) != ".rs" || source.FileKindOf(c.NewPath) != source.SourceFile {
			continue
		}
		after, err := testModuleAt(ctx, repo, c.NewOID)
		if err != nil {
			return err
		}
		var before []byte
		if c.Status != 'A' {
			if before, err = testModuleAt(ctx, repo, c.OldOID); err != nil {
				return err
			}
		}
		if !bytes.Equal(before, after) {
			f.tests = append(f.tests, c.NewPath)
		}
	}
	slices.Sort(f.tests)
	return nil
}

// testModuleAt returns the test module of a blob, nil if it has none or is too large.
func testModuleAt(ctx context.Context, repo *gitext.Repo, blob gitext.OID) ([]byte, error) {
	text, err := repo.Blob(ctx, blob, 1<<20)
	if err != nil {
		return nil, tolerable(err)
	}
	start, end, ok := testModuleOf(text)
	if !ok {
		return nil, nil
	}
	return text[start:end], nil
}

// readTestModules reads the test modules of the fix.
func (s *suite) readTestModules(ctx context.Context) error {
	s.modules = map[string][]byte{}
	for _, c := range s.fix.changes {
		if !slices.Contains(s.fix.tests, c.NewPath) || source.IsTestPath(c.NewPath) {
			continue
		}
		module, err := testModuleAt(ctx, s.repo, c.NewOID)
		if err != nil {
			return err
		}
		if module != nil {
			s.modules[c.NewPath] = module
		}
	}
	return nil
}

// overTestModules puts the test modules of the fix into the source files of a commit.
func (s *suite) overTestModules(ctx context.Context, commit gitext.OID) ([]gitext.Overlay, error) {
	var over []gitext.Overlay
	for p, module := range s.modules {
		text, err := s.repo.BlobAt(ctx, commit, p, 1<<20)
		if err != nil {
			if err = tolerable(err); err != nil {
				return nil, err
			}
			continue // the tests do not exist, so they cannot be judged
		}
		over = append(over, gitext.Overlay{Path: p, Mode: 0o100644, Content: withTestModule(text, module)})
	}
	return over, nil
}

// cargoFiles removes the benchmarks, which take a minute to compile, from the crate's manifest at
// a commit. It also removes the lock, so that cargo uses the versions on the machine.
func (s *suite) cargoFiles(ctx context.Context, commit gitext.OID) ([]gitext.Overlay, error) {
	over := []gitext.Overlay{{Path: "Cargo.lock"}}
	manifest := path.Join(s.module, "Cargo.toml")
	text, err := s.repo.BlobAt(ctx, commit, manifest, 1<<20)
	if err != nil {
		return over, tolerable(err)
	}
	return append(over, gitext.Overlay{Path: manifest, Mode: 0o100644, Content: withoutBenchmarks(text)}), nil
}

var (
	tableHead      = source.Lazy(`^\s*\[`)
	benchmarkTable = source.Lazy(`^\s*(?:\[\[bench\]\]|\[dev-dependencies\.criterion\])`)
	benchmarkLine  = source.Lazy(`^\s*criterion(?:\.\w+)?\s*=`)
)

// withoutBenchmarks removes the benchmarks and their crate from a manifest.
func withoutBenchmarks(manifest []byte) []byte {
	var out []byte
	skip := false
	for line := range bytes.Lines(manifest) {
		if tableHead().Match(line) {
			skip = benchmarkTable().Match(line)
		}
		if !skip && !benchmarkLine().Match(line) {
			out = append(out, line...)
		}
	}
	return out
}

// narrowRust removes the other tests from the test files and the test modules.
func (s *suite) narrowRust(tests []string) bool {
	var names []string
	for _, t := range tests {
		names = append(names, t[strings.LastIndexByte(t, ':')+1:])
	}
	whole := s.modules
	s.modules = map[string][]byte{} // the original of this copied suite keeps its own modules
	for p, module := range whole {
		s.modules[p] = reduced(module, testForms["Rust"], names)
	}
	head, _, _ := strings.Cut(s.command, " -- ")
	s.command = head + " -- --exact"
	for _, t := range tests {
		s.command += " " + quote.Shell(t)
	}
	return s.reduceFiles(names)
}

// tolerable drops the error of a missing or too large blob.
func tolerable(err error) error {
	if errors.Is(err, gitext.ErrNotExist) || errors.As(err, new(*gitext.TooLargeError)) {
		return nil
	}
	return err
}
