package source

import (
	"io/fs"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"git-agent/agent/source/postpone"
)

// registry returns chroma's registry after registering the postponed definitions in it. Chroma
// registers definitions first, in the order of their files, and then the lexers that are code: of
// two lexers for a name with equal priorities, the order decides.
var registry = sync.OnceValue(func() *chroma.LexerRegistry {
	definitions := postpone.Definitions()
	paths, err := fs.Glob(definitions, "embedded/*.xml")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	all := chroma.NewLexerRegistry()
	for _, path := range paths {
		all.Register(chroma.MustNewXMLLexer(definitions, path))
	}
	for _, lexer := range lexers.GlobalLexerRegistry.Lexers {
		all.Register(lexer)
	}
	lexers.GlobalLexerRegistry = all // some lexers look up others there
	return all
})
