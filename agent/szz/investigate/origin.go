package investigate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// This file finds the origins of names. A fix that adapts to something defined elsewhere
// names it: a header that it adds to a list, the new name of a function, a function that
// its message blames. The commits that wrote the lines elsewhere own nothing near the
// fix, so blame and the ranking do not find them. For names that few other files use, the
// first prompt names the commits that defined each name and changed the definition since;
// if no line looks like a definition, it names the authors of the oldest and the newest
// line with the name. The history of a name (git log -S) would be exact, but takes half a
// minute where a grep and a few blames take one second.

// Bounds of the search.
const (
	maxOriginNames = 3
	maxOriginFiles = 2   // blamed for a name
	maxUsers       = 4   // files with a name without a known definition
	maxOriginLines = 8   // of a file
	maxDefinition  = 200 // lines of a definition
	maxLater       = 2   // commits that changed a definition
	maxChanges     = 3   // commits that changed lines with a name, by an index
	maxOwnBytes    = 512 << 10
	maxOriginText  = 1000 // characters of the section
)

// A nameUse is a name with its lines, which the fix does not touch.
type nameUse struct {
	name   string
	paths  []string
	lines  map[string][]gitext.GrepMatch
	origin []pathOrigin // the text about the name
	taker  gitext.OID   // the commit that removed it everywhere else
}

// A pathOrigin names the commits that wrote the lines of a file with a name.
type pathOrigin struct {
	path    string
	line    int
	defined bool         // the line defines the name
	body    bool         // the definition has more lines
	first   gitext.OID   // wrote this line
	later   []laterOwner // wrote other lines since, the newest first
	beyond  bool         // a shallow clone lacks the commits that wrote the lines
}

// A laterOwner is a commit and one of its lines.
type laterOwner struct {
	commit gitext.Commit
	lines  int
	text   string
}

// A quotedLine is a line without white space, and the commit that wrote it.
type quotedLine struct {
	commit gitext.OID
	text   string
}

