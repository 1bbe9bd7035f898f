package app

import (
	"errors"
	"fmt"
	"io"

	"git-agent/cmd/git-agent/render"

	"github.com/alecthomas/kong"
)

// PageFlags are the option of verbs whose answers can be written as an HTML page.
type PageFlags struct {
	HTML PageFile `name:"html" placeholder:"<file>" value:"optional" kind:"path" help:"also write the answer to <file> as a self-contained HTML page; without <file>, to standard output, instead of the text"`
}

// PageFile is the value of --html[=<file>].
type PageFile struct {
	Given bool
	Name  string // "" for standard output
}

// Decode reads the value of the option, if it has one.
func (f *PageFile) Decode(ctx *kong.DecodeContext) error {
	f.Given, f.Name = true, ""
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	if err := ctx.Scan.PopValueInto("file", &f.Name); err != nil {
		return err
	}
	switch f.Name {
	case "":
		return errors.New("--html= names no file; --html alone writes to standard output")
	case "-":
		f.Name = ""
	}
	return nil
}

// IsBool says that the option needs no value.
func (f *PageFile) IsBool() bool { return true }

// CheckPage returns an error if the page and another form both want standard output, or if the
// answer has a form without a page. otherForm and without name them; they are "" if there is none.
func (f PageFlags) CheckPage(otherForm, without string) error {
	switch {
	case !f.HTML.Given:
		return nil
	case without != "":
		return Usagef("--html does not go with %s", without)
	case f.HTML.Name == "" && otherForm != "":
		return Usagef("--html and %s both want standard output; give --html a file", otherForm)
	}
	return nil
}

// Given returns the name of an option if it is given, else "".
func Given(name string, given bool) string {
	if given {
		return name
	}
	return ""
}

// Alone reports whether the page takes the place of the text.
func (f PageFlags) Alone() bool { return f.HTML.Given && f.HTML.Name == "" }

// OpenPage returns the page of the option, to which verb adds its answers; nil if none is wanted.
// Only the user can read its file, because it contains source code.
func (f PageFlags) OpenPage(a *App, verb string) (*AnswerPage, error) {
	if !f.HTML.Given {
		return nil, nil
	}
	p := &AnswerPage{Page: render.Page{W: a.Raw, Verb: verb, Version: VersionString()}}
	if f.HTML.Name == "" {
		return p, nil
	}
	file, err := createFile(f.HTML.Name, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	p.file, p.W = file, file
	return p, nil
}

// AnswerPage is a page that is being written.
type AnswerPage struct {
	render.Page
	file *newFile // nil for standard output
}

// Close ends the page, and gives its file the name. A page without an answer, because of an error,
// is not written. A nil page is closed already.
func (p *AnswerPage) Close() error {
	switch {
	case p == nil:
		return nil
	case !p.Started() && p.file != nil:
		p.file.abort()
		return nil
	case !p.Started():
		return nil
	}
	err := p.Page.Close()
	if p.file == nil {
		return err
	}
	if err != nil {
		p.file.abort()
		return err
	}
	if err := p.file.Commit(); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

var _ io.Closer = (*AnswerPage)(nil)
