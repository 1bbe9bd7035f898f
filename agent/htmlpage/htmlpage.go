// Package htmlpage has what all HTML pages of the program share: the style sheet for screens of any
// width, in light and dark, and for paper; the head that forbids scripts and everything outside of
// the page; and patches with colours.
//
// A page is one file that needs no network and no script. Texts of a repository or a model are shown
// as text, and their hidden characters are escaped.
package htmlpage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"strings"

	"git-agent/gitext/quote"
)

//go:embed style.css
var style string

//go:embed parts.html
var parts string

// Parse parses the template of a page, which begins with {{template "head"}} and its title, and has
// {{style}} in its style sheet. It can use the definitions of parts.html and these functions: diff
// cuts a patch into coloured lines ([newDiff]), and text and line escape hidden characters; line
// also escapes ends of lines.
func Parse(name, text string, funcs template.FuncMap) (*template.Template, error) {
	all := template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) },
		"diff":  newDiff, "text": quote.Text, "line": oneLine,
	}
	maps.Copy(all, funcs)
	t, err := template.New(name).Funcs(all).Parse(parts)
	if err != nil {
		return nil, err
	}
	return t.New(name).Parse(text)
}

func oneLine(s string) string { return strings.ReplaceAll(quote.Text(s), "\n", `\n`) }

// Write writes the page of a template and its data, in one piece.
func Write(w io.Writer, t *template.Template, data any) error {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	_, err := io.WriteString(w, quote.Text(b.String()))
	return err
}
