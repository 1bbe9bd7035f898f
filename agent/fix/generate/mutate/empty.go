package mutate

import "git-agent/agent/source"

// Empties reports whether a new content of the file only removes code and so leaves a block or a
// body without any, such as that of an if statement. In languages with indentation, a lone
// description of a function counts as no code.
func (f *File) Empties(content []byte) bool {
	from, end := source.CommonEnds(f.Content, content)
	to := len(f.Content) - end
	if rest := Normal(f.Path, content[from:len(content)-end]); rest != "" && rest != "; " && rest != "pass " {
		return false
	}
	before, after, removed := -1, len(f.toks), 0
	for i, t := range f.toks {
		switch {
		case t.end <= from:
			before = i
		case t.off >= to:
			after = min(after, i)
		default:
			removed++
		}
	}
	if removed == 0 || before < 0 {
		return false
	}
	if f.lang.indented {
		return f.outdented(before, after)
	}
	return after < len(f.toks) && f.is(f.toks[before], "{") && f.is(f.toks[after], "}")
}

// outdented reports whether between two tokens of a language with indentation, which become
// neighbours, a block is empty.
func (f *File) outdented(before, after int) bool {
	if b := f.toks[before]; b.kind == text && before > 0 && f.toks[before-1].line < b.line {
		before-- // a description
	}
	if !f.is(f.toks[before], ":") {
		return false
	}
	return after == len(f.toks) || len(f.indent(f.toks[after].line-1)) <= len(f.indent(f.toks[before].line-1))
}
