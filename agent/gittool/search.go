package gittool

import (
	"context"
	"errors"
	"iter"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// searchParams are the parameters of git_log_search.
type searchParams struct {
	Pattern string `json:"pattern"`
	Mode    string `json:"mode" arg:"enum=S|G"`
	Path    string `json:"path"`
	Since   string `json:"since"`
	Until   string `json:"until"`
	Order   string `json:"order" arg:"enum=newest|oldest"`
	Max     int    `json:"max" arg:"min=1,max=100"`
	Commit  string `json:"commit"`
	Page    int    `json:"page" arg:"min=0"`
}

// Search is the answer of git_log_search.
type Search struct {
	Pattern string      `json:"pattern"`
	Mode    string      `json:"mode"`
	Path    string      `json:"path,omitempty"`
	Commit  string      `json:"commit"`
	Since   string      `json:"since,omitempty"`
	Until   string      `json:"until,omitempty"`
	Order   string      `json:"order"`
	Hits    []SearchHit `json:"hits"`
	More    bool        `json:"more,omitempty"` // there are further commits
	Total   int         `json:"total,omitempty"`
	Missing string      `json:"missing,omitempty"` // an object that this clone lacks, at the end of the search
	Gap     *Gap        `json:"gap,omitempty"`     // the place of Missing
	Folder  bool        `json:"folder,omitempty"`  // Path is a folder, whose renames are not followed

	Presence *Presence `json:"standing,omitempty"` // the places of the text at Commit; nil if not looked up

	unadvised bool // an empty answer has no advice
}

// SearchHit is a commit that changed the pattern.
type SearchHit struct {
	Commit Commit    `json:"commit"`
	Files  []string  `json:"files"` // the files with a change of the pattern
	Lines  []HitLine `json:"lines"` // the first few changed lines that contain the pattern
	More   int       `json:"more,omitempty"`

	Twins   int    `json:"twins,omitempty"`   // further translations with a change of the pattern; Files has the first
	Added   int    `json:"added,omitempty"`   // lines, in the log of a path
	Deleted int    `json:"deleted,omitempty"` // lines, in the log of a path
	Moved   string `json:"moved,omitempty"`   // the destination of lines that the commit only moves
	Renamed string `json:"renamed,omitempty"` // the rename of a file with the lines
	Unread  string `json:"unread,omitempty"`  // the reason for unread changes

	whole string // a file that the commit adds or deletes as a whole, according to the search
	tally tally

	Redacted int `json:"withheld,omitempty"` // number of such lines in files made for secrets
}

// HitLine is a changed line. Line is its number after the commit for an
// added line, before it for a deleted one.
type HitLine struct {
	Op   string `json:"op"` // "+" or "-"
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
	Same int    `json:"same,omitempty"` // number of other files with the line, or its translation
	At   int    `json:"at,omitempty"`   // the offset in Text at which the pattern begins
}

const (
	maxHitLines  = 10       // lines kept of each commit
	maxHitFiles  = 200      // files whose patches are read
	maxHitsPatch = 16 << 20 // bytes of one commit's patch
)

func newSearch(b *scopedRepo) (agent.Tool, error) {
	t := gitTool[searchParams, Search]{
		deed:     agent.DeedSearch,
		version:  4,
		defaults: searchParams{Mode: "S", Order: "newest", Max: 20},
		page:     func(p *searchParams) int { n := p.Page; p.Page = 0; return n },
		prepare:  prepareSearch,
		look:     lookSearch,
		render:   (*Search).render,
		empty:    func(v *Search) bool { return len(v.Hits) == 0 },
	}
	return t.described("git_log_search", b)
}

func prepareSearch(ctx context.Context, b *scopedRepo, p *searchParams) error {
	if p.Pattern == "" && p.Path == "" {
		return refusef("give pattern, or path for the log of a file or directory")
	}
	if p.Mode == "G" && strings.Contains(p.Pattern, "\n") {
		return refusef(`with mode "G" the pattern must be one line; mode "S" can search for several`)
	}
	if p.Mode == "G" {
		if err := checkExpression(p.Pattern); err != nil {
			return err
		}
	}
	if _, _, err := b.span(p.Since, p.Until); err != nil {
		return err
	}
	oid, err := b.resolve(ctx, &p.Commit)
	if err != nil || p.Path == "" {
		return err
	}
	// A path that no longer exists may have existed earlier: the history decides.
	at, err := b.find(ctx, oid, p.Path)
	if err != nil {
		return err
	}
	if at != nil {
		p.Path = at.path
		return nil
	}
	tries, err := cleanPath(p.Path)
	if err != nil {
		return err
	}
	p.Path = tries[len(tries)-1]
	return nil
}

func lookSearch(ctx context.Context, b *scopedRepo, p searchParams) (*Search, error) {
	v := &Search{Pattern: agent.Clean(p.Pattern), Mode: p.Mode, Path: p.Path, Commit: p.Commit, Since: p.Since, Until: p.Until, Order: p.Order}
	since, until, err := b.span(p.Since, p.Until)
	if err != nil {
		return nil, err
	}
	oid := gitext.OID(p.Commit)
	opt := gitext.PickaxeOptions{Needle: p.Pattern, LogOptions: gitext.LogOptions{Tip: oid, Since: since, Until: until, Files: true}}
	gone := false
	if p.Path != "" {
		at, err := b.find(ctx, oid, p.Path)
		if err != nil {
			return nil, err
		}
		opt.Paths, gone = []string{p.Path}, at == nil
		opt.Follow = at != nil && at.file
		v.Folder = at != nil && !at.file
	}
	if v.Order == "oldest" {
		opt.Last, opt.Skipped = p.Max, &v.Total
	}
	log := b.repo.LogS(ctx, opt)
	switch {
	case p.Pattern == "":
		opt.NoMerges, opt.NoRenames = true, !opt.Follow
		log = b.repo.Log(ctx, opt.LogOptions)
	case p.Mode == "G":
		log = b.repo.LogG(ctx, opt)
	}
	entries, err := v.collect(log, p.Max)
	if err != nil {
		return nil, b.ended(ctx, explainPattern(err, p.Pattern, p.Mode == "G"), opt.LogOptions, p.Path)
	}
	v.Gap = b.gapAt(ctx, opt.LogOptions, v.Missing)
	if len(entries) == 0 && gone {
		if ever, err := b.everHad(ctx, oid, p.Path); err != nil || !ever {
			return nil, errors.Join(err, b.noSuchPath(ctx, oid, p.Path))
		}
	}
	if p.Pattern == "" {
		err = b.fillHits(ctx, v, entries, nil)
		for i := range v.Hits {
			v.Hits[i].whole = ""
		}
		return v, err
	}
	if v.Presence, err = b.presence(ctx, p); err != nil {
		return nil, err
	}
	if err := b.fillHits(ctx, v, entries, matcherOf(p.Pattern, p.Mode == "G", false)); err != nil {
		return nil, err
	}
	err = b.markRenames(ctx, v)
	for i := range v.Hits { // the same value that a memory would give back
		v.Hits[i].whole, v.Hits[i].tally = "", tally{}
	}
	return v, err
}

// collect takes max entries from the wanted end of the log. For the oldest ones it has to
// read the whole log.
func (v *Search) collect(log iter.Seq2[gitext.LogEntry, error], max int) ([]gitext.LogEntry, error) {
	var entries []gitext.LogEntry
	for entry, err := range log {
		if missing := missingObject(err); missing != "" && len(entries) > 0 {
			v.Missing = missing
			break
		}
		if gitext.Unreadable(err) && len(entries) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		v.Total++
		if v.Order == "newest" && len(entries) == max {
			v.More, v.Total = true, 0 // do not read on only to count
			break
		}
		if len(entries) == max {
			entries = entries[1:]
		}
		entries = append(entries, entry)
	}
	if v.Order == "oldest" {
		slices.Reverse(entries)
		v.More = v.Total > len(entries) // including those that the log left out
	}
	return entries, nil
}

// missingObject returns the id of the missing object that err is about, or "".
func missingObject(err error) string {
	var missing *gitext.MissingObjectError
	if errors.As(err, &missing) {
		return string(missing.OID)
	}
	return ""
}

// explainPattern turns git's error about an invalid regular expression into a
// refusal. Its text is shown, not interpreted.
func explainPattern(err error, pattern string, regex bool) error {
	var git *gitcmd.Error
	if !regex || !errors.As(err, &git) || git.Exit != 128 && git.Exit != 129 {
		return err
	}
	if _, bad := regexp.CompilePOSIX(pattern); bad == nil && !looseBrace(pattern) {
		return err // the pattern is fine, so something else is wrong
	}
	said := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(git.Stderr), "fatal: "))
	said = strings.TrimPrefix(strings.TrimPrefix(said, "command line, "), "-e option, ")
	return refusef(
		"git does not accept the regular expression %q: %s; put a backslash before each of ( ) [ { * + ? that is meant literally, or search for a literal text",
		agent.Shorten(agent.CleanLine(pattern), 80),
		agent.Shorten(agent.CleanLine(said), 200),
	)
}

