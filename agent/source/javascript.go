package source

import (
	"path"
	"strings"
)

// IsJavaScript reports whether a file has the name of a program in JavaScript, and not in TypeScript.
func IsJavaScript(filePath string) bool { return javaScriptExt[strings.ToLower(path.Ext(filePath))] }

// IsTypeScript reports whether a file has the name of a program in TypeScript.
func IsTypeScript(filePath string) bool { return typeScriptExt[strings.ToLower(path.Ext(filePath))] }

// IsScript reports whether a file has the name of a program in JavaScript or TypeScript.
func IsScript(filePath string) bool { return IsJavaScript(filePath) || IsTypeScript(filePath) }

var (
	javaScriptExt = WordSet(".js .mjs .cjs .jsx")
	typeScriptExt = WordSet(".ts .mts .cts .tsx")
)
