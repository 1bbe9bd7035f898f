package prior

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/stat"
)

// These bound the code of the failing commit that is read.
const (
	mostCodeFiles = 250
	maxCode       = 6 << 20 // bytes
	maxCodeFile   = 512 << 10
)

// A function of the failing commit, or the rest of a file, which has no name.
type function struct {
	name    string
	file    string
	calls   source.Bag // identifiers in it
	weight  float64    // how surely the failing test leads here; all sum to about 1
	commits float64    // of the read ones that change it
	framed  bool       // the output names one of its lines
	lines   float64
	hot     float64 // greatest suspiciousness of a line that failing tests execute; 0 if it is not known
	like    float64 // how much of the exact lines of the test it has, from 0 to 1
	likely  float64 // how much of the words of the test's name it has, from 0 to 1
}

// A code has the functions of the files of the failing commit that the test may reach.
type code struct {
	functions []*function
	files     map[string]*codeFile
	byName    map[string][]*function
	weights   map[string]float64 // of the functions of a file
	like      map[string]float64 // of the function of a file that is most like the test
	likely    map[string]float64
	used      map[string]float64 // in how many functions an identifier is
	mass      float64            // sum of the squared suspiciousness of all executed lines
}

// A codeFile is one file. lines maps a line's text to the functions with such a line.
type codeFile struct {
	lines    map[string][]*function
	named    map[string]*function // by the name in lower case
	rest     *function
	framed   map[string]bool    // texts of the lines that the output names, and of their neighbours
	executed map[string]float64 // suspiciousness of the lines that failing tests execute, by their texts
}

// readCode reads the source files that the range changes or the failing run opened, as they are
// at the failing commit, and weighs their functions.
func (x *examination) readCode(ctx context.Context) error {
	x.code = &code{
		files:   map[string]*codeFile{},
		byName:  map[string][]*function{},
		weights: map[string]float64{},
		like:    map[string]float64{},
		likely:  map[string]float64{},
	}
	size := 0
	for _, p := range x.codePaths() {
		if len(x.code.files) == mostCodeFiles || size > maxCode {
			break
		}
		text, err := blob(ctx, x.repo, x.tree, p)
		if err != nil {
			return err
		}
		if len(text) == 0 || len(text) > maxCodeFile || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			continue
		}
		size += len(text)
		x.code.add(p, text, x.focus.frames, x.ev.Executed[p])
	}
	x.code.walk(x.focus)
	x.code.compare(x.focus)
	return nil
}

// codePaths lists the files for readCode, the most relevant ones first.
func (x *examination) codePaths() []string {
	score := map[string]float64{}
	for p, v := range x.views {
		if r := v.relevance(x.ev.Opened != nil); r > 0 && v.today != "" {
			score[v.today] += r * (1 + math.Log1p(float64(v.commits))/10)
		} else if p == v.today {
			score[p] += 0
		}
	}
	for p := range x.ev.Opened {
		score[p] += 0.5
	}
	for p := range x.focus.named {
		score[p] += 10
	}
	for p := range x.ev.Executed {
		score[p]++
	}
	var paths []string
	for p := range score {
		if source.FileKindOf(p) == source.SourceFile && path.Ext(p) != "" && !source.IsVendored(p) && x.tree.files[p].OID != "" {
			paths = append(paths, p)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(score[b], score[a]), strings.Compare(a, b)) })
	return paths
}

// add reads the functions of a file.
func (k *code) add(p string, text []byte, frames []place, executed map[int]float64) {
	lines := source.SplitLines(text)
	owner := make([]*function, len(lines))
	f := &codeFile{
		lines:  map[string][]*function{},
		named:  map[string]*function{},
		rest:   &function{file: p, calls: source.Bag{}},
		framed: map[string]bool{},
	}
	k.files[p] = f
	for _, fn := range source.Functions(p, lines) {
		one := &function{name: source.LastName(fn.Name), file: p, calls: source.Bag{}}
		k.functions = append(k.functions, one)
		k.byName[one.name] = append(k.byName[one.name], one)
		f.named[strings.ToLower(one.name)] = one
		for i := fn.Start; i <= min(fn.End, len(lines)); i++ {
			owner[i-1] = one
		}
	}
	k.functions = append(k.functions, f.rest)
	for i, line := range lines {
		one := owner[i]
		if one == nil {
			one = f.rest
		}
		one.calls.AddCode(line)
		one.lines++
		if name := definition(line); name != "" && one == f.rest && !slices.Contains(k.byName[name], one) {
			k.byName[name] = append(k.byName[name], one)
		}
		if key := lineKey(line); key != "" && !slices.Contains(f.lines[key], one) {
			f.lines[key] = append(f.lines[key], one)
		}
	}
	k.addExecuted(f, lines, owner, executed)
	for _, at := range frames {
		if at.file != p || at.line < 1 || at.line > len(lines) {
			continue
		}
		if one := owner[at.line-1]; one != nil {
			one.framed = true
		}
		for i := max(at.line-2, 1); i <= min(at.line+2, len(lines)); i++ {
			f.framed[lineKey(lines[i-1])] = true
		}
	}
}

