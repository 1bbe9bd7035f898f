package input

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext/disk"
)

// Kinds of notes in a core file, by Linux's numbers, and an entry of the auxiliary vector.
const (
	noteAux   = 6
	noteFiles = 0x46494c45
	auxEntry  = 9
)

const (
	maxNotes  = 16 << 20 // bytes of all notes that are read
	maxMapped = 1000     // files that a core lists
)

// A core is the description of the process in a core file.
type core struct {
	program string   // the program that ran, "" if unknown
	files   []string // the programs and libraries in its memory
}

// A mapping is a part of a file in the memory of a process.
type mapping struct {
	start, end uint64
	file       string
}

// inspect reads the description in a core file. It leaves out missing or damaged parts, because
// the file comes from another machine, or from an attacker.
func inspect(name string) (found core) {
	f, err := disk.Regular(name)
	if err != nil {
		return core{}
	}
	defer f.Close() // only read
	file, err := elf.NewFile(withoutSections{f})
	if err != nil {
		return core{}
	}
	word, left := 8, int64(maxNotes)
	if file.Class == elf.ELFCLASS32 {
		word = 4
	}
	var entry uint64
	var mapped []mapping
	for _, p := range file.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		notes, _ := io.ReadAll(io.LimitReader(p.Open(), left)) // a partial read may suffice
		left -= int64(len(notes))
		eachNote(notes, file.ByteOrder, func(kind uint32, data []byte) {
			switch kind {
			case noteAux:
				entry = entryOf(words{data, word, file.ByteOrder})
			case noteFiles:
				mapped = mappingsOf(words{data, word, file.ByteOrder})
			}
		})
	}
	for _, m := range mapped {
		if m.start <= entry && entry < m.end {
			found.program = m.file
		}
		if !slices.Contains(found.files, m.file) {
			found.files = append(found.files, m.file)
		}
	}
	return found
}

// withoutSections reads a core file as if it had no table of sections, which nothing here needs.
// The names of thousands of sections may overlap, so that a file of a megabyte takes all memory.
type withoutSections struct{ io.ReaderAt }

func (w withoutSections) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(p, off)
	class := make([]byte, elf.EI_CLASS+1)
	if _, err := w.ReaderAt.ReadAt(class, 0); err != nil {
		return 0, err
	}
	hidden := [][2]int64{{0x20, 0x24}, {0x30, 0x34}} // e_shoff; e_shnum and e_shstrndx
	if elf.Class(class[elf.EI_CLASS]) == elf.ELFCLASS64 {
		hidden = [][2]int64{{0x28, 0x30}, {0x3c, 0x40}}
	}
	for _, h := range hidden {
		if from, to := max(h[0]-off, 0), min(h[1]-off, int64(n)); from < to {
			clear(p[from:to])
		}
	}
	return n, err
}

// eachNote calls f for each note of Linux.
func eachNote(notes []byte, order binary.ByteOrder, f func(kind uint32, data []byte)) {
	for len(notes) >= 12 {
		name, size := uint64(order.Uint32(notes)), uint64(order.Uint32(notes[4:]))
		kind := order.Uint32(notes[8:])
		start := 12 + (name+3)&^3
		end := start + size
		if end > uint64(len(notes)) {
			return
		}
		if bytes.HasPrefix(notes[12:], []byte("CORE\x00")) {
			f(kind, notes[start:end])
		}
		notes = notes[min((end+3)&^3, uint64(len(notes))):]
	}
}

// words reads address-sized numbers.
type words struct {
	data  []byte
	size  int
	order binary.ByteOrder
}

func (w *words) next() (uint64, bool) {
	if len(w.data) < w.size {
		return 0, false
	}
	word := w.data[:w.size]
	w.data = w.data[w.size:]
	if w.size == 4 {
		return uint64(w.order.Uint32(word)), true
	}
	return w.order.Uint64(word), true
}

// entryOf returns the program's entry address.
func entryOf(w words) uint64 {
	for {
		key, _ := w.next()
		value, ok := w.next()
		if !ok || key == auxEntry {
			return value
		}
	}
}

// mappingsOf returns the files in memory.
func mappingsOf(w words) []mapping {
	count, _ := w.next()
	if _, ok := w.next(); !ok || count > uint64(len(w.data)) { // the second is the size of a page
		return nil
	}
	var out []mapping
	for range min(count, maxMapped) {
		start, _ := w.next()
		end, _ := w.next()
		if _, ok := w.next(); !ok {
			return nil
		}
		out = append(out, mapping{start: start, end: end})
	}
	names := bytes.Split(w.data, []byte{0})
	if count > maxMapped || len(names) < len(out) {
		return nil
	}
	for i := range out {
		out[i].file = string(names[i])
	}
	return slices.DeleteFunc(out, func(m mapping) bool { return !filepath.IsAbs(m.file) || strings.HasSuffix(m.file, " (deleted)") })
}

// isObject reports whether a file is a program or a library. gdb may see only such files from a
// core's list.
func isObject(name string) bool {
	f, err := disk.Regular(name)
	if err != nil {
		return false
	}
	defer f.Close() // only read
	magic := make([]byte, 4)
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == elf.ELFMAG
}
