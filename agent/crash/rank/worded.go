package rank

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
)

// The fault may be in no file of a stack. The files that share rare words with a report are then
// the best guess, as in the localization of bugs by their reports (Zhou, Zhang and Lo, ICSE 2012).
const (
	maxWords      = 60  // of a report
	maxWordFrames = 400 // frames whose words are read
	maxWorded     = 10  // files that are listed
	inMessage     = 2   // weight of a word of a message; others have 1
	namedByWord   = 6   // score of a file whose name is a word of the report
	fewFiles      = 50  // least number of files for the rareness of a word
	shownWords    = 3   // of a reason
)

// commonWords are words that each report has, and the errors of the languages' own libraries, in lower case.
var commonWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`error exception traceback most recent call last file line module self none true false return from import
java lang util null class object method native thread threads process raise name args kwargs init main called caused more
suppressed python site packages lib64 usr bin home local share with that this have when while which also into then than
your there been were what some such only other using used after before because does debug info warning warn failed failure
assert assertion test tests unknown source build work type value values size read write data index string bytes char void
const unsigned signed long short float double struct static inline extern internal org com net www http https github signal
segmentation fault address stack frame function operation invalid
the and for are was were not but can cannot could did has had have may you its our out mean expected got given found
attribute attributes attributeerror typeerror valueerror keyerror indexerror nameerror importerror modulenotfounderror
assertionerror runtimeerror notimplementederror oserror filenotfounderror permissionerror unicodedecodeerror
nullpointerexception illegalargumentexception illegalstateexception runtimeexception indexoutofboundsexception
arrayindexoutofboundsexception classcastexception unsupportedoperationexception ioexception
panic goroutine nil pointer dereference runtime undefined properties reference referenceerror rangeerror syntaxerror`) {
		m[w] = true
	}
	return m
})

// sanitizerKind matches the kinds of faults that sanitizers name, such as Heap-use-after-free. Their
// words are of no file.
var sanitizerKind = source.Lazy(`(?i)\b(?:(?:dynamic-)?(?:heap|stack|global|container|intra-object|index|type|integer|memcpy-param|null|double|use|bad|alloc-dealloc|` +
	`negative-size|invalid|signed-integer|unsigned-integer|uncaught|out|undefined|direct|indirect|odr|data|initialization|fatal)(?:-[a-z]+)+|memory leak|data race)\b`)

// wordsOf returns the words of a report's messages and frames with their weights, the most
// frequent ones.
func wordsOf(report *crash.Report) map[string]float64 {
	common := commonWords()
	count, weight := map[string]int{}, map[string]float64{}
	add := func(text string, least, times int, w float64) {
		words := strings.FieldsFunc(source.FirstBytes(text, maxMessageBytes), source.NotIdent)
		for _, word := range words {
			if len(word) < least || len(word) > 60 || source.IsDigit(word[0]) || common[strings.ToLower(word)] {
				continue
			}
			count[word] += times
			weight[word] = max(weight[word], w)
		}
	}
	for _, p := range report.Problems {
		add(withoutPhrases(sanitizerKind().ReplaceAllString(p.Kind+" "+p.Message, "")), 3, 3, inMessage)
	}
	n := 0
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			n++
			switch {
			case n > maxWordFrames || strings.HasPrefix(f.File, "<"): // <stdin>, <string>: no file
			case locate.Foreign(f) && f.Path == "":
			case locate.Outside(f):
				add(symbol.Last(f.Function), 4, 1, 1) // which the project may call
			case f.Path != "" && f.File != "": // the folders of a file that is in the list
				add(strings.ReplaceAll(f.Raw, f.File, " ")+" "+f.Quote+" "+f.Function, 4, 1, 1)
			default:
				add(f.Raw+" "+f.Quote+" "+f.Function, 4, 1, 1)
			}
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	for _, w := range words[min(len(words), maxWords):] {
		delete(weight, w)
	}
	return weight
}

// A worded file shares words with a report.
type worded struct {
	path  string
	score float64
	words []string // the rarest
}

// compiled are the extensions of archives and programs that a repository keeps: their bytes may match words.
var compiled = map[string]bool{
	".jar": true, ".war": true, ".class": true, ".zip": true, ".gz": true, ".tgz": true, ".bz2": true, ".xz": true, ".so": true, ".a": true,
	".o": true, ".dll": true, ".exe": true, ".dylib": true, ".whl": true, ".pyc": true, ".wasm": true, ".pdb": true, ".obj": true, ".lib": true, ".ilk": true,
	".beam": true, ".dex": true, ".apk": true, ".nupkg": true, ".7z": true, ".resources": true, ".gif": true, ".jpg": true, ".jpeg": true, ".ico": true,
}

// ownSource reports whether a file is source code of the project: no archive and no copy of the code of others.
func ownSource(p string) bool {
	return source.FileKindOf(p) == source.SourceFile && !compiled[strings.ToLower(path.Ext(p))] && !source.IsVendored(p)
}

// wordedFiles returns the source files that share the rarest words with a report, the likeliest
// first. It leaves out tests, copies of the code of others, and the files of the report's frames.
func (m mentions) wordedFiles(words map[string]float64, framed map[string]bool) []worded {
	listed := map[string]bool{} // whether a file with a word may be listed
	for w := range words {
		for p := range m[w] {
			if _, known := listed[p]; !known {
				listed[p] = !framed[p] && ownSource(p) && !isHarness(p)
			}
		}
	}
	files := map[string]*worded{}
	lines := map[string]int{} // with words, by file
	rare := map[string]float64{}
	for _, w := range slices.Sorted(maps.Keys(words)) {
		rare[w] = math.Log1p(float64(max(len(listed), fewFiles)) / float64(max(len(m[w]), 1)))
		for p, n := range m[w] {
			if !listed[p] {
				continue
			}
			if files[p] == nil {
				files[p] = &worded{path: p}
			}
			files[p].score += words[w] * rare[w] * (1 + math.Log(float64(n))/2)
			files[p].words = append(files[p].words, w)
			lines[p] += n
		}
	}
	var out []worded
	for p, f := range files {
		switch words[source.Stem(p)] {
		case 0:
		case inMessage:
			f.score += 1.5 * namedByWord
		default:
			f.score += namedByWord
		}
		f.score /= 1 + math.Log1p(float64(lines[p]))/10
		slices.SortStableFunc(f.words, func(a, b string) int { return cmp.Compare(words[b]*rare[b], words[a]*rare[a]) })
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b worded) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path))
	})
	return out[:min(len(out), maxWorded)]
}

// reason says which rare words of the report a file has.
func (w worded) reason() string {
	var quoted []string
	for _, word := range w.words[:min(len(w.words), shownWords)] {
		quoted = append(quoted, fmt.Sprintf("%q", word))
	}
	return "has " + strings.Join(quoted, ", ") + " of the report"
}
