package investigate

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file renders excerpts: the part of a candidate's patch nearest to the fix. An
// excerpt shows the nearest lines of all hunks until the room is full, the fixed files
// first. The nearest lines are those that the fix removes and their neighbours. Then come
// lines with the names of the fix, then the lines around both, the rest of the fixed
// function, and lines that share other words with the fix. Hunks with none of these are
// only counted.

// A patchPart is a hunk of a candidate and the distances of its lines from the fix.
type patchPart struct {
	file     *gitext.FileChange
	hunk     *gitext.Hunk
	far      []float64     // by line; 0 is nearest
	shown    []bool        // by line; marked lines are rendered
	moved    []movedAround // by line; the other place of the line in the patch
	aside    bool          // the hunk is never shown, see dropAsides
	document bool          // the hunk is of a document, and therefore aside
}

// Distances of lines from the fix for other reasons than blame. The unit is lines, so
// that all distances can be compared.
const (
	farQuoted   = -1  // a line that the section of names quotes
	farContext  = 2   // a line next to a change of the fix
	farNames    = 4   // a line with a name of the fix that few lines of the patch have, or with most of its words
	farFunction = 12  // a line of the fixed function that the fix does not change
	farWords    = 30  // a line of another hunk that shares all its words with the fix
	farStep     = 20  // added to farWords for a line that shares none
	farOther    = 8   // added in files that the fix does not change, except to names
	farRemark   = 8   // added to a comment
	farBeside   = 16  // farther lines of other files are not shown beside those of the fixed files
	farthest    = 44  // farther lines are not shown
	minShared   = 0.3 // least share of words that counts; the line that shares most has 1
	mostShared  = 0.8 // least share of words that counts as much as a name
	maxGap      = 2   // longest gap between shown lines that is filled
)

// excerptOfPatch renders the part of a candidate's patch nearest to the fix, in at most
// room characters.
func (d *investigation) excerptOfPatch(c *candidate.Candidate, p *gitext.Patch, room int) string {
	near := &nearness{shared: d.sharedWords(p), named: d.namesInPatch(p), moves: movesIn(p)}
	near.fixed = slices.ContainsFunc(p.Files, func(f gitext.FileChange) bool { return d.isFixed(&f) })
	var parts, elsewhere []*patchPart
	for i := range p.Files {
		for j := range p.Files[i].Hunks {
			part := d.newPart(c, &p.Files[i], &p.Files[i].Hunks[j], near)
			if d.isFixed(part.file) {
				parts = append(parts, part)
			} else {
				elsewhere = append(elsewhere, part)
			}
		}
	}
	parts = append(parts, elsewhere...)
	d.dropDocuments(parts)
	d.dropAsides(parts)
	showNearest(parts, room)
	showSmall(parts)
	var b strings.Builder
	var file *gitext.FileChange
	left, section := 0, ""
	var texts []*patchPart
	for _, part := range parts {
		if part.document {
			texts = append(texts, part)
			continue
		}
		if !slices.Contains(part.shown, true) {
			left++
			continue
		}
		if part.file != file {
			file, section = part.file, ""
			b.WriteString(fileTitle(file) + "\n")
		}
		part.write(&b, section)
		section = part.hunk.Section
	}
	if left > 0 {
		fmt.Fprintf(&b, "(%d more %s)\n", left, agent.PluralOf(left, "hunk", "hunks"))
	}
	writeDocuments(&b, texts)
	return b.String()
}

