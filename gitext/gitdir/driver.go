package gitdir

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// git's userdiff drivers find the function of a hunk or a -L range. In a bare
// directory, git reads no .gitattributes from trees, so the shadow's own
// attributes map file names to languages: to git's drivers (2.34 and newer; an
// older git ignores an unknown name), and to the languages below, with function
// patterns, that git lacks.

// driverFiles lists the file name patterns of each driver.
var driverFiles = map[string]string{
	"ada":        "*.adb *.ads *.ada",
	"bash":       "*.sh *.bash *.zsh *.ksh",
	"bibtex":     "*.bib",
	"cpp":        "*.c *.h *.cc *.cpp *.cxx *.c++ *.hh *.hpp *.hxx *.h++ *.inl *.ipp *.tcc *.cu *.cuh *.ino",
	"csharp":     "*.cs",
	"css":        "*.css *.scss *.less",
	"dts":        "*.dts *.dtsi *.dtso",
	"elixir":     "*.ex *.exs",
	"fortran":    "*.f *.f77 *.f90 *.f95 *.f03 *.f08 *.for *.F *.F90",
	"fountain":   "*.fountain",
	"golang":     "*.go",
	"html":       "*.html *.htm *.xhtml",
	"java":       "*.java",
	"kotlin":     "*.kt *.kts",
	"markdown":   "*.md *.markdown",
	"matlab":     "*.m",
	"objc":       "*.mm",
	"pascal":     "*.pas *.pp *.dpr",
	"perl":       "*.pl *.pm *.t",
	"php":        "*.php *.php5 *.phtml *.inc",
	"python":     "*.py *.pyw *.pyi *.pyx",
	"ruby":       "*.rb *.rake *.gemspec Rakefile Gemfile",
	"rust":       "*.rs",
	"scheme":     "*.scm *.ss *.rkt",
	"tex":        "*.tex *.sty *.cls",
	"javascript": "*.js *.jsx *.mjs *.cjs",
	"typescript": "*.ts *.tsx *.mts *.cts",
	"lua":        "*.lua",
	"swift":      "*.swift",
	"scala":      "*.scala *.sc",
	"groovy":     "*.groovy *.gradle",
	"dart":       "*.dart",
	"zig":        "*.zig",
	"erlang":     "*.erl *.hrl",
	"haskell":    "*.hs",
	"r":          "*.R *.r",
	"tcl":        "*.tcl",
	"powershell": "*.ps1 *.psm1",
	"cmake":      "CMakeLists.txt *.cmake",
	"make":       "Makefile makefile GNUmakefile *.mk *.mak",
	"ini":        "*.ini *.cfg *.toml",
	"protobuf":   "*.proto",
	"sql":        "*.sql",
	"vim":        "*.vim",
	"solidity":   "*.sol",
	"ocaml":      "*.ml *.mli",
}

// jsFunction matches the usual beginnings of a function in JavaScript: a
// declaration, a method in a class or an object literal, a function value.
// Control statements look like methods and are excluded first.
const jsFunction = `!^[ \t]*(if|for|while|switch|catch|with|do|else|return|throw|new|await|typeof|delete|super|case)\b` + "\n" +
	`^[ \t]*((export[ \t]+)?(default[ \t]+)?(async[ \t]+)?function\b.*)$` + "\n" +
	`^[ \t]*((export[ \t]+)?(default[ \t]+)?(abstract[ \t]+)?class\b.*)$` + "\n" +
	`^[ \t]*((export[ \t]+)?(const|let|var)[ \t]+[A-Za-z_$][A-Za-z0-9_$]*[^=]*=[ \t]*(async[ \t]*)?(function\b|\(|[A-Za-z_$][A-Za-z0-9_$]*[ \t]*=>).*)$` + "\n" +
	`^[ \t]*([A-Za-z_$][A-Za-z0-9_$.]*[ \t]*[:=][ \t]*(async[ \t]+)?function\b.*)$` + "\n" +
	`^[ \t]*(((static|async|get|set)[ \t]+)*[*#]?[A-Za-z_$][A-Za-z0-9_$]*[ \t]*\([^;]*\)[ \t]*\{.*)$`

// tsFunction adds types, interfaces, modifiers and return types.
const tsFunction = `!^[ \t]*(if|for|while|switch|catch|with|do|else|return|throw|new|await|typeof|delete|super|case)\b` + "\n" +
	`^[ \t]*((export[ \t]+)?(declare[ \t]+)?(default[ \t]+)?(async[ \t]+)?function\b.*)$` + "\n" +
	`^[ \t]*((export[ \t]+)?(declare[ \t]+)?(default[ \t]+)?(abstract[ \t]+)?(class|interface|enum|namespace|module)\b.*)$` + "\n" +
	`^[ \t]*((export[ \t]+)?(declare[ \t]+)?type[ \t]+[A-Za-z_$].*)$` + "\n" +
	`^[ \t]*((export[ \t]+)?(const|let|var)[ \t]+[A-Za-z_$][A-Za-z0-9_$]*[^=]*=[ \t]*(async[ \t]*)?(function\b|\(|<|[A-Za-z_$][A-Za-z0-9_$]*[ \t]*=>).*)$` + "\n" +
	`^[ \t]*(((public|private|protected|static|readonly|override|abstract|async|get|set)[ \t]+)*[*#]?[A-Za-z_$][A-Za-z0-9_$]*[ \t]*(<[^>]*>)?\([^;]*\)?[ \t]*(:[^;]*)?\{?[ \t]*)$`

