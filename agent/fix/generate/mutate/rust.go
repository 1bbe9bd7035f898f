package mutate

// A RustBody is the body of a function of Rust, with its braces, in bytes of the file.
type RustBody struct {
	Start, End int
	Fixed      bool // the function may run in the compiler, or a macro makes it
}

// RustBodies finds the bodies of functions in a file, those of inner functions after the ones
// around them.
func RustBodies(content []byte) []RustBody {
	f, ok := Read("x.rs", content)
	if !ok {
		return nil
	}
	ends := f.braces()
	var list []RustBody
	macro := 0 // the offset at which the present macro ends
	for i, t := range f.toks {
		switch {
		case t.kind != ident:
		case f.str(t) == "macro_rules":
			for j := i; j < len(f.toks); j++ {
				if end, opens := ends[j]; opens {
					macro = f.toks[end].end
					break
				}
			}
		case f.str(t) == "fn":
			if open := f.opens(i); open > 0 && ends[open] > 0 {
				fixed := t.off < macro || f.hasConst(i)
				list = append(list, RustBody{f.toks[open].off, f.toks[ends[open]].end, fixed})
			}
		}
	}
	return list
}

// braces maps the indexes of opening braces to those of the closing ones.
func (f *File) braces() map[int]int {
	ends := map[int]int{}
	var open []int
	for i, t := range f.toks {
		switch {
		case t.kind != sign:
		case f.str(t) == "{":
			open = append(open, i)
		case f.str(t) == "}" && len(open) > 0:
			ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return ends
}

// opens returns the index of the brace that begins the body of a function, 0 if it has none.
func (f *File) opens(fn int) int {
	depth := 0
	for i := fn + 1; i < len(f.toks); i++ {
		if f.toks[i].kind != sign {
			continue
		}
		switch f.str(f.toks[i]) {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case "{":
			if depth == 0 {
				return i
			}
		case ";":
			if depth == 0 {
				return 0
			}
		}
	}
	return 0
}

// hasConst reports whether the words before fn make a function constant.
func (f *File) hasConst(fn int) bool {
	for i := fn - 1; i >= 0 && f.toks[i].line == f.toks[fn].line && f.toks[i].kind != sign; i-- {
		if f.str(f.toks[i]) == "const" {
			return true
		}
	}
	return false
}
