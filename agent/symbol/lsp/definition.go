package lsp

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A Document is a file below the folder that the server knows.
type Document struct {
	Path     string // relative to the folder, with slashes
	Language string // as the protocol names it: c, cpp, go
	Text     string
}

// A Location is a line of a file.
type Location struct {
	Path    string // relative to the folder, with slashes; absolute if Outside
	Line    int    // from 1
	Outside bool   // the file is not below the folder
}

// maxLocations bounds the locations of an answer.
const maxLocations = 50

// Definition asks where the name at a line, from 1, and a byte of that line, from 0, is
// defined.
func (c *Client) Definition(ctx context.Context, doc Document, line, column int) ([]Location, error) {
	uri := uriOf(filepath.Join(c.root, filepath.FromSlash(doc.Path)))
	params := map[string]any{
		"textDocument": map[string]any{"uri": uri},
		"position":     map[string]any{"line": line - 1, "character": utf16Column(lineAt(doc.Text, line), column)},
	}
	answers := make(chan json.RawMessage, 1)
	err := waitFor(ctx, func() error {
		if err := c.open(ctx, uri, doc.Language, strings.ToValidUTF8(doc.Text, "?")); err != nil {
			return err
		}
		var raw json.RawMessage
		err := c.call(ctx, "textDocument/definition", params, &raw)
		answers <- raw
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.locations(<-answers), nil
}

// reply is a place in either form of the protocol.
type reply struct {
	URI       string    `json:"uri"`
	Range     textRange `json:"range"`
	TargetURI string    `json:"targetUri"`
	Selection textRange `json:"targetSelectionRange"`
}

type textRange struct {
	Start struct {
		Line int `json:"line"`
	} `json:"start"`
}

// locations reads an answer: a place, a list of places, or null.
func (c *Client) locations(raw json.RawMessage) []Location {
	var list []reply
	if json.Unmarshal(raw, &list) != nil {
		var one reply
		if json.Unmarshal(raw, &one) != nil {
			return nil
		}
		list = []reply{one}
	}
	var out []Location
	for _, r := range list[:min(len(list), maxLocations)] {
		uri, line := r.URI, r.Range.Start.Line
		if r.TargetURI != "" {
			uri, line = r.TargetURI, r.Selection.Start.Line
		}
		if p, ok := pathOf(uri); ok && line >= 0 && line < 1<<30 {
			out = append(out, c.location(p, line+1))
		}
	}
	return out
}

func (c *Client) location(p string, line int) Location {
	rel, err := filepath.Rel(c.root, p)
	if err != nil || !filepath.IsLocal(rel) {
		return Location{Path: p, Line: line, Outside: true}
	}
	return Location{Path: filepath.ToSlash(rel), Line: line}
}

// uriOf returns the address of an absolute path. What has a meaning in an address is
// percent-encoded.
func uriOf(p string) string { return (&url.URL{Scheme: "file", Path: filepath.ToSlash(p)}).String() }

// pathOf returns the path of an address. Servers percent-encode different characters,
// so addresses are never compared.
func pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	p := filepath.Clean(filepath.FromSlash(u.Path))
	return p, filepath.IsAbs(p)
}

// lineAt returns a line of a text, from 1.
func lineAt(text string, line int) string {
	for ; line > 1; line-- {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// utf16Column counts the UTF-16 units before a byte of a line, as the protocol does.
func utf16Column(line string, column int) int {
	units := 0
	for _, r := range strings.ToValidUTF8(line[:min(column, len(line))], "?") {
		units++
		if r >= 0x10000 && r <= utf8.MaxRune {
			units++
		}
	}
	return units
}
