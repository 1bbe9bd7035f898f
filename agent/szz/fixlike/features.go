package fixlike

import (
	"bytes"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// A word feature is 1 if the subject of a commit has one of its words.
type wordFeature struct {
	name  string
	words source.Pattern
}

// wordFeatures are groups of words in the subjects of commits with one purpose. Their
// weights are learned.
var wordFeatures = []wordFeature{
	{"subject_fix", source.Lazy(`(?i)\b(fix(e[sd]|ing|up)?|bug(s|fix\w*)?|regress\w*|repair\w*|hotfix|resolve[sd]?)\b`)},
	{
		"subject_fault",
		source.Lazy(
			`(?i)\b(crash\w*|leak\w*|overflow\w*|underflow|segfault\w*|segv|race[sy]?|deadlock\w*|hang(s|ing)?|npe|null\w*|panic\w*|use[- ]after[- ]free|uninitiali[sz]ed|out[- ]of[- ]bounds|corrupt\w*|infinite|assert\w*|fail(s|ed|ing|ure\w*)?|errors?|exception\w*|broken|wrong\w*|incorrect\w*|invalid|missing|bad|stale|dangling|double|mismatch\w*|unexpected\w*|problem\w*|issues?)\b`,
		),
	},
	{
		"subject_repair",
		source.Lazy(
			`(?i)\b(avoid\w*|prevent\w*|ensure\w*|handl(e[sd]?|ing)|properly|correct(s|ed|ly)?|don'?t|do not|never|always|only|check\w*|restore[sd]?|work ?around|again|before|after|when|if|instead)\b`,
		),
	},
	{
		"subject_feature",
		source.Lazy(
			`(?i)\b(add(s|ed|ing)?|implement\w*|support\w*|introduc\w*|new|allow\w*|enabl\w*|provid\w*|options?|feat(ure)?s?|initial|first|extend\w*|expose\w*|improve\w*|optimi[sz]\w*|speed|performance|faster)\b`,
		),
	},
	{
		"subject_refactor",
		source.Lazy(
			`(?i)\b(refactor\w*|renam\w*|mov(e[sd]?|ing)|clean\w*|simplif\w*|split\w*|reorgani\w*|unify|extract\w*|convert\w*|replac\w*|deprecat\w*|unused|obsolete|remov(e[sd]?|ing)|drop\w*|delet\w*|switch\w*|consolidat\w*|moderni\w*|use|redundant|superfluous)\b`,
		),
	},
	{
		"subject_style",
		source.Lazy(
			`(?i)\b(style|indent\w*|white ?spaces?|spaces|(re-?)?format(ted|ting)?|lint\w*|clang-format|polish\w*|typos?|spelling|misspell\w*|grammar|warnings?|cosmetic\w*|nits?)\b`,
		),
	},
	{
		"subject_doc",
		source.Lazy(
			`(?i)\b(docs?|document\w*|man(ual)?s?|man ?pages?|readme\w*|comments?|change ?logs?|news|javadocs?|examples?|wording|licen[sc]e\w*|copyright\w*|authors|maintainers|translations?|todo)\b`,
		),
	},
	{
		"subject_release",
		source.Lazy(`(?i)(\b(releas\w*|versions?|bump\w*|upgrad\w*|prepare\w*|dependenc\w*|deps|snapshot|tag)\b|\bv?\d+\.\d+(\.\d+)*\b)`),
	},
	{"subject_test", source.Lazy(`(?i)\b(tests?|testing|testcases?|ci|travis|workflows?|coverage|fuzz\w*|github|benchmark\w*)\b`)},
}

// patchFeatures describe the form of a patch. All of them are from 0 to 1, or logarithms
// of counts.
var patchFeatures = []string{
	"files", "lines", "source_lines", "test_lines", "no_source", "comment_lines", "same_words", "same_but_digits", "only_adds",
}

// Names lists the features in the order of Vector.
func Names() []string {
	names := []string{"message"}
	for _, f := range wordFeatures {
		names = append(names, f.name)
	}
	return append(names, patchFeatures...)
}

// Vector returns the features of a fix. The features of the message are 0 for an
// uncommitted fix, because it has no message yet, and for a merge, whose subject does not
// describe its purpose.
//
// The body of a message has no features. The fixes in the training data name their
// culprit, and such messages are long and speak of faults: with features of the body, the
// model was better at telling these fixes from other commits, and worse at telling fixes
// from other commits in data read by hand.
func Vector(fc *szz.FixContext) []float64 {
	subject, _, _ := strings.Cut(strings.TrimSpace(fc.Message), "\n")
	if len(fc.Commit.Parents) > 1 {
		subject = ""
	}
	subject = source.FirstBytes(subject, maxSubject)
	x := []float64{yes(subject != "")}
	for _, f := range wordFeatures {
		x = append(x, yes(f.words().MatchString(subject)))
	}
	return append(x, patchVector(fc.Patch)...)
}

// Bounds of reading a message, in bytes, and a patch, in lines.
const (
	maxSubject = 300
	maxLines   = 5000
)

// counts are the inputs of a patch's features, in files, hunks and changed lines.
type counts struct {
	files, hunks, sameWords, sameButDigits      float64
	added, removed, inSource, inTest, inComment float64
}

func patchVector(p *gitext.Patch) []float64 {
	var c counts
	if p != nil {
		c = count(p)
	}
	lines, hunks := max(1, c.added+c.removed), max(1, c.hunks)
	return []float64{
		math.Log1p(c.files), math.Log(lines), c.inSource / lines, c.inTest / lines, yes(c.inSource == 0),
		c.inComment / max(1, c.inSource), c.sameWords / hunks, c.sameButDigits / hunks, yes(c.removed == 0),
	}
}

// count counts the first lines of a patch.
func count(p *gitext.Patch) counts {
	c := counts{files: float64(len(p.Files))}
	for i := range p.Files {
		f := &p.Files[i]
		name := f.NewPath
		if f.Status == 'D' {
			name = f.OldPath
		}
		kind := source.FileKindOf(name)
		if f.Submodule {
			kind = source.OtherFile
		}
		for _, h := range f.Hunks {
			if c.addHunk(f, h, kind); c.added+c.removed > maxLines {
				return c
			}
		}
	}
	return c
}

// addHunk counts the lines of a hunk of a file.
func (c *counts) addHunk(f *gitext.FileChange, h gitext.Hunk, kind source.FileKind) {
	var old, new []byte
	for _, l := range h.Lines {
		if c.added+c.removed > maxLines {
			break
		}
		switch l.Op {
		case '+':
			c.added++
			new = append(new, l.Text...)
		case '-':
			c.removed++
			old = append(old, l.Text...)
		default:
			continue
		}
		c.inSource += yes(kind == source.SourceFile)
		c.inTest += yes(kind == source.TestFile)
		c.inComment += yes(kind == source.SourceFile && isComment(f.NewPath, l.Text))
	}
	c.hunks++
	old, new = withoutSpace(old), withoutSpace(new)
	same := bytes.Equal(old, new)
	c.sameWords += yes(same)
	c.sameButDigits += yes(!same && bytes.Equal(withoutDigits(old), withoutDigits(new)))
}

// noHashComment are the extensions of languages in which # begins no comment.
var noHashComment = []string{".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hxx", ".hh", ".m", ".mm", ".cs", ".rs"}

// isComment reports whether a line consists of a comment, or of white space, by its first
// characters. It misses the lines of a comment from an earlier line unless they begin
// with a star.
func isComment(name string, line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return true
	}
	for _, mark := range []string{"//", "/*", "*/", "* ", "<!--", "-- ", `"""`, "'''"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return true
		}
	}
	return bytes.Equal(line, []byte("*")) || line[0] == '#' && !slices.Contains(noHashComment, path.Ext(name)) && !bytes.HasPrefix(line, []byte("#!"))
}

func withoutSpace(text []byte) []byte { return without(text, unicode.IsSpace) }

func withoutDigits(text []byte) []byte { return without(text, unicode.IsDigit) }

// without removes the characters for which drop is true. Invalid UTF-8 becomes U+FFFD.
func without(text []byte, drop func(rune) bool) []byte {
	return bytes.Map(func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	}, text)
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
