package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// A lineForm is how a language prints a failure: below a line that names it, each frame is on a line of its
// own, the innermost first.
type lineForm struct {
	format string
	// failed matches the line of the failure, with the groups kind, message, file and line; nil if there are no stacks.
	failed source.Pattern
	// any says that failed matches each line.
	any bool
	// far matches a failure that may be far above its stack, with the same groups; nil for none.
	far source.Pattern
	// hints are parts of the lines of failures, one of which each has, for speed; nil for none.
	hints []string
	// alone matches a failure that is a report without a stack, with the same groups; nil for none.
	alone source.Pattern
	// aloneHas is a part of each such line.
	aloneHas string
	// spare says that a failure that is alone counts only in a report without a stack.
	spare bool
	// waits says that a stack may follow a failure that is alone.
	waits bool
	// opens matches the heading of a stack; nil if the first frame opens it.
	opens source.Pattern
	// frame matches a frame, with the groups name, file, line, column and module; nil if there are no stacks. has is a part
	// of each frame.
	frame source.Pattern
	has   string
	// apart has the first characters of frames that may be far below the last one.
	apart string
	// place matches the place of a frame on the line below it; nil if it is on the same line.
	place source.Pattern
	// called says that a frame names the function that its line calls, which is the one of the frame before.
	called bool
	// source completes a frame from the groups of its line; nil for nothing.
	source func(f *crash.Frame)
}

// oneLineReaders returns the readers of languages that print each frame on a line of its own.
func oneLineReaders() []lineReader {
	var out []lineReader
	for _, form := range []lineForm{luaForm, ocamlForm, perlForm, haskellForm, juliaForm, shinyForm,
		zigForm, crystalForm, dForm, rakuForm, godotForm, powerShellForm, swiftForm,
		clojureForm, qmlForm, fortranForm, shellForm, titleForm} {
		out = append(out, &oneLineReader{lineForm: form})
	}
	return out
}

var luaForm = lineForm{
	format: "lua",
	hints:  []string{"attempt to ", "bad argument #", ".lua", "script:", "]:"},
	failed: source.Lazy(`^(?:.*?[\s:])??(?:\[(?:string|SMODS \S+) ")?(?P<file>[^\s:"]+)(?:"\])?:(?P<line>\d+): (?P<message>\S.*?)(?: -)?$`),
	far: source.Lazy(
		`^(?:\S*[\s:])??(?:\[(?:string|SMODS \S+) ")?(?P<file>[^\s:"]+)(?:"\])?:(?P<line>\d+): ` +
			`(?P<message>(?:attempt to (?:index|call|perform|compare|concatenate|get length)|bad argument #\d) .*?)(?: -)?$`,
	),
	// Neovim and Vim print the failure of a callback that has no stack, too.
	aloneHas: "Error executing ", waits: true,
	alone: source.Lazy(
		`^.*\bError executing (?:[\w.]+ )?[lL]ua(?: callback)?:? (?:\[string ")?(?P<file>[^\s:"]+\.lua)(?:"\])?:(?P<line>\d+): (?P<message>\S.*)$`,
	),
	opens: source.Lazy(`^(?i:stack traceback:?|stack trace:|traceback(?: \[.*\])?)$`),
	has:   " ",
	apart: "(",
	frame: source.Lazy(
		`^(?:(?P<module>\[C\])|(?:\[string ")?(?P<file>[^:"]+?)(?:"\])?:(?P<line>\d+)): in ` +
			`(?:main chunk$|(?:\w+ ){0,2}(?:['"\x60](?P<name>[\w.:]+)['"]|<.*>|\?)?)|` +
			// StackTracePlus, as Balatro prints it.
			`^\(\d+\) (?:main chunk of (?:\w+ )?file '(?P<file2>[^']+)' at line (?P<line2>\d+)|` +
			`(?:Lua|LÖVE|C) [a-z ]*?(?:'(?P<name2>[^']*)' )?at (?:\w+ )?file '(?P<file3>[^':]+):(?P<line3>\d+)'|` +
			`Lua \w+ '(?P<name3>[^']*)' at line \d+ of chunk .*|(?P<module2>[a-z ]*C) [a-z]+ '(?P<name4>[^']*)')`,
	),
	source: func(f *crash.Frame) {
		if strings.ContainsAny(f.Function, "?()") {
			f.Function, f.Symbol = "", ""
		}
		if f.Module != "" {
			f.Module = "[C]" // which has no file of Lua
		}
	},
}

