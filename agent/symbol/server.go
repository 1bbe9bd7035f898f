package symbol

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"git-agent/agent/symbol/lsp"
	"git-agent/gitext"
)

// What a language server may take.
const (
	serverStart  = 90 * time.Second // with the checkout
	serverAnswer = 20 * time.Second
	serverLife   = time.Hour
	maxFailures  = 3 // answers that fail one after the other, until it is no longer asked
)

// A server is a language server that starts, runs or failed.
type server struct {
	cancel context.CancelFunc
	ready  chan struct{} // closed when client or err is set
	client *lsp.Client
	err    error

	failures int // guarded by the Finder
}

// close ends a server, also one that starts.
func (s *server) close() {
	s.cancel()
	<-s.ready
	if s.client != nil {
		s.client.Close()
	}
}

// languageOf returns the language server for a file and the language's name in the
// protocol, "" if there is none.
func languageOf(p string) (program, language string) {
	switch strings.ToLower(path.Ext(p)) {
	case ".c":
		return "clangd", "c"
	case ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tcc":
		return "clangd", "cpp"
	case ".m":
		return "clangd", "objective-c"
	case ".mm":
		return "clangd", "objective-cpp"
	case ".go":
		return "gopls", "go"
	}
	return "", ""
}

// askServer puts the definitions first that a language server knows. If it cannot be
// asked, or does not know, the index's answer stays, and a note says why.
func (l *lookup) askServer(ctx context.Context) {
	used := l.found.Used
	if used.Line == 0 {
		l.note("no language server was asked: it needs a file that uses the name")
		return
	}
	program, language := languageOf(used.Path)
	if program == "" {
		l.note("there is no language server for %q", used.Path)
		return
	}
	text := bytes.Join(l.lines, []byte("\n"))
	column := wordIndex(string(l.lines[used.Line-1]), l.name)
	locations, err := l.ask(ctx, program, lsp.Document{Path: used.Path, Language: language, Text: string(text)}, used.Line, column)
	if err != nil {
		l.note("%s: %v", program, err)
		return
	}
	l.addLocations(ctx, program, locations)
}

// ask asks a server, which it starts the first time.
func (f *Finder) ask(ctx context.Context, program string, doc lsp.Document, line, column int) ([]lsp.Location, error) {
	s, err := f.server(program)
	if err != nil {
		return nil, err
	}
	select {
	case <-s.ready:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if s.err != nil {
		return nil, s.err
	}
	f.mu.Lock()
	given := s.failures >= maxFailures
	f.mu.Unlock()
	if given {
		return nil, fmt.Errorf("it is no longer asked: %d answers failed", maxFailures)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, serverAnswer, fmt.Errorf("no answer within %v", serverAnswer))
	defer cancel()
	locations, err := s.client.Definition(ctx, doc, line, column)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		s.failures++
	} else {
		s.failures = 0
	}
	return locations, err
}

// server returns a language server, which may still start.
func (f *Finder) server(program string) (*server, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, errClosed
	}
	if s, ok := f.servers[program]; ok {
		return s, nil
	}
	// The server outlives the lookup that starts it.
	ctx, cancel := context.WithTimeoutCause(context.Background(), serverStart, fmt.Errorf("it did not start within %v", serverStart))
	s := &server{cancel: cancel, ready: make(chan struct{})}
	f.servers[program] = s
	go func() {
		defer close(s.ready)
		s.client, s.err = f.startServer(ctx, program)
	}()
	return s, nil
}

// addLocations puts the places that a server named before the definitions of the
// index. A place that is the use itself is what servers answer when they know nothing.
// One that is only a declaration stays behind a definition of the index.
func (l *lookup) addLocations(ctx context.Context, program string, locations []lsp.Location) {
	var known, declared []Definition
	for _, loc := range locations[:min(len(locations), maxDefinitions)] {
		if loc.Outside {
			l.note("%s: it is defined outside of the repository, in %q", program, path.Base(loc.Path))
			continue
		}
		if loc.Path == l.found.Used.Path && loc.Line == l.found.Used.Line {
			continue
		}
		d, ok := l.atLocation(ctx, loc)
		switch {
		case !ok:
		case d.Declared:
			declared = append(declared, d)
		default:
			known = append(known, d)
		}
	}
	if len(known) == 0 && l.isDefined() && !l.local {
		if len(declared) > 0 {
			l.note("%s knows a declaration only, in %s:%d", program, declared[0].Path, declared[0].Line)
		} else {
			l.note("%s does not know it", program)
		}
		return
	}
	first := append(known, declared...)
	if len(first) == 0 {
		l.note("%s does not know it", program)
		return
	}
	rest := slices.DeleteFunc(l.found.Definitions, func(d Definition) bool {
		return slices.ContainsFunc(first, func(o Definition) bool { return o.Path == d.Path && o.Line == d.Line })
	})
	l.found.Definitions, l.found.By = append(first, rest...), program
}

// definedAt returns the definition at a place. A server names the line of the name, which
// is the last of a typedef.
func definedAt(list []Definition, loc lsp.Location) (Definition, bool) {
	for _, d := range list {
		if d.Path == loc.Path && (d.Line == loc.Line || d.Kind == "typedef" && d.End == loc.Line) {
			return d, true
		}
	}
	return Definition{}, false
}

// tagged returns the definitions of the name in one file by ctags, none if ctags cannot
// be used.
func (l *lookup) tagged(ctx context.Context, p string) []Definition {
	before := l.found.Definitions
	defer func() { l.found.Definitions = before }()
	l.found.Definitions = nil
	if _, err := l.indexBatch(ctx, []string{p}, 1); err != nil {
		return nil // the index has said why
	}
	return l.found.Definitions
}

// atLocation returns the definition at a place that a server named. It must be a line
// of a file of the commit.
func (l *lookup) atLocation(ctx context.Context, loc lsp.Location) (Definition, bool) {
	if d, ok := definedAt(l.found.Definitions, loc); ok {
		return d, true
	}
	if d, ok := definedAt(l.tagged(ctx, loc.Path), loc); ok {
		return d, true
	}
	blob, err := l.repo.BlobAt(ctx, l.commit, loc.Path, maxTextFile)
	if err != nil {
		if gitext.Unreadable(err) {
			l.note("%q was not read: %s", loc.Path, gitext.WhyUnread(err))
		}
		return Definition{}, false
	}
	text := strings.TrimRight(string(lineIn(blob, loc.Line)), " \t\r")
	if text == "" {
		return Definition{}, false
	}
	d, ok := definition(loc.Path, text, l.name)
	if !ok {
		d = Definition{Path: loc.Path, Kind: Value}
		if kind, ok := valueLook(text, l.name); ok {
			d.Kind = kind
		}
		d.Declared = strings.HasSuffix(text, ");")
	}
	d.Line, d.Score, d.Text = loc.Line, 0, text[:min(len(text), maxText)]
	return d, true
}
