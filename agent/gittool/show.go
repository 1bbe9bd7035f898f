package gittool

import (
	"context"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// maxPatchBytes bounds the patch that git_show reads.
const maxPatchBytes = 8 << 20

// showParams are the parameters of git_show.
type showParams struct {
	Commit  string `json:"commit" arg:"required"`
	Path    string `json:"path"`
	Pattern string `json:"pattern"`
	Stat    bool   `json:"stat"`
	Context int    `json:"context" arg:"min=0,max=30"`
	Page    int    `json:"page" arg:"min=0"`
}

// Show is the answer of git_show.
type Show struct {
	Commit    Commit       `json:"commit"`
	Parents   []string     `json:"parents"`
	Path      string       `json:"path,omitempty"`      // only files below it are listed
	Stat      bool         `json:"stat,omitempty"`      // the call did not ask for the patch
	Pattern   string       `json:"pattern,omitempty"`   // only hunks with this text are listed
	Hidden    int          `json:"hidden,omitempty"`    // number of hunks without it
	Elsewhere int          `json:"elsewhere,omitempty"` // number of files without such a hunk
	Files     []FileChange `json:"files"`
	AllFiles  int          `json:"all_files"` // number of files that the commit changed
	Truncated bool         `json:"truncated,omitempty"`
	Trailers  []string     `json:"trailers,omitempty"`
	Missing   string       `json:"missing,omitempty"` // an object that this clone lacks; files that need it have no hunks
}

// FileChange is a commit's change of a file.
type FileChange struct {
	Status  string `json:"status"` // A, M, D, R, C or T, as in git
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"` // when it differs
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Kind    string `json:"kind,omitempty"` // "binary", "submodule", "mode 100644 -> 100755", "CRLF", "contents withheld"
	Hunks   []Hunk `json:"hunks,omitempty"`
}

func newShow(b *scopedRepo) (agent.Tool, error) {
	t := gitTool[showParams, Show]{
		deed:     agent.DeedShow,
		version:  5,
		defaults: showParams{Context: 3},
		page:     func(p *showParams) int { n := p.Page; p.Page = 0; return n },
		prepare:  prepareShow,
		look:     lookShow,
		render:   (*Show).render,
	}
	return t.described("git_show", b)
}

func prepareShow(ctx context.Context, b *scopedRepo, p *showParams) error {
	if strings.ContainsAny(p.Pattern, "\n\r") {
		return refusef("the pattern must be one line")
	}
	if p.Pattern != "" && p.Stat {
		return refusef("give pattern or stat, not both")
	}
	_, err := b.resolve(ctx, &p.Commit)
	if err != nil || p.Path == "" {
		return err
	}
	tries, err := cleanPath(p.Path)
	if err != nil {
		return err
	}
	// The patch decides the meaning of the path, since a deleted file is not in the tree
	// of this commit.
	p.Path = strings.Join(tries, "\n")
	return nil
}

func lookShow(ctx context.Context, b *scopedRepo, p showParams) (*Show, error) {
	oid := gitext.OID(p.Commit)
	c, err := b.repo.Commit(ctx, oid)
	if err != nil {
		return nil, err
	}
	v := &Show{Commit: b.commit(c), Stat: p.Stat}
	message, trailers := commitmsg.Trailers(c.Message)
	v.Commit.Message = b.body(message)
	for _, t := range trailers {
		v.Trailers = append(v.Trailers, agent.CleanLine(b.scope.Redact.apply(t.Key+": "+t.Value)))
	}
	var parent gitext.OID
	for i, o := range c.Parents {
		v.Parents = append(v.Parents, string(o))
		if i == 0 && !b.repo.ShallowBoundary()[oid] {
			parent = o
		}
	}
	opt := gitext.PatchOptions{Context: p.Context, Renames: true, MaxBytes: maxPatchBytes}
	patch, err := b.repo.Patch(ctx, parent, oid, opt)
	var lost map[string]bool
	if v.Missing = missingObject(err); gitext.Unreadable(err) {
		if p.Path != "" {
			opt.Paths = strings.Split(p.Path, "\n")
		}
		patch, lost, err = b.patchByFile(ctx, parent, oid, opt)
	}
	if err != nil {
		return nil, err
	}
	b.scope.Redact.patch(patch)
	v.AllFiles, v.Truncated = len(patch.Files), patch.Truncated
	if err := v.selectFiles(patch.Files, strings.Split(p.Path, "\n"), lost); err != nil || p.Pattern == "" {
		return v, err
	}
	return v, v.selectHunks(p.Pattern)
}

// maxFilesApart bounds the processes for an incomplete patch, and maxLeftOut the number
// of them without a result.
const (
	maxFilesApart = 100
	maxLeftOut    = 20
)

// patchByFile reads the patch of each file separately. It is used if the whole patch
// cannot be read: the clone lacks some of the contents, or git hit a bound. It does not
// detect renames, which need the contents. It also returns the paths of files with an
// unread patch.
func (b *scopedRepo) patchByFile(ctx context.Context, parent, oid gitext.OID, opt gitext.PatchOptions) (*gitext.Patch, map[string]bool, error) {
	out := &gitext.Patch{Commit: oid, Parent: parent}
	opt.Renames = false
	var err error
	if out.Files, err = b.repo.Changes(ctx, parent, oid, opt); err != nil {
		return nil, nil, err
	}
	lost := map[string]bool{}
	for _, f := range out.Files {
		lost[currentPath(f)] = true
	}
	left := 0
	for i, f := range out.Files {
		if i == maxFilesApart || left == maxLeftOut {
			break
		}
		opt.Paths = []string{currentPath(f)}
		one, err := b.repo.Patch(ctx, parent, oid, opt)
		if gitext.Unreadable(err) {
			left++
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		delete(lost, currentPath(f))
		if len(one.Files) == 1 {
			out.Files[i] = one.Files[0]
		}
	}
	return out, lost, nil
}

// selectFiles keeps the files that match one of the possible paths.
func (v *Show) selectFiles(files []gitext.FileChange, tries []string, lost map[string]bool) error {
	for _, try := range tries {
		for _, f := range files {
			if under(f.NewPath, try) || under(f.OldPath, try) {
				v.Files = append(v.Files, fileChange(f, v.Stat))
				if lost[currentPath(f)] {
					last := &v.Files[len(v.Files)-1]
					last.Kind = strings.TrimPrefix(last.Kind+", patch not read", ", ")
				}
			}
		}
		if len(v.Files) > 0 || try == "" {
			v.Path = agent.Clean(try)
			return nil
		}
	}
	var names []string
	for _, f := range files {
		names = append(names, agent.Clean(currentPath(f)))
	}
	near := nearNames(tries[len(tries)-1], names)
	if len(near) == 0 {
		near = names[:min(maxNear, len(names))]
	}
	return refusef("%s does not touch %q; it changes %d file(s), such as %s", short(v.Commit.OID), tries[0], len(names), quoteAll(near))
}

// selectHunks keeps the hunks with a line that contains the pattern, and their files. It
// drops the message, which a call without pattern shows.
func (v *Show) selectHunks(pattern string) error {
	v.Pattern, v.Commit.Message = agent.Clean(pattern), ""
	var kept []FileChange
	for _, f := range v.Files {
		all := len(f.Hunks)
		f.Hunks = slices.DeleteFunc(f.Hunks, func(h Hunk) bool {
			return !slices.ContainsFunc(h.Lines, func(l string) bool { return strings.Contains(l[1:], v.Pattern) })
		})
		v.Hidden += all - len(f.Hunks)
		if len(f.Hunks) > 0 {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return refusef(
			"no line of the %d hunk(s) in %d file(s) that are read of %s contains %q; the text is taken literally, and git_log_search finds the commits that change it",
			v.Hidden,
			len(v.Files),
			short(v.Commit.OID),
			agent.Shorten(v.Pattern, 80),
		)
	}
	v.Elsewhere, v.Files = len(v.Files)-len(kept), kept
	return nil
}

// under reports whether file is dir or lies below it; everything lies below "".
func under(file, dir string) bool {
	return dir == "" || file == dir || strings.HasPrefix(file, dir+"/")
}

func currentPath(f gitext.FileChange) string {
	if f.NewPath == "" {
		return f.OldPath
	}
	return f.NewPath
}

func fileChange(f gitext.FileChange, stat bool) FileChange {
	out := FileChange{Status: string(f.Status), Path: agent.Clean(currentPath(f)), Kind: kindOf(f)}
	if f.OldPath != "" && f.OldPath != currentPath(f) {
		out.OldPath = agent.Clean(f.OldPath)
	}
	hunks, crlf := hunksOf(f.Hunks)
	for _, h := range hunks {
		added, deleted := h.counts()
		out.Added, out.Deleted = out.Added+added, out.Deleted+deleted
	}
	if crlf {
		out.Kind = strings.TrimPrefix(out.Kind+", CRLF", ", ")
	}
	secret := redacted(f.OldPath, f.NewPath)
	if secret {
		out.Kind = strings.TrimPrefix(out.Kind+", "+redactedKind, ", ")
	}
	if !stat && !secret {
		out.Hunks = hunks
	}
	return out
}