var ocamlForm = lineForm{
	format:   "ocaml",
	hints:    []string{"xception", "ncaught"},
	aloneHas: "Fatal error: exception ",
	failed:   source.Lazy(`^(?:Fatal error: exception|.*\bUncaught(?: exception)?:?) [\[(]?(?P<kind>[A-Z][\w.]*)(?P<message>.*)$`),
	alone: source.Lazy(
		`^Fatal error: exception (?:[\w.]*(?P<kind>Match_failure|Assert_failure)\(\\?"(?P<file>[^"\\]+)\\?", ?(?P<line>\d+)|` +
			`File "(?P<file2>[^"]+)", line (?P<line2>\d+), characters [\d-]+: (?P<message>.*))`,
	),
	has: ", character",
	frame: source.Lazy(
		`^(?:Raised|Called|Re-raised)(?: by primitive operation)? (?:at|from) (?:(?P<name>[\w.+']*\w)\S* in )?file "(?P<file>[^"]+)"(?: \(inlined\))?, ` +
			`lines? (?P<line>\d+)(?:-\d+)?, characters? (?P<column>\d+)`,
	),
	source: func(f *crash.Frame) {
		f.Column++
		if strings.HasPrefix(f.Symbol, "Stdlib") {
			f.File = "stdlib/" + f.File
		}
		if i := strings.LastIndex(f.Symbol, "__"); i >= 0 {
			f.Function = f.Symbol[i+2:] // Stdlib__List.map is List.map of the library Stdlib
		}
	},
}

var perlForm = lineForm{
	format: "perl",
	hints:  []string{" line "},
	failed: source.Lazy(`^(?:(?P<message>.*) )?at (?P<file>\S+) line (?P<line>\d+)(?:, <\S*> (?:line|chunk) \d+)?\.?$`),
	alone: source.Lazy(
		`(?:^|[ :\]])(?P<message>(?:Can't (?:call method|locate object method|use (?:string|an undefined value)|modify) |` +
			`Not an? \w+ reference |Undefined subroutine |Illegal (?:division|modulus) |Modification of a read-only ).*?) ?\b` +
			`at (?P<file>\S+) line (?P<line>\d+)(?:, <\S*> (?:line|chunk) \d+)?\.?(?: ?\])?$`,
	),
	has:    " called at ",
	frame:  source.Lazy(`^(?:(?P<name>[\w:']+)\(.*\)|eval \{\.\.\.\}|eval '.*'|require \S+) called at (?P<file>\S.*?) line (?P<line>\d+)$`),
	called: true,
}

var haskellForm = lineForm{
	format:   "haskell",
	any:      true,
	aloneHas: "hs:",
	failed:   source.Lazy(`^(?:[\w.-]+: )?(?P<message>\S.*)$`),
	alone: source.Lazy(
		`(?:^|\s)(?P<file>\S+\.l?hs):\(?(?P<line>\d+)[,:]\d+\)?\S*: ` +
			`(?P<message>Non-exhaustive (?:patterns|guards) in .*|Irrefutable pattern failed .*)$`,
	),
	opens:  source.Lazy(`^(?:CallStack \(from HasCallStack\)|HasCallStack backtrace):$`),
	has:    ", called at ",
	frame:  source.Lazy(`^(?P<name>\S+), called at (?P<file>\S+\.\w+):(?P<line>\d+):(?P<column>\d+) in (?P<module>\S+):[\w.']+$`),
	called: true,
}

