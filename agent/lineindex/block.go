package lineindex

import (
	"bytes"
	"encoding/binary"
	"errors"

	"git-agent/gitext"
)

// blockSize is the size above which a block is closed, in bytes. Smaller blocks compress
// worse; larger ones make a search unpack more. Tests change it.
var blockSize = 256 << 10

// These are the flags of a record.
const (
	isPartial  = 1 << iota // the lines were too many and are not stored
	isBinary               // only the runs of printable ASCII characters in the lines are stored
	isCopy                 // another record has the lines
	isReversed             // of a copy: the removed and added lines of its original change places
)

// minRun is the length of the shortest stored run of printable characters in a binary
// file.
const minRun = 5

// A block collects records of changed files. Its encoding is the length of the heads, the
// heads, and the texts of the records.
type block struct {
	heads, texts []byte
	records      int
	first, last  uint32 // the commits of the first and the last record
	copies       []recordID
}

func (b *block) size() int { return len(b.heads) + len(b.texts) }

// recordOf returns the record of a changed file.
func recordOf(commit uint32, f *gitext.FileLines) record {
	r := record{commit: commit, removed: f.Removed, added: f.Added, path: []byte(f.Path)}
	if f.OldPath != f.Path {
		r.old = []byte(f.OldPath)
	}
	switch {
	case f.Partial:
		r.flags, r.removed, r.added = isPartial, nil, nil
	case hasNUL(r.removed) || hasNUL(r.added):
		r.flags, r.removed, r.added = isBinary, printableRuns(r.removed), printableRuns(r.added)
	}
	return r
}

// add appends a record. Its commit number is at least that of the previous record. The
// lines of a copy are not stored.
func (b *block) add(r *record) {
	b.heads = binary.AppendUvarint(b.heads, uint64(r.commit-b.last))
	b.heads = append(b.heads, r.flags)
	if r.flags&isCopy != 0 {
		b.heads = binary.AppendUvarint(b.heads, uint64(r.from.block))
		b.heads = binary.AppendUvarint(b.heads, uint64(r.from.number))
		b.copies = append(b.copies, r.from)
	} else {
		b.heads = binary.AppendUvarint(b.heads, uint64(len(r.removed)))
		b.heads = binary.AppendUvarint(b.heads, uint64(len(r.added)))
		b.texts = append(append(b.texts, r.removed...), r.added...)
	}
	b.heads = appendText(appendText(b.heads, r.path), r.old)
	if b.records == 0 {
		b.first = r.commit
	}
	b.last, b.records = r.commit, b.records+1
}

func appendText(to, s []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

// encode returns the bytes of the block.
func (b *block) encode() []byte {
	out := binary.AppendUvarint(make([]byte, 0, b.size()+10), uint64(len(b.heads)))
	return append(append(out, b.heads...), b.texts...)
}

func hasNUL(text []byte) bool { return bytes.IndexByte(text, 0) >= 0 }

// printable reports whether a byte may be part of a run of a binary file.
func printable(c byte) bool { return c >= ' ' && c <= '~' || c == '\t' }

// printableRuns returns the runs of printable characters, each with a line break.
func printableRuns(text []byte) []byte {
	var out []byte
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && printable(text[i]) {
			continue
		}
		if i-start >= minRun {
			out = append(append(out, text[start:i]...), '\n')
		}
		start = i + 1
	}
	return out
}

// inRuns reports whether every occurrence of a text in a binary file is in a stored run.
func inRuns(text string) bool {
	for i := range len(text) {
		if !printable(text[i]) {
			return false
		}
	}
	return len(text) >= minRun
}

// A record is the change of one file by a commit.
type record struct {
	commit         uint32
	flags          byte
	from           recordID // of a copy, the original
	removed, added []byte   // empty in a copy
	path, old      []byte   // old is empty if the commit does not rename the file; path is empty if it deletes it
}

func (r *record) size() int { return len(r.removed) + len(r.added) }

var errBlock = errors.New("the index is damaged: a block ends early")

// splitBlock returns the heads and the texts of an encoded block.
func splitBlock(data []byte) (heads, texts []byte, err error) {
	n, w := binary.Uvarint(data)
	if w <= 0 || n > uint64(len(data)-w) {
		return nil, nil, errBlock
	}
	return data[w : w+int(n)], data[w+int(n):], nil
}

// eachRecord reads the records of a block. number is the index of a record in the block.
func eachRecord(heads, texts []byte, take func(number uint32, r *record)) error {
	var r record
	for n := uint32(0); len(heads) > 0; n++ {
		delta, ok1 := number(&heads)
		if !ok1 || len(heads) == 0 {
			return errBlock
		}
		r.commit += uint32(delta)
		r.flags, heads = heads[0], heads[1:]
		removed, ok2 := number(&heads)
		added, ok3 := number(&heads)
		r.from = recordID{}
		if r.flags&isCopy != 0 {
			r.from = recordID{uint32(removed), uint32(added)}
			removed, added = 0, 0
		}
		var ok4, ok5 bool
		r.path, ok4 = text(&heads)
		r.old, ok5 = text(&heads)
		if !ok2 || !ok3 || !ok4 || !ok5 || removed > uint64(len(texts)) || added > uint64(len(texts))-removed {
			return errBlock
		}
		r.removed, r.added = texts[:removed:removed], texts[removed:removed+added]
		texts = texts[removed+added:]
		take(n, &r)
	}
	return nil
}

// number reads a number from the beginning of data.
func number(data *[]byte) (uint64, bool) {
	n, w := binary.Uvarint(*data)
	if w <= 0 {
		return 0, false
	}
	*data = (*data)[w:]
	return n, true
}

// text reads a text with its length.
func text(data *[]byte) ([]byte, bool) {
	n, ok := number(data)
	if !ok || n > uint64(len(*data)) {
		return nil, false
	}
	s := (*data)[:n]
	*data = (*data)[n:]
	return s, true
}

// decodeBlock returns a block to which records can be added.
func decodeBlock(data []byte) (*block, error) {
	heads, texts, err := splitBlock(data)
	if err != nil {
		return nil, err
	}
	b := &block{heads: append([]byte{}, heads...), texts: append([]byte{}, texts...)}
	err = eachRecord(heads, texts, func(_ uint32, r *record) {
		if b.records == 0 {
			b.first = r.commit
		}
		b.last, b.records = r.commit, b.records+1
		if r.flags&isCopy != 0 {
			b.copies = append(b.copies, r.from)
		}
	})
	return b, err
}
