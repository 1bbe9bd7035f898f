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

// A Place is where a name is used. Path "" is anywhere, Line 0 anywhere in the file.
type Place struct {
	Path string
	Line int
}

// Options say how a Finder looks names up.
type Options struct {
	// Scratch is the folder in which files of the commit are written; "" is below
	// TMPDIR.
	Scratch string
	// Sandbox says how far ctags is confined. It never has a network at a level that can
	// turn it off.
	Sandbox sandbox.Level
	// Readable lists what it may read beside the system, the toolchains and the files of
	// the commit.
	Readable []string
}

// Found is the answer of a lookup.
type Found struct {
	Definitions []Definition // the best first, at most maxDefinitions
	// Used is the use from which the lookup started: the line of the place, or the
	// nearest line of its file that has the name. It is zero if the file has none.
	Used  Place
	By    string   // what found the first definition: ByCtags or ByGrep
	More  int      // definitions that were left out
	Notes []string // what the lookup could not do, in words
}

// What finds definitions.
const (
	ByCtags = "ctags"
	ByGrep  = "git grep"
)

// maxDefinitions is how many definitions a lookup returns.
const maxDefinitions = 8

// ErrNoName is returned for a text that is not the name of anything, such as an
// expression or an operator.
var ErrNoName = errors.New("not a name that can be looked up")

// A Finder looks up where names are defined in the files of one commit. It may be
// used by several goroutines.
type Finder struct {
	repo   *gitext.Repo
	commit gitext.OID
	opt    Options
	ctags  func() (string, error) // path of universal-ctags

	told     sync.Once    // tells why ctags is not run
	timeouts atomic.Int32 // runs of ctags that did not end in time

	mu      sync.Mutex
	closed  bool
	scratch *sandbox.Scratch
	runs    int // folders made in the scratch folder
	tags    tagCache
}

// NewFinder prepares lookups in the files of a commit. It starts nothing.
func NewFinder(repo *gitext.Repo, commit gitext.OID, opt Options) *Finder {
	f := &Finder{repo: repo, commit: commit, opt: opt}
	f.ctags = sync.OnceValues(f.universalCtags)
	return f
}

// Close removes the scratch files. Lookups that go on lose them and answer with what they
// have.
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

// errClosed is returned to a lookup that outlives its Finder.
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

// Lookup finds the definitions of a name that is used at a place. The name may be
// qualified, as in ns::Class::method, pkg.Type.Method or obj->field: its last part is
// looked up, and the others choose among the definitions. A name that is not on the
// line of the place is looked for in the rest of the file. A name that is defined
// nowhere is no error.
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
	for _, step := range []func(context.Context) error{l.search, l.findUse, l.index} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	l.order()
	l.addLocal()
	l.cut(ctx)
	return nil
}

// cut keeps the best definitions and adds the texts of their lines.
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

// note adds a note once.
func (l *lookup) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, n := range l.found.Notes {
		if n == text {
			return
		}
	}
	l.found.Notes = append(l.found.Notes, text)
}

// removeDir removes a folder of the scratch folder. What is left, Close removes.
func removeDir(dir string) { os.RemoveAll(dir) }