// shinyForm is how Shiny prints an error of R.
var shinyForm = lineForm{
	format: "r",
	hints:  []string{"Error in "},
	failed: source.Lazy(`^(?:Warning: )?Error in (?:\S.*?): (?P<message>.*)$`),
	has:    ": ",
	frame:  source.Lazy("^\\d+: (?:(?P<name>[A-Za-z.][\\w.:$]*)|[`<%].*?) \\[(?P<file>[^\\]]+\\.[Rr])#(?P<line>\\d+)\\]$"),
	apart:  "0123456789",
}

var juliaForm = lineForm{
	format: "julia",
	hints:  []string{"ERROR: "},
	failed: source.Lazy(
		`^ERROR: (?:(?:LoadError|InitError|TaskFailedException|On worker \d+): ?)*` +
			`(?:(?P<kind>[A-Z]\w*(?:Error|Exception)\b):? ?)?(?P<message>.*)$`,
	),
	opens: source.Lazy(`^Stacktrace:$`),
	has:   "[",
	frame: source.Lazy(
		`^\[\d+\] (?P<name>\S.*?)(?:(?: \(repeats \d+ times\))? (?:at|@ (?P<module>[A-Z][\w.]*)) (?P<file>\S.*):(?P<line>\d+)(?: \[inlined\])?(?: \(repeats \d+ times\))?)?$`,
	),
	place:  source.Lazy(`^@ (?:(?P<module>[A-Z][\w.]*) )?(?P<file>\S.*):(?P<line>\d+)(?: \[inlined\])?(?: \(repeats \d+ times\))?$`),
	source: ofJulia,
}

var (
	juliaInner = source.Lazy(`^\(?(?:::)?(?:[\w.]*\bvar")?#(\w+!?)#\d+`)
	juliaPlain = source.Lazy(`^[^\s({]+$`)
)

// ofJulia sets the function of a frame without arguments and types, and the path of a file of Julia itself.
func ofJulia(f *crash.Frame) {
	name := f.Symbol
	if m := juliaInner().FindStringSubmatch(name); m != nil {
		name = m[1] // #instantiate#114 has the body of instantiate, and (::var"#f#12") is f within another function
	} else if i := strings.IndexAny(name, "({"); i >= 0 {
		name = name[:i]
	}
	if f.Function = name; !juliaPlain().MatchString(name) {
		f.Function = "" // top-level scope
	}
	switch rest, base := strings.CutPrefix(f.File, "./"); {
	case base && (f.Module == "" || f.Module == "Base" || f.Module == "Core"):
		f.File = "/usr/share/julia/base/" + rest
	case strings.HasPrefix(f.File, "REPL["):
		f.File, f.Line = "", 0
	}
}

// dartForm is read before frames of debuggers, which begin with "#0", too.
var dartForm = lineForm{
	format: "dart",
	hints:  []string{"xception", "Error", " was thrown", "Bad state", "Invalid arg", "Unsupported op", "Concurrent mod", "Null check", " of type ", "Stack Over"},
	failed: source.Lazy(
		`^(?:.*Unhandled [Ee]xception: (?P<message>.+)|(?P<kind>[A-Z_]\w*(?:Error|Exception))(?: \([^)]*\))?: (?P<message2>.*)|` +
			`The following (?P<kind2>\w+) was thrown\b.*|` +
			// The texts of the errors of Dart's library, which do not name their class.
			`(?P<message3>(?:Bad state|Invalid argument(?:\(s\))?|Unsupported operation|Concurrent modification during iteration)(?: \([^)]*\))?: .*|` +
			`Null check operator used on a null value|type '.*' is not a subtype of type '.*|Stack Overflow))$`,
	),
	has: ".dart",
	frame: source.Lazy(
		`^#\d+ +(?:new )?(?P<name>\S.*?)(?:\.<(?:anonymous closure|fn)>)* \((?P<file>[\w-]+:\S+?\.dart):(?P<line>\d+)(?::(?P<column>\d+))?\)$|` +
			// The package stack_trace, as tests and Flutter for the web print it.
			`^(?P<file2>[\w./:@-]+\.dart(?:\.js)?) (?P<line2>\d+)(?::(?P<column2>\d+))? +(?:new )?\[?(?P<name2>[\w.$]*\w)?\]?(?:\.?<\w+>(?:\.\w+)?)*$`,
	),
	apart: "#",
}

