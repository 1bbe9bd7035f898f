package deliver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// These are names in the backup's commit of further files.
const (
	patchName = "patch"  // the patch
	beforeDir = "before" // the files as they were, byte for byte
	afterDir  = "after"  // the files with the patch, as git stores them
)

// save makes the backup.
func (d *delivery) save(ctx context.Context) (gitext.Saved, error) {
	extra := []gitext.Overlay{{Path: patchName, Mode: 0o100644, Content: d.diff}}
	for dir, files := range map[string][]gitext.Overlay{beforeDir: d.raw, afterDir: d.files} {
		for _, f := range files {
			if f.Mode != 0 {
				f.Path = dir + "/" + f.Path
				extra = append(extra, f)
			}
		}
	}
	name, err := d.backupName(ctx)
	if err != nil {
		return gitext.Saved{}, err
	}
	return d.repo.SaveState(ctx, name, d.now, extra)
}

// backupName returns a name that no backup has: a run may be delivered twice.
func (d *delivery) backupName(ctx context.Context) (string, error) {
	base := d.opt.Run
	if base == "" {
		base = time.Now().UTC().Format("20060102-150405-") + strings.ToLower(rand.Text()[:6])
	}
	name := base
	for i := 2; ; i++ {
		switch _, err := d.repo.ReadState(ctx, name); {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case err != nil:
			return name, nil
		}
		name = fmt.Sprintf("%s-%d", base, i)
	}
}

// undo returns the command that takes the patch back. It reverses the patch, so that it
// keeps what the user changes elsewhere in the same files, and refuses where that is not
// possible. Files that git's conversions would not restore byte for byte, such as those
// with mixed line endings, are written from the backup.
func (d *delivery) undo(saved gitext.Saved) string {
	extra := saved.Ref + "^3"
	if d.head.Commit == "" {
		extra = saved.Ref + "^2"
	}
	var command string
	switch d.opt.Target {
	case Worktree:
		command = d.git("cat-file", "blob", extra+":"+patchName) + " | " + d.git("apply", "-R", "--whitespace=nowarn")
	case Index:
		command = d.git("cat-file", "blob", extra+":"+patchName) + " | " + d.git("apply", "-R", "--index", "--whitespace=nowarn")
	case Commit:
		command = d.git("reset", "--keep", d.head.Commit.Short())
	}
	clean := map[string]gitext.Overlay{}
	for _, f := range d.now {
		clean[f.Path] = f
	}
	for _, f := range d.raw {
		if f.Mode != 0 && !comesBack(f.Content, clean[f.Path].Content) {
			command += " && " + d.git("cat-file", "blob", extra+":"+beforeDir+"/"+f.Path) + " >" + quote.Shell(d.repo.WorkTree()+"/"+f.Path)
		}
	}
	return command
}

// comesBack reports whether git writes the bytes of a file again when it checks out what
// it stores for it.
func comesBack(raw, clean []byte) bool {
	return bytes.Equal(raw, clean) || !bytes.ContainsRune(clean, '\r') && bytes.Equal(raw, bytes.ReplaceAll(clean, []byte("\n"), []byte("\r\n")))
}

// git returns a shell command that runs git in the user's repository, from anywhere.
func (d *delivery) git(args ...string) string {
	top := d.repo.WorkTree()
	words := []string{"git", "-C", quote.Shell(cmp.Or(top, d.repo.GitDir()))}
	if _, err := os.Lstat(filepath.Join(top, ".git")); top != "" && (err != nil || os.Getenv("GIT_DIR") != "") {
		// Only the environment says which repository the work tree belongs to.
		words = []string{"git", "--git-dir=" + quote.Shell(d.repo.GitDir()), "--work-tree=" + quote.Shell(top), "-C", quote.Shell(top)}
	}
	for _, arg := range args {
		words = append(words, quote.Shell(arg))
	}
	return strings.Join(words, " ")
}