// originText renders a line or more for each name.
func (d *investigation) originText(ctx context.Context) (string, error) {
	uses, err := d.origins(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, u := range uses {
		if u.taker != "" {
			by, err := d.mention(ctx, u.taker)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s: in no other file; taken out by %s\n", agent.CleanLine(d.redact(u.name)), by)
		}
		for _, o := range u.origin {
			if err := d.writeOrigin(ctx, &b, &u, o); err != nil {
				return "", err
			}
		}
		if err := d.writeChanges(ctx, &b, &u); err != nil {
			return "", err
		}
	}
	return cutLines(b.String(), maxOriginText), nil
}

func (d *investigation) writeOrigin(ctx context.Context, b *strings.Builder, u *nameUse, o pathOrigin) error {
	who, err := d.mention(ctx, o.first)
	if err != nil {
		return err
	}
	what := "defined"
	if !o.defined {
		what = "the oldest line with it,"
		if len(u.paths) > 1 {
			what = fmt.Sprintf("the oldest line in %d files,", len(u.paths))
		}
	}
	fmt.Fprintf(b, "%s at %s:%d, %s by %s\n", agent.CleanLine(d.redact(u.name)), agent.CleanLine(o.path), o.line, what, who)
	if !o.defined && len(u.paths) > 1 {
		return nil // uses in many places say little about the name
	}
	for _, l := range o.later[:min(maxLater, len(o.later))] {
		by, err := d.mention(ctx, l.commit.OID)
		if err != nil {
			return err
		}
		d.quoted[quotedLine{l.commit.OID, squeezed([]byte(d.redact(l.text)))}] = true
		fmt.Fprintf(b, "   later %s by %s: %s\n", agent.Plural(l.lines, "line"), by, agent.Abridge(agent.CleanLine(d.redact(strings.TrimSpace(l.text))), 80))
	}
	return nil
}

// writeChanges renders the newest commits that changed lines with a name in files that
// the fix does not touch. Only an index of changed lines knows these commits; the other
// lines of the section name only the authors of existing lines.
func (d *investigation) writeChanges(ctx context.Context, b *strings.Builder, u *nameUse) error {
	said := map[gitext.OID]bool{u.taker: true}
	for _, o := range u.origin {
		said[o.first] = true
		for _, l := range o.later[:min(maxLater, len(o.later))] {
			said[l.commit.OID] = true
		}
	}
	left := maxChanges
	for _, ch := range d.k.TextChanges(u.name) {
		if left == 0 {
			break
		}
		if said[ch.OID] || d.k.Paths[ch.Path] || source.FileKindOf(ch.Path) != source.SourceFile {
			continue
		}
		said[ch.OID] = true
		left--
		by, err := d.mention(ctx, ch.OID)
		if err != nil {
			return err
		}
		fmt.Fprintf(
			b,
			"   lines with %s changed (-%d +%d) in %s by %s\n",
			agent.CleanLine(d.redact(u.name)),
			ch.Removed,
			ch.Added,
			agent.CleanLine(cmp.Or(ch.Path, ch.OldPath)),
			by,
		)
	}
	return nil
}

// origins finds the origins of the names that the fix adds, removes or mentions.
func (d *investigation) origins(ctx context.Context) ([]nameUse, error) {
	names := d.foreignNames()
	if len(names) == 0 {
		return nil, nil
	}
	hits, err := d.repo.Grep(ctx, d.fc.Parent, gitext.GrepOptions{Pattern: strings.Join(names, "|"), Word: true, Max: candidate.MaxGrepHits})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	found := d.rarestUses(names, hits)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i := range found {
		g.Go(func() error { return d.traceUse(gctx, &found[i]) })
	}
	return found, g.Wait()
}

// foreignNames returns the names that the fix removes, the names that it adds and that
// were not near (except variables that it declares), and the names that only its message
// has.
func (d *investigation) foreignNames() []string {
	var added strings.Builder
	for _, r := range d.k.Set.Changes {
		for _, l := range r.Added {
			added.Write(l.Text)
			added.WriteByte('\n')
		}
	}
	text := added.String()
	return slices.DeleteFunc(candidate.FixNames(d.fc, d.k.Set), func(name string) bool {
		if d.k.Gone[name] > 0 || d.onlySaid(name) {
			return false
		}
		own := regexp.MustCompile(`(?m)^\s*(?:[\w:<>]+\s+)*[*&]*` + regexp.QuoteMeta(name) + `(?:\s+:?=\s|;)`)
		return d.k.Fresh[name] == 0 || d.k.Around[name] > 0 || own.MatchString(text)
	})
}

// onlySaid reports whether the fix's message has a name and its patch does not.
func (d *investigation) onlySaid(name string) bool {
	return d.said[name] > 0 && d.k.Removed[name] == 0 && d.k.Added[name] == 0 && d.k.Around[name] == 0
}

// rarestUses picks the names to trace: those with the fewest other files. A name of the
// message alone is traced in the fixed files too.
func (d *investigation) rarestUses(names []string, hits []gitext.GrepMatch) []nameUse {
	uses, left := map[string]*nameUse{}, maps.Clone(d.k.Removed) // left: uses in the fixed files that the fix removes
	for _, n := range names {
		uses[n] = &nameUse{name: n, lines: map[string][]gitext.GrepMatch{}}
	}
	for _, h := range hits {
		if source.FileKindOf(h.Path) != source.SourceFile || source.IsVendored(h.Path) {
			continue
		}
		words := source.CodeWordsOf(h.Text)
		for n, u := range uses {
			if words[n] > 0 && d.k.FixPath[h.Path] {
				left[n] -= words[n]
			}
			if words[n] == 0 || d.k.FixPath[h.Path] && !d.onlySaid(n) {
				continue
			}
			if u.lines[h.Path] == nil {
				u.paths = append(u.paths, h.Path)
			}
			u.lines[h.Path] = append(u.lines[h.Path], h)
		}
	}
	var out []nameUse
	for _, n := range names {
		u := uses[n]
		if len(u.paths) == 0 && left[n] >= 0 { // no file has it, except in the lines that the fix removes
			u.taker = d.takenOutBy(n)
		}
		if u.taker != "" || len(u.paths) > 0 && (len(u.paths) <= candidate.MaxNameFiles || d.onlySaid(n)) {
			out = append(out, *u)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].paths) < len(out[j].paths) })
	return out[:min(maxOriginNames, len(out))]
}

// takenOutBy returns the most probable listed candidate that removed a name from files
// and did not add it. If there is none, it returns the newest such commit in an index of
// changed lines, or "".
func (d *investigation) takenOutBy(name string) gitext.OID {
	for i, j := range d.ranking {
		told := i < excerpted && d.k.Fresh[name] > 0 // see writeRestored
		if d.names.of[j.Candidate.OID] != "" && !told && j.Candidate.Diff.Removed[name] > 0 && j.Candidate.Diff.Added[name] == 0 {
			return j.Candidate.OID
		}
	}
	for _, ch := range d.k.TextChanges(name) {
		if ch.Removed > ch.Added && source.FileKindOf(ch.OldPath) == source.SourceFile {
			return ch.OID
		}
	}
	return ""
}

// traceUse finds the commits that defined a name and changed the definition, in each of
// the first files that define it, or else the commits that wrote the oldest and the
// newest line with it. It finds none if a line is older than a shallow clone, and leaves
// out files that this clone lacks.
func (d *investigation) traceUse(ctx context.Context, u *nameUse) error {
	defines := definitionOf(u.name)
	for _, path := range u.paths {
		if len(u.origin) == maxOriginFiles {
			return nil
		}
		for _, h := range u.lines[path] {
			if !defines(h.Text) {
				continue
			}
			o, err := d.traceDefinition(ctx, path, h.Line)
			if err != nil {
				return err
			}
			if o.first != "" {
				u.origin = append(u.origin, o)
			}
			break
		}
	}
	if slices.ContainsFunc(u.origin, hasBody) { // declarations say less
		u.origin = slices.DeleteFunc(u.origin, func(o pathOrigin) bool { return !hasBody(o) })
	}
	if len(u.origin) > 0 || len(u.paths) > maxUsers {
		return nil
	}
	return d.traceLines(ctx, u)
}

