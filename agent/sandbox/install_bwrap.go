package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// installers lists package managers and their commands to install bubblewrap.
var installers = [][2]string{
	{"apt-get", "apt-get install bubblewrap"}, {"dnf", "dnf install bubblewrap"}, {"apk", "apk add bubblewrap"},
	{"pacman", "pacman -S bubblewrap"}, {"zypper", "zypper install bubblewrap"},
}

// InstallCommand returns the command that installs bubblewrap, for a hint. It returns "" if no text in
// failed says that bubblewrap is not installed, or if no known package manager is installed.
func InstallCommand(failed []string) string {
	if !slices.ContainsFunc(failed, func(why string) bool { return strings.Contains(why, "not installed") }) {
		return ""
	}
	for _, row := range installers {
		for _, dir := range []string{"/usr/bin", "/sbin", "/bin"} {
			if _, err := os.Stat(filepath.Join(dir, row[0])); err == nil {
				return row[1]
			}
		}
	}
	return ""
}
