package symbol

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// The limits of the index for one name.
const (
	maxBatches    = 3
	maxBatchFiles = 40
	maxBatchBytes = 8 << 20
	maxTagged     = 2 << 20 // bytes of a file; larger ones are generated or data
	maxCachedTags = 400_000
	maxSameName   = 2000 // tags of the name in one file
)

// A tagCache keeps the tags of files. It is emptied when it holds too many.
type tagCache struct {
	files map[string][]tag
	count int
}

// known returns the cached tags of a file.
func (f *Finder) known(p string) ([]tag, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tags, ok := f.tags.files[p]
	return tags, ok
}

func (f *Finder) remember(files []sourceFile, tags [][]tag) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, file := range files {
		if f.tags.count+len(tags[i]) > maxCachedTags || f.tags.files == nil {
			f.tags = tagCache{files: map[string][]tag{}}
		}
		f.tags.files[file.path] = tags[i]
		f.tags.count += len(tags[i])
	}
}

// index finds definitions in the files with the name, by ctags or else by the form of their
// lines.
func (l *lookup) index(ctx context.Context) error {
	paths, likely := l.candidates()
	for batch := 0; batch < maxBatches && len(paths) > 0; batch++ {
		size := maxBatchFiles
		if batch == 0 && likely > 0 {
			size = min(size, likely)
		}
		rest, err := l.indexBatch(ctx, paths, size)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			l.noteCtags(err)
			l.byLook()
			return nil
		}
		l.ran = true
		if paths = rest; l.isDefined() {
			break
		}
	}
	if len(l.found.Definitions) > 0 {
		l.found.By = ByCtags
		return nil
	}
	l.byLook()
	return nil
}

// noteCtags notes why ctags failed. If ctags cannot be run, it notes this once for a Finder. A
// missing ctags is never noted, because the form of lines is a usual source.
func (l *lookup) noteCtags(err error) {
	var unavailable *sandbox.Unavailable
	switch {
	case errors.Is(err, errNoCtags):
	case errors.As(err, &unavailable):
		l.told.Do(func() { l.note("ctags: %v", err) })
	default:
		l.note("%v", err)
	}
}

// isDefined reports whether a definition was found, rather than only declarations.
func (l *lookup) isDefined() bool {
	return slices.ContainsFunc(l.found.Definitions, func(d Definition) bool { return !d.Declared })
}

// candidates returns the files that may define the name, the likeliest first. likely is the
// number of files with a line that looks like a definition.
func (l *lookup) candidates() (paths []string, likely int) {
	looks := map[string]int{}
	for _, use := range l.uses {
		if isSource(use.Path) {
			looks[use.Path] = max(looks[use.Path], l.look(use))
		}
	}
	if _, ok := looks[l.at.Path]; ok {
		looks[l.at.Path] += 1000
	}
	for p, look := range looks {
		paths = append(paths, p)
		if look > 0 {
			likely++
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(looks[b]-looks[a], steps(a, l.at.Path)-steps(b, l.at.Path), strings.Compare(a, b))
	})
	return paths, likely
}

// look returns how much a line looks like the definition of the name.
func (l *lookup) look(use gitext.GrepMatch) int {
	text := string(use.Text[:min(len(use.Text), maxText)])
	points := 0
	if d, ok := definition(use.Path, text, l.name); ok {
		points = 100 + d.Score
	} else if kind, ok := valueLook(text, l.name); ok {
		points = 40
		if kind == "member" {
			points = 50
		}
	}
	if points > 0 && familyOf(use.Path) == familyOf(l.at.Path) {
		points += 20
	}
	for _, q := range l.qualifiers {
		if points > 0 && (strings.Contains(text, q) || strings.Contains(use.Path, q)) {
			points += 10
		}
	}
	return points
}

// valueLook reports whether a line looks like the definition of a member, an enumerator or a
// variable.
func valueLook(text, name string) (Kind, bool) {
	at := source.WordIndex(text, name)
	if at < 0 {
		return "", false
	}
	before, after := strings.TrimSpace(text[:at]), strings.TrimLeft(text[at+len(name):], " \t")
	assigned := strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==")
	switch {
	case strings.HasPrefix(before, "}") && strings.HasPrefix(after, ";"):
		return Type, true
	case before == "" && (strings.HasPrefix(after, ",") || assigned):
		return Value, true
	case before == "" || noType().MatchString(before) || controlWord().MatchString(text) ||
		strings.ContainsAny(before, `=.("'`) || strings.HasSuffix(before, "->"):
		return "", false
	case memberEnd().MatchString(after):
		return "member", true
	case assigned:
		return Value, true
	}
	return "", false
}

var (
	// noType matches text that never precedes the name of a member or a variable: the beginning
	// of a comment, and keywords.
	noType = source.Lazy(
		`^(?:\*|//|/\*|#)|\b(?:struct|class|enum|union|interface|extends|implements|throws|throw|new|import|package|using|goto|case|return)$`,
	)
	// memberEnd matches the text after the name of a member: the length of an array or of a bit
	// field, and a semicolon.
	memberEnd = source.Lazy(`^(?:\[[^\]]+\]\s*|:\s*\d+\s*)*[;,]`)
)

