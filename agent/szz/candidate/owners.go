package candidate

import (
	"context"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// This file finds the owners of lines behind commits that only format or annotate them.

// findOwners blames lines, and again if an owner says that it formats code and changes only its layout, or says that it
// adds types and changes nothing else of the lines. For a fix of white space, a formatter may well be the culprit.
func (s *AnchorSet) findOwners(ctx context.Context, repo *gitext.Repo, rev gitext.OID, asked []suspect.FileLines) (*suspect.Owners, error) {
	if s.Spaces {
		return suspect.FindOwnersWith(ctx, repo, rev, asked, suspect.OwnerOptions{Spaces: true})
	}
	const rounds = 3 // such commits that are looked through one after the other
	owners, err := suspect.FindOwners(ctx, repo, rev, asked)
	for range rounds {
		if err != nil {
			return nil, err
		}
		found, err := mechanical(ctx, repo, owners, s.Ignored)
		if err != nil || len(found) == 0 {
			return owners, err
		}
		s.Ignored = append(s.Ignored, found...)
		if owners, err = suspect.FindOwnersWith(ctx, repo, rev, asked, suspect.OwnerOptions{IgnoreRevs: s.Ignored}); err != nil {
			return nil, err
		}
	}
	return owners, err
}

// mechanical returns the owners of lines, but for those that are known, that say that they format code and change only its
// layout, or that they add types and do nothing else to the lines, in their order. One whose patch cannot be read is left out.
func mechanical(ctx context.Context, repo *gitext.Repo, owners *suspect.Owners, known []gitext.OID) ([]gitext.OID, error) {
	owned := map[gitext.OID][]suspect.OwnedLine{}
	var oids []gitext.OID
	var paths []string
	for _, lines := range owners.Lines {
		for _, l := range lines {
			if l.Previous != "" && !slices.Contains(known, l.Owner) {
				oids, paths = append(oids, l.Owner), append(paths, l.Path, l.PreviousPath)
				owned[l.Owner] = append(owned[l.Owner], l)
			}
		}
	}
	slices.Sort(oids)
	slices.Sort(paths)
	commits, err := repo.Commits(ctx, slices.Compact(oids))
	if err != nil {
		return nil, err
	}
	say := map[gitext.OID]gitext.Commit{}
	var asked, found []gitext.OID
	for _, c := range commits {
		if len(c.Parents) == 1 && (saysLayout().MatchString(c.Subject()) || mayAnnotate(c, owned[c.OID])) {
			say[c.OID], asked = c, append(asked, c.OID)
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	for patch, err := range repo.Patches(ctx, asked, gitext.PatchOptions{Renames: true, Paths: slices.Compact(paths), MaxBytes: MaxDiffBytes}) {
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if c := say[patch.Commit]; !patch.Truncated && (onlyFormats(c, patch, owned[c.OID]) || onlyTypes(c, patch, owned[c.OID])) {
			found = append(found, patch.Commit)
		}
	}
	return found, nil
}

// onlyFormats reports whether a commit says that it formats code, and changes only its layout, or does nothing else to those
// of its lines that are given and were there before.
func onlyFormats(commit gitext.Commit, patch *gitext.Patch, lines []suspect.OwnedLine) bool {
	if !saysLayout().MatchString(commit.Subject()) {
		return false
	}
	c := Candidate{OID: commit.OID, Commit: commit, Diff: &CommitDiff{}}
	for i := range patch.Files {
		c.Diff.addLayout(&patch.Files[i])
	}
	return c.OnlyLayout() || formatsLines(saidLayout(commit.Subject()), patch, lines)
}

// formatsLines reports whether each hunk of a patch with one of the lines of code changes at most the layout.
func formatsLines(most layout, patch *gitext.Patch, lines []suspect.OwnedLine) bool {
	for _, l := range lines {
		if l.Kind != source.LineCode {
			continue
		}
		f, h := hunkOf(patch, l)
		if h == nil || h.OldLines == 0 {
			return false
		}
		if layoutOf(&gitext.FileChange{Status: f.Status, OldPath: f.OldPath, NewPath: f.NewPath, Hunks: []gitext.Hunk{*h}}) > most {
			return false
		}
	}
	return slices.ContainsFunc(lines, func(l suspect.OwnedLine) bool { return l.Kind == source.LineCode })
}

// hunkOf returns the hunk of a patch that wrote a line, and its file, or nil.
func hunkOf(patch *gitext.Patch, l suspect.OwnedLine) (*gitext.FileChange, *gitext.Hunk) {
	for i := range patch.Files {
		f := &patch.Files[i]
		for j := range f.Hunks {
			if h := &f.Hunks[j]; f.NewPath == l.Path && l.OrigLine >= h.NewStart && l.OrigLine < h.NewStart+h.NewLines {
				return f, h
			}
		}
	}
	return nil, nil
}
