package candidate

import (
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// This file recognises commits that only annotate code with types. They own each line that they annotate, and change
// nothing that it does.

// saysTypes matches the subject of a commit that adds annotations of types.
var saysTypes = source.Lazy(`(?i)\b(typ(e|es|ed|ing)|annotat\w*|(type-?)?hint(s|ed|ing)?|mypy|pyright|pyre)\b`)

// mayAnnotate reports whether a commit says that it adds types, and a line of it is of a language that has them.
func mayAnnotate(commit gitext.Commit, lines []suspect.OwnedLine) bool {
	return saysTypes().MatchString(commit.Subject()) && slices.ContainsFunc(lines, func(l suspect.OwnedLine) bool { return annotates(l.Path) })
}

// onlyTypes reports whether a commit says that it adds types, and does nothing else to those of its lines that were
// there before.
func onlyTypes(commit gitext.Commit, patch *gitext.Patch, lines []suspect.OwnedLine) bool {
	if !mayAnnotate(commit, lines) {
		return false
	}
	if slices.ContainsFunc(lines, func(l suspect.OwnedLine) bool {
		return !annotates(l.Path) || !slices.ContainsFunc(patch.Files, func(f gitext.FileChange) bool { return f.NewPath == l.Path })
	}) {
		return false
	}
	annotated := false
	for i := range patch.Files {
		for j := range patch.Files[i].Hunks {
			h := &patch.Files[i].Hunks[j]
			wrote := func(l suspect.OwnedLine) bool {
				return l.Path == patch.Files[i].NewPath && l.OrigLine >= h.NewStart && l.OrigLine < h.NewStart+h.NewLines &&
					l.Kind == source.LineCode && !isImport().Match(l.Text)
			}
			switch {
			case h.OldLines == 0, !slices.ContainsFunc(lines, wrote):
			case onlyAnnotates(h):
				annotated = true
			default:
				return false
			}
		}
	}
	return annotated
}

// isImport matches a line that imports names.
var isImport = source.Lazy(`^\s*(from\s+\S+\s+)?import\b`)

// annotates reports whether a language has types behind a colon or an arrow, which its programs need not have.
func annotates(p string) bool {
	return isPython(p) || source.IsTypeScript(p)
}

// codeToken matches a token of code: a comment up to the end of the line, a text, a word, an arrow, or another character.
var codeToken = source.Lazy(
	`#[^\n]*|//[^\n]*|"(?:[^"\\\n]|\\.)*"` +
		`|'(?:[^'\\\n]|\\.)*'|\w+|->|=>|\.\.\.|[^\s\w]`,
)

// tokensOf returns the tokens of the lines of a hunk with an operation, without comments.
func tokensOf(h *gitext.Hunk, op byte) []string {
	var b strings.Builder
	for _, l := range h.Lines {
		if l.Op == op {
			b.Write(l.Text)
			b.WriteByte('\n')
		}
	}
	return slices.DeleteFunc(codeToken().FindAllString(b.String(), -1), func(t string) bool {
		return t[0] == '#' || strings.HasPrefix(t, "//")
	})
}

// onlyAnnotates reports whether a hunk adds nothing to the code that it removes but annotations of types, and commas
// before closing brackets, as formatters do in what they break.
func onlyAnnotates(h *gitext.Hunk) bool {
	old, added := tokensOf(h, '-'), tokensOf(h, '+')
	if len(old) == 0 {
		return false
	}
	annotated := !slices.Equal(old, added)
	old, added = withoutSignatureTypes(old), withoutSignatureTypes(added)
	annotated = annotated && slices.Equal(old, added)
	for len(added) > 0 {
		switch n := annotation(added, first(old)); {
		case len(old) > 0 && added[0] == old[0] && n == 0:
			old, added = old[1:], added[1:]
		case n > 0:
			added, annotated = added[n:], true
		case added[0] == "," && len(added) > 1 && isClosing(added[1]):
			added = added[1:]
		default:
			return false
		}
	}
	return annotated && len(old) == 0
}

// withoutSignatureTypes returns tokens without the types in the headings of Python's functions, which a commit may also
// change or remove.
func withoutSignatureTypes(tokens []string) []string {
	var out []string
	for i := 0; i < len(tokens); {
		if tokens[i] == "def" && i+2 < len(tokens) && tokens[i+2] == "(" {
			names, end := parameters(tokens, i+3)
			out = append(append(out, tokens[i:i+2]...), names...)
			i = end
			continue
		}
		out = append(out, tokens[i])
		i++
	}
	return out
}

// parameters returns the tokens of the parameters that begin at an index, without types, and the index behind the heading.
func parameters(tokens []string, i int) (out []string, end int) {
	depth := 0
	for ; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case depth == 0 && t == ":":
			i = afterType(tokens, i, ",", "=", ")") - 1
			continue
		case depth == 0 && t == ")":
			if len(out) > 0 && out[len(out)-1] == "," {
				out = out[:len(out)-1]
			}
			if i++; i < len(tokens) && tokens[i] == "->" {
				i = afterType(tokens, i, ":")
			}
			return out, i
		case strings.Contains("([{", t):
			depth++
		case isClosing(t):
			depth--
		}
		out = append(out, t)
	}
	return out, i
}

// afterType returns the index of the first of the ends behind a type, outside of its brackets.
func afterType(tokens []string, from int, ends ...string) int {
	depth := 0
	for i := from + 1; i < len(tokens); i++ {
		switch {
		case depth == 0 && slices.Contains(ends, tokens[i]):
			return i
		case isClosing(tokens[i]):
			depth--
		case strings.Contains("([{", tokens[i]):
			depth++
		}
	}
	return len(tokens)
}

// first returns the first token, or "".
func first(tokens []string) string {
	if len(tokens) == 0 {
		return ""
	}
	return tokens[0]
}

// annotation returns the number of tokens of an annotation that begins the tokens and ends before next, or 0.
func annotation(tokens []string, next string) int {
	n := 0
	switch {
	case tokens[0] == next || len(tokens) < 2:
		return 0
	case tokens[0] == "?" && tokens[1] == ":":
		n = 2
	case tokens[0] == ":" || tokens[0] == "->":
		n = 1
	default:
		return 0
	}
	begun, depth := n, 0
	for ; n < len(tokens); n++ {
		t := tokens[n]
		switch {
		case depth == 0 && n > begun && t == next:
			return n
		case depth == 0 && t == "," && n > begun && next != ",":
			return n // a comma that a formatter added
		case isClosing(t):
			if depth--; depth < 0 {
				return 0
			}
		case strings.Contains("([{<", t):
			depth++
		case strings.Contains("=+-*/%!~^@", t):
			return 0
		}
	}
	if next != "" {
		return 0
	}
	return n
}

// isClosing reports whether a token closes a bracket.
func isClosing(t string) bool { return strings.Contains(")]}>", t) }
