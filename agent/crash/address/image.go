package address

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/gitext/disk"
)

// Limits on the parts of a binary that are read.
const (
	maxBinary = 4 << 30
	maxDebug  = 768 << 20 // unpacked; of larger ones, only the symbols are read
	maxNotes  = 1 << 20
)

// An image is a program or library with symbols.
type image struct {
	file      string
	base      uint64 // the address at which its first segment is linked
	functions []elf.Symbol
	dwarf     *dwarf.Data // nil if it has none
}

// openImage reads a binary. It returns an error if the file is none, if it has another build id
// than build, or if it names nothing. build is "" if any binary will do.
func openImage(file, build string) (*image, error) {
	f, err := disk.Regular(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	if info, err := f.Stat(); err != nil || info.Size() > maxBinary {
		return nil, errors.New("the file is too large")
	}
	binary, err := elf.NewFile(f)
	if err != nil {
		return nil, err
	}
	if build != "" && buildID(binary) != build {
		return nil, errors.New("the file is of another build")
	}
	im := &image{file: file, base: baseOf(binary), functions: functionsOf(binary)}
	if binary.Section(".debug_info") != nil && debugSize(binary) <= maxDebug {
		im.dwarf, _ = binary.DWARF() // the symbols remain
	}
	if im.dwarf == nil && len(im.functions) == 0 {
		return nil, errors.New("the file has no symbols")
	}
	return im, nil
}

// debugSize returns how much debugging information a binary has, unpacked.
func debugSize(binary *elf.File) (size uint64) {
	for _, s := range binary.Sections {
		if strings.HasPrefix(s.Name, ".debug_") {
			size += min(s.Size, maxDebug+1)
		}
	}
	return size
}

// baseOf returns the address at which the first segment of a binary is linked, by pages.
func baseOf(binary *elf.File) uint64 {
	base := uint64(math.MaxUint64)
	for _, p := range binary.Progs {
		if p.Type == elf.PT_LOAD {
			base = min(base, p.Vaddr&^uint64(0xfff))
		}
	}
	if base == math.MaxUint64 {
		return 0
	}
	return base
}

// functionsOf returns the functions in the symbol tables of a binary, by their addresses.
func functionsOf(binary *elf.File) []elf.Symbol {
	all, _ := binary.Symbols() // a stripped binary has only those of the linker
	dynamic, _ := binary.DynamicSymbols()
	var functions []elf.Symbol
	for _, s := range append(all, dynamic...) {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Size > 0 {
			functions = append(functions, s)
		}
	}
	slices.SortStableFunc(functions, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	return functions
}

// buildID returns the build id of a binary in hexadecimal, "" if it has none.
func buildID(binary *elf.File) string {
	for _, s := range binary.Sections {
		if s.Type != elf.SHT_NOTE || s.Name != ".note.gnu.build-id" {
			continue
		}
		note, err := io.ReadAll(io.LimitReader(s.Open(), maxNotes))
		if err != nil || len(note) < 16 || !bytes.Equal(note[12:16], []byte("GNU\x00")) {
			continue
		}
		if size := binary.ByteOrder.Uint32(note[4:]); uint64(size) <= uint64(len(note)-16) {
			return hex.EncodeToString(note[16 : 16+size])
		}
	}
	return ""
}

// richest returns the first of the files that is the binary of a build id and has debugging
// information, else the first that has symbols.
func richest(files []string, build string) *image {
	var best *image
	for _, file := range files {
		im, err := openImage(file, build)
		if err != nil {
			continue // it is of another build, or no binary
		}
		if im.dwarf != nil {
			return im
		}
		if best == nil {
			best = im
		}
	}
	return best
}

// A call is what a binary knows of an address.
type call struct {
	Symbol string // as the linker knows it
	Name   string // as the source has it, "" if only the symbol is known
	File   string
	Line   int
}

// is reports whether a call is of the function of a frame.
func (c call) is(f crash.Frame) bool {
	for _, name := range []string{c.Symbol, c.Name} {
		if name != "" && (name == f.Function || name == f.Symbol) {
			return true
		}
	}
	return false
}

// calls returns the function at an address behind the functions that are inlined there, innermost
// first, or nil.
func (im *image) calls(address uint64) []call {
	if im.dwarf != nil {
		if calls := inlined(im.dwarf, address); len(calls) > 0 {
			return calls
		}
	}
	i, found := slices.BinarySearchFunc(im.functions, address, func(s elf.Symbol, a uint64) int { return cmp.Compare(s.Value, a) })
	if !found {
		i-- // the function begins before the address
	}
	if i < 0 || address-im.functions[i].Value >= im.functions[i].Size {
		return nil
	}
	return []call{{Symbol: im.functions[i].Name}}
}
