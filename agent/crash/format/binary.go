package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A CoreError says that the input is a core file: the memory of a crashed process, which a
// debugger has to read.
type CoreError struct {
	// Kind is "ELF" or "Mach-O".
	Kind string
}

func (e *CoreError) Error() string {
	if e.Kind == "Mach-O" {
		return "the input is a core file of macOS: give the output of lldb --batch -c CORE -o 'bt all'"
	}
	return "the input is a core file: give the output of gdb -batch -ex 'thread apply all bt' PROGRAM CORE"
}

// A BinaryError says that the input is a file for another program.
type BinaryError struct {
	What   string // "a minidump"
	Advice string // what to do
}

func (e *BinaryError) Error() string { return fmt.Sprintf("the input is %s: %s", e.What, e.Advice) }

// magics are the first bytes of known binary files.
var magics = []struct {
	magic        string
	what, advice string
}{
	{"MDMP", "a minidump", "give the output of minidump-stackwalk FILE SYMBOLS"},
	{"PAGEDU64", "a memory dump of Windows", "give the output of \"!analyze -v\" and \"~*kb\" of WinDbg"},
	{"PAGEDUMP", "a memory dump of Windows", "give the output of \"!analyze -v\" and \"~*kb\" of WinDbg"},
	{"KDUMP   ", "a dump of a kernel's memory", "give the output of \"bt -a\" of the crash utility, or of makedumpfile --dump-dmesg"},
	{"\x1f\x8b", "compressed by gzip", "give what gzip -dc FILE prints"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd", "give what zstd -dc FILE prints"},
	{"\xfd7zXZ\x00", "compressed by xz", "give what xz -dc FILE prints"},
	{"BZh", "compressed by bzip2", "give what bzip2 -dc FILE prints"},
	{"\x04\x22\x4d\x18", "compressed by lz4", "give what lz4 -dc FILE prints"},
	{"PK\x03\x04", "a zip archive", "unpack it and give the report within"},
}

// checkBinary returns an error if the first bytes are those of a binary file.
func checkBinary(first []byte) error {
	if err := checkObject(first); err != nil {
		return err
	}
	for _, m := range magics {
		if bytes.HasPrefix(first, []byte(m.magic)) &&
			(m.magic != "BZh" || bytes.IndexByte(first[:min(len(first), 64)], 0) >= 0 || len(first) > 10 && first[4] == 0x31) {
			return &BinaryError{What: m.what, Advice: m.advice}
		}
	}
	if isNoise(first) {
		return &BinaryError{What: "no text", Advice: "give a crash report"}
	}
	return nil
}

// isNoise reports whether the first bytes are no text in any encoding: more than one in twenty is
// a control character, and they are not UTF-16. In a long binary input, lines may look like
// frames by chance.
func isNoise(first []byte) bool {
	if len(first) < 512 || bytes.HasPrefix(first, []byte("\xff\xfe")) || bytes.HasPrefix(first, []byte("\xfe\xff")) {
		return false
	}
	control := 0
	for _, c := range first {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\b' && c != 0x1b && c != 0 {
			control++
		}
	}
	return control*20 > len(first)
}

// checkObject distinguishes core files from programs by the type in their header.
func checkObject(first []byte) error {
	if len(first) < 18 {
		return nil
	}
	program := &BinaryError{What: "a program or a library", Advice: "give a crash report, or a core file of the program"}
	if bytes.HasPrefix(first, []byte("\x7fELF")) {
		var order binary.ByteOrder = binary.LittleEndian
		if first[5] == 2 {
			order = binary.BigEndian
		}
		if order.Uint16(first[16:]) == 4 {
			return &CoreError{Kind: "ELF"}
		}
		return program
	}
	switch binary.LittleEndian.Uint32(first) {
	case 0xfeedface, 0xfeedfacf:
		if binary.LittleEndian.Uint32(first[12:]) == 4 {
			return &CoreError{Kind: "Mach-O"}
		}
		return program
	}
	return nil
}