// repetition matches the text that POSIX allows after an opening brace.
var repetition = source.Lazy(`\{[0-9]+(,[0-9]*)?\}`)

// looseBrace reports whether the pattern has a brace that is literal in Go and
// an error in POSIX.
func looseBrace(pattern string) bool {
	return strings.Contains(repetition().ReplaceAllString(pattern, ""), "{")
}

// matcher returns the offset of a pattern in a line, -1 if it does not occur.
type matcher func(line string) int

// matcherOf compiles a pattern nearly like git. Go's regular expressions differ in corner
// cases, but they only decide the display of lines.
func matcherOf(pattern string, regex, ignoreCase bool) matcher {
	if !regex {
		first, _, _ := strings.Cut(pattern, "\n")
		if first == "" || ignoreCase {
			return func(line string) int { return strings.Index(strings.ToLower(line), strings.ToLower(first)) }
		}
		return func(line string) int { return strings.Index(line, first) }
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return func(string) int { return -1 }
	}
	return func(line string) int {
		if at := re.FindStringIndex(line); at != nil {
			return at[0]
		}
		return -1
	}
}

// fillHits reads commits and the matching changed lines of the entries.
func (b *scopedRepo) fillHits(ctx context.Context, v *Search, entries []gitext.LogEntry, match matcher) error {
	v.Hits = []SearchHit{}
	var oids []gitext.OID
	var paths []string
	for _, e := range entries {
		oids = append(oids, e.OID)
		files, _ := withoutTwins(e.Files)
		for _, f := range files {
			paths = append(paths, f.OldPath, f.NewPath)
		}
	}
	if len(oids) == 0 {
		return nil
	}
	commits, err := b.repo.Commits(ctx, oids)
	if err != nil {
		return err
	}
	for i, c := range commits {
		hit := SearchHit{Commit: b.commit(c), Files: []string{}}
		hit.Commit.Message = b.body(c.Message)
		files, twins := withoutTwins(entries[i].Files)
		hit.Twins, hit.Renamed = twins, renameIn(files, "")
		for _, f := range files {
			hit.Files = append(hit.Files, agent.Clean(currentPath(f)))
			if hit.whole == "" && (f.Status == 'A' || f.Status == 'D') {
				hit.whole = currentPath(f)
			}
		}
		v.Hits = append(v.Hits, hit)
	}
	slices.Sort(paths)
	paths = slices.DeleteFunc(slices.Compact(paths), func(p string) bool { return p == "" })
	if len(paths) == 0 || len(paths) > maxHitFiles {
		return nil
	}
	return b.fillLines(ctx, v, oids, paths, match)
}

