package szz

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Bounds of the look for generated files.
const (
	maxLookedAt  = 100     // source files of the fix; a larger fix is traced as it is
	maxGenerated = 8 << 20 // bytes of a file; a larger one is traced as it is
)

// setGeneratedApart moves the source files that a program wrote, such as the parser that Bison makes of a
// grammar, from the patch to fc.Generated: their lines follow from other files, and there are many of them.
// A fix that changes no other source keeps them.
func (fc *FixContext) setGeneratedApart(ctx context.Context, repo *gitext.Repo) error {
	if fc.Patch == nil {
		return nil
	}
	sources := 0
	for i := range fc.Patch.Files {
		if changesSource(&fc.Patch.Files[i]) {
			sources++
		}
	}
	if sources < 2 || sources > maxLookedAt {
		return nil
	}
	var written, generated []gitext.FileChange
	for _, f := range fc.Patch.Files {
		made, err := isGenerated(ctx, repo, &f)
		if err != nil {
			return err
		}
		if made {
			generated = append(generated, f)
		} else {
			written = append(written, f)
		}
	}
	if len(generated) == 0 || len(generated) == sources {
		return nil
	}
	p := *fc.Patch
	p.Files = written
	fc.Patch, fc.Generated = &p, generated
	fc.Notes = append(fc.Notes, generatedNote(generated))
	return nil
}

// changesSource reports whether a change of a file is one of lines of source.
func changesSource(f *gitext.FileChange) bool {
	return len(f.Hunks) > 0 && !f.Submodule && source.FileKindOf(cmp.Or(f.OldPath, f.NewPath)) == source.SourceFile
}

// isGenerated reports whether the first lines of a file of source say that a program wrote it. A file that cannot
// be read is taken for hand-written.
func isGenerated(ctx context.Context, repo *gitext.Repo, f *gitext.FileChange) (bool, error) {
	oid := f.OldOID
	if f.Status == 'A' {
		oid = f.NewOID
	}
	if !changesSource(f) || strings.Trim(string(oid), "0") == "" { // no id: a new file of the work tree
		return false, nil
	}
	text, err := repo.Blob(ctx, oid, maxGenerated)
	if gitext.Unreadable(err) {
		return false, nil
	}
	return source.IsGenerated(text), err
}

// generatedNote says which files of a fix are not traced.
func generatedNote(files []gitext.FileChange) string {
	name := fmt.Sprintf("%q", cmp.Or(files[0].OldPath, files[0].NewPath))
	if more := len(files) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more %s say that a program wrote them; they are not traced", name, more, agent.PluralOf(more, "file", "files"))
	}
	return name + " says that a program wrote it; it is not traced"
}

// WholePatch returns the patch with the generated files.
func (fc *FixContext) WholePatch() *gitext.Patch {
	if len(fc.Generated) == 0 {
		return fc.Patch
	}
	p := *fc.Patch
	p.Files = slices.Concat(p.Files, fc.Generated)
	return &p
}