// indexBatch adds the definitions in the first count of the files and returns the remaining
// files.
func (l *lookup) indexBatch(ctx context.Context, paths []string, count int) (rest []string, err error) {
	var files []sourceFile
	var done []string
	size := 0
	for len(paths) > 0 && len(done) < count && size < maxBatchBytes {
		p := paths[0]
		paths = paths[1:]
		done = append(done, p)
		if _, ok := l.known(p); ok {
			continue
		}
		text, err := l.repo.BlobAt(ctx, l.commit, p, maxTagged)
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			l.note("%q was not read: %s", p, gitext.WhyUnread(err))
			continue
		}
		size += len(text)
		files = append(files, sourceFile{path: p, text: text})
	}
	fresh := map[string][]tag{}
	if len(files) > 0 {
		tags, err := l.runCtags(ctx, files)
		if err != nil {
			return nil, err
		}
		l.remember(files, tags)
		for i, file := range files {
			fresh[file.path] = tags[i]
		}
	}
	for _, p := range done {
		tags, ok := fresh[p]
		if !ok {
			tags, _ = l.known(p)
		}
		l.addTags(p, tags)
	}
	return paths, nil
}

// addTags adds the tags of a file with the name.
func (l *lookup) addTags(p string, tags []tag) {
	within := bodies{tags: tags}
	added := 0
	for i, t := range tags {
		if added == maxSameName {
			l.note("%q has %q more than %d times", p, l.name, maxSameName)
			return
		}
		if strings.TrimLeft(t.name, "~$@") != l.name && strings.TrimRight(t.name, "?!=") != l.name {
			continue
		}
		if strings.HasPrefix(t.name, "~") != strings.HasPrefix(l.full, "~") && t.scope != "" {
			continue // a constructor is not the destructor
		}
		d := Definition{Path: p, Line: t.line, End: t.end, Kind: t.kind, Scope: t.scope, Signature: t.signature, Declared: t.declared}
		d.Scope = within.namedScope(t.scope)
		added++
		if body, ok := within.of(i); ok {
			if body.name == t.name {
				continue // typedef struct x { ... } x: the structure has a tag too
			}
			d.Line, d.End = body.line, body.end
		}
		if t.static {
			d.Score = staticScore
		}
		l.found.Definitions = append(l.found.Definitions, d)
	}
}

// staticScore marks a definition that is not visible in other files, until the definitions are
// sorted.
const staticScore = -1

// bodies finds the structures among a file's tags that typedefs name. Its maps are built on first
// use.
type bodies struct {
	tags    []tag
	structs map[string][]int  // the indexes of structures, by name
	names   map[string]string // the name that a typedef gives to a structure
}

func (b *bodies) prepare() {
	if b.structs != nil {
		return
	}
	b.structs, b.names = map[string][]int{}, map[string]string{}
	for i, t := range b.tags {
		switch t.kind {
		case "struct", "union", "enum":
			b.structs[t.name] = append(b.structs[t.name], i)
		case "typedef":
			if _, name, ok := strings.Cut(t.typed, ":"); ok && b.names[name] == "" {
				b.names[name] = t.name
			}
		}
	}
}

// of returns the structure that the typedef at an index names: the last one before the typedef,
// if its body is in the same file.
func (b *bodies) of(i int) (tag, bool) {
	t := b.tags[i]
	if t.kind != "typedef" {
		return tag{}, false
	}
	_, name, ok := strings.Cut(t.typed, ":")
	if !ok {
		return tag{}, false
	}
	b.prepare()
	same := b.structs[name]
	before, _ := slices.BinarySearch(same, i)
	if before == 0 {
		return tag{}, false
	}
	body := b.tags[same[before-1]]
	return body, body.end >= body.line
}

// namedScope returns the typedef's name of a structure without a name, instead of the name that
// ctags makes up. For other scopes it returns the scope.
func (b *bodies) namedScope(scope string) string {
	if !strings.Contains(scope, "__anon") {
		return scope
	}
	b.prepare()
	if name := b.names[scope]; name != "" {
		return name
	}
	parts := strings.Split(scope, "::")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return strings.HasPrefix(p, "__anon") }), "::")
}

// byLook finds definitions by the form of their lines.
func (l *lookup) byLook() {
	l.found.Definitions = nil
	for _, use := range l.uses {
		if d, ok := definition(use.Path, string(use.Text), l.name); ok && !declaresVariable(d) {
			d.Line, d.Text = use.Line, d.Text[:min(len(d.Text), maxText)]
			l.found.Definitions = append(l.found.Definitions, d)
		}
	}
	if len(l.found.Definitions) == 0 {
		l.byValueLook()
	}
	if len(l.found.Definitions) > 0 {
		l.found.By = ByGrep
	}
}

// declaresVariable reports whether a line with the name of a type declares a variable of this
// type: "struct x y;".
func declaresVariable(d Definition) bool {
	text, _, _ := strings.Cut(d.Text, "/*")
	text, _, _ = strings.Cut(text, "//")
	text = strings.TrimSpace(text)
	return d.Kind == Type && strings.HasSuffix(text, ";") && !strings.Contains(text, "{") && !strings.HasPrefix(text, "}") &&
		familyOf(d.Path) == "c" && !strings.HasPrefix(text, "typedef") && !strings.HasPrefix(text, "using")
}

func (l *lookup) byValueLook() {
	l.weak = true
	for _, use := range l.uses {
		text := string(use.Text[:min(len(use.Text), maxText)])
		kind, ok := valueLook(text, l.name)
		if l.ran && (kind == Value || !strings.Contains(text, ";")) {
			continue // ctags recognises the other kinds
		}
		if ok && isSource(use.Path) && source.FileKindOf(use.Path) != source.OtherFile {
			l.found.Definitions = append(l.found.Definitions, Definition{Path: use.Path, Line: use.Line, Kind: kind, Text: text})
		}
	}
}

// steps counts the folders between two files.
func steps(a, b string) int {
	if b == "" {
		return 0
	}
	as, bs := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	same := 0
	for same < min(len(as), len(bs)) && as[same] == bs[same] {
		same++
	}
	return len(as) + len(bs) - 2*same
}
