package rank

import (
	"slices"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// A file that only another stack names says which, as the allocation of LIEF's issue 449 and the goroutine
// that started a controller of Rook.
func TestReasonOfOtherStack(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{"examples/c/pe_reader.c": "int main(void)\n{\n\treturn 0;\n}\n", "api/c/PE/Section.cpp": "void init_c_sections()\n{\n}\n"})
	for kind, want := range map[crash.StackKind]string{
		crash.StackAlloc:   "in the stack that allocated the memory",
		crash.StackCreated: "in the stack that started the thread",
		crash.StackThread:  "in the stack of another thread",
	} {
		report := &crash.Report{Stacks: []crash.Stack{
			{Kind: crash.StackCrash, Format: "sanitizer", Frames: []crash.Frame{{Path: "examples/c/pe_reader.c", File: "pe_reader.c", Function: "run", Line: 3}}},
			{Kind: kind, Format: "sanitizer", Frames: []crash.Frame{{Path: "api/c/PE/Section.cpp", File: "Section.cpp", Function: "init_c_sections", Line: 1}}},
		}}
		answer, err := Rank(t.Context(), h.Open(), h.Head(), report, Ours)
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(answer.Files, func(f crash.File) bool { return f.Path == "api/c/PE/Section.cpp" }); i < 0 || !slices.Contains(answer.Files[i].Reasons, want) {
			t.Errorf("%s: %+v", kind, answer.Files)
		}
	}
}
