package mutate

import "strings"

// A Body is a function for comparison and copying.
type Body struct {
	file  *File
	lines []bodyLine
	count map[string]int // number of occurrences of each token
	total int
}

// A bodyLine is a line of code of a function.
type bodyLine struct {
	number int
	toks   []token
	shape  string // the tokens with a mark instead of each name
	text   string // the tokens
}

// Body reads the lines of code between two line numbers.
func (f *File) Body(from, to int) *Body {
	b := &Body{file: f, count: map[string]int{}}
	for line := from; line <= min(to, len(f.lines)); line++ {
		toks := f.between(line, line)
		if len(toks) == 0 {
			continue
		}
		var shape strings.Builder
		for _, t := range toks {
			b.count[f.str(t)]++
			b.total++
			if t.kind == ident && !reserved[f.str(t)] {
				shape.WriteString("$ ")
				continue
			}
			shape.WriteString(f.str(t) + " ")
		}
		b.lines = append(b.lines, bodyLine{line, toks, shape.String(), f.textOf(toks, nil)})
	}
	return b
}

// textOf returns tokens with a space after each, and with renamed names.
func (f *File) textOf(toks []token, names Names) string {
	var b strings.Builder
	for _, t := range toks {
		s := f.str(t)
		if other, ok := names[s]; ok && t.kind == ident {
			s = other
		}
		b.WriteString(s + " ")
	}
	return b.String()
}

// Similarity compares the tokens of two functions: 1 for equal tokens, 0 for no common ones.
// Frequent signs count as well, so unrelated functions reach 0.4.
func (b *Body) Similarity(o *Body) float64 {
	if b.total == 0 || o.total == 0 {
		return 0
	}
	shared := 0
	for t, n := range b.count {
		shared += min(n, o.count[t])
	}
	return 2 * float64(shared) / float64(b.total+o.total)
}

// maxAligned bounds the compared lines of functions.
const maxAligned = 400

// byShape and byText compare lines.
func byShape(a, b bodyLine) bool { return a.shape == b.shape }
func byText(a, b bodyLine) bool  { return a.text == b.text }

