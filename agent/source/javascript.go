package source

import (
	"path"
	"strings"
)

// IsJavaScript reports whether a file has the name of a program in JavaScript, and not in TypeScript.
func IsJavaScript(filePath string) bool { return javaScript[strings.ToLower(path.Ext(filePath))] }

// IsTypeScript reports whether a file has the name of a program in TypeScript.
func IsTypeScript(filePath string) bool { return typeScript[strings.ToLower(path.Ext(filePath))] }

// IsScript reports whether a file has the name of a program in JavaScript or TypeScript.
func IsScript(filePath string) bool { return IsJavaScript(filePath) || IsTypeScript(filePath) }

var (
	javaScript = WordSet(".js .mjs .cjs .jsx")
	typeScript = WordSet(".ts .mts .cts .tsx")
)
