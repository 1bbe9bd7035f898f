package format

import (
	"encoding/json"
	"strings"
)

// A casrReport is a report of CASR, a .casrep file. It holds the output of the tool that found the
// crash, in a field for each kind of tool.
type casrReport struct {
	CrashSeverity *struct{} // every report of CASR has one
	Stacktrace    []string

	AsanReport, MsanReport, UbsanReport, LuaReport, PythonReport, GoReport, JavaReport, JsReport, CSharpReport, RustReport []string
}

// casrText returns the text in a report of CASR: the output of the tool, else the stack. It
// returns nil for other JSON.
func casrText(data []byte) []byte {
	var r casrReport
	if json.Unmarshal(data, &r) != nil || r.CrashSeverity == nil {
		return nil
	}
	for _, lines := range [][]string{
		r.AsanReport, r.MsanReport, r.UbsanReport, r.PythonReport, r.GoReport, r.JavaReport, r.JsReport, r.CSharpReport, r.RustReport, r.LuaReport, r.Stacktrace,
	} {
		if len(lines) > 0 {
			return []byte(strings.Join(lines, "\n") + "\n")
		}
	}
	return nil
}
