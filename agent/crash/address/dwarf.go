package address

import (
	"cmp"
	"debug/dwarf"
)

// maxNested limits the functions that are inlined at one address.
const maxNested = 64

// inlined returns the function at an address behind those that the compiler inlined there,
// innermost first, with their places. It returns nil if the debugging information does not say it.
func inlined(data *dwarf.Data, address uint64) []call {
	r := data.Reader()
	unit, err := r.SeekPC(address)
	if err != nil {
		return nil
	}
	file, line, files := lineOf(data, unit, address)
	var calls []call
	for _, e := range enclosing(data, r, address) {
		c := call{File: file, Line: line}
		c.Name, c.Symbol = namesOf(data, e)
		c.Symbol = cmp.Or(c.Symbol, c.Name)
		// Its caller is where it was inlined.
		file, line = "", 0
		if i, ok := e.Val(dwarf.AttrCallFile).(int64); ok && i >= 0 && i < int64(len(files)) && files[i] != nil {
			file = files[i].Name
		}
		if n, ok := e.Val(dwarf.AttrCallLine).(int64); ok {
			line = int(n)
		}
		if c.Symbol != "" {
			calls = append(calls, c)
		}
	}
	return calls
}

// lineOf returns the place of an address, and the files of its unit.
func lineOf(data *dwarf.Data, unit *dwarf.Entry, address uint64) (file string, line int, files []*dwarf.LineFile) {
	lines, err := data.LineReader(unit)
	if err != nil || lines == nil {
		return "", 0, nil
	}
	var at dwarf.LineEntry
	if lines.SeekPC(address, &at) == nil && at.File != nil {
		file, line = at.File.Name, at.Line
	}
	return file, line, lines.Files()
}

// enclosing returns the function that holds an address and the functions that are inlined there,
// innermost first. The reader is at the children of their unit.
func enclosing(data *dwarf.Data, r *dwarf.Reader, address uint64) []*dwarf.Entry {
	var found []*dwarf.Entry
	depth := 0
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		if e.Tag == 0 {
			if depth--; depth < 0 || depth == 0 && len(found) > 0 {
				break
			}
			continue
		}
		inside := false
		switch e.Tag {
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine:
			if inside = holds(data, e, address); inside {
				found = append([]*dwarf.Entry{e}, found...)
			}
		case dwarf.TagNamespace, dwarf.TagModule, dwarf.TagLexDwarfBlock, dwarf.TagClassType, dwarf.TagStructType:
			inside = true
		}
		switch {
		case !e.Children:
		case inside && len(found) < maxNested:
			depth++
		default:
			r.SkipChildren()
		}
	}
	return found
}

// holds reports whether an address is in the code of an entry.
func holds(data *dwarf.Data, e *dwarf.Entry, address uint64) bool {
	ranges, err := data.Ranges(e)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if r[0] <= address && address < r[1] {
			return true
		}
	}
	return false
}

// namesOf returns the name of a function in the source, and its symbol. A function that was inlined
// or declared elsewhere has them there.
func namesOf(data *dwarf.Data, e *dwarf.Entry) (name, symbol string) {
	for range 4 {
		if s, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
			symbol = cmp.Or(symbol, s)
		}
		if s, ok := e.Val(dwarf.AttrName).(string); ok {
			name = cmp.Or(name, s)
		}
		next, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			next, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok {
			break
		}
		r := data.Reader()
		r.Seek(next)
		var err error
		if e, err = r.Next(); err != nil || e == nil {
			break
		}
	}
	return name, symbol
}
