package pagetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// ErrNoBrowser is the error of CheckAll where no browser is installed.
var ErrNoBrowser = errors.New("no browser is installed, so no page was opened: chromium or google-chrome is needed")

// CheckAll opens pages in the installed browser, and returns a text for each one with which a
// reader would see anything wrong.
func CheckAll(files ...string) (wrong []string, err error) {
	path := Find()
	if path == "" {
		return nil, ErrNoBrowser
	}
	b, err := Start(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for _, file := range files {
		bad, err := b.Check(file)
		if err != nil {
			return nil, err
		}
		if len(bad) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s:\n%s", file, strings.Join(bad, "\n")))
		}
	}
	return wrong, nil
}

// Test is CheckAll in a test, which is skipped where no browser is installed.
func Test(t *testing.T, files ...string) {
	t.Helper()
	wrong, err := CheckAll(files...)
	if errors.Is(err, ErrNoBrowser) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		t.Error(w)
	}
}
