package investigate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/secret"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// Limits on the latest changes in the first prompt.
const (
	Suspects   = 6    // commits: the suspects that the offline engine names
	withPatch  = 3    // of these, commits with their reason and a part of their patch
	maxPatch   = 1000 // characters of a patch
	maxAdded   = 400  // lines that a shown hunk adds; a hunk with more is an import
	patchBytes = 4 << 20

	newestFiles   = 3 // files with a list of their newest commits
	newestCommits = 2 // of each
)

// A change is a suspect of the offline engine with its short name in the first prompt.
type change struct {
	name    string
	commit  gitext.Commit
	suspect suspect.Suspect
}

// nameChanges names the first suspects c1, c2 and so on.
func (d *investigation) nameChanges() {
	if d.sees.NoChanges {
		return
	}
	for i, s := range d.byFailingLine()[:min(len(d.shown.Suspects), Suspects)] {
		d.changes = append(d.changes, change{name: fmt.Sprintf("c%d", i+1), commit: s.Commit, suspect: s})
	}
}

// byFailingLine returns the suspects, the one first that wrote the line that failed: its newest change
// tells more than the older ones of the functions around it.
func (d *investigation) byFailingLine() []suspect.Suspect {
	list := slices.Clone(d.shown.Suspects)
	path, line := "", 0
	if ref, ok := d.failingFrame(); ok {
		f := d.q.Report.At(ref)
		path, line = f.Path, f.LineAt()
	}
	wrote := func(s suspect.Suspect) int {
		if line > 0 && slices.ContainsFunc(s.Evidence, func(e suspect.Evidence) bool { return e.Path == path && e.Line == line }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b suspect.Suspect) int { return wrote(a) - wrote(b) })
	return list
}

// changeText lists the commits that wrote the code around the frames, with the changes of the
// first commits there, and then the newest commits of the first files.
func (d *investigation) changeText(ctx context.Context) (string, error) {
	var b strings.Builder
	for i, c := range d.changes {
		entry := d.titleOf(c.name, c.commit.OID, c.commit.Committer.Time, c.commit.Subject())
		if i < withPatch {
			text, err := d.patchText(ctx, c)
			if err != nil {
				return "", err
			}
			if !d.stale(c) { // a commit that added the whole file has no short patch
				entry += "    " + agent.Shorten(agent.CleanLine(c.suspect.Reason), 240) + "\n"
			}
			entry += text
		}
		if b.Len()+len(entry) > maxChanges {
			break
		}
		b.WriteString(entry)
	}
	newest, err := d.newestText(ctx)
	return b.String() + newest, err
}

// stale reports whether the lines behind a suspect belong to another version of their file, so
// that they prove little.
func (d *investigation) stale(c change) bool {
	return slices.ContainsFunc(c.suspect.Evidence, func(e suspect.Evidence) bool { return d.moved[e.Path] })
}

func (d *investigation) titleOf(name string, oid gitext.OID, when time.Time, subject string) string {
	return fmt.Sprintf("%s %s %s %s\n", name, oid.Short(), when.UTC().Format(time.DateOnly), d.tools.Shorten(subject, 120))
}

// newestText lists the newest commits of the first files, except those already listed.
func (d *investigation) newestText(ctx context.Context) (string, error) {
	var b strings.Builder
	listed := map[gitext.OID]bool{}
	for _, c := range d.changes {
		listed[c.commit.OID] = true
	}
	for _, f := range d.shown.Files[:min(len(d.shown.Files), newestFiles)] {
		if len(f.Frames) == 0 {
			break
		}
		newest := gitext.LogOptions{Tip: d.offline.Commit, Paths: []string{f.Path}, Max: newestCommits, NoMerges: true, Until: d.offline.Until}
		for entry, err := range d.repo.Log(ctx, newest) {
			if gitext.Unreadable(err) {
				return b.String(), nil
			}
			if err != nil {
				return "", err
			}
			if !listed[entry.OID] {
				listed[entry.OID] = true
				b.WriteString(d.titleOf(" ", entry.OID, entry.CommitTime, entry.Subject))
			}
		}
	}
	if b.Len() == 0 {
		return "", nil
	}
	return "the newest other commits of the first files:\n" + b.String(), nil
}

// patchText renders the hunks of a suspect commit that wrote the suspicious lines, else its hunk
// in the same files that is nearest to a frame.
func (d *investigation) patchText(ctx context.Context, c change) (string, error) {
	var parent gitext.OID
	if len(c.commit.Parents) > 0 {
		parent = c.commit.Parents[0]
	}
	var paths []string
	for _, e := range c.suspect.Evidence {
		if e.Path != "" && !secret.MustRedact(e.Path) && !slices.Contains(paths, e.Path) {
			paths = append(paths, e.Path)
		}
	}
	if len(paths) == 0 {
		return "", nil
	}
	patch, err := d.repo.Patch(ctx, parent, c.commit.OID, gitext.PatchOptions{Paths: paths, MaxBytes: patchBytes, Context: 2})
	if gitext.Unreadable(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range patch.Files {
		if f := &patch.Files[i]; !secret.MustRedact(f.OldPath) { // the file may have been renamed
			b.WriteString(wholeText(f))
		}
	}
	for _, h := range d.nearestFirst(c, patch) {
		text := d.hunkText(h.path, h.hunk, h.at)
		if b.Len() > 0 && (h.of != ofFrame && h.wrote == 0 || b.Len()+len(text) > maxPatch) {
			continue // a line without a word proves nothing beside another hunk
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// wholeText says that a commit adds or removes the whole file: its lines tell nothing that the code
// does not. It is "" for other changes.
func wholeText(f *gitext.FileChange) string {
	switch f.Status {
	case 'A':
		return fmt.Sprintf("    it adds the file %s\n", agent.CleanLine(f.NewPath))
	case 'D':
		return fmt.Sprintf("    it removes the file %s\n", agent.CleanLine(f.OldPath))
	}
	return ""
}