// driverPatterns has the function patterns for languages without a driver in git
// 2.39. If a newer git has a driver (ini, r, swift, scheme), our pattern replaces
// it, so that all versions agree.
var driverPatterns = map[string]string{
	"javascript": jsFunction,
	"typescript": tsFunction,
	"lua":        `^[ \t]*((local[ \t]+)?function\b.*)$` + "\n" + `^[ \t]*((local[ \t]+)?[A-Za-z_][A-Za-z0-9_.:]*[ \t]*=[ \t]*function\b.*)$`,
	"swift":      `^[ \t]*((@[A-Za-z]+[ \t]+|(public|private|internal|fileprivate|open|static|final|override|mutating|convenience|required)[ \t]+)*(class|struct|enum|protocol|extension|actor|func|init|deinit|subscript)\b.*)$`,
	"scala":      `^[ \t]*(((private|protected|override|final|abstract|implicit|sealed|case|lazy)(\[[^]]*\])?[ \t]+)*(class|object|trait|def|enum)\b.*)$`,
	"groovy":     `!^[ \t]*(if|for|while|switch|catch|else|return|throw|new)\b` + "\n" + `^[ \t]*((((public|private|protected|static|final|abstract)[ \t]+)*(class|interface|enum|trait|def)\b.*)|([A-Za-z_][A-Za-z0-9_<>., \t]*[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*\(.*\)[ \t]*\{.*))$`,
	"dart":       `!^[ \t]*(if|for|while|switch|catch|else|return|throw|new|await|assert)\b` + "\n" + `^[ \t]*(((abstract|static|final|external|factory|const)[ \t]+)*(class|mixin|extension|enum)\b.*)$` + "\n" + `^[ \t]*(([A-Za-z_][A-Za-z0-9_<>?,. ]*[ \t]+)?[A-Za-z_][A-Za-z0-9_.]*[ \t]*\([^;]*\)[ \t]*(async\*?|sync\*)?[ \t]*(\{|=>).*)$`,
	"zig":        `^[ \t]*((pub[ \t]+|export[ \t]+|inline[ \t]+|extern[ \t]+)*fn\b.*)$` + "\n" + `^[ \t]*((pub[ \t]+)?const[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*=[ \t]*(extern[ \t]+|packed[ \t]+)?(struct|enum|union)\b.*)$` + "\n" + `^[ \t]*(test\b.*)$`,
	"erlang":     `^([a-z][A-Za-z0-9_@]*\(.*)$`,
	"haskell":    `^((data|newtype|type|class|instance|module)\b.*)$` + "\n" + `^([a-z_][A-Za-z0-9_']*[ \t]*::.*)$`,
	"r":          `^[ \t]*([A-Za-z_.][A-Za-z0-9_.]*[ \t]*(<-|=)[ \t]*function\b.*)$`,
	"tcl":        `^[ \t]*((proc|namespace|oo::class|method)[ \t].*)$`,
	"powershell": `^[ \t]*([Ff]unction[ \t].*|[Cc]lass[ \t].*|[Ff]ilter[ \t].*)$`,
	"cmake":      `^[ \t]*(([Ff][Uu][Nn][Cc][Tt][Ii][Oo][Nn]|[Mm][Aa][Cc][Rr][Oo])[ \t]*\(.*)$`,
	"make":       `^([^#:=[:space:]][^:=#]*:([^=].*)?)$` + "\n" + `^(define[ \t].*)$`,
	"ini":        `^[ \t]*(\[.*)$`,
	"protobuf":   `^[ \t]*((message|service|enum|rpc|extend|oneof)[ \t].*)$`,
	"sql":        `^[ \t]*(([Cc][Rr][Ee][Aa][Tt][Ee]|[Aa][Ll][Tt][Ee][Rr])[ \t].*)$`,
	"vim":        `^[ \t]*(fu(n|nc|nct|ncti|nctio|nction)?!?[ \t].*)$`,
	"solidity":   `^[ \t]*((abstract[ \t]+)?(contract|library|interface|function|modifier|constructor|struct|event)\b.*)$`,
	"ocaml":      `^((let|and|module|type|class|exception|val|external)[ \t].*)$`,
}

// driverAttributes returns the shadow's attributes file.
func driverAttributes() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(driverFiles)) {
		for pattern := range strings.FieldsSeq(driverFiles[name]) {
			fmt.Fprintf(&b, "%s diff=%s\n", pattern, name)
		}
	}
	return b.String()
}

// driverConfig returns the part of the shadow's configuration that defines
// drivers.
func driverConfig() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(driverPatterns)) {
		fmt.Fprintf(&b, "[diff %q]\n\txfuncname = \"%s\"\n", name, configEscape.Replace(driverPatterns[name]))
	}
	return b.String()
}

// configEscape escapes a value for a quoted string of a configuration file.
var configEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
