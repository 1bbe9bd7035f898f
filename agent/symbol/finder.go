package symbol

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"git-agent/agent/sandbox"
	"git-agent/gitext"
)

// A Place is the place of a use of a name. An empty Path means any file, and Line 0 any line.
type Place struct {
	Path string
	Line int
}

// Options configure a Finder.
type Options struct {
	// Scratch is the folder for files of the commit; "" means a folder below TMPDIR.
	Scratch string
	// Sandbox says how strictly ctags is confined. ctags has no network at any level that can
	// turn the network off.
	Sandbox sandbox.Level
	// Readable lists the paths that ctags may read in addition to the system, the toolchains and
	// the files of the commit.
	Readable []string
}

// Found is the answer of a lookup.
type Found struct {
	Definitions []Definition // the best first, at most maxDefinitions
	// Used is the use at which the lookup started: the line of the place, or the nearest line of
	// its file with the name. It is zero if the file does not contain the name.
	Used  Place
	By    string   // the source of the first definition: ByCtags or ByGrep
	More  int      // number of definitions that were left out
	Notes []string // sentences about parts of the lookup that failed
}

// The sources of definitions.
const (
	ByCtags = "ctags"
	ByGrep  = "git grep"
)

// maxDefinitions is the most definitions that a lookup returns.
const maxDefinitions = 8

// ErrNoName is returned for a text that is not a name, such as an expression or an operator.
var ErrNoName = errors.New("not a name that can be looked up")

// A Finder looks up the definitions of names in the files of one commit. It is safe for
// concurrent use.
type Finder struct {
	repo   *gitext.Repo
	commit gitext.OID
	opt    Options
	ctags  func() (string, error) // path of universal-ctags

	told     sync.Once    // notes once why ctags is not run
	timeouts atomic.Int32 // runs of ctags that timed out

	mu      sync.Mutex
	closed  bool
	scratch *sandbox.Scratch
	runs    int // folders made in the scratch folder
	tags    tagCache
}

// NewFinder returns a Finder for the files of a commit. It starts no process.
func NewFinder(repo *gitext.Repo, commit gitext.OID, opt Options) *Finder {
	f := &Finder{repo: repo, commit: commit, opt: opt}
	f.ctags = sync.OnceValues(f.universalCtags)
	return f
}

// Close removes the scratch files. A lookup still in progress loses its files and returns a
// partial answer.
func (f *Finder) Close() error {
	f.mu.Lock()
	f.closed = true
	scratch := f.scratch
	f.scratch = nil
	f.mu.Unlock()
	if scratch == nil {
		return nil
	}
	return scratch.Close()
}

// errClosed is returned to a lookup that runs after its Finder is closed.
var errClosed = errors.New("the finder is closed")

// newDir makes a folder in the scratch folder.
func (f *Finder) newDir(name string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return "", errClosed
	}
	if f.scratch == nil {
		scratch, err := sandbox.NewScratch(f.opt.Scratch)
		if err != nil {
			return "", err
		}
		f.scratch = scratch
	}
	f.runs++
	return f.scratch.Dir(fmt.Sprintf("%s-%d", name, f.runs))
}

// Lookup finds the definitions of a name that is used at a place. The name may be qualified, as
// in ns::Class::method, pkg.Type.Method or obj->field: Lookup looks up the last part, and the
// other parts choose among the definitions. If the name is not on the line of the place, Lookup
// searches the rest of the file. A name without a definition is no error.
func (f *Finder) Lookup(ctx context.Context, name string, at Place) (Found, error) {
	q, err := parseName(name)
	if err != nil {
		return Found{}, err
	}
	l := &lookup{Finder: f, query: q, at: at}
	err = l.run(ctx)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return Found{}, err
	}
	return l.found, nil
}

func (l *lookup) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{l.search, l.findUse, l.index, l.inherit} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	l.order()
	l.addLocal()
	l.cut(ctx)
	return nil
}

// cut keeps the best definitions and adds the text of their lines.
func (l *lookup) cut(ctx context.Context) {
	if n := len(l.found.Definitions); n > maxDefinitions {
		l.found.More = n - maxDefinitions
		l.found.Definitions = l.found.Definitions[:maxDefinitions]
	}
	for i := range l.found.Definitions {
		d := &l.found.Definitions[i]
		if d.Text == "" {
			d.Text = l.lineOf(ctx, d.Path, d.Line)
		}
	}
}

// note adds a note unless it is there already.
func (l *lookup) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, n := range l.found.Notes {
		if n == text {
			return
		}
	}
	l.found.Notes = append(l.found.Notes, text)
}

// removeDir removes a folder of the scratch folder. Close removes whatever remains.
func removeDir(dir string) { os.RemoveAll(dir) }
