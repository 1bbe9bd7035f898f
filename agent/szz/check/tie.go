package check

import (
	"context"
	"math"
	"path"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// A Side is a commit in the form in which it is compared with another one.
type Side struct {
	commit      gitext.Commit
	paths       map[string]bool
	bases, dirs map[string]bool
	names       source.Bag // identifiers of the changed lines
	near        source.Bag // those of the lines around them and of the functions
	words       source.Bag // of the message
	split       source.Bag // of the identifiers of the changed lines
	removed     map[string]bool
	added       map[string]bool
	sources     int             // files of source code
	stems       map[string]bool // of the files' names, in lower case
	text        strings.Builder // the message and the changed lines, in lower case, up to a bound
}

// Limits of what is read of a patch.
const (
	mostTieBytes = 8 << 20 // hunks of a commit; later ones are not compared
	mostTieText  = 1 << 18 // bytes of a commit in which names of files are looked for
	leastStem    = 5       // bytes of a file's name without its extension
	leastName    = 4       // bytes of an identifier that is compared
	leastLine    = 8       // bytes of a line that is compared, without white space
)

// commonStems are names of files that say nothing about their place.
var commonStems = map[string]bool{"makefile": true, "readme": true, "meson": true, "index": true, "utils": true, "common": true, "config": true, "version": true, "debug": true, "tests": true, "types": true}

// ReadSides reads commits for comparison. A commit whose patch cannot be read is missing from the
// answer.
func ReadSides(ctx context.Context, repo *gitext.Repo, commits []gitext.Commit) (map[gitext.OID]*Side, error) {
	byOID, oids := map[gitext.OID]gitext.Commit{}, []gitext.OID{}
	for _, c := range commits {
		if _, known := byOID[c.OID]; !known {
			byOID[c.OID] = c
			oids = append(oids, c.OID)
		}
	}
	sides := map[gitext.OID]*Side{}
	for p, err := range repo.Patches(ctx, oids, gitext.PatchOptions{Context: 3, Renames: true, MaxBytes: mostTieBytes}) {
		switch {
		case gitext.Unreadable(err):
			continue
		case err != nil:
			return nil, err
		}
		sides[p.Commit] = newSide(byOID[p.Commit], p)
	}
	return sides, nil
}

func newSide(c gitext.Commit, p *gitext.Patch) *Side {
	s := &Side{
		commit: c, paths: map[string]bool{}, bases: map[string]bool{}, dirs: map[string]bool{}, names: source.Bag{}, near: source.Bag{},
		words: source.Bag{}, split: source.Bag{}, stems: map[string]bool{}, removed: map[string]bool{}, added: map[string]bool{},
	}
	s.words.AddWords(prose(c.Message))
	s.text.WriteString(strings.ToLower(prose(c.Message)))
	for i := range p.Files {
		f := &p.Files[i]
		for _, name := range []string{f.OldPath, f.NewPath} {
			if name != "" {
				s.paths[name], s.bases[path.Base(name)], s.dirs[path.Dir(name)] = true, true, true
				stem, _, _ := strings.Cut(strings.ToLower(path.Base(name)), ".")
				if len(stem) >= leastStem && !commonStems[stem] {
					s.stems[stem] = true
				}
			}
		}
		if source.FileKindOf(f.NewPath) == source.SourceFile || source.FileKindOf(f.OldPath) == source.SourceFile {
			s.sources++
		}
		for _, h := range f.Hunks {
			s.near.AddCode([]byte(h.Section))
			for _, l := range h.Lines {
				s.addLine(l)
			}
		}
	}
	return s
}

// addLine adds a line of a patch.
func (s *Side) addLine(l gitext.PatchLine) {
	key := strings.Join(strings.Fields(string(l.Text)), " ")
	switch l.Op {
	case ' ':
		s.near.AddCode(l.Text)
		if len(key) >= leastLine {
			s.removed[key] = true // what the fix stands beside counts like what it removes
		}
		return
	case '-':
		if len(key) >= leastLine {
			s.removed[key] = true
		}
	case '+':
		if len(key) >= leastLine {
			s.added[key] = true
		}
	}
	s.names.AddCode(l.Text)
	s.split.AddWords(string(l.Text))
	if s.text.Len() < mostTieText {
		s.text.WriteString(strings.ToLower(string(l.Text)) + "\n")
	}
}

// TieNames lists the features of a tie: what a fix and the commit that it names have in common.
var TieNames = []string{
	"file", "files", "base", "directory", "nested", "area", "areas_differ", "lines", "names", "names_share", "names_best", "near", "near_share",
	"near_best", "subject", "subject_best", "message", "message_best", "says_names", "author", "no_source",
	"file_said", "says_file",
}

// A Weigher knows how common the words of a project are.
type Weigher struct{ names, words *source.IDF }

// commonCommits is the number of commits from which the use of words is told.
const commonCommits = 400

// ReadWeigher reads the words of the newest commits in the history of a commit.
func ReadWeigher(ctx context.Context, repo *gitext.Repo, tip gitext.OID) (*Weigher, error) {
	var oids []gitext.OID
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: tip, NoMerges: true, Max: commonCommits}) {
		if err != nil {
			return nil, err
		}
		oids = append(oids, e.OID)
	}
	commits, err := repo.Commits(ctx, oids)
	if err != nil {
		return nil, err
	}
	sides, err := ReadSides(ctx, repo, commits)
	if err != nil {
		return nil, err
	}
	w := &Weigher{source.NewIDF(), source.NewIDF()}
	for _, oid := range oids {
		if s := sides[oid]; s != nil {
			w.names.Add(source.Unite(s.names, s.near))
			w.words.Add(s.words)
		}
	}
	return w, nil
}

