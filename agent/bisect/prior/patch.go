package prior

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// These bound the commits whose patches are read, the files that git compares for them, and the
// read part of one patch in bytes.
const (
	mostPatches = 600
	mostDiffs   = 2000
	maxPatch    = 256 << 10
)

// A reading is what the patch of one commit shows.
type reading struct {
	added, removed float64 // lines of source code
	code           float64 // of them those that are more than comments and space
	alive          float64 // added lines that the failing commit still has
	dead           float64 // added lines that it lacks
	tests          float64 // added lines of tests
	creates        bool    // it adds a source file
	executed       executedPart
	framed         bool                  // it added a line that the output names, or a neighbour
	functions      map[*function]float64 // that it changes, at most 1
	owned          map[*function]float64 // lines that it added and that are still there
	words          source.Bag            // identifiers of the changed lines of source
	parts          source.Bag            // words of the test's name that are parts of those identifiers
	testWords      source.Bag            // those of the changed lines of tests
}

// readPatches reads the patches of some commits.
func (x *examination) readPatches(ctx context.Context, commits []gitext.OID) error {
	opt := gitext.PatchOptions{Renames: false, MaxBytes: maxPatch}
	for p, err := range x.repo.Patches(ctx, commits, opt) {
		if err != nil {
			if gitext.Unreadable(err) {
				continue
			}
			return err
		}
		x.readings[p.Commit] = x.read(p)
	}
	return nil
}

func (x *examination) read(p *gitext.Patch) *reading {
	r := &reading{
		functions: map[*function]float64{},
		owned:     map[*function]float64{},
		parts:     source.Bag{},
		words:     source.Bag{},
		testWords: source.Bag{},
	}
	for _, f := range p.Files {
		name := f.NewPath
		if name == "" {
			name = f.OldPath
		}
		switch source.FileKindOf(name) {
		case source.SourceFile:
			r.creates = r.creates || f.Status == 'A'
			x.readSource(r, name, f)
		case source.TestFile:
			for _, h := range f.Hunks {
				for _, l := range h.Lines {
					if l.Op != ' ' {
						r.testWords.AddCode(l.Text)
					}
					if l.Op == '+' {
						r.tests++
					}
				}
			}
		}
	}
	for token := range r.words {
		for _, w := range x.named(token) {
			r.parts[w] = 1
		}
	}
	return r
}

// named returns the words of the test's name that are parts of an identifier.
func (x *examination) named(token string) []string {
	words, ok := x.partsOf[token]
	if !ok {
		words = sharedParts(token, x.focus.name)
		x.partsOf[token] = words
	}
	return words
}

// readSource adds the changes of a source file.
func (x *examination) readSource(r *reading, name string, f gitext.FileChange) {
	now := x.code.files[x.tree.today(name)]
	for _, h := range f.Hunks {
		found := false
		for _, l := range h.Lines {
			if l.Op == ' ' {
				continue
			}
			r.words.AddCode(l.Text)
			if !isComment(l.Text) {
				r.code++
			}
			if l.Op == '-' {
				r.removed++
				continue
			}
			r.added++
			if now == nil {
				continue
			}
			key := lineKey(l.Text)
			owners := now.lines[key]
			switch {
			case key == "":
			case len(owners) == 0:
				r.dead++
			default:
				r.alive++
				r.framed = r.framed || now.framed[key]
				r.executed.add(now.executed[key])
				if len(owners) <= 3 {
					for _, fn := range owners {
						found = true
						r.functions[fn] = max(r.functions[fn], 1/float64(len(owners)))
						r.owned[fn] += 1 / float64(len(owners))
					}
				}
			}
		}
		if found || now == nil {
			continue
		}
		if fn := now.named[strings.ToLower(source.LastName(source.FunctionName(h.Section)))]; fn != nil && h.Section != "" {
			r.functions[fn] = max(r.functions[fn], 0.5)
		} else if h.OldStart > 0 {
			r.functions[now.rest] = max(r.functions[now.rest], 0.25)
		}
	}
}

