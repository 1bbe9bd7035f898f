package format

import (
	"encoding/json"
	"strings"

	"git-agent/agent/crash"
)

// A casrReport is a report of CASR, a .casrep file. It holds the output of the tool that found the
// crash, in a field for each kind of tool.
type casrReport struct {
	// CrashSeverity is in every report of CASR.
	CrashSeverity *struct {
		Type, ShortDescription, Description string
	}
	Stacktrace []string

	AsanReport, MsanReport, UbsanReport, LuaReport, PythonReport, GoReport, JavaReport, JsReport, CSharpReport, RustReport []string
}

// casrText returns the text in a report of CASR: the output of the tool, else the stack; and the
// severity that the report states, if it states one. It returns nil for other JSON.
func casrText(data []byte) (text []byte, stated *crash.Severity) {
	var r casrReport
	if json.Unmarshal(data, &r) != nil || r.CrashSeverity == nil {
		return nil, nil
	}
	if s := r.CrashSeverity; s.Type != "" {
		stated = &crash.Severity{
			Class:       cut(s.Type, maxRaw),
			Kind:        cut(s.ShortDescription, maxRaw),
			Description: cut(s.Description, maxText),
			Stated:      true,
		}
	}
	for _, lines := range [][]string{
		r.AsanReport, r.MsanReport, r.UbsanReport, r.PythonReport, r.GoReport, r.JavaReport, r.JsReport,
		r.CSharpReport, r.RustReport, r.LuaReport, r.Stacktrace,
	} {
		if len(lines) > 0 {
			return []byte(strings.Join(lines, "\n") + "\n"), stated
		}
	}
	return nil, nil
}
