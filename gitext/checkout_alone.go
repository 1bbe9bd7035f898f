package gitext

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitdir"
)

// CheckoutAlone makes dir contain the same files as Checkout, but dir/.git has no history. Its
// only commit has the tree of commit, no parent, and neither author nor message of the
// repository. A command in dir can read no other commit or its objects, provided that it cannot
// read this repository's own directory.
//
// The objects are copied into dir.alone beside dir, which the command must be able to read. The
// time for the copy, made once for each tree, grows with the size of the tree.
func (r *Repo) CheckoutAlone(ctx context.Context, commit OID, dir string, over ...Overlay) error {
	w, tree, err := r.checkOut(ctx, commit, dir, over)
	if err != nil {
		return err
	}
	w.alone = true
	root, err := w.copyTree(ctx, commit, tree)
	if err != nil {
		return fmt.Errorf("copy the files of %s: %w", commit.Short(), r.explain(ctx, err))
	}
	return w.writeRepository(root, gitdir.AlternatesLine(w.dir+".alone"))
}

// copyTree writes into dir.alone a commit with the tree of commit and without a parent, and the
// objects of that commit and of the checked-out tree. It returns the new commit.
func (w *checkout) copyTree(ctx context.Context, commit, tree OID) (OID, error) {
	alone := w.dir + ".alone"
	root, err := w.rootCommit(ctx, commit)
	if err != nil {
		return "", err
	}
	mark, want := filepath.Join(alone, "holds"), string(root)+" "+string(tree)+"\n"
	if have, err := os.ReadFile(mark); err == nil && string(have) == want {
		return root, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	packs := filepath.Join(alone, "pack")
	if err := os.RemoveAll(packs); err != nil {
		return "", err
	}
	if err := os.MkdirAll(packs, 0o700); err != nil {
		return "", err
	}
	wanted := string(root) + "\n" + string(tree) + "^{tree}\n"
	call := writing([]byte(wanted), "pack-objects", "--revs", "--missing=allow-any", "--delta-base-offset", "-q", filepath.Join(packs, "pack"))
	if _, err := w.git.Output(ctx, call); err != nil {
		return "", err
	}
	return root, os.WriteFile(mark, []byte(want), 0o600)
}

// rootCommit writes a commit with the tree of commit and without a parent into the checkout's own
// objects.
func (w *checkout) rootCommit(ctx context.Context, commit OID) (OID, error) {
	tree, err := oneOID(ctx, w.git, gitcmd.Call{Args: []string{"rev-parse", "--verify", "--end-of-options", string(commit) + "^{tree}"}})
	if err != nil {
		return "", err
	}
	const who = "nobody <nobody@localhost> 0 +0000"
	text := fmt.Sprintf("tree %s\nauthor %s\ncommitter %[2]s\n\nThe files under repair\n", tree, who)
	return oneOID(ctx, w.git, writing([]byte(text), "hash-object", "-w", "-t", "commit", "--stdin"))
}
