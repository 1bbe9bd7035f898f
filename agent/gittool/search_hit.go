package gittool

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// translationDir matches a directory of the same texts in several languages.
var translationDir = source.Lazy(`(?i)(^|/)(po|i18n|l10n|locales?|lang|langs|languages|translations?|values-[a-z]{2}[^/]*|[^/]*\.lproj)/`)

// isTranslation reports whether a file, by its name, is one of many with the same texts
// in other languages.
func isTranslation(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".po", ".pot", ".mo", ".xlf", ".xliff", ".strings", ".arb":
		return true
	case ".ts", ".json", ".xml", ".yml", ".yaml", ".properties", ".resx", ".ini", ".lang", ".js", ".php":
		return translationDir().MatchString(name)
	}
	return false
}

// withoutTwins drops the translations of an entry except the first, and counts the
// others.
func withoutTwins(files []gitext.FileChange) (kept []gitext.FileChange, twins int) {
	first := true
	for _, f := range files {
		if isTranslation(currentPath(f)) {
			if !first {
				twins++
				continue
			}
			first = false
		}
		kept = append(kept, f)
	}
	return kept, twins
}

// twinOf returns the earlier equivalent of l: a line with the same text in another file,
// or a line in another translation; nil for none.
func (h *SearchHit) twinOf(l HitLine) *HitLine {
	for i := range h.Lines {
		have := &h.Lines[i]
		if have.Op != l.Op || have.Path == l.Path {
			continue
		}
		if have.Text == l.Text || isTranslation(have.Path) && isTranslation(l.Path) {
			return have
		}
	}
	return nil
}

// A tally collects the matching lines of one commit, to tell a move from a change.
type tally struct {
	texts map[byte][]string
	paths map[byte]map[string]bool
}

func (t *tally) add(op byte, name, text string) {
	if t.texts == nil {
		t.texts, t.paths = map[byte][]string{}, map[byte]map[string]bool{'+': {}, '-': {}}
	}
	t.texts[op] = append(t.texts[op], text)
	t.paths[op][name] = true
}

// moved describes the destination of the matching lines if the commit deletes and adds
// the same ones, "" for any other change.
func (t *tally) moved() string {
	slices.Sort(t.texts['-'])
	slices.Sort(t.texts['+'])
	if len(t.texts['-']) == 0 || !slices.Equal(t.texts['-'], t.texts['+']) {
		return ""
	}
	from, to := slices.Sorted(maps.Keys(t.paths['-'])), slices.Sorted(maps.Keys(t.paths['+']))
	if slices.Equal(from, to) {
		return "only moved: the same lines are deleted and added in " + first(from)
	}
	return fmt.Sprintf("only moved: the same lines go from %s to %s", first(from), first(to))
}

// first names the first of several files.
func first(names []string) string {
	if len(names) > 1 {
		return fmt.Sprintf("%s and %d more file(s)", names[0], len(names)-1)
	}
	return names[0]
}

// maxRenameLooks bounds the commits with new files whose whole list of changes is read.
const maxRenameLooks = 10

// markRenames marks hits of a search below a path that are renames across its boundary.
// git shows a rename into the path as a new file, and a rename out of it as a deleted
// one.
func (b *scopedRepo) markRenames(ctx context.Context, v *Search) error {
	looks := 0
	for i := range v.Hits {
		h := &v.Hits[i]
		if v.Path == "" || h.Renamed != "" || h.whole == "" || looks == maxRenameLooks {
			continue
		}
		looks++
		opt := gitext.LogOptions{Tip: gitext.OID(h.Commit.OID), Max: 1, Files: true, MaxFiles: maxRenamed}
		for entry, err := range b.repo.Log(ctx, opt) {
			if gitext.Unreadable(err) {
				break
			}
			if err != nil {
				return err
			}
			h.Renamed = renameIn(entry.Files, h.whole)
		}
	}
	return nil
}

// maxRenamed bounds the changed files of a commit that are read for its renames.
const maxRenamed = 5000

// renameIn describes the rename in a list that has name on one side, "" for none.
func renameIn(files []gitext.FileChange, name string) string {
	for _, f := range files {
		if f.Status == 'R' && (name == "" || f.OldPath == name || f.NewPath == name) {
			return fmt.Sprintf("renames %s => %s, %d%% alike", agent.CleanLine(f.OldPath), agent.CleanLine(f.NewPath), f.Score)
		}
	}
	return ""
}
