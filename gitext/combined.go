package gitext

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// combinedTrees remembers trees that combine wrote. A repair checks out the same files again for
// each run of the tests, and a tree costs four starts of git. It is safe for concurrent use.
type combinedTrees struct {
	mu    sync.Mutex
	trees map[[sha256.Size]byte]OID
}

// maxCombined bounds the memory of a long session. A repair goes back and forth between few trees.
const maxCombined = 256

// overlaid identifies the files of over on top of a commit, in the object directory of w.
func (w *checkout) overlaid(commit OID, over []Overlay) (key [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %s", w.dir, commit)
	for _, o := range over {
		fmt.Fprintf(h, " %q %o %q %d:", o.Path, o.Mode, o.OID, len(o.Content))
		h.Write(o.Content)
	}
	h.Sum(key[:0])
	return key
}

// known returns a tree that was written before, unless its object was removed since.
func (w *checkout) known(key [sha256.Size]byte) (OID, bool) {
	c := &w.repo.combined
	c.mu.Lock()
	tree, ok := c.trees[key]
	c.mu.Unlock()
	if !ok {
		return "", false
	}
	_, err := os.Lstat(filepath.Join(w.dir+".objects", string(tree[:2]), string(tree[2:])))
	return tree, err == nil
}

// remember keeps a tree for known.
func (w *checkout) remember(key [sha256.Size]byte, tree OID) {
	c := &w.repo.combined
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trees == nil || len(c.trees) >= maxCombined {
		c.trees = map[[sha256.Size]byte]OID{}
	}
	c.trees[key] = tree
}
