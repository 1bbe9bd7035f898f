package pagetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// start starts a browser, or skips the test.
func start(t *testing.T) *Browser {
	t.Helper()
	path := Find()
	if path == "" {
		t.Skip("no browser is installed: chromium or google-chrome is needed")
	}
	b, err := Start(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

const style = `<style>:root { color-scheme: light dark; --page: #fff; --ink: #222 }
@media screen and (prefers-color-scheme: dark) { :root { --page: #111; --ink: #eee } }
body { background: var(--page); color: var(--ink); font-size: 15px } .scroll { overflow-x: auto } td { white-space: nowrap }
@page { size: A4 }
@media print { :root { color-scheme: light } .scroll { overflow: visible } td { white-space: normal } }</style>`

const long = "a line of a table that is much wider than a telephone, and still one line"

// A page that is right has no complaint, and each fault is found by its own check.
func TestCheck(t *testing.T) {
	b := start(t)
	for name, test := range map[string]struct{ body, want string }{
		"right":     {`<div class="scroll" tabindex="0" aria-label="table"><table><tr><td>` + long + long + `</table></div><p><a href="#x">down</a><details id="x"><summary>more</summary>text</details>`, ""},
		"wide":      {`<table><tr><td>` + long + long + `</table>`, "400: the page is "},
		"cut":       {`<div style="overflow:hidden;white-space:nowrap">` + long + long + `</div>`, "400: hides its right side: div"},
		"unnamed":   {`<div class="scroll"><table><tr><td>` + long + long + `</table></div>`, "400: scrolls and has no name: div.scroll"},
		"paper":     {`<div style="overflow-x:auto" tabindex="0" aria-label="table"><p style="width:900px">` + long + `</div>`, "paper: cut on paper: div"},
		"faint":     {`<p style="color:#777">faint</p>`, `1200-dark: contrast of 4.2: p "faint"`},
		"small":     {`<p style="font-size:8px">small</p>`, `1200: letters of 8.0 pixels: p "small"`},
		"picture":   {`<svg width="100" height="20"><text x="90" y="15" fill="gray" style="font-size:14px">outside</text></svg>`, `outside of its picture: text "outside"`},
		"overlap":   {`<svg width="300" height="20"><text x="0" y="15" style="font-size:14px">one name</text><text x="20" y="15" style="font-size:14px">other</text></svg>`, `lies over text "one name": text "other"`},
		"console":   {`<script>console.error("broken")</script>`, "page: console: "},
		"network":   {`<img src="other.png">`, "page: asks for file://"},
		"anchor":    {`<a href="#nowhere">go</a>`, `leads nowhere: a "go"`},
		"unfocused": {`<style>a:focus-visible { outline: none }</style><a href="#">go</a>`, `1200, keyboard: nothing shows the focus at "go"`},
		"white":     {`<style>body { background: #fff !important; color: #222 }</style>`, "1200-dark: the page has the colour rgb(255, 255, 255)"},
	} {
		file := filepath.Join(t.TempDir(), "page.html")
		page := "<!doctype html><html lang=en><title>" + name + "</title>" + style + "<h1>" + name + "</h1>" + test.body
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		bad, err := b.Check(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		said := strings.Join(bad, "\n")
		if test.want == "" && said != "" || !strings.Contains(said, test.want) {
			t.Errorf("%s: no %q in\n%s", name, test.want, said)
		}
	}
}
