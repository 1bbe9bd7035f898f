package szz

import (
	"math"
	"sort"
	"strings"
	"time"

	"git-agent/gitext"
)

// A feature is one signal of the ranker: a number for a candidate, comparable
// across fixes. Say is how the output words it.
type feature struct {
	name string
	say  string
	get  func(k *casework, c *candidate) float64
}

// casework is a fix with everything that its candidates are compared with.
type casework struct {
	fc      *FixContext
	set     *anchorSet
	pool    *pool
	list    []*candidate
	shares  [numShares]map[gitext.OID]float64
	order   map[gitext.OID]int // by committer date, 0 = newest of all candidates
	owners  []gitext.OID       // owners of deleted lines, newest first
	code    *idf               // over what candidates added or removed
	prose   *idf               // over the candidates' messages
	removed bag                // tokens of the fix's removed lines
	added   bag
	kept    map[int]bag // tokens that a run adds, once somebody asked
	gone    bag         // removed and not added again
	fresh   bag         // added and not removed
	around  bag         // tokens of context lines
	message bag
	said    bag             // names in the fix's message
	topics  [numTopics]bool // what the fix speaks of
	newest  float64         // log age of the newest candidate
	delKeys map[string]bool // removed lines, folded
	addKeys map[string]bool
	words   map[gitext.OID]bag                        // of candidates' messages
	nDel    int                                       // deleted lines that matter
	owned   map[gitext.OID]float64                    // deleted lines of code by owner
	moved   map[gitext.OID]float64                    // of these, those that the owner only moved or re-indented
	ranks   [numOwnings][numOrders]map[gitext.OID]int // places among the owners, 0 = first
	fixPath map[string]bool
	paths   map[string]bool // fixPath, and the names that owners knew
	inside  map[gitext.OID]*insideWork
	nearest map[gitext.OID]float64 // 1/distance of the closest own line
	series  map[gitext.OID]int     // candidates by the same author within an hour
	files   *idf                   // over the paths that candidates change
	// all that the fix changes, and what of it is not traced: tests, new files
	allPaths, companions bag
	streak               int             // commits right before the fix that are by its author
	tickets              map[string]bool // that the fix's message names
}

func newCasework(fc *FixContext, set *anchorSet, p *pool) *casework {
	k := &casework{
		fc: fc, set: set, pool: p, list: p.sorted(),
		order: map[gitext.OID]int{}, words: map[gitext.OID]bag{},
		code: newIDF(), prose: newIDF(), files: newIDF(),
		allPaths: bag{}, companions: bag{},
		around: bag{}, message: bag{},
		delKeys: map[string]bool{}, addKeys: map[string]bool{}, fixPath: map[string]bool{},
	}
	for _, f := range set.files {
		k.fixPath[f.OldPath], k.fixPath[f.NewPath] = true, true
	}
	for _, f := range fc.Patch.Files {
		k.allPaths[f.NewPath] = 1
		if !k.fixPath[f.NewPath] {
			k.companions[f.NewPath] = 1
		}
	}
	k.paths = map[string]bool{}
	for _, p := range interestingPaths(fc, set) {
		k.paths[p] = true
	}
	k.readFix()
	k.vote()
	k.readCandidates()
	return k
}

// readFix collects the tokens and lines of the fix itself.
func (k *casework) readFix() {
	k.removed, k.added = k.set.tokens()
	for _, r := range k.set.runs {
		for _, l := range r.removed {
			k.delKeys[lineKey(l.Text)] = true
		}
		for _, l := range r.added {
			k.addKeys[lineKey(l.Text)] = true
		}
	}
	if len(k.set.files) == 0 {
		k.readAddedFiles()
	}
	delete(k.delKeys, "")
	delete(k.addKeys, "")
	for _, a := range k.set.anchors {
		if a.role == roleContext {
			k.around.addCode(a.text)
		}
	}
	k.gone, k.fresh = k.removed.minus(k.added), k.added.minus(k.removed)
}

func (k *casework) readAddedFiles() {
	for _, f := range k.fc.Patch.Files {
		if f.Submodule { // its text is git's
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				k.added.addCode(l.Text)
			}
		}
	}
}

// readCandidates compares the candidates with each other.
func (k *casework) readCandidates() {
	byDate := append([]*candidate(nil), k.list...)
	sort.SliceStable(byDate, func(i, j int) bool {
		a, b := byDate[i], byDate[j]
		if at := b.commit.Committer.Time; !at.Equal(a.commit.Committer.Time) {
			return a.commit.Committer.Time.After(at)
		}
		return landedAfter(a, b)
	})
	for i, c := range byDate {
		k.order[c.oid] = i
		if k.shares[shareDeleted][c.oid]+k.shares[shareTrivial][c.oid] > 0 {
			k.owners = append(k.owners, c.oid)
		}
	}
	message := k.fc.Message
	for _, c := range k.list {
		subject := c.commit.Subject()
		if strings.Count(subject, " ") >= 2 { // a quoted title would give the answer away
			message = strings.ReplaceAll(message, subject, " ")
		}
		w := bag{}
		w.addWords(subject)
		w.addWords(stripHints(firstBytes(c.commit.Body(), 2000)))
		k.words[c.oid] = w
		k.prose.add(w)
		doc := bag{}
		for t := range c.diff.added {
			doc[t] = 1
		}
		for t := range c.diff.removed {
			doc[t] = 1
		}
		k.code.add(doc)
		k.files.add(pathSet(c.paths))
	}
	k.readFunctions(byDate)
	k.readSeries(byDate)
	k.rankOwners(byDate)
	k.readStreak()
	for _, doc := range k.pool.recents {
		k.prose.add(doc)
	}
	k.message.addWords(firstBytes(message, 6000))
	k.said = codeWords(message)
	k.voteNames(byDate)
	head := firstBytes(k.fc.Message, 3000)
	k.topics = [numTopics]bool{
		ofRegression: fixRegress().MatchString(head), ofOmission: fixOld().MatchString(head), ofBuild: fixBuild().MatchString(head),
	}
	k.newest = math.Inf(1)
	for _, c := range k.list {
		k.newest = min(k.newest, math.Log1p(k.ageDays(c)))
	}
}