var zigForm = lineForm{
	format: "zig",
	hints:  []string{"panic: ", "error: "},
	failed: source.Lazy(`^(?:thread \d+ )?panic: (?P<message>.*)$|^error: (?P<message2>\w+)$`),
	has:    ": 0x",
	frame:  source.Lazy(`^(?P<file>\S.*?\.zig):(?P<line>\d+):(?P<column>\d+): 0x[0-9a-f]+ in (?P<name>\S+?)(?:__anon_\d+)? \(.*\)$`),
}

var crystalForm = lineForm{
	format: "crystal",
	hints:  []string{"xception"},
	failed: source.Lazy(`^Unhandled exception(?: in spawn)?: (?P<message>.*?)(?: \((?P<kind>[A-Z][\w:]*)\))?$`),
	has:    " in '",
	frame:  source.Lazy(`^from (?P<file>\S.*?\.cr):(?P<line>\d+):(?P<column>\d+) in '(?P<name>.+)'$`),
}

var dForm = lineForm{
	format:   "d",
	hints:    []string{"@"},
	failed:   source.Lazy(`^(?P<kind>[\w.]+)@(?P<file>\S+\.di?)\((?P<line>\d+)\)(?:: (?P<message>.*))?$`),
	alone:    source.Lazy(`^(?P<kind>[\w.]*(?:Error|Exception))@(?P<file>\S+\.di?)\((?P<line>\d+)\)(?:: (?P<message>.*))?$`),
	aloneHas: "@",
	has:      ".d:",
	frame:    source.Lazy(`^(?P<file>\S+\.d):(?P<line>\d+) (?:\S+ )*?(?P<name>[\w.]+)(?:\(.*\)\S*)? \[0x[0-9a-f]+\]$`),
}

var rakuForm = lineForm{
	format: "raku",
	any:    true,
	failed: source.Lazy(`^(?P<message>\S.*)$`),
	has:    " line ",
	frame: source.Lazy(
		`^in (?:(?:any|sub|method|submethod|regex|block|code)? ?(?P<name>[\w:-]+)|block <unit>) at (?P<file>\S+\.(?:raku\w*|p[lm]?6|[pt]))(?: \([^)]*\))? line (?P<line>\d+)$`,
	),
}

// godotForm is how Godot prints an error of a script, or of the engine.
var godotForm = lineForm{
	format: "godot",
	hints:  []string{"ERROR: ", "res://"},
	failed: source.Lazy(`^(?:USER )?(?:SCRIPT )?ERROR: (?P<message>.*)$`),
	alone:  source.Lazy(`^res://(?P<file>\S+\.gd):(?P<line>\d+) - (?P<message>.*)$`), aloneHas: "res://",
	has:   "(",
	frame: source.Lazy(`^(?:at: |\[\d+\] )(?P<name>\S+) \((?:res://)?(?P<file>\S+\.\w+):(?P<line>\d+)\)$`),
	source: func(f *crash.Frame) {
		if f.Function == "GDScript::reload" { // of the engine, which compiles the file
			f.Function, f.Symbol = "", ""
		}
	},
}