// definitionPattern matches the heading of a type, or an assignment outside of functions.
var definitionPattern = source.Lazy(
	`^(?:\s*(?:(?:export|default|public|private|protected|abstract|final|static|pub|typedef)\s+)*(?:class|struct|interface|trait|enum|type|impl)\s+(\w+)|(?:(?:export|var|const|let|static|module\.exports\.|exports\.)\s*)*([A-Za-z_]\w{2,})\s*(?::\s*[\w\[\], .]+)?:?=[^=])`,
)

// definition returns the name that a line outside of functions defines, or "".
func definition(line []byte) string {
	if len(line) > 300 || len(line) < 5 {
		return ""
	}
	m := definitionPattern().FindSubmatch(line)
	if m == nil {
		return ""
	}
	return string(m[1]) + string(m[2])
}

// lineKey returns a line without the space around it, or "" for one that says too little to be
// found again.
func lineKey(line []byte) string {
	line = bytes.TrimSpace(line)
	if len(line) < 4 {
		return ""
	}
	return string(line)
}

// These constants are of the walk from the test through the functions that it names.
const (
	walkSteps   = 4
	walkOn      = 0.7 // share of a function's weight that its callees get
	mostMeant   = 24  // a name with more functions means none of them
	fileRest    = 0.3 // share of the code of a file that is in no function
	framedShare = 0.4 // share of the weight that starts at the functions in the output
)

// walk gives the functions their weights: what a test names is reached, and what that names, with
// less weight. A name that many functions use or have leads nowhere in particular.
func (k *code) walk(f *focus) {
	used := map[string]float64{}
	for _, fn := range k.functions {
		for t := range fn.calls {
			used[t]++
		}
	}
	k.used = used
	now := k.spread(f.code, used, 1)
	framed := 0.0
	for _, fn := range k.functions {
		framed += stat.Flag(fn.framed)
	}
	if framed > 0 {
		for i := range now {
			now[i] *= 1 - framedShare
			now[i] += framedShare * stat.Flag(k.functions[i].framed) / framed
		}
	}
	place := map[*function]int{}
	for i, fn := range k.functions {
		place[fn] = i
	}
	for step := range walkSteps {
		next := make([]float64, len(now))
		for i, fn := range k.functions {
			fn.weight += now[i]
			if now[i] < 1e-5 || step == walkSteps-1 {
				continue
			}
			for _, to := range k.targets(fn.calls, used, fn) {
				next[place[to.fn]] += now[i] * walkOn * to.share
			}
		}
		now = next
	}
	k.normalize()
}

// normalize makes the weights sum to 1, and gives the rests of files their share.
func (k *code) normalize() {
	inFile := map[string]float64{}
	for _, fn := range k.functions {
		inFile[fn.file] += fn.weight
	}
	sum := 0.0
	for _, fn := range k.functions {
		if fn.name == "" {
			fn.weight += fileRest * inFile[fn.file]
		}
		sum += fn.weight
	}
	if sum > 0 {
		for _, fn := range k.functions {
			fn.weight /= sum
			k.weights[fn.file] += fn.weight
		}
	}
}

// A target is a function that a text names, with its share of the text's names.
type target struct {
	fn    *function
	share float64
}

// targets returns the functions that a text names. The shares sum to 1.
func (k *code) targets(names source.Bag, used map[string]float64, from *function) []target {
	var out []target
	sum := 0.0
	for _, name := range source.SortedTokens(names) {
		fns := k.byName[name]
		if len(fns) == 0 || len(fns) > mostMeant {
			continue
		}
		w := 1 / (1 + used[name])
		for _, fn := range fns {
			if fn == from {
				continue
			}
			share := w / float64(len(fns))
			out = append(out, target{fn, share})
			sum += share
		}
	}
	for i := range out {
		out[i].share /= sum
	}
	return out
}

// spread distributes a weight over the functions that a text names.
func (k *code) spread(names source.Bag, used map[string]float64, weight float64) []float64 {
	place := map[*function]int{}
	for i, fn := range k.functions {
		place[fn] = i
	}
	out := make([]float64, len(k.functions))
	for _, to := range k.targets(names, used, nil) {
		out[place[to.fn]] += weight * to.share
	}
	return out
}
