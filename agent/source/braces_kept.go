package source

import (
	"path"
	"slices"
	"sync"
)

// A keptBraces keeps the braces of the last files. Callers ask for many lines of one file in turn, and to
// match the braces of a large file takes a hundred times as long as to find a function in it.
type keptBraces struct {
	mu   sync.Mutex
	last []bracedFile // the newest first
}

// A bracedFile is a file whose braces were matched.
type bracedFile struct {
	ext   string
	lines [][]byte // a copy of the slice, so that a replaced line is noticed
	pairs *braces
}

// maxKept bounds the kept files. Engines work on a few files at the same time.
const maxKept = 4

var matched keptBraces

// of returns the braces of a file, as matchBraces does. The bytes of a line must not be changed in
// place afterwards; a line may be replaced by another one.
func (k *keptBraces) of(filePath string, lines [][]byte) *braces {
	if _, ok := dialectFor(filePath); !ok {
		return nil
	}
	ext := path.Ext(filePath)
	k.mu.Lock()
	i := slices.IndexFunc(k.last, func(f bracedFile) bool { return f.ext == ext && slices.EqualFunc(f.lines, lines, sameLine) })
	if i >= 0 {
		pairs := k.last[i].pairs
		k.mu.Unlock()
		return pairs
	}
	k.mu.Unlock()
	f := bracedFile{ext: ext, lines: slices.Clone(lines), pairs: matchBraces(filePath, lines)}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = append([]bracedFile{f}, k.last[:min(len(k.last), maxKept-1)]...)
	return f.pairs
}

// sameLine reports whether two lines are the same bytes in memory.
func sameLine(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
