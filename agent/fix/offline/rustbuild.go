package offline

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"git-agent/agent/fix/generate/mutate"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// rustBuild builds many candidates for Rust as one program: a function with variants chooses its
// body by an environment variable. Cargo starts the test binaries through a script, which runs
// each once for each candidate.
type rustBuild struct{}

// cargoTest matches commands by which Cargo runs tests.
var cargoTest = source.Lazy(`(^|[\s;&|(/])cargo (\+[\w.-]+ )?(test|t|nextest)\b`)

func (rustBuild) takes(s *search, file string) bool {
	return path.Ext(file) == ".rs" && cargoTest().MatchString(s.in.Problem.Test)
}

// Files of one folder are mostly of one crate.
func (rustBuild) group(file string) string {
	if i := strings.LastIndex(file, "src/"); i >= 0 {
		return file[:i]
	}
	return path.Dir(file)
}

func (rustBuild) leads() bool             { return false }
func (rustBuild) suites() bool            { return false }
func (rustBuild) name(test string) string { return test }

func (b rustBuild) run(ctx context.Context, s *screen, variants map[int]variant) (map[int][]screened, map[int]bool, error) {
	return s.build(ctx, b, variants)
}

// rustPlace matches the place of a compiler error.
var rustPlace = source.Lazy(`(?m)^error.*\n(?:.*\n){0,2}?\s*--> ([^\s:]+\.rs):(\d+):\d+`)

func (rustBuild) errors(output []byte) [][][]byte { return rustPlace().FindAllSubmatch(output, -1) }

// combine puts the changed bodies beside the original ones. A candidate that changes more than one
// body, or one that the compiler may run, is rejected.
func (rustBuild) combine(original func(string) ([]byte, bool), variants map[int]variant) (p *variantProgram, rejected []int) {
	p = &variantProgram{Files: map[string][]byte{}, at: map[string][]span{}}
	files := map[string]*rustFile{}
	for n := range maxNumber(variants) + 1 {
		v, ok := variants[n]
		if !ok {
			continue
		}
		f := files[v.Path]
		if f == nil {
			content, _ := original(v.Path)
			f = &rustFile{content: content, bodies: mutate.RustBodies(content), chosen: map[int][]choice{}}
			files[v.Path] = f
		}
		if !f.add(n, v.Content) {
			rejected = append(rejected, n)
		}
	}
	for name, f := range files {
		if len(f.chosen) > 0 {
			p.Files[name], p.at[name] = f.combined()
		}
	}
	return p, rejected
}

// A rustFile is a file with variants of its functions' bodies.
type rustFile struct {
	content []byte
	bodies  []mutate.RustBody
	chosen  map[int][]choice // by the index of the body
}

// add adds a variant if it changes one body. Of nested functions, only one can have variants.
func (f *rustFile) add(number int, content []byte) bool {
	from, end := source.CommonEnds(f.content, content)
	to := len(f.content) - end
	inner := -1
	for i, b := range f.bodies {
		if b.Start < from && to < b.End {
			inner = i
		}
	}
	if inner < 0 || f.bodies[inner].Fixed {
		return false
	}
	b := f.bodies[inner]
	for i := range f.chosen {
		if other := f.bodies[i]; i != inner && other.Start < b.End && b.Start < other.End {
			return false
		}
	}
	text := content[b.Start : len(content)-(len(f.content)-b.End)]
	f.chosen[inner] = append(f.chosen[inner], choice{number, string(text)})
	return true
}

// rustChooser is the number of the variant to run. It is read once for each function.
const rustChooser = `{ static ZZ: ::std::sync::OnceLock<u32> = ::std::sync::OnceLock::new(); *ZZ.get_or_init(|| ` +
	`::std::env::var("` + variantVariable + `").ok().and_then(|v| v.parse().ok()).unwrap_or(0)) }`

// combined returns the file with all variants, and their lines. The original body stays at its
// line.
func (f *rustFile) combined() ([]byte, []span) {
	var out bytes.Buffer
	var spans []span
	at := 0
	for i, b := range f.bodies {
		choices := f.chosen[i]
		if len(choices) == 0 {
			continue
		}
		var numbers []string
		for _, c := range choices {
			numbers = append(numbers, strconv.Itoa(c.number))
		}
		out.Write(f.content[at:b.Start])
		fmt.Fprintf(&out, "{ match %s { zz if ![%s].contains(&zz) => ", rustChooser, strings.Join(numbers, ", "))
		out.Write(f.content[b.Start:b.End])
		for k, c := range choices {
			pattern := strconv.Itoa(c.number)
			if k == len(choices)-1 {
				pattern = "_"
			}
			out.WriteString("\n" + pattern + " => ")
			line := bytes.Count(out.Bytes(), []byte("\n")) + 1
			out.WriteString(c.text)
			spans = append(spans, span{c.number, line, line + strings.Count(c.text, "\n")})
		}
		out.WriteString("\n} }")
		at = b.End
	}
	out.Write(f.content[at:])
	return out.Bytes(), spans
}

// rustHost is the name of the platform of this machine, by which Cargo names its settings.
type rustHost struct {
	once sync.Once
	name string
}

var hostLine = source.Lazy(`(?m)^host: (\S+)$`)

// runnerVariable returns the variable that names the program through which Cargo starts tests; ""
// without a compiler.
func (s *screen) runnerVariable(ctx context.Context) string {
	s.rust.once.Do(func() {
		res, err := s.w.Exec(ctx, "rustc -vV", trial.ExecOptions{Timeout: time.Minute, MaxOutput: screenOutput})
		if m := hostLine().FindSubmatch(res.Output); err == nil && m != nil {
			s.rust.name = strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(string(m[1])))
		}
	})
	if s.rust.name == "" {
		return ""
	}
	return "CARGO_TARGET_" + s.rust.name + "_RUNNER"
}

// runnerName is looked for on PATH, because Cargo splits a path at its spaces.
const runnerName = "git-agent-each"

// exec runs the tests with each variant.
func (rustBuild) exec(ctx context.Context, s *screen, list []string) (trial.Result, error) {
	variable := s.runnerVariable(ctx)
	if variable == "" {
		return trial.Result{}, nil
	}
	dir, err := s.w.Folder("rust")
	if err != nil {
		return trial.Result{}, err
	}
	text := strings.NewReplacer("@BYTES@", strconv.Itoa(screenOutput), "@EXIT@", "0").Replace(eachProgram)
	if err := os.WriteFile(filepath.Join(dir, runnerName), []byte(text), 0o700); err != nil {
		return trial.Result{}, fmt.Errorf("write a program: %w", err)
	}
	command, took := s.in.Problem.Test, s.baseline.took
	if s.quick.command != "" {
		command, took = s.quick.command, s.quick.took
	}
	limit := min(max(screenSlower*took, leastScreen), screenLimit)
	return s.exec(ctx, command, trial.ExecOptions{
		Timeout: max(s.baseline.limit, buildLimit) + time.Duration(len(list))*limit, MaxOutput: 2 * screenOutput * len(list),
		Set: append(s.variantsIn(list, limit),
			variable+"="+runnerName, "PATH="+dir+string(os.PathListSeparator)+s.w.Path(),
		),
		Readable: []string{dir},
	})
}