func hasBody(o pathOrigin) bool { return o.body }

// definitionOf returns a function that reports whether a line looks like a definition of
// a name.
func definitionOf(name string) func(line []byte) bool {
	q := regexp.QuoteMeta(name)
	sure := regexp.MustCompile(
		`^\s*#\s*define\s+` + q + `\b|\b(?:def|func|fn|function|class|trait|interface|type|macro)\s+(?:\([^)]*\)\s*)?` + q + `\b`,
	)
	likely := regexp.MustCompile(
		`^(?:struct|enum|union)\s+` + q + `\s*(?:\{.*)?$|^(?:[\w:<>,*&~]+\s+)*[*&]*(?:\w+::)*` + q + `\s*\(|^` + q + `\s*:?=[^=]|^(?:[\w:<>,*&]+\s+)+[*&]*` + q + `(?:\[[^\]]*\])*\s*=(?:[^=]|$)|^\s+(?:public|private|protected|static|final|override|async)\b[^=(]*\b` + q + `\s*\(`,
	)
	return func(line []byte) bool {
		text := bytes.TrimRight(line, " \t\r")
		return sure.Match(text) || !bytes.HasSuffix(text, []byte(";")) && likely.Match(text)
	}
}

// traceDefinition blames the lines of a definition that begins at line.
func (d *investigation) traceDefinition(ctx context.Context, path string, line int) (pathOrigin, error) {
	o := pathOrigin{path: path, line: line, defined: true}
	ranges := []gitext.LineRange{{Start: line, End: line}}
	if text, err := d.repo.BlobAt(ctx, d.fc.Parent, path, maxOwnBytes); err == nil {
		if e, ok := source.FunctionAround(path, bytes.Split(text, []byte("\n")), line); ok && e.Start <= line && line <= e.Body &&
			e.End-e.Start < maxDefinition {
			ranges[0], o.body = gitext.LineRange{Start: line, End: e.End}, e.End > line
		}
	} else if ctx.Err() != nil {
		return o, ctx.Err()
	}
	return o, d.blameUse(ctx, &o, ranges)
}

// traceLines blames the lines with a name and keeps the file with the oldest line.
func (d *investigation) traceLines(ctx context.Context, u *nameUse) error {
	var best pathOrigin
	var since gitext.Commit
	for _, path := range u.paths[:min(maxOriginFiles+1, len(u.paths))] {
		var ranges []gitext.LineRange
		for _, h := range u.lines[path][:min(maxOriginLines, len(u.lines[path]))] {
			ranges = append(ranges, gitext.LineRange{Start: h.Line, End: h.Line})
		}
		o := pathOrigin{path: path}
		if err := d.blameUse(ctx, &o, ranges); err != nil {
			return err
		}
		if o.beyond {
			return nil
		}
		if o.first == "" {
			continue
		}
		c, err := d.repo.Commit(ctx, o.first)
		if err != nil {
			return err
		}
		if best.first == "" || c.Committer.Time.Before(since.Committer.Time) {
			best, since = o, c
		}
	}
	if best.first != "" {
		u.origin = append(u.origin, best)
	}
	return nil
}

// blameUse blames lines of a file. It stores the author of the first line, or of the
// oldest one if none is the definition, and the authors of later lines.
func (d *investigation) blameUse(ctx context.Context, o *pathOrigin, ranges []gitext.LineRange) error {
	lines, err := d.repo.Blame(ctx, d.fc.Parent, o.path, gitext.BlameOptions{Ranges: ranges, IgnoreSpace: true})
	if gitext.Unreadable(err) || err == nil && len(lines) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	owners := map[gitext.OID]*laterOwner{}
	var order []*laterOwner
	first := 0
	for i, l := range lines {
		if l.Boundary {
			o.beyond = true
			return nil
		}
		if owners[l.Commit] == nil {
			c, err := d.repo.Commit(ctx, l.Commit)
			if err != nil {
				return err
			}
			owners[l.Commit] = &laterOwner{commit: c}
			order = append(order, owners[l.Commit])
			if !o.defined && c.Committer.Time.Before(owners[lines[first].Commit].commit.Committer.Time) {
				first = i
			}
		}
		w := owners[l.Commit]
		if w.lines++; len(strings.TrimSpace(string(l.Text))) > len(strings.TrimSpace(w.text)) {
			w.text = string(l.Text)
		}
	}
	o.first, o.line = lines[first].Commit, lines[first].Line
	origin := owners[o.first].commit.Committer.Time
	for _, w := range order {
		if w.commit.Committer.Time.After(origin) && w.commit.OID != o.first && mentions(w.text) {
			o.later = append(o.later, *w)
		}
	}
	sort.SliceStable(o.later, func(i, j int) bool { return o.later[i].commit.Committer.Time.After(o.later[j].commit.Committer.Time) })
	return nil
}
