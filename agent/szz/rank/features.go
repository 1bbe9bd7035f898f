package rank

import (
	"context"
	"math"
	"sort"
	"strings"
	"time"

	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// A feature is one input of the ranker's model: a number for a candidate, comparable
// across fixes.
type feature struct {
	name string // in the model file
	say  string // in the output
	get  func(k *Case, c *candidate.Candidate) float64
}

// A Case is a fix with all facts for the comparison with its candidates.
type Case struct {
	fc   *szz.FixContext
	Set  *candidate.AnchorSet
	pool *candidate.Pool
	list []*candidate.Candidate // by object id

	// The fix: tokens, lines and words.
	Removed source.Bag      // tokens of its removed lines
	Added   source.Bag      // tokens of its added lines
	Gone    source.Bag      // tokens that it removes and does not add again
	Fresh   source.Bag      // tokens that it adds and does not remove
	Around  source.Bag      // tokens of context lines
	DelKeys map[string]bool // keys of its removed lines, see candidate.LineKey
	addKeys map[string]bool // keys of its added lines
	FixPath map[string]bool // paths of the traced files
	Paths   map[string]bool // FixPath, and the names of these files in the owners of lines
	message source.Bag      // words of its message
	said    source.Bag      // names in its message
	topics  [numTopics]bool // the topics of its message
	tickets map[string]bool // tickets named in its message
	streak  int             // number of consecutive commits of its author right before it
	// allPaths are all paths that the fix changes, companions the untraced ones among
	// them: tests and new files.
	allPaths, companions source.Bag

	weighed weighed

	// The owners of its lines.
	shares        [candidate.NumShares]map[gitext.OID]float64
	owners        []gitext.OID                                    // of deleted lines, newest first
	nDel          int                                             // deleted lines of code
	owned         map[gitext.OID]float64                          // deleted lines of code by owner
	moved         map[gitext.OID]float64                          // lines of owned that the owner only moved or re-indented
	ownerRanks    [numOwnerSets][numSortOrders]map[gitext.OID]int // places among the owners, 0 = first
	nearest       map[gitext.OID]float64                          // 1/(1+distance) of each owner's closest line of code
	addedByChange map[int]source.Bag                              // tokens that a change adds; made on first use
	namedByChange map[int]map[string]int                          // see namedIn

	// The candidates.
	ageRank map[gitext.OID]int             // by committer date, 0 = newest of all candidates
	newest  float64                        // log age of the newest candidate
	words   map[gitext.OID]source.Bag      // of their messages
	inside  map[gitext.OID]*functionChange // each one's changes in the fixed functions
	series  map[gitext.OID]int             // other candidates by the same author within an hour
	Code    *source.IDF                    // over the tokens that the candidates added or removed
	prose   *source.IDF                    // over the candidates' messages
	files   *source.IDF                    // over the paths that the candidates change

	spread map[string]int // files of the repository with a name of the fix, see countFiles; 0 if unknown

	indexed    bool    // the index of changed lines was asked
	bestNaming float64 // the highest score of a commit by an index of changed lines
}

// A weighed holds the tokens of a fix in a form for comparisons with many candidates: a
// fix that removes a thousand files has very many tokens.
type weighed struct {
	removed, gone, fresh, around, touched *source.Weighed // touched: removed and fresh
	paths, companions                     *source.Weighed
	changed, shown                        source.Bag // changed: removed and added; shown: also the tokens around them
}

// weigh is called when all candidates are known.
func (k *Case) weigh() {
	k.weighed = weighed{
		removed: k.Code.Weigh(k.Removed), gone: k.Code.Weigh(k.Gone), fresh: k.Code.Weigh(k.Fresh), around: k.Code.Weigh(k.Around),
		touched: k.Code.Weigh(source.Unite(k.Removed, k.Fresh)),
		paths:   k.files.Weigh(k.allPaths), companions: k.files.Weigh(k.companions),
		changed: source.Unite(k.Removed, k.Added),
	}
	k.weighed.shown = source.Unite(k.weighed.changed, k.Around)
}

// newCase compares a fix with its candidates. It ends early with ctx.
func newCase(ctx context.Context, fc *szz.FixContext, set *candidate.AnchorSet, p *candidate.Pool) (*Case, error) {
	k := &Case{
		fc: fc, Set: set, pool: p, list: p.Sorted(),
		ageRank: map[gitext.OID]int{}, words: map[gitext.OID]source.Bag{},
		Code: source.NewIDF(), prose: source.NewIDF(), files: source.NewIDF(),
		allPaths: source.Bag{}, companions: source.Bag{},
		Around: source.Bag{}, message: source.Bag{},
		DelKeys: map[string]bool{}, addKeys: map[string]bool{}, FixPath: map[string]bool{}, spread: map[string]int{},
	}
	k.readNamings()
	for _, f := range set.Files {
		k.FixPath[f.OldPath], k.FixPath[f.NewPath] = true, true
	}
	for _, f := range fc.Patch.Files {
		k.allPaths[f.NewPath] = 1
		if !k.FixPath[f.NewPath] {
			k.companions[f.NewPath] = 1
		}
	}
	k.Paths = map[string]bool{}
	for _, p := range candidate.InterestingPaths(fc, set) {
		k.Paths[p] = true
	}
	for _, step := range []func(context.Context){k.readFix, k.vote, k.readCandidates} {
		if step(ctx); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return k, nil
}

// readFix collects the tokens and lines of the fix.
func (k *Case) readFix(context.Context) {
	k.Removed, k.Added = k.Set.Tokens()
	for _, r := range k.Set.Changes {
		for _, l := range r.Removed {
			k.DelKeys[candidate.LineKey(l.Text)] = true
		}
		for _, l := range r.Added {
			k.addKeys[candidate.LineKey(l.Text)] = true
		}
	}
	if len(k.Set.Files) == 0 {
		k.readAddedFiles()
	}
	delete(k.DelKeys, "")
	delete(k.addKeys, "")
	for _, a := range k.Set.Anchors {
		if a.Role == candidate.RoleContext {
			k.Around.AddCode(a.Text)
		}
	}
	k.Gone, k.Fresh = k.Removed.Minus(k.Added), k.Added.Minus(k.Removed)
}

// readAddedFiles collects the tokens of a fix that only adds files.
func (k *Case) readAddedFiles() {
	for _, f := range k.fc.Patch.Files {
		if f.Submodule { // git wrote the text of a submodule, not the author
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				k.Added.AddCode(l.Text)
			}
		}
	}
}

// readCandidates sorts the candidates in several orders, and collects their words and
// tokens for comparison.
func (k *Case) readCandidates(ctx context.Context) {
	byDate := append([]*candidate.Candidate(nil), k.list...)
	sort.SliceStable(byDate, func(i, j int) bool {
		a, b := byDate[i], byDate[j]
		if at := b.Commit.Committer.Time; !at.Equal(a.Commit.Committer.Time) {
			return a.Commit.Committer.Time.After(at)
		}
		return LandedAfter(a, b)
	})
	for i, c := range byDate {
		k.ageRank[c.OID] = i
		if k.shares[candidate.ShareDeleted][c.OID]+k.shares[candidate.ShareTrivial][c.OID] > 0 {
			k.owners = append(k.owners, c.OID)
		}
	}
	message := k.fc.Prose
	for _, c := range k.list {
		if ctx.Err() != nil {
			return
		}
		subject := c.Commit.Subject()
		if strings.Count(subject, " ") >= 2 { // a quoted title would give the answer away
			message = strings.ReplaceAll(message, subject, " ")
		}
		w := source.Bag{}
		w.AddWords(subject)
		w.AddWords(szz.Prose(source.FirstBytes(c.Commit.Body(), 2000), nil))
		k.words[c.OID] = w
		k.prose.Add(w)
		doc := source.Bag{}
		for t := range c.Diff.Added {
			doc[t] = 1
		}
		for t := range c.Diff.Removed {
			doc[t] = 1
		}
		k.Code.Add(doc)
		k.files.Add(source.PathSet(c.Paths))
	}
	k.weigh()
	k.readFunctions(byDate)
	k.readSeries(byDate)
	k.rankOwners(byDate)
	k.readStreak()
	for _, doc := range k.pool.Recents {
		k.prose.Add(doc)
	}
	k.message.AddWords(source.FirstBytes(message, 6000))
	k.said = candidate.CodeWords(message)
	k.voteNames(ctx, byDate)
	head := source.FirstBytes(k.fc.Prose, 3000)
	k.topics = [numTopics]bool{
		ofRegression: fixRegress().MatchString(head), ofOmission: fixOld().MatchString(head), ofBuild: fixBuild().MatchString(head),
	}
	k.newest = math.Inf(1)
	for _, c := range k.list {
		k.newest = min(k.newest, math.Log1p(k.ageDays(c)))
	}
}

// A functionChange is a candidate's change inside the functions that the fix changes.
type functionChange struct {
	in, out source.Bag
	hunks   int
	rank    int // among the candidates that changed these functions, 0 = newest
}

func (k *Case) readFunctions(byDate []*candidate.Candidate) {
	k.inside = map[gitext.OID]*functionChange{}
	rank := 0
	for _, c := range byDate {
		w := &functionChange{rank: -1}
		w.in, w.out, w.hunks = k.inFunctions(c)
		if w.hunks > 0 {
			w.rank = rank
			rank++
		}
		k.inside[c.OID] = w
	}
}

// readSeries counts for each candidate the other candidates of the same author that were
// committed within an hour of it. Patches of one series are easily mistaken for each
// other.
func (k *Case) readSeries(byDate []*candidate.Candidate) {
	k.series = map[gitext.OID]int{}
	for i, a := range byDate {
		for _, b := range byDate[i+1:] {
			if a.Commit.Committer.Time.Sub(b.Commit.Committer.Time) > time.Hour {
				break
			}
			if a.Commit.Author.Email == b.Commit.Author.Email {
				k.series[a.OID]++
				k.series[b.OID]++
			}
		}
	}
}

// likeness returns the likeness of a candidate's most similar hunk to the fix: the
// weighted Jaccard index of their tokens. side picks the compared tokens of a hunk.
func (k *Case) likeness(c *candidate.Candidate, side func(*candidate.DiffHunk) source.Bag) float64 {
	best := 0.0
	for path, hs := range c.Diff.Hunks {
		if !k.Paths[path] && c.Sources&^candidate.FoundElsewhere != 0 {
			continue
		}
		for i := range hs {
			if b := side(&hs[i]); len(b) < 400 {
				best = max(best, k.weighed.touched.Jaccard(b))
			}
		}
	}
	return best
}

// Patterns of words in a message. Those from saysFix on describe the kind of a candidate,
// those from fixRegress on the kind of bug that a fix mends.
var (
	saysFix    = source.Lazy(`(?i)\b(fix\w*|bug\w*|correct\w*|repair\w*|workaround|leak\w*|crash\w*|resolve\w*|prevent\w*|avoid\w*)\b`)
	saysNew    = source.Lazy(`(?i)\b(add\w*|new|introduc\w*|implement\w*|support\w*|enable\w*|allow\w*|creat\w*|initial\w*|import\w*|provide\w*)\b`)
	saysChange = source.Lazy(
		`(?i)\b(use|change\w*|replac\w*|convert\w*|improv\w*|optimi\w*|rework\w*|rewrit\w*|switch\w*|make|updat\w*|port|extend\w*|remov\w*|drop\w*|delet\w*)\b`,
	)
	saysRevert = source.Lazy(`(?i)\brevert`)
	saysDocs   = source.Lazy(
		`(?i)\b(doc|docs|documentation|comment\w*|readme|changelog|copyright|licen[cs]e|spdx|bump|version|release|merge|test|tests|ci)\b`,
	)

	fixRegress = source.Lazy(
		`(?i)\b(regress\w*|recent\w*|no longer|anymore|broke\w*|breaks?|broken|introduc\w*|accident\w*|since|after|previous\w*|last|again|restore\w*|bring back|re-?add)\b`,
	)
	fixOld = source.Lazy(
		`(?i)\b(never|always|missing|forg[eo]t\w*|leak\w*|overflow\w*|uninitiali\w*|memory|null|race|crash\w*|coverity|valgrind|asan|sanitizer|static analy\w*|dead ?code|unused)\b`,
	)
	fixBuild = source.Lazy(`(?i)\b(build\w*|compil\w*|warning\w*|typo\w*|lint\w*|test\w*|ci)\b`)
)

// says returns the feature of a candidate whose subject matches.
func says(re source.Pattern) func(*Case, *candidate.Candidate) float64 {
	return func(_ *Case, c *candidate.Candidate) float64 { return stat.Flag(re().MatchString(c.Commit.Subject())) }
}

// The topics of a fix's message, as indices into Case.topics.
const (
	ofRegression = iota
	ofOmission
	ofBuild
	numTopics
)

func fixSays(topic int) func(*Case, *candidate.Candidate) float64 {
	return func(k *Case, _ *candidate.Candidate) float64 { return stat.Flag(k.topics[topic]) }
}

func foundBy(s candidate.SourceSet) func(*Case, *candidate.Candidate) float64 {
	return func(_ *Case, c *candidate.Candidate) float64 { return stat.Flag(c.Sources&s != 0) }
}

// ageDays returns how many days before the fix a candidate was committed.
func (k *Case) ageDays(c *candidate.Candidate) float64 {
	return max(0, k.fc.Date.Sub(c.Commit.Committer.Time).Hours()/24)
}

// reciprocal turns a position into a closeness to the first: 1 for position 0, 1/2 for
// the next, and 0 for a negative position, which means none.
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
	if len(b) < len(a) {
		a, b = b, a
	}
	n := 0
	for k, in := range a {
		if in && b[k] {
			n++
		}
	}
	return n
}

