package rank

import (
	"cmp"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Limits on searches in the repository for one report.
const (
	maxNames   = 60
	maxMatches = 40000
)

// measureUsage measures how much of the project uses each file: how many files mention its
// functions, and how many include or import it. A file with many users is rarely at fault for a
// crash. If files cannot be read, measureUsage counts the others and returns an error for which
// gitext.Unreadable is true.
func measureUsage(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, files []*evidence) error {
	if len(files) < 2 {
		return nil // nothing to compare
	}
	unread := countMentions(ctx, repo, commit, report, files)
	if unread != nil && !gitext.Unreadable(unread) {
		return unread
	}
	return cmp.Or(countUsers(ctx, repo, commit, files), unread)
}

// countMentions counts the files that contain each function's name as a word.
func countMentions(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, files []*evidence) error {
	var names []string
	for _, e := range files {
		names = append(names, e.functionsOf(report)...)
	}
	names = bounded(names, plainName())
	if len(names) == 0 {
		return nil
	}
	counts, err := filesWith(ctx, repo, commit, "("+strings.Join(names, "|")+")", regexp.MustCompile(`\b(`+strings.Join(names, "|")+`)\b`))
	if err != nil && !gitext.Unreadable(err) {
		return err
	}
	for _, e := range files {
		for _, name := range e.functionsOf(report) {
			if n, ok := counts[name]; ok {
				e.mentions = min(e.mentions, n)
			}
		}
	}
	return err
}

// countUsers counts the lines that include or import each file, for languages with include or
// import of files or classes.
func countUsers(ctx context.Context, repo *gitext.Repo, commit gitext.OID, files []*evidence) error {
	var native, java []string
	for _, e := range files {
		switch path.Ext(e.path) {
		case ".java", ".kt", ".scala", ".groovy":
			java = append(java, stemOf(e.path))
		default:
			if !isManaged(e.path) {
				native = append(native, stemOf(e.path))
			}
		}
	}
	counts := map[string]int{}
	var unread error
	for _, language := range []struct {
		stems         []string
		before, after string
	}{
		{native, `[/"<]`, `\.(?:h|hh|hpp|hxx|inc|inl)[">]`},
		{java, `\.`, `;`},
	} {
		stems := bounded(language.stems, plainStem())
		if len(stems) == 0 {
			continue
		}
		any := "(" + strings.Join(quoted(stems), "|") + ")"
		found, err := filesWith(ctx, repo, commit, language.before+any+strings.ReplaceAll(language.after, "(?:", "("),
			regexp.MustCompile(language.before+any+language.after))
		if err != nil && !gitext.Unreadable(err) {
			return err
		}
		unread = cmp.Or(unread, err)
		for stem, n := range found {
			counts[stem] = n
		}
	}
	for _, e := range files {
		e.users = counts[stemOf(e.path)]
	}
	return unread
}

// filesWith counts the files with a matching line, by the first group of re. expr is the same
// expression for git grep. If files cannot be read, it counts the others and returns an error for
// which gitext.Unreadable is true.
func filesWith(ctx context.Context, repo *gitext.Repo, commit gitext.OID, expr string, re *regexp.Regexp) (map[string]int, error) {
	matches, err := repo.Grep(ctx, commit, gitext.GrepOptions{Pattern: expr, Max: maxMatches})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	seen := map[[2]string]bool{}
	counts := map[string]int{}
	for _, m := range matches {
		for _, g := range re.FindAllSubmatch(m.Text, -1) {
			key := [2]string{m.Path, string(g[1])}
			if !seen[key] {
				seen[key] = true
				counts[key[1]]++
			}
		}
	}
	return counts, err
}

var (
	plainName = source.Lazy(`^[A-Za-z_]\w*$`)
	plainStem = source.Lazy(`^[A-Za-z_][\w+-]*$`)
)

// bounded returns the first distinct names of the given form, sorted. A report may contain any
// function names, so only names without special characters of expressions are searched.
func bounded(names []string, form *regexp.Regexp) []string {
	names = slices.DeleteFunc(names, func(n string) bool { return !form.MatchString(n) || len(n) > 200 })
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxNames)]
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = regexp.QuoteMeta(n)
	}
	return out
}
