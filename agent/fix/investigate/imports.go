package investigate

import (
	"path"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

var (
	goImport     = source.Lazy(`^(?:import\s+|\t)(?:[\w.]+\s+)?"([^"]+)"$`)
	scriptImport = source.Lazy(`^(?:import\s.*|from\s.*\simport\s.*|(?:const|let|var)\s.*\brequire\(.*\);?)$`)
)

// These bound the shown imports, in lines of the file and in characters.
const (
	importLines = 120
	maxImports  = 400
)

// importsOf lists the imports of a file of Go, Python or JavaScript, in one line; "" for other
// files. Edits often need them.
func importsOf(name string, lines [][]byte) string {
	var list []string
	for _, line := range lines[:min(len(lines), importLines)] {
		text := strings.TrimRight(string(line), " \r")
		switch path.Ext(name) {
		case ".go":
			if m := goImport().FindStringSubmatch(text); m != nil {
				list = append(list, m[1])
			}
		case ".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
			if scriptImport().MatchString(text) {
				list = append(list, text)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "imports: " + agent.Shorten(agent.CleanLine(strings.Join(list, ", ")), maxImports)
}