// align returns the pairs of indexes of a longest common subsequence of lines.
func align(a, b []bodyLine, same func(a, b bodyLine) bool) [][2]int {
	if len(a) > maxAligned || len(b) > maxAligned {
		return nil
	}
	width := len(b) + 1
	best := make([]int, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same(a[i], b[j]) {
				best[i*width+j] = best[(i+1)*width+j+1] + 1
			} else {
				best[i*width+j] = max(best[(i+1)*width+j], best[i*width+j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case same(a[i], b[j]):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case best[(i+1)*width+j] >= best[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// Names maps the names of one function to the corresponding names of another.
type Names map[string]string

// namesOf finds the corresponding names in lines of the same shape.
func namesOf(from, to *Body, pairs [][2]int) Names {
	votes := map[string]map[string]int{}
	for _, p := range pairs {
		x, y := from.lines[p[0]].toks, to.lines[p[1]].toks
		for k := range x {
			if x[k].kind != ident {
				continue
			}
			a, b := from.file.str(x[k]), to.file.str(y[k])
			if votes[a] == nil {
				votes[a] = map[string]int{}
			}
			votes[a][b]++
		}
	}
	names := Names{}
	for a, v := range votes {
		most := ""
		for b, n := range v {
			if most == "" || n > v[most] || n == v[most] && b < most {
				most = b
			}
		}
		names[a] = most
	}
	return names
}

// render writes lines of a function with other names.
func (b *Body) render(lines []bodyLine, names Names) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(b.file.indent(l.number - 1))
		at := l.toks[0].off
		for _, t := range l.toks {
			out.Write(b.file.Content[at:t.off])
			s := b.file.str(t)
			if other, ok := names[s]; ok && t.kind == ident {
				s = other
			}
			out.WriteString(s)
			at = t.end
		}
		out.WriteString("\n")
	}
	return out.String()
}

// Transplants changes a function at its differences from a similar one: it inserts or replaces
// lines by those of the other function, and removes lines that only this function has. Names of
// the other function are translated to this one's.
func (fn *Function) Transplants(other *Body) []Edit {
	own := fn.Body(fn.extent.Start, fn.extent.End)
	pairs := align(other.lines, own.lines, byShape)
	if len(pairs) < 2 {
		return nil
	}
	names := namesOf(other, own, pairs)
	var list []Edit
	i, j := 0, 0
	for _, p := range append(pairs, [2]int{len(other.lines), len(own.lines)}) {
		list = append(list, fn.gap(own, other, names, [2]int{i, p[0]}, [2]int{j, p[1]})...)
		i, j = p[0]+1, p[1]+1
	}
	return append(list, fn.values(own, other, names, pairs)...)
}

// maxGap bounds the lines that are copied from another function at once.
const maxGap = 8

// gap makes the edits for lines between two pairs: theirs of the other function, mine of
// this one.
func (fn *Function) gap(own, other *Body, names Names, theirs, mine [2]int) []Edit {
	n, m := theirs[1]-theirs[0], mine[1]-mine[0]
	if n == 0 && m == 0 || n > maxGap || m > maxGap || mine[0] >= len(own.lines) {
		return nil
	}
	text := other.render(other.lines[theirs[0]:theirs[1]], names)
	first := own.lines[mine[0]].number
	var list []Edit
	if n > 0 {
		list = append(list, fn.insertion(OpTransplant, first, text, "inserts "+short(text)+" as a similar function has it"))
		for _, k := range other.wholeBefore(theirs) {
			text := other.render(other.lines[theirs[0]:k], names)
			e := fn.insertion(OpTransplant, first, text, "inserts "+short(text)+" as a similar function has it")
			e.Weight *= 0.8
			list = append(list, e)
		}
	}
	if m > 0 {
		last := own.lines[mine[1]-1].number
		off := fn.starts[first-1]
		e := fn.edit(
			OpTransplant,
			off,
			min(off+len(fn.linesOf(first, last)), len(fn.Content)),
			text,
			"makes "+short(fn.linesOf(first, last))+" as a similar function has it: "+short(text),
		)
		e.Weight *= 0.7
		list = append(list, e)
	}
	return list
}

// wholeBefore returns the indexes inside of lines at which all brackets are closed, so that the
// lines before are whole statements.
func (b *Body) wholeBefore(lines [2]int) []int {
	var list []int
	depth := 0
	for k := lines[0]; k < lines[1]-1; k++ {
		for _, t := range b.lines[k].toks {
			switch {
			case b.file.isAny(t, "(", "[", "{"):
				depth++
			case b.file.isAny(t, ")", "]", "}"):
				depth--
			}
		}
		if depth == 0 {
			list = append(list, k+1)
		}
	}
	return list
}

// values makes the edits for lines of the same shape in which a name differs, although the name
// is the same in both functions elsewhere.
func (fn *Function) values(own, other *Body, names Names, pairs [][2]int) []Edit {
	var list []Edit
	for _, p := range pairs {
		x, y := other.lines[p[0]], own.lines[p[1]]
		text := other.render([]bodyLine{x}, names)
		line := fn.linesOf(y.number, y.number)
		if strings.Join(strings.Fields(text), " ") == strings.Join(strings.Fields(line), " ") || y.number == fn.extent.Start {
			continue
		}
		off := fn.starts[y.number-1]
		e := fn.edit(OpTransplant, off, min(off+len(line), len(fn.Content)), text, "makes "+short(line)+" as a similar function has it: "+short(text))
		e.Weight *= 0.5
		list = append(list, e)
	}
	return list
}

// Reapplied applies a similar function's change, given by its versions before and after, to
// this function.
func (fn *Function) Reapplied(before, after *Body) []Edit {
	own := fn.Body(fn.extent.Start, fn.extent.End)
	names := namesOf(before, own, align(before.lines, own.lines, byShape))
	for a, b := range namesOf(after, own, align(after.lines, own.lines, byShape)) {
		if names[a] == "" {
			names[a] = b
		}
	}
	var list []Edit
	i, j := 0, 0
	for _, p := range append(align(before.lines, after.lines, byText), [2]int{len(before.lines), len(after.lines)}) {
		if p[0]-i <= maxGap && p[1]-j <= maxGap && (p[0] > i || p[1] > j) {
			list = append(list, fn.reapply(own, before, after, names, [2]int{i, p[0]}, [2]int{j, p[1]})...)
		}
		i, j = p[0]+1, p[1]+1
	}
	return list
}

// reapply replaces the lines that the change replaced, or inserts the inserted lines after the
// same previous line.
func (fn *Function) reapply(own, before, after *Body, names Names, old, fresh [2]int) []Edit {
	text := after.render(after.lines[fresh[0]:fresh[1]], names)
	if old[0] == old[1] {
		if old[0] == 0 {
			return nil
		}
		at := own.find(before, before.lines[old[0]-1:old[0]], names)
		if at < 0 {
			return nil
		}
		e := fn.insertion(OpTransplant, own.lines[at].number+1, text, "inserts "+short(text)+", as a similar function got it")
		e.Weight *= 2
		return []Edit{e}
	}
	at := own.find(before, before.lines[old[0]:old[1]], names)
	if at < 0 {
		return nil
	}
	first, last := own.lines[at].number, own.lines[at+old[1]-old[0]-1].number
	off := fn.starts[first-1]
	e := fn.edit(
		OpTransplant,
		off,
		min(off+len(fn.linesOf(first, last)), len(fn.Content)),
		text,
		"makes "+short(fn.linesOf(first, last))+" as a similar function got it: "+short(text),
	)
	e.Weight *= 2
	return []Edit{e}
}

// find returns the index of the unique lines that equal those of another function after
// renaming, or -1.
func (b *Body) find(other *Body, lines []bodyLine, names Names) int {
	found := -1
	for i := 0; i+len(lines) <= len(b.lines); i++ {
		same := true
		for k := range lines {
			same = same && b.lines[i+k].text == other.file.textOf(lines[k].toks, names)
		}
		if same {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}
