package ui

import "testing"

// ColorCode writes colours as git config --type=color does (the wanted sequences are the
// output of git 2.39), and refuses what git refuses.
func TestColorCode(t *testing.T) {
	t.Parallel()
	for spelled, want := range map[string]string{
		"": "", "red": "\x1b[31m", "bold red": "\x1b[1;31m", "red bold": "\x1b[1;31m", "red blue ul": "\x1b[4;31;44m",
		"brightgreen": "\x1b[92m", "default white": "\x1b[39;47m", "normal": "", "normal red": "\x1b[41m", "208": "\x1b[38;5;208m",
		"7 12": "\x1b[37;104m", "#ff8000": "\x1b[38;2;255;128;0m", "nobold": "\x1b[22m", "no-ul cyan": "\x1b[24;36m", "reset": "\x1b[m",
	} {
		if got, err := ColorCode(spelled); got != want || err != nil {
			t.Errorf("ColorCode(%q) = %q, %v, want %q", spelled, got, err, want)
		}
	}
	for _, spelled := range []string{"red green blue", "blue-ish", "300", "#12", "bold-red", "no"} {
		if got, err := ColorCode(spelled); err == nil {
			t.Errorf("ColorCode(%q) = %q, want an error", spelled, got)
		}
	}
}
