package source

import "bytes"

// maxVersionLine bounds a line that sets a version, in bytes.
const maxVersionLine = 200

// setsVersion matches a line that sets a variable, a constant or an argument by the name of version to a number of three parts in
// a string. Two parts may be the version of a protocol, but not in Python's __version__.
var setsVersion = Lazy(`(?i)^(?:(?:public|private|protected|internal|static|final|const|constexpr|readonly|let|var|val|pub|export|char|string|` +
	`def|our|my|[*&]|\[\])\s*)*(?:#\s*define\s+)?(?:(?:[\w$]+(?:\.|::|->))*[\w$]*version(?:_?(?:string|str|number))?(?:\[\])?\s*` +
	`(?::\s*(?:&?'?\w+\s*)+)?(?::=|=>|[=:]|\s)\s*["']v?\d+(?:\.\d+){2}|__version__\s*=\s*["']\d+(?:\.\d+)+)[\w.+-]*["']\s*[;,]?$`)

// SetsVersion reports whether a line of code does nothing but set a version number, as that of the project. A fix
// that is released at once changes such a line beside the code.
func SetsVersion(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) <= maxVersionLine && setsVersion().Match(line)
}