// inFunctions returns the tokens that a candidate added to and removed from the functions
// that the fix changes, and the number of hunks with these changes.
func (k *Case) inFunctions(c *candidate.Candidate) (in, out source.Bag, hunks int) {
	in, out = source.Bag{}, source.Bag{}
	for path, hs := range c.Diff.Hunks {
		for i := range hs {
			if !k.Set.Functions[hs[i].Function] || !k.Paths[path] {
				continue
			}
			hunks++
			for t, n := range hs[i].In {
				in[t] += n
			}
			for t, n := range hs[i].Out {
				out[t] += n
			}
		}
	}
	return in, out, hunks
}

// subsystem returns the text before the colon of a subject, which names the changed part
// in many projects.
func subsystem(subject string) string {
	head, _, ok := strings.Cut(subject, ": ")
	if !ok || len(head) > 40 || strings.Count(head, " ") > 2 {
		return ""
	}
	return strings.ToLower(head)
}

// LandedAfter reports whether x came after y. It compares their places in a history if
// both have one, since commits of a series may have the same second.
func LandedAfter(x, y *candidate.Candidate) bool {
	switch {
	case x.Position >= 0 && y.Position >= 0:
		return x.Position < y.Position
	case x.Recent >= 0 && y.Recent >= 0:
		return x.Recent < y.Recent
	}
	return x.Commit.Committer.Time.After(y.Commit.Committer.Time)
}
