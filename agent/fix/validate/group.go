package validate

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Group unites trials with equal patches, as Agentless does before it votes (arXiv 2407.01489).
// Patches are equal if the resulting files differ only in comments, blank lines and the white
// space between words. The order of files and hunks in a patch does not matter.
//
// The first trial of each group represents the group, with the votes of all. If the commands
// judged equal patches differently, the worst verdict counts. The order of the groups is that
// of their first trials. Group changes no trial in place.
func Group(trials []fix.Trial) []fix.Trial {
	var groups []fix.Trial
	at := map[[sha256.Size]byte]int{}
	for _, t := range trials {
		t.Votes = max(t.Votes, 1)
		if len(t.Patch.Files) == 0 {
			groups = append(groups, t) // the change is not known
			continue
		}
		key := patchKey(t.Patch)
		i, seen := at[key]
		if !seen {
			at[key] = len(groups)
			groups = append(groups, t)
			continue
		}
		groups[i] = unite(groups[i], t)
	}
	return groups
}

// unite returns the trial that represents two trials of the same patch.
func unite(first, second fix.Trial) fix.Trial {
	if rank(second.Verdict) > rank(first.Verdict) {
		first.Verdict, first.Failing, first.Reason = second.Verdict, second.Failing, second.Reason
		first.Checks, first.Cautions = second.Checks, second.Cautions
	}
	first.Votes += second.Votes
	first.Seconds += second.Seconds
	first.Prior = max(first.Prior, second.Prior)
	first.Commit = cmp.Or(first.Commit, second.Commit)
	first.Preferred = cmp.Or(first.Preferred, second.Preferred)
	return first
}

// verdicts lists the verdicts, best first.
var verdicts = []fix.Verdict{fix.Plausible, fix.OwnTested, fix.Regresses, fix.Fails, fix.NoBuild, fix.TimesOut, fix.Refused}

// rank returns the position of a verdict; 0 is the best.
func rank(v fix.Verdict) int {
	if i := slices.Index(verdicts, v); i >= 0 {
		return i
	}
	return len(verdicts)
}

// patchKey returns equal values for equal patches.
func patchKey(p fix.Patch) [sha256.Size]byte {
	files := slices.Clone(p.Files)
	slices.SortStableFunc(files, func(a, b gitext.Overlay) int { return strings.Compare(a.Path, b.Path) })
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%q %o %s\n", f.Path, f.Mode, f.OID)
		for _, line := range plainLines(f.Path, f.Content) {
			fmt.Fprintf(h, "%s\n", line)
		}
		fmt.Fprint(h, "\x00")
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// plainLines returns the lines of a file that are neither blank nor comments, with one
// space for each stretch of white space.
func plainLines(name string, content []byte) []string {
	lines := strings.Split(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")
	kinds := source.LineKinds(name, content, len(lines))
	var plain []string
	for i, line := range lines {
		if i < len(kinds) && (kinds[i] == source.LineBlank || kinds[i] == source.LineComment) {
			continue
		}
		if line = plainLine(name, line); line != "" {
			plain = append(plain, line)
		}
	}
	return plain
}

// indented lists the extensions of languages with meaningful indentation.
var indented = strings.Fields(".py .pyx .pyi .yaml .yml .mk .mak .hs .nim .coffee .fs .fsx .pug .sass .haml .slim .md .rst .ml .elm .cr .gd")

// plainLine replaces each stretch of white space in a line by one space, except within quotes,
// and removes it at the end. It keeps meaningful indentation.
func plainLine(name, line string) string {
	text := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(text)]
	if base := path.Base(name); !slices.Contains(indented, path.Ext(name)) && base != "Makefile" && base != "GNUmakefile" {
		indent = ""
	}
	if text = oneSpace(text); text == "" {
		return ""
	}
	return indent + text
}

// oneSpace replaces each stretch of white space outside of quotes by one space.
func oneSpace(text string) string {
	var b strings.Builder
	var quote byte // the open quote; 0 outside of quotes
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && isSpace(c):
			if i+1 == len(text) || isSpace(text[i+1]) {
				continue
			}
			c = ' '
		case quote == 0 && (c == '"' || c == '\'' || c == '`'):
			quote = c
		case quote != 0 && c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
			c = text[i]
		case c == quote:
			quote = 0
		}
		b.WriteByte(c)
	}
	return strings.TrimRight(b.String(), " \t\r")
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }
