package pagetest

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed check.js
var checkScript string

// widths are those of the window, in pixels.
var widths = []int{1200, 400}

// paperMargins are the margins at both sides of the paper together, in pixels: those of @page in the
// style sheet of the pages.
const paperMargins = 106

// Check opens the page of a file and returns what is wrong with it, each as a sentence: errors in the
// console, requests, text that is cut, too small or too faint, controls that the keyboard does not
// reach. With a folder in GIT_AGENT_TEST_SHOTS, it leaves pictures of the page there for a person.
func (b *Browser) Check(file string) ([]string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	var all []string
	add := func(where string, list []string) {
		for _, s := range list {
			if s = where + ": " + s; !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	b.events = nil
	if err := b.open(file); err != nil {
		return nil, err
	}
	for _, width := range widths {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("%d%s", width, map[bool]string{true: "-dark"}[dark])
			list, err := b.look(file, name, width, dark)
			if err != nil {
				return nil, err
			}
			add(name, list)
		}
		list, err := b.keyboard(file)
		if err != nil {
			return nil, err
		}
		add(fmt.Sprintf("%d, keyboard", width), list)
	}
	list, err := b.print(file)
	if err != nil {
		return nil, err
	}
	add("paper", list)
	add("page", b.complaints(file))
	return all, nil
}

// look checks the page at a width, with its details folded and unfolded.
func (b *Browser) look(file, name string, width int, dark bool) (all []string, err error) {
	if err := b.view(width, dark, "screen"); err != nil {
		return nil, err
	}
	for _, open := range []bool{false, true} {
		var list []string
		if err := errors.Join(b.unfold(open), b.evaluate(strings.ReplaceAll(checkScript, "PRINT", "false"), &list)); err != nil {
			return nil, err
		}
		all = append(all, list...)
		if err := b.shoot(file, name+map[bool]string{true: "-open"}[open]); err != nil {
			return nil, err
		}
	}
	var back struct {
		Colour string
		Bright bool
	}
	if err := b.evaluate(`(() => { const c = getComputedStyle(document.body).backgroundColor;
		return { Colour: c, Bright: c.match(/[\d.]+/g).slice(0, 3).every(v => v > 127) } })()`, &back); err != nil {
		return nil, err
	}
	if back.Bright == dark {
		all = append(all, "the page has the colour "+back.Colour)
	}
	return all, b.unfold(false)
}

func (b *Browser) unfold(open bool) error {
	return b.evaluate(fmt.Sprintf(`document.querySelectorAll("details").forEach(d => { d.open = %t })`, open), nil)
}

// maxStops bounds the presses of the tabulator key.
const maxStops = 60

// keyboard goes through the controls with the tabulator key and opens the first details.
func (b *Browser) keyboard(file string) (bad []string, err error) {
	const mark = `(() => {
		window.wanted = [...document.querySelectorAll("a[href], summary, [tabindex='0'], button, input")].filter(e => e.checkVisibility());
		return wanted.length })()`
	var wanted int
	if err := errors.Join(b.open(file), b.evaluate(mark, &wanted)); err != nil { // opened again, the focus is before the first control
		return nil, err
	}
	for i := range min(wanted, maxStops) {
		if err := b.press("Tab", 9, ""); err != nil {
			return nil, err
		}
		var stop struct {
			At      int
			Seen    bool
			Summary bool
			Text    string
		}
		if err := b.evaluate(`(() => { const e = document.activeElement, s = getComputedStyle(e);
			return { At: wanted.indexOf(e), Seen: s.outlineStyle != "none" && parseFloat(s.outlineWidth) > 0, Summary: e.tagName == "SUMMARY", Text: e.textContent.slice(0, 40) } })()`, &stop); err != nil {
			return nil, err
		}
		switch {
		case stop.At != i:
			return append(bad, fmt.Sprintf("stop %d of the tabulator key is control %d, %q", i+1, stop.At+1, stop.Text)), nil
		case !stop.Seen:
			bad = append(bad, fmt.Sprintf("nothing shows the focus at %q", stop.Text))
		}
		if stop.Summary && i < 5 {
			bad, err = b.toggles(bad, stop.Text)
			if err != nil {
				return nil, err
			}
		}
	}
	return bad, nil
}

// toggles folds and unfolds the details in focus.
func (b *Browser) toggles(bad []string, text string) ([]string, error) {
	const state = `document.activeElement.parentElement.open`
	var was bool
	if err := b.evaluate(state, &was); err != nil {
		return nil, err
	}
	for _, want := range []bool{!was, was} {
		var open bool
		if err := errors.Join(b.press("Enter", 13, "\r"), b.evaluate(state, &open)); err != nil {
			return nil, err
		}
		if open != want {
			bad = append(bad, fmt.Sprintf("the key Enter does not fold or unfold %q", text))
		}
	}
	return bad, nil
}

// print checks the page on paper, for a reader whose screen is dark.
func (b *Browser) print(file string) (bad []string, err error) {
	if err := b.view(widths[0], true, "print"); err != nil {
		return nil, err
	}
	pdf, err := b.paper()
	if err != nil {
		return nil, err
	}
	box := regexp.MustCompile(`/MediaBox \[0 0 (\d+)`).FindSubmatch(pdf)
	if box == nil {
		return []string{"it cannot be printed"}, nil
	}
	points, err := strconv.Atoi(string(box[1]))
	if err != nil {
		return nil, err
	}
	if err := b.view(points*96/72-paperMargins, true, "print"); err != nil {
		return nil, err
	}
	if err := b.evaluate(strings.ReplaceAll(checkScript, "PRINT", "true"), &bad); err != nil {
		return nil, err
	}
	return bad, errors.Join(b.shoot(file, "paper"), keep(file, "paper.pdf", pdf))
}

// shoot leaves a picture of the page, if one is wanted.
func (b *Browser) shoot(file, name string) error {
	if os.Getenv("GIT_AGENT_TEST_SHOTS") == "" {
		return nil
	}
	png, err := b.picture()
	if err != nil {
		return err
	}
	return keep(file, name+".png", png)
}

// keep writes a file into the folder of GIT_AGENT_TEST_SHOTS, if there is one.
func keep(file, name string, data []byte) error {
	dir := os.Getenv("GIT_AGENT_TEST_SHOTS")
	if dir == "" {
		return nil
	}
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	return os.WriteFile(filepath.Join(dir, base+"-"+name), data, 0o644)
}