var powerShellForm = lineForm{
	format: "powershell",
	any:    true,
	failed: source.Lazy(`^(?:[\w-]+ ?: )?(?P<message>\S.*)$`),
	has:    ".ps",
	frame: source.Lazy(
		`^(?:at (?:<\w+>|(?P<name>[\w:-]+)(?:<\w+>)?), (?P<file>.+\.psm?1): line (?P<line>\d+)|` +
			`(?:At|En|In|Bei|Au|Em) (?P<file2>.+\.psm?1): ?(?P<line2>\d+) (?:[Cc]har|[Cc]aracter|Character|Zeichen|carattere|caractère): ?(?P<column>\d+))$`,
	),
}

// swiftForm is how the runtime of Swift prints a crash since Swift 5.9.
var swiftForm = lineForm{
	format: "swift",
	hints:  []string{"rogram crashed", "Fatal error"},
	failed: source.Lazy(`^(?:\W* ?Program crashed: (?P<message>.*?)(?: \*+)?|(?P<file>\S+\.swift):(?P<line>\d+): Fatal error: (?P<message2>.*))$`),
	has:    ".swift:",
	frame: source.Lazy(
		`^\d+ (?:\[\w+\] )*(?:0x[0-9a-f]+ in (?P<name2>\S.*?)|(?:0x[0-9a-f]+ )?(?P<name>\S.*?)(?: \+ \d+)? in (?P<module>\S+)) at (?P<file>/\S.*?\.swift):(?P<line>\d+)(?::(?P<column>\d+))?$`,
	),
	source: func(f *crash.Frame) { f.Function, _, _ = strings.Cut(f.Function, "(") },
	apart:  "0123456789",
}

// clojureForm is the line with which Clojure ends. Its traces are Java's.
var clojureForm = lineForm{
	format:   "clojure",
	alone:    source.Lazy(`^Execution error \((?P<kind>[\w.$]+)\) at (?:\S+ )?\((?P<file>\S+\.clj[cs]?):(?P<line>\d+)\)\.$`),
	aloneHas: "Execution error",
}

var qmlForm = lineForm{
	format:   "qml",
	alone:    source.Lazy(`^(?:file://|qrc:)(?P<file>/\S+\.qml):(?P<line>\d+)(?::\d+)?: (?:(?P<kind>\w+Error): )?(?P<message>.*)$`),
	aloneHas: ".qml:",
}

// fortranForm is the line in which gfortran names a place. The stack below it is read as one of a debugger.
var fortranForm = lineForm{
	format:   "fortran",
	alone:    source.Lazy(`^At line (?P<line>\d+) of file (?P<file>\S+\.[fF]\w*)\b.*$`),
	aloneHas: "At line ",
}

// shellForm is the line in which bash or dash names the place of an error, in a script with a path or an ending.
var shellForm = lineForm{
	format: "shell",
	spare:  true,
	alone: source.Lazy(
		`(?:^|[\s"'])(?P<file>[\w~.+@-]*[/.][\w~.+@/-]*): (?:(?:line|linha|línea|Zeile|ligne|riga|строка) )?(?P<line>\d+): (?:\S+: )??(?P<message>(?i:syntax error|` +
			`erro de sintaxe|bad substitution|unexpected EOF).*|\S.*: (?:unbound variable|(?:command )?not found|bad substitution|parameter (?:null or )?not set|` +
			`bad array subscript|readonly variable|not a valid identifier|ambiguous redirect|division by 0.*|unexpected operator|bad number|` +
			`(?:integer expression|unary operator|binary operator) expected|too many arguments|No such file or directory|Permission denied))$`,
	),
	aloneHas: ": ",
}

// titleForm is the title that App Center gives to a crash, whose stack it may not have.
var titleForm = lineForm{
	format:   "dotnet",
	spare:    true,
	alone:    source.Lazy(`(?:^|\s)(?P<kind>(?:\w+\.)*\w*Exception) in (?P<file>\S.*\.\w{1,5}) line (?P<line>\d+)$`),
	aloneHas: "Exception in ",
}