// writeDocuments names on one line the documents that a candidate changes.
func writeDocuments(b *strings.Builder, parts []*patchPart) {
	const most = 2
	var names []string
	for _, part := range parts {
		if name := cmp.Or(part.file.NewPath, part.file.OldPath); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	text := agent.CleanLine(strings.Join(names[:min(most, len(names))], ", "))
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	fmt.Fprintf(b, "(not shown, %s: %s)\n", agent.PluralOf(len(names), "a document", "documents"), text)
}

// showSmall marks the changed lines of the omitted hunks if they are few, because a count
// would make the model ask for them.
func showSmall(parts []*patchPart) {
	const most, room = 2, 240 // hunks, and characters of their changed lines
	var left []*patchPart
	size := 0
	for _, part := range parts {
		if part.aside || slices.Contains(part.shown, true) {
			continue
		}
		left = append(left, part)
		for i, l := range part.hunk.Lines {
			if l.Op != ' ' && part.moved[i].path == "" {
				size += len(patchLine(l))
			}
		}
	}
	if len(left) > most || size > room {
		return
	}
	for _, part := range left {
		for i, l := range part.hunk.Lines {
			part.shown[i] = l.Op != ' ' && part.moved[i].path == ""
		}
	}
}

// A nearness holds the facts that decide how far the lines of a patch are from the fix.
type nearness struct {
	shared map[*gitext.PatchLine]float64 // see sharedWords
	named  map[*gitext.PatchLine]bool    // see namesInPatch
	moves  map[*gitext.PatchLine]movedAround
	fixed  bool // the patch changes a fixed file
}

// isFixed reports whether the fix changes a file, under one of its names.
func (d *investigation) isFixed(f *gitext.FileChange) bool {
	return d.k.Paths[f.NewPath] || d.k.Paths[f.OldPath]
}

// dropDocuments hides the changes of documents such as NEWS, unless the fix itself
// changes only documents.
func (d *investigation) dropDocuments(parts []*patchPart) {
	code := slices.ContainsFunc(d.fc.Patch.Files, func(f gitext.FileChange) bool {
		return !source.IsDocument(cmp.Or(f.OldPath, f.NewPath))
	})
	for _, part := range parts {
		if !code || !source.IsDocument(cmp.Or(part.file.NewPath, part.file.OldPath)) {
			continue
		}
		part.aside, part.document = true, true
		for i := range part.far {
			part.far[i] = math.Inf(1)
		}
	}
}

// dropAsides hides less important hunks in files that the fix does not change: tests, and
// data without a name of the fix. If nothing else is left, they stay.
func (d *investigation) dropAsides(parts []*patchPart) {
	kind := func(part *patchPart) source.FileKind {
		if d.isFixed(part.file) {
			return source.SourceFile
		}
		return source.FileKindOf(cmp.Or(part.file.NewPath, part.file.OldPath))
	}
	if !slices.ContainsFunc(parts, func(part *patchPart) bool {
		return !part.document && kind(part) == source.SourceFile && !part.movesAway()
	}) {
		return
	}
	for _, part := range parts {
		part.aside = part.document || kind(part) == source.TestFile || part.movesAway()
		for i := range part.far {
			if part.aside || kind(part) != source.SourceFile && part.far[i] > farNames {
				part.far[i] = math.Inf(1)
			}
		}
	}
}

// movesAway reports whether a hunk only removes lines and most of them are now in another
// place. The other end of the move says more.
func (part *patchPart) movesAway() bool {
	const most = 0.8
	away := 0
	for i, l := range part.hunk.Lines {
		if l.Op == '+' {
			return false
		}
		if part.moved[i].path != "" {
			away++
		}
	}
	return away > 0 && float64(away) >= most*float64(len(part.hunk.Lines))
}

// newPart measures how far each line of a hunk is from the fix.
func (d *investigation) newPart(c *candidate.Candidate, f *gitext.FileChange, h *gitext.Hunk, near *nearness) *patchPart {
	part := &patchPart{file: f, hunk: h, shown: make([]bool, len(h.Lines)), moved: make([]movedAround, len(h.Lines))}
	at := d.rolesIn(c, f.NewPath)
	same := d.k.Set.Functions[source.FunctionName(h.Section)]
	own := d.isFixed(f)
	start := make([]float64, len(h.Lines))
	for i, l := range h.Lines {
		line := &h.Lines[i]
		part.moved[i] = near.moves[line]
		start[i] = farByWords(near.shared[line], same && own)
		if isRemark(l.Text) {
			start[i] += farRemark
		}
		if !own {
			start[i] += farOther
		}
		if near.named[line] || own && near.shared[line] >= mostShared {
			start[i] = min(start[i], farNames)
		}
		if r, ok := at[l.New]; ok && l.Op == '+' {
			start[i] = min(
				start[i],
				[...]float64{candidate.RoleDeleted: 0, candidate.RoleContext: farContext, candidate.RoleFunction: farFunction}[r],
			)
		}
		if l.Op == '+' && d.decisive[squeezed(l.Text)] {
			start[i] = 0
		}
		if l.Op == '+' && d.quoted[quotedLine{c.OID, squeezed(l.Text)}] {
			start[i] = farQuoted
		}
	}
	part.far = slices.Clone(start)
	spread(part.far)
	for i := range start {
		told := part.moved[i].path != "" || f.Status == 'A' && inHeader(h, i) // the excerpt names the old place of the line, or omits the line
		if start[i] > farContext && told || !own && near.fixed && part.far[i] > farBeside {
			part.far[i] = math.Inf(1)
		}
	}
	return part
}

// rolesIn maps the lines of a file that a candidate wrote or moved, by their numbers in its
// version, to their nearest roles in the fix.
func (d *investigation) rolesIn(c *candidate.Candidate, path string) map[int]candidate.Role {
	at := map[int]candidate.Role{}
	for i := range d.k.Set.Anchors {
		a := &d.k.Set.Anchors[i]
		left, own := a.LeftBy(c.OID)
		if r, ok := at[left.OrigLine]; own && left.Path == path && (!ok || a.Role < r) {
			at[left.OrigLine] = a.Role
		}
	}
	return at
}

// spread limits the distance of each line to the distance of its neighbours plus a step.
func spread(far []float64) {
	const step = 3
	for i := 1; i < len(far); i++ {
		far[i] = min(far[i], far[i-1]+step)
	}
	for i := len(far) - 2; i >= 0; i-- {
		far[i] = min(far[i], far[i+1]+step)
	}
}

// sharedWords returns, for each line of a patch, the weight of the fix's words in the
// line, divided by the largest such weight.
func (d *investigation) sharedWords(p *gitext.Patch) map[*gitext.PatchLine]float64 {
	weight := map[string]float64{}
	for t := range source.Unite(source.Unite(d.k.Removed, d.k.Added), d.said) {
		if !source.IsKeyword(t) {
			weight[t] = max(0, d.k.Code.Weight(t))
		}
	}
	shared, most := map[*gitext.PatchLine]float64{}, 0.0
	for l, words := range wordsByLine(p) {
		sum := 0.0
		for _, t := range source.SortedTokens(words) {
			sum += weight[t]
		}
		shared[l] = sum
		most = max(most, sum)
	}
	for l := range shared {
		shared[l] /= max(most, 1e-9)
	}
	return shared
}

// wordsByLine returns the lines of a patch in order, each with its words.
func wordsByLine(p *gitext.Patch) iter.Seq2[*gitext.PatchLine, source.Bag] {
	return func(yield func(*gitext.PatchLine, source.Bag) bool) {
		for _, f := range p.Files {
			for _, h := range f.Hunks {
				for i := range h.Lines {
					if !yield(&h.Lines[i], source.CodeWordsOf(h.Lines[i].Text)) {
						return
					}
				}
			}
		}
	}
}

// The names of a fix for a search in a patch. Among the qualified names, the rarest among
// the candidates are used.
const (
	pointingNames = 4 // used names
	pointedLines  = 6 // most changed lines of the patch with the name
	pointingBytes = 5 // least length of the name
)

// namesInPatch returns the changed lines of a patch with a name that the fix changes and
// few other lines have. Plain words count as names if the fix removes them. Plain words
// that it adds are mostly prose.
func (d *investigation) namesInPatch(p *gitext.Patch) map[*gitext.PatchLine]bool {
	holders := map[string][]*gitext.PatchLine{}
	names := source.Unite(source.Unite(d.k.Removed, d.k.Added), d.said)
	for l, words := range wordsByLine(p) {
		for t := range words {
			if names[t] > 0 && l.Op != ' ' {
				holders[t] = append(holders[t], l)
			}
		}
	}
	pointing := slices.DeleteFunc(slices.Sorted(maps.Keys(holders)), func(t string) bool {
		named := isName(t) || len(t) >= pointingBytes && d.k.Gone[t] > 0
		return !named || len(holders[t]) > pointedLines || d.k.Code.Weight(t) <= 0
	})
	slices.SortStableFunc(pointing, func(a, b string) int { return cmp.Compare(d.k.Code.Weight(b), d.k.Code.Weight(a)) })
	named := map[*gitext.PatchLine]bool{}
	for _, t := range pointing[:min(pointingNames, len(pointing))] {
		for _, l := range holders[t] {
			named[l] = true
		}
	}
	return named
}

// farByWords returns the distance of a line by its words and its function. It is infinite
// for a line of another function that shares too few words.
func farByWords(shared float64, sameFunction bool) float64 {
	far := farWords + farStep*(1-shared)
	if sameFunction {
		return far - farWords + farFunction
	}
	if shared < minShared {
		return math.Inf(1)
	}
	return far
}

// gapMark has the length of the mark for a gap.
const gapMark = "(000 lines)\n"

// showNearest marks the nearest lines of all parts that fit into room. If no line is near
// the fix, it marks the first ones.
func showNearest(parts []*patchPart, room int) {
	type place struct{ part, line int }
	var order []place
	for i, part := range parts {
		for j := range part.far {
			if !part.aside {
				order = append(order, place{i, j})
			}
		}
	}
	far := func(p place) float64 { return parts[p.part].far[p.line] }
	sort.SliceStable(order, func(i, j int) bool { return far(order[i]) < far(order[j]) })
	titled, opened := map[*gitext.FileChange]bool{}, map[*patchPart]bool{}
	for i, p := range order {
		if far(p) > farthest && far(order[0]) <= farthest {
			break
		}
		part := parts[p.part]
		cost := len(patchLine(part.hunk.Lines[p.line]))
		if !titled[part.file] {
			cost += len(fileTitle(part.file)) + 1
		}
		if !opened[part] {
			cost += len(hunkTitle(part.hunk)) + len(gapMark)
		} else if !part.shown[max(0, p.line-1)] && !part.shown[min(len(part.shown)-1, p.line+1)] {
			cost += len(gapMark)
		}
		if cost > room && i > 0 {
			break
		}
		room -= cost
		part.shown[p.line], titled[part.file], opened[part] = true, true, true
	}
}

// write renders the marked lines, and the number of omitted lines between them. The
// heading names the function if it differs from that of the hunk before.
func (part *patchPart) write(b *strings.Builder, before string) {
	title := *part.hunk
	if title.Section == before {
		title.Section = ""
	}
	b.WriteString(hunkTitle(&title))
	from := 0
	for i, l := range part.hunk.Lines {
		if part.shown[i] {
			part.writeGap(b, from, i)
			b.WriteString(patchLine(l))
			from = i + 1
		}
	}
	part.writeGap(b, from, len(part.hunk.Lines))
}

// writeGap renders the mark for the omitted lines between from and to: their number, and
// the former place of the first moved block among them. A short gap is shown in full.
func (part *patchPart) writeGap(b *strings.Builder, from, to int) {
	moved, first := 0, -1
	for i := from; i < to; i++ {
		if part.moved[i].path == "" {
			continue
		}
		if moved++; first < 0 {
			first = i
		}
	}
	switch {
	case to-from <= maxGap:
		for _, l := range part.hunk.Lines[from:to] {
			b.WriteString(patchLine(l))
		}
	case moved == 0:
		fmt.Fprintf(b, "(%d lines)\n", to-from)
	case moved == to-from:
		fmt.Fprintf(b, "(%d lines %s)\n", moved, part.moved[first].describe(part.hunk.Lines[first].Op))
	default:
		fmt.Fprintf(b, "(%d lines, %d %s)\n", to-from, moved, part.moved[first].describe(part.hunk.Lines[first].Op))
	}
}

// hunkTitle renders the heading of a hunk like git.
func hunkTitle(h *gitext.Hunk) string {
	span := func(start, lines int) string {
		if lines == 1 {
			return strconv.Itoa(start)
		}
		return fmt.Sprintf("%d,%d", start, lines)
	}
	title := fmt.Sprintf(
		"@@ -%s +%s @@ %s",
		span(h.OldStart, h.OldLines),
		span(h.NewStart, h.NewLines),
		agent.Abridge(agent.CleanLine(h.Section), 80),
	)
	return strings.TrimRight(title, " ") + "\n"
}