// insideWork is what a candidate did inside the functions of the fix.
type insideWork struct {
	in, out bag
	hunks   int
	rank    int // among the candidates that changed these functions, 0 = newest
}

func (k *casework) readFunctions(byDate []*candidate) {
	k.inside = map[gitext.OID]*insideWork{}
	rank := 0
	for _, c := range byDate {
		w := &insideWork{rank: -1}
		w.in, w.out, w.hunks = k.inFunctions(c)
		if w.hunks > 0 {
			w.rank = rank
			rank++
		}
		k.inside[c.oid] = w
	}
}

// readSeries counts for each candidate the others that its author committed
// within the hour: patches of a series are easily taken for one another.
func (k *casework) readSeries(byDate []*candidate) {
	k.series = map[gitext.OID]int{}
	for i, a := range byDate {
		for _, b := range byDate[i+1:] {
			if a.commit.Committer.Time.Sub(b.commit.Committer.Time) > time.Hour {
				break
			}
			if a.commit.Author.Email == b.commit.Author.Email {
				k.series[a.oid]++
				k.series[b.oid]++
			}
		}
	}
}

// likeness is how much the most similar change of a candidate shares with the
// fix: the weight of common tokens over the weight of all, as Jaccard has it.
func (k *casework) likeness(c *candidate, side func(*diffHunk) bag) float64 {
	fix := unite(k.removed, k.fresh)
	best := 0.0
	for path, hs := range c.diff.hunks {
		if !k.paths[path] && c.sources&^(fromRecent|fromNames) != 0 {
			continue
		}
		for i := range hs {
			if b := side(&hs[i]); len(b) < 400 {
				best = max(best, k.code.jaccard(fix, b))
			}
		}
	}
	return best
}

func firstBytes(s string, n int) string { return s[:min(len(s), n)] }

// Words of subjects that say what sort of commit it is.
var (
	saysRefactor = lazy(`(?i)\b(refactor\w*|clean\w*|renam\w*|mov(e|ed|ing)|re-?format\w*|style|styling|indent\w*|whitespace|coding style|clang-format|simplif\w*|reorgani\w*|split\w*|typo\w*|cosmetic\w*|consolidat\w*|lint\w*)\b`)
	saysFix      = lazy(`(?i)\b(fix\w*|bug\w*|correct\w*|repair\w*|workaround|leak\w*|crash\w*|resolve\w*|prevent\w*|avoid\w*)\b`)
	saysNew      = lazy(`(?i)\b(add\w*|new|introduc\w*|implement\w*|support\w*|enable\w*|allow\w*|creat\w*|initial\w*|import\w*|provide\w*)\b`)
	saysChange   = lazy(`(?i)\b(use|change\w*|replac\w*|convert\w*|improv\w*|optimi\w*|rework\w*|rewrit\w*|switch\w*|make|updat\w*|port|extend\w*|remov\w*|drop\w*|delet\w*)\b`)
	saysRevert   = lazy(`(?i)\brevert`)
	saysDocs     = lazy(`(?i)\b(doc|docs|documentation|comment\w*|readme|changelog|copyright|licen[cs]e|spdx|bump|version|release|merge|test|tests|ci)\b`)

	fixRegress = lazy(`(?i)\b(regress\w*|recent\w*|no longer|anymore|broke\w*|breaks?|broken|introduc\w*|accident\w*|since|after|previous\w*|last|again|restore\w*|bring back|re-?add)\b`)
	fixOld     = lazy(`(?i)\b(never|always|missing|forg[eo]t\w*|leak\w*|overflow\w*|uninitiali\w*|memory|null|race|crash\w*|coverity|valgrind|asan|sanitizer|static analy\w*|dead ?code|unused)\b`)
	fixBuild   = lazy(`(?i)\b(build\w*|compil\w*|warning\w*|typo\w*|lint\w*|test\w*|ci)\b`)
)

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func says(re pattern) func(*casework, *candidate) float64 {
	return func(_ *casework, c *candidate) float64 { return flag(re().MatchString(c.commit.Subject())) }
}

// What a fix's message may speak of.
const (
	ofRegression = iota
	ofOmission
	ofBuild
	numTopics
)

func fixSays(topic int) func(*casework, *candidate) float64 {
	return func(k *casework, _ *candidate) float64 { return flag(k.topics[topic]) }
}

func source(s sourceSet) func(*casework, *candidate) float64 {
	return func(_ *casework, c *candidate) float64 { return flag(c.sources&s != 0) }
}

// ageDays is how long before the fix the candidate was committed.
func (k *casework) ageDays(c *candidate) float64 {
	return max(0, k.fc.Date.Sub(c.commit.Committer.Time).Hours()/24)
}

// reciprocal turns a position into a closeness: 1 for the first, 0 for none.
func reciprocal(position int) float64 {
	if position < 0 {
		return 0
	}
	return 1 / float64(1+position)
}

func shareOf(hits, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(hits) / float64(all)
}

func common(a, b map[string]bool) int {
	n := 0
	for k := range a {
		if b[k] {
			n++
		}
	}
	return n
}