// addsCalled reports whether a patch adds most of a function that the test calls by its name.
// Before, the test could not pass.
func (x *examination) addsCalled(r *reading) bool {
	for fn, n := range r.owned {
		if fn.name != "" && x.focus.code[fn.name] > 0 && n > 0.5*fn.lines && len(x.code.byName[fn.name]) <= 3 {
			return true
		}
	}
	return false
}

// isComment reports whether a line is empty or begins like a comment of a common language.
func isComment(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return true
	}
	for _, mark := range []string{"//", "#", "*", "/*", `"""`, "'''"} {
		if bytes.HasPrefix(line, []byte(mark)) && !bytes.HasPrefix(line, []byte("#include")) && !bytes.HasPrefix(line, []byte("#if")) &&
			!bytes.HasPrefix(line, []byte("#define")) {
			return true
		}
	}
	return false
}

// countFunctions counts the commits that change each function.
func (x *examination) countFunctions() {
	for _, c := range x.changes {
		if r := x.readings[c.oid]; r != nil {
			for fn := range r.functions {
				fn.commits++
			}
			x.patches.Add(r.words)
		}
	}
}

// patchFeatures sets the features of a patch.
func (x *examination) patchFeatures(c *change, set func(string, float64)) {
	r := x.readings[c.oid]
	x.executedFeatures(r, set)
	if r == nil {
		set("reach", math.Log(1e-3))
		set("reach_all", math.Log(1e-3))
		set("owned", math.Log(1e-3))
		return
	}
	set("read", 1)
	set("added", math.Log1p(r.added))
	set("removed", math.Log1p(r.removed))
	set("large", math.Pow(math.Log1p(r.added), 2)/10)
	set("creates", stat.Flag(r.creates))
	set("only_adds", stat.Flag(r.removed == 0))
	set("alive", math.Log1p(r.alive))
	if r.alive+r.dead > 0 {
		set("dead", r.dead/(r.alive+r.dead))
	}
	if r.code == 0 {
		set("no_code", 1)
	}
	set("test_lines", math.Log1p(r.tests))
	set("line_in_output", stat.Flag(r.framed))
	set("test_code", x.weighedFocus.Overlap(r.words))
	set("test_name", x.patches.Best(x.focus.code, r.words))
	set("output_code", x.weighedOutput.Overlap(r.words))
	set("narrow_code", x.weighedNarrow.Overlap(r.words))
	set("narrow_name", x.patches.Best(x.focus.narrow, r.words))
	set("narrow_change", x.weighedNarrow.Overlap(r.testWords))
	like, likely := 0.0, 0.0
	for fn, share := range r.functions {
		like, likely = max(like, fn.like*share), max(likely, fn.likely*share)
	}
	set("like", like)
	set("likely", likely)
	set("adds_called", stat.Flag(x.addsCalled(r)))
	set("line_words", x.patches.Overlap(x.focus.name, r.parts))
	set("test_change", x.weighedFocus.Overlap(r.testWords))
	var reach, all, owned []float64
	for fn, n := range r.owned {
		owned = append(owned, fn.weight*min(n/fn.lines, 1))
	}
	set("owned", math.Log(sorted(owned)+1e-3))
	framed := 0.0
	for fn, share := range r.functions {
		reach = append(reach, fn.weight*share/fn.commits)
		all = append(all, fn.weight*share)
		framed = max(framed, stat.Flag(fn.framed)*share)
	}
	set("reach", math.Log(sorted(reach)*float64(len(x.readings))+1e-3))
	set("reach_all", math.Log(sorted(all)+1e-3))
	set("in_output", framed)
}

// sorted sums numbers in order, because a sum of floats must not depend on the order of a map.
func sorted(list []float64) float64 {
	slices.Sort(list)
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum
}
