package deliver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"git-agent/gitext"
	"git-agent/gitext/disk"
	"git-agent/gitext/quote"
)

// These are names in the commit with the backup's further files.
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

// undo returns the command that takes the patch back. The command reverses the patch, so that
// it keeps the user's later changes elsewhere in the same files, and fails if they overlap.
// Files that git's conversions would not restore byte for byte, such as those with mixed line
// endings, are written from the backup. Permissions that git does not keep are set.
func (d *delivery) undo(saved gitext.Saved, files []journalFile) string {
	extra := saved.Ref + "^3"
	if d.head.Commit == "" {
		extra = saved.Ref + "^2"
	}
	var command string
	switch d.opt.Target {
	case WorkTree:
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
	for _, f := range d.odd(files) {
		command += fmt.Sprintf(" && chmod %o %s", f.Perm, quote.Shell(d.repo.WorkTree()+"/"+string(f.Path)))
	}
	return command
}

// odd returns the files with permissions that git does not restore: git only knows whether a
// file is executable, and makes a file of mode 0600 readable by all.
func (d *delivery) odd(files []journalFile) []journalFile {
	usual, err := newPermissions()
	if err != nil {
		return nil
	}
	links := map[string]bool{}
	for _, f := range d.raw {
		links[f.Path] = f.Mode == modeLink
	}
	var list []journalFile
	for _, f := range files {
		want := usual &^ 0o111
		if f.Perm&0o100 != 0 {
			want = usual
		}
		if f.Perm != 0 && f.Perm != want && !links[string(f.Path)] {
			list = append(list, f)
		}
	}
	return list
}

// modeLink is the mode of a symbolic link in a tree.
const modeLink = 0o120000

// newPermissions returns the permissions that a new executable file gets.
func newPermissions() (fs.FileMode, error) {
	dir, err := disk.MakeTemp()
	if err != nil {
		return 0, err
	}
	defer dir.Remove()
	f, err := os.OpenFile(filepath.Join(dir.Path, "new"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o777)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// keepPermissions gives the files of a patch their old permissions, except the right to
// execute, which comes from the patch. After a failure, the permissions of git remain.
func (d *delivery) keepPermissions(note *journal) {
	mode := map[string]uint32{}
	for _, f := range d.files {
		mode[f.Path] = f.Mode
	}
	root, err := os.OpenRoot(d.repo.WorkTree())
	if err != nil {
		return
	}
	defer root.Close()
	for _, f := range d.odd(note.Files) {
		switch mode[string(f.Path)] {
		case 0o100644:
			root.Chmod(filepath.FromSlash(string(f.Path)), f.Perm&^0o111)
		case 0o100755:
			root.Chmod(filepath.FromSlash(string(f.Path)), f.Perm|f.Perm&0o444>>2)
		}
	}
}

// comesBack reports whether git restores a file byte for byte when it checks out the stored
// content.
func comesBack(raw, clean []byte) bool {
	return bytes.Equal(raw, clean) || !bytes.ContainsRune(clean, '\r') && bytes.Equal(raw, bytes.ReplaceAll(clean, []byte("\n"), []byte("\r\n")))
}

// git returns a shell command that runs git in the user's repository from any directory.
func (d *delivery) git(args ...string) string {
	top := d.repo.WorkTree()
	words := []string{"git", "-C", quote.Shell(cmp.Or(top, d.repo.GitDir()))}
	if _, err := os.Lstat(filepath.Join(top, ".git")); top != "" && (err != nil || os.Getenv("GIT_DIR") != "") {
		// Only the environment connects the repository with its work tree.
		words = []string{"git", "--git-dir=" + quote.Shell(d.repo.GitDir()), "--work-tree=" + quote.Shell(top), "-C", quote.Shell(top)}
	}
	for _, arg := range args {
		words = append(words, quote.Shell(arg))
	}
	return strings.Join(words, " ")
}