// Tie returns what a fix and a commit that it names have in common, in the order of TieNames.
func (w *Weigher) Tie(fix, named *Side) []float64 {
	files := shared(fix.paths, named.paths)
	names := telling(fix.names)
	near := telling(fix.near)
	both := source.Unite(named.names, named.near)
	area, differ := areas(fix.commit.Subject(), named.commit.Subject())
	subject := source.Bag{}
	subject.AddWords(afterArea(named.commit.Subject()))
	texts := source.Unite(fix.words, fix.split)
	return []float64{
		stat.Flag(files > 0), math.Log1p(float64(files)), stat.Flag(files == 0 && shared(fix.bases, named.bases) > 0),
		stat.Flag(shared(fix.dirs, named.dirs) > 0), stat.Flag(nested(fix.dirs, named.dirs)), area, differ,
		math.Log1p(float64(shared(fix.removed, named.added))),
		math.Log1p(float64(len(names.Shared(named.names)))), w.names.Overlap(names, both), w.names.Best(names, both),
		math.Log1p(float64(len(near.Shared(named.names)))), w.names.Overlap(near, both), w.names.Best(near, both),
		w.words.Overlap(subject, texts), w.words.Best(subject, texts),
		w.words.Overlap(fix.words, source.Unite(named.words, named.split)), w.words.Best(fix.words, source.Unite(named.words, named.split)),
		math.Log1p(float64(len(fix.words.Shared(named.split)))),
		stat.Flag(fix.commit.Author.Email == named.commit.Author.Email), stat.Flag(named.sources == 0 && fix.sources > 0),
		math.Log1p(float64(said(named.stems, fix))), math.Log1p(float64(said(fix.stems, named))),
	}
}

// said counts the stems in the text of a side that are none of its own files'.
func said(stems map[string]bool, by *Side) int {
	n := 0
	for stem := range stems {
		if !by.stems[stem] && strings.Contains(by.text.String(), stem) {
			n++
		}
	}
	return n
}

// trailerLine matches lines that are no prose.
var trailerLine = source.Lazy(`(?im)^(?:[a-z]+(?:-[a-z]+)*-by|fixes|cc|link|change-id|closes|message-id|reported-at|bugzilla id):.*$`)

// prose returns a message without trailers: those that name the commit would agree with it.
func prose(message string) string { return trailerLine().ReplaceAllString(message, "") }

// shared counts the texts that are in both sets.
func shared(a, b map[string]bool) int {
	if len(b) < len(a) {
		a, b = b, a
	}
	n := 0
	for k := range a {
		if b[k] {
			n++
		}
	}
	return n
}

// telling returns the words of a bag that say something about their place.
func telling(b source.Bag) source.Bag {
	out := source.Bag{}
	for w, n := range b {
		if len(w) >= leastName && !source.IsKeyword(w) {
			out[w] = n
		}
	}
	return out
}

// nested reports whether a directory of one side is inside one of the other. The top is left out.
func nested(a, b map[string]bool) bool {
	within := func(a, b map[string]bool) bool {
		for dir := range a {
			for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
				if b[dir] {
					return true
				}
			}
		}
		return false
	}
	return within(a, b) || within(b, a)
}

// areaOf returns the text before the first colon of a subject, in lower case; "" if there is none.
func areaOf(subject string) string {
	const most = 40 // bytes; a longer text is a sentence
	area, _, ok := strings.Cut(subject, ":")
	if !ok || len(area) > most {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(area))
}

// afterArea returns a subject without its area.
func afterArea(subject string) string {
	if areaOf(subject) == "" {
		return subject
	}
	_, rest, _ := strings.Cut(subject, ":")
	return rest
}

// areas reports how much the areas of two subjects agree, 1 for equal ones, and whether they have
// no word in common.
func areas(a, b string) (agree, differ float64) {
	x, y := areaOf(a), areaOf(b)
	switch {
	case x == "" || y == "":
		return 0, 0
	case x == y:
		return 1, 0
	}
	words, others := source.Bag{}, source.Bag{}
	words.AddWords(x)
	others.AddWords(y)
	for w := range words {
		if others[w] > 0 {
			return 0.5, 0
		}
	}
	return 0, 1
}
