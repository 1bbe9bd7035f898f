package rank

import (
	"slices"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// A header in which Go calls a function of C is not there because a function was inlined. The functions
// are those of go-ethereum.
func TestHeaderThatGoCalls(t *testing.T) {
	t.Parallel()
	const path = "crypto/secp256k1/ext.h"
	h := gittest.New(t)
	h.Commit("import", gittest.Files{path: "static int secp256k1_ext_ecdsa_recover(\n\tconst secp256k1_context* ctx\n) {\n\treturn 0;\n}\n"})
	for symbol, want := range map[string]string{
		"github.com/ethereum/go-ethereum/crypto/secp256k1._Cfunc_secp256k1_ext_ecdsa_recover": "Go calls its function in C there",
		"": "a header, whose function was inlined",
	} {
		f := crash.Frame{Path: path, Function: "C.secp256k1_ext_ecdsa_recover", Symbol: symbol, DefinedAt: 1}
		report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "go", Frames: []crash.Frame{f}}}}
		answer, err := Rank(t.Context(), h.Open(), h.Head(), report, Ours)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(answer.Files[0].Reasons, want) {
			t.Errorf("%q: %q", symbol, answer.Files[0].Reasons)
		}
	}
}
