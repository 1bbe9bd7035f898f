package locate

import (
	"strings"
	"testing"

	"git-agent/agent/crash/format"
	"git-agent/gitext/gittest"
)

// cgoStack has the frames of two public reports: golang/go 17384, of robotgo, whose Go gave the calls
// of C no place, and golang/go 61478, of juno, with the names of others for functions that the tree has not.
const cgoStack = `fatal error: unexpected signal during runtime execution
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x7fff823874cc]

runtime stack:
runtime.throw(0x40ac919, 0x2a)
	/usr/local/Cellar/go/1.7.1/libexec/src/runtime/panic.go:566 +0x95

goroutine 1 [syscall, locked to thread]:
runtime.cgocall(0x407fb20, 0xc420049e60, 0x0)
	/usr/local/Cellar/go/1.7.1/libexec/src/runtime/cgocall.go:131 +0x110 fp=0xc420049e30 sp=0xc420049df0
robotgo._Cfunc_akeyTap(0x46001c0, 0x4600000, 0x0)
	??:0 +0x4e fp=0xc420049e60 sp=0xc420049e30
robotgo.AKeyTap(0x40a76c5, 0x1, 0x40a7a6c, 0x7)
	/srv/xxx/go/gopath/src/robotgo/robotgo.go:12 +0x73 fp=0xc420049eb8 sp=0xc420049e60
github.com/NethermindEth/juno/vm._Cfunc_cairoVMExecute(0x7ff1986de550, 0x7ff1986dc400, 0x1)
	_cgo_gotypes.go:159 +0x45 fp=0xc000f54cb0 sp=0xc000f54c88 pc=0x1096f85
github.com/NethermindEth/juno/vm._Cfunc_twice(0x1)
	_cgo_gotypes.go:170 +0x45 fp=0xc000f54cb0 sp=0xc000f54c88 pc=0x1096f85
github.com/NethermindEth/juno/vm._Cfunc_of_library(0x1)
	_cgo_gotypes.go:180 +0x45 fp=0xc000f54cb0 sp=0xc000f54c88 pc=0x1096f85
github.com/NethermindEth/juno/vm._Cfunc_free(0x1)
	_cgo_gotypes.go:190 +0x45 fp=0xc000f54cb0 sp=0xc000f54c88 pc=0x1096f85
main.arobotgo()
	/srv/xxx/go/gopath/src/robotgo/test/main.go:24 +0x6
`

func TestCallsOfC(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("import", gittest.Files{
		"key/goKey.h": "#include \"keypress.h\"\n\nint akeyTap(char *k, char *keyflag, char *akeyflag);\n\nint akeyTap(char *k, char *keyflag, char *akeyflag)\n{\n\treturn 0;\n}\n",
		"robotgo.go":  "package robotgo\n\n/*\n#include \"key/goKey.h\"\n*/\nimport \"C\"\n\n// akeyTap is of C.\n\nfunc AKeyTap(args ...string) {\n\tname := C.CString(args[0])\n\tC.akeyTap(name, nil, nil)\n}\n",
		"vm/vm.go": "package vm\n\n// extern void of_library(int n);\n// static void cairoVMExecute(char* txn, char *block, int n) {\n// }\n" +
			"import \"C\"\n\nfunc Execute() {\n\tC.cairoVMExecute(nil, nil, 1)\n}\n",
		"vm/a.c":      "int twice(int n)\n{\n\treturn n;\n}\n\nvoid free(void *p)\n{\n}\n",
		"vm/b.c":      "int twice(int n)\n{\n\treturn n + n;\n}\n",
		"vm/other.go": "package vm\n\n// int cairoVMExecute(int n) {\n// is no preamble\n",
	})
	report, err := format.Read(strings.NewReader(cgoStack))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"C.akeyTap": "key/goKey.h 5", "C.cairoVMExecute": "vm/vm.go 4", "C.twice": "", "C.of_library": "", "C.free": "",
		"robotgo.AKeyTap": "robotgo.go 0", "runtime.cgocall": "",
	}
	seen := 0
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			place, known := want[f.Function]
			if !known {
				continue
			}
			seen++
			p, line, _ := strings.Cut(place, " ")
			if f.Path != p || p != "" && string(rune('0'+f.DefinedAt)) != line {
				t.Errorf("%s: %q, defined at %d; want %q", f.Function, f.Path, f.DefinedAt, place)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d frames of %d were read", seen, len(want))
	}
}
