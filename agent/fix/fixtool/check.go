package fixtool

import (
	"bytes"
	"errors"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix/edit"
	"git-agent/agent/source"
)

// generatedMark matches the comments of tools at the head of generated files. The first form is
// that of Go (go.dev/s/generatedcode).
var generatedMark = source.Lazy(
	`(?im)^.{0,20}\b(code generated .* do not edit|do not edit[^\n]{0,40}generated|this file (is|was) (auto(matically)?[- ]?)?generated|@generated\b)`,
)

// generated reports whether the head of a file says that a tool wrote it.
func generated(data []byte) bool {
	const head = 2000 // bytes
	return generatedMark().Match(data[:min(len(data), head)])
}

// parseError says why a Go file does not parse, or returns "". Other languages are not checked,
// because this would need programs of the project.
func parseError(name string, data []byte) string {
	if path.Ext(name) != ".go" {
		return ""
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", data, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return "line " + strings.TrimPrefix(agent.Shorten(agent.CleanLine(list[0].Error()), 200), "-:")
	}
	if err != nil {
		return agent.Shorten(agent.CleanLine(err.Error()), 200)
	}
	return ""
}

// tidy returns the result of an edit: if a Go file was formatted before, tidy formats it again,
// so that a patch has no unrelated changes of white space. shown shows the changes.
func tidy(name string, before []byte, res edit.Result) (text []byte, shown string) {
	if path.Ext(name) != ".go" || !formatted(before) {
		return res.Content, res.Shown
	}
	neat, err := format.Source(res.Content)
	if err != nil || bytes.Equal(neat, res.Content) || bytes.Equal(neat, before) {
		return res.Content, res.Shown
	}
	shown = edit.Show(before, neat)
	return neat, shown + "(formatted by gofmt)\n"
}

// formatted reports whether a Go file has the format of gofmt.
func formatted(data []byte) bool {
	neat, err := format.Source(data)
	return err == nil && bytes.Equal(neat, data)
}