func (b *scopedRepo) fillLines(ctx context.Context, v *Search, oids []gitext.OID, paths []string, match matcher) error {
	i := 0
	opt := gitext.PatchOptions{Renames: true, Paths: paths, MaxBytes: maxHitsPatch}
	for patch, err := range b.repo.Patches(ctx, oids, opt) {
		if gitext.Unreadable(err) { // the commit is listed without its lines
			if i < len(v.Hits) {
				v.Hits[i].Unread = agent.CleanLine(gitext.WhyUnread(err))
			}
			i++
			continue
		}
		if err != nil {
			return err
		}
		b.scope.Redact.patch(patch)
		if i < len(v.Hits) && string(patch.Commit) == v.Hits[i].Commit.OID {
			v.Hits[i].addLines(patch, match)
			v.Hits[i].Moved = v.Hits[i].tally.moved()
		}
		i++
	}
	return nil
}

func (h *SearchHit) addLines(patch *gitext.Patch, match matcher) {
	for _, f := range patch.Files {
		for _, hunk := range f.Hunks {
			for _, l := range hunk.Lines {
				if l.Op != ' ' {
					h.addLine(f, l, match)
				}
			}
		}
	}
}

func (h *SearchHit) addLine(f gitext.FileChange, l gitext.PatchLine, match matcher) {
	if match == nil {
		h.Added, h.Deleted = h.Added+count(l.Op == '+'), h.Deleted+count(l.Op == '-')
		return
	}
	text := strings.TrimSpace(agent.CleanLine(string(l.Text)))
	at := match(text)
	if at < 0 {
		return
	}
	if redacted(f.OldPath, f.NewPath) {
		h.Redacted++
		return
	}
	h.tally.add(l.Op, agent.Clean(currentPath(f)), text)
	text, at = excerptAt(text, at)
	hit := HitLine{Op: "+", Path: agent.Clean(f.NewPath), Line: l.New, Text: text, At: at}
	if l.Op == '-' {
		hit.Op, hit.Path, hit.Line = "-", agent.Clean(f.OldPath), l.Old
	}
	if twin := h.twinOf(hit); twin != nil {
		twin.Same++
		return
	}
	if len(h.Lines) == maxHitLines {
		h.More++
		return
	}
	h.Lines = append(h.Lines, hit)
}
