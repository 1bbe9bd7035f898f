package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-agent/cmd/git-agent/app"
	"git-agent/gitext/quote"
)

// noticeFile is a licence with its subject.
type noticeFile struct{ of, path string }

// notice is one licence text with all its subjects.
type notice struct {
	holders []string // "module\n    Copyright ...\n"
	text    string
}

// Each module that is compiled into the program, on any system, has its notice
// in notices.txt. Run with -update when the modules change.
func TestNotices(t *testing.T) {
	want := noticesText(t, noticeFiles(t))
	if *update {
		if err := os.WriteFile("notices.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != notices {
		t.Error("notices.txt is not that of the modules: go test ./cmd/git-agent -run Notices -update")
	}
	for _, module := range []string{"modernc.org/sqlite", "github.com/alecthomas/kong", "the Go standard library", "the rules of gitleaks"} {
		if !strings.Contains(notices, "\n"+module+"\n") {
			t.Errorf("%s has no notice", module)
		}
	}
}

// noticeFiles lists the licences of all modules in the program: those in a
// package's directory and in all directories above it.
func noticeFiles(t *testing.T) []noticeFile {
	t.Helper()
	files := []noticeFile{
		{"the rules of gitleaks", filepath.Join(top, "agent/secret/gitleaks/LICENSE")},
		{"the prices of models.dev", filepath.Join(top, "agent/model/prices_license.txt")},
	}
	seen := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command(need(t, "go"), "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/git-agent")
		cmd.Dir, cmd.Env = top, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		for line := range strings.Lines(string(out)) {
			part := strings.Split(strings.TrimSpace(line), "\t")
			if len(part) != 3 {
				continue
			}
			for dir := part[2]; strings.HasPrefix(dir, part[1]); dir = filepath.Dir(dir) {
				if !seen[dir] {
					seen[dir] = true
					files = append(files, licencesIn(t, part[0], dir)...)
				}
			}
		}
	}
	for _, f := range files { // its text is that of Go itself
		if f.of == "golang.org/x/sys" {
			files = append(files, noticeFile{"the Go standard library", f.path})
		}
	}
	slices.SortFunc(files, func(a, b noticeFile) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.path, b.path)) })
	return files
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// licencesIn are the licences in one directory. A module needs one.
func licencesIn(t *testing.T, module, dir string) (files []noticeFile) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch {
		case !licenceName.MatchString(e.Name()) || e.IsDir() || strings.HasSuffix(e.Name(), ".go"), strings.HasSuffix(e.Name(), "-LOGO"):
		case module == "modernc.org/sqlite" && e.Name() == "LICENSE-3RD-PARTY.md":
			// 74 kB about its tests; what it lists as linked has files of its own here.
		default:
			files = append(files, noticeFile{module, filepath.Join(dir, e.Name())})
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && len(files) == 0 {
		t.Errorf("%s has no licence", module)
	}
	return files
}

// noticesText joins the files, each text once.
func noticesText(t *testing.T, files []noticeFile) string {
	t.Helper()
	byText := map[string]*notice{}
	var order []*notice
	for _, f := range files {
		data, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		head, text := splitLicence(string(data))
		key := strings.ToLower(strings.Join(strings.Fields(text), " "))
		n := byText[key]
		if n == nil {
			n = &notice{text: text}
			byText[key] = n
			order = append(order, n)
		}
		holder := "\n" + f.of + "\n" + head
		if !slices.Contains(n.holders, holder) {
			n.holders = append(n.holders, holder)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "git-agent contains software and data of others. These are their notices; each\nlicence stands below all that it is the licence of.\n")
	for _, n := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n", strings.Repeat("=", 78), strings.Join(n.holders, ""), n.text)
	}
	return quote.Text(b.String())
}

// splitLicence separates the lines with the licence's name and the copyright
// holders from the licence.
func splitLicence(text string) (head, rest string) {
	title := regexp.MustCompile(`(?i)^((the )?mit license( \(mit\))?|copyright .*|all rights reserved\.?)$`)
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	for len(lines) > 0 {
		line := strings.TrimSpace(lines[0])
		if line != "" && !title.MatchString(line) {
			break
		}
		if line != "" && !strings.HasSuffix(strings.ToLower(line), "mit license") && !strings.HasSuffix(line, "(MIT)") {
			head += "    " + line + "\n"
		}
		lines = lines[1:]
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return head, strings.Join(lines, "\n")
}

// The notices come with the program.
func TestVersionLicenses(t *testing.T) {
	code, out, errs := (&study{}).run(t, "version", "--licenses")
	if code != app.ExitFound || out != notices || errs != "" {
		t.Errorf("exits with %d, %d bytes of %d, %s", code, len(out), len(notices), errs)
	}
}
