package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/man"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "write golden files and the generated parts of manual pages")

// flagTable is the flag table, which every text must match.
func flagTable(t *testing.T) *kong.Node {
	t.Helper()
	parser, err := newParser(&cli{}, &app.App{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Node
}

// verb finds a verb by name; "" is the program.
func verb(t *testing.T, name string) *kong.Node {
	t.Helper()
	root := flagTable(t)
	for _, n := range root.Children {
		if n.Name == name {
			return n
		}
	}
	if name != "" {
		t.Fatalf("no verb %q", name)
	}
	return root
}

// The generated parts of every page match the flag table, and every verb has a
// page.
func TestManPages(t *testing.T) {
	root := flagTable(t)
	names := map[string]bool{"git-agent": true}
	for _, v := range ui.Verbs(root) {
		names["git-agent-"+v.Name] = true
	}
	for _, page := range man.Names() {
		if !names[page] {
			t.Errorf("page %s has no verb", page)
			continue
		}
		delete(names, page)
		source, err := man.Page(page)
		if err != nil {
			t.Fatal(err)
		}
		want := regenerate(t, root, page, source)
		if source == want {
			continue
		}
		if !*update {
			t.Errorf("%s.1 disagrees with the flag table; run: go test ./cmd/git-agent -run Man -update", page)
			continue
		}
		if err := os.WriteFile(filepath.Join("..", "..", "man", page+".1"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for page := range names {
		t.Errorf("no page %s.1", page)
	}
}

var generatedPart = regexp.MustCompile(`(?ms)^\.\\" begin (\w+(?: \S+)?)\n.*?^\.\\" end\n`)

// regenerate returns a page with new generated parts.
func regenerate(t *testing.T, root *kong.Node, page, source string) string {
	node := root
	if name, ok := strings.CutPrefix(page, "git-agent-"); ok {
		node = verb(t, name)
	}
	return generatedPart.ReplaceAllStringFunc(source, func(part string) string {
		kind := generatedPart.FindStringSubmatch(part)[1]
		return fmt.Sprintf(".\\\" begin %s\n%s.\\\" end\n", kind, generate(t, root, node, kind))
	})
}

func generate(t *testing.T, root, node *kong.Node, kind string) string {
	var b strings.Builder
	kind, argument, _ := strings.Cut(kind, " ")
	switch kind {
	case "file":
		text, err := os.ReadFile(filepath.Join("..", "..", "man", filepath.FromSlash(argument)))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(strings.ReplaceAll(roff(string(text)), "'", `\(aq`))
	case "synopsis":
		b.WriteString(".nf\n")
		if node == root {
			b.WriteString("\\fBgit agent\\fR <command> [<options>] [<arguments>]\n")
		} else {
			for _, n := range ui.Leaves(node) {
				b.WriteString("\\fBgit agent\\fR " + roff(strings.TrimPrefix(ui.Synopsis(n), "git agent ")) + "\n")
			}
		}
		b.WriteString(".fi\n")
	case "commands":
		for _, v := range ui.Verbs(root) {
			fmt.Fprintf(&b, ".TP\n\\fBgit\\-agent\\-%s\\fR(1)\n%s\n", v.Name, roff(ui.Sentence(v.Help)))
		}
	case "subcommands":
		for _, n := range ui.Leaves(node) {
			head := strings.TrimSpace(fmt.Sprintf("\\fB%s\\fR %s", n.Name, roff(strings.Join(ui.Positionals(n), " "))))
			fmt.Fprintf(&b, ".TP\n%s\n%s\n.RS\n", head, roff(ui.Sentence(n.Help)))
			roffOptions(&b, ui.OptionsOf(n))
			b.WriteString(".RE\n")
		}
	case "options":
		roffOptions(&b, ui.OptionsOf(node))
		if node != root {
			b.WriteString(".PP\nSee \\fBgit\\-agent\\fR(1) for the options common to all commands.\n")
		}
	case "seealso":
		for _, v := range ui.Verbs(root) {
			fmt.Fprintf(&b, "\\fBgit\\-agent\\-%s\\fR(1),\n", v.Name)
		}
		for _, guide := range man.Guides() {
			fmt.Fprintf(&b, "\\fB%s\\fR(7),\n", roff(guide))
		}
		b.WriteString("\\fBgit\\fR(1)\n")
	case "json":
		b.WriteString(roff(sampleJSON(t)) + "\n")
	case "placeholders":
		if node.Name == "crash" {
			for _, p := range render.CrashPlaceholders {
				roffPlaceholder(&b, p.Name, p.Doc)
			}
			break
		}
		for _, p := range render.Placeholders {
			roffPlaceholder(&b, p.Name, p.Doc)
		}
	default:
		t.Fatalf("unknown generated part %q", kind)
	}
	return b.String()
}

func roffPlaceholder(b *strings.Builder, name, doc string) {
	fmt.Fprintf(b, "%s\n", roff(fmt.Sprintf("%-16s%s", "%"+name, doc)))
}

func roffOptions(b *strings.Builder, rows []ui.Option) {
	for _, o := range rows {
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", roff(o.Spelling()), roff(ui.Sentence(o.Help)))
	}
}

// roff writes text so that a copied hyphen stays a hyphen.
func roff(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\e`), "-", `\-`) }

// sampleJSON is the documented form, made from the type itself.
func sampleJSON(t *testing.T) string {
	t.Helper()
	sample := render.AnswerJSON{
		Schema: render.AnswerSchema, Source: "commit", Notes: []string{},
		Suspects: []render.SuspectJSON{{
			Evidence: []render.EvidenceJSON{{}}, Signals: []render.SignalJSON{{}}, Confirmation: &render.ConfirmationJSON{},
		}},
	}
	b, err := json.MarshalIndent(sample, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Each documented exit code exists in the code and in the manual.
func TestManExitStatus(t *testing.T) {
	page, err := man.Page("git-agent")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(page, ".SH EXIT STATUS\n")
	section, _, _ = strings.Cut(section, ".SH ")
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^\\fB(\d+)\\fR$`).FindAllStringSubmatch(section, -1) {
		documented = append(documented, m[1])
	}
	want := fmt.Sprint([]int{app.ExitFound, app.ExitNothing, app.ExitLimit, app.ExitModel, app.ExitIncomplete, app.ExitUnsure, app.ExitFatal, app.ExitUsage, app.ExitInterrupted})
	if got := fmt.Sprint(documented); got != want {
		t.Errorf("EXIT STATUS lists %s, the code has %s", got, want)
	}
}

// Each colour slot in the code is in the manual.
func TestManColorSlots(t *testing.T) {
	page, err := man.Page("git-agent")
	if err != nil {
		t.Fatal(err)
	}
	for slot := range app.ColorSlots {
		if !strings.Contains(page, `\fB`+slot+`\fR`) {
			t.Errorf("git-agent.1 does not name the colour slot %q", slot)
		}
	}
}

// Each page uses only macros known to our own renderer, and leaves no markup in
// the text.
func TestManText(t *testing.T) {
	known := regexp.MustCompile(`^\.(TH|SH|SS|TP|IP|PP|RS|RE|nf|fi|EX|EE|br|B|I|BR|RB|IR|RI|\\")( |$)`)
	for _, name := range slices.Concat(man.Names(), man.Guides()) {
		page, _ := man.Page(name)
		for i, line := range strings.Split(page, "\n") {
			if strings.HasPrefix(line, ".") && !known.MatchString(line) {
				t.Errorf("%s:%d: unknown macro %q", name, i+1, line)
			}
		}
		text := man.Text(page, 80, nil)
		if strings.Contains(text, `\f`) || strings.Contains(text, `\-`) {
			t.Errorf("%s: markup is left in the text", name)
		}
		for i, line := range strings.Split(text, "\n") {
			if len([]rune(line)) > 100 {
				t.Errorf("%s: line %d of the text is %d columns wide", name, i+1, len([]rune(line)))
			}
		}
	}
}

// Usage, manual and completions of every verb name every option.
func TestTextsAgree(t *testing.T) {
	root := flagTable(t)
	scripts := map[string]string{}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		scripts[shell] = ui.CompletionFor(shell, root)
	}
	for _, v := range ui.Verbs(root) {
		page, err := man.Page("git-agent-" + v.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		var usage bytes.Buffer
		for _, n := range append(ui.Leaves(v), v) {
			ui.WriteUsage(&usage, n, root)
		}
		text := man.Text(page, 200, nil)
		for _, o := range ui.AllOptions(v, root)[:len(ui.AllOptions(v, root))-len(ui.OptionsOf(root))] {
			for form, in := range map[string]string{"usage": usage.String(), "manual": text} {
				if !strings.Contains(in, o.Spelling()) {
					t.Errorf("%s of %s does not have %q", form, v.Name, o.Spelling())
				}
			}
			for shell, script := range scripts {
				word := "--" + o.Long
				if shell == "fish" {
					word = "-l " + o.Long
				}
				if !strings.Contains(script, word) {
					t.Errorf("%s completion of %s does not have %q", shell, v.Name, word)
				}
			}
		}
	}
}

// The hook in the manual page is the one in a script test.
func TestManHook(t *testing.T) {
	page, err := man.Page("git-agent-szz")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/szz_trailer_floor.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, hook, found := strings.Cut(strings.ReplaceAll(page, `\-`, "-"), ".nf\n#!/bin/sh\n")
	hook, _, _ = strings.Cut(hook, ".fi\n")
	for line := range strings.Lines(hook) {
		if !strings.Contains(string(script), line) {
			t.Errorf("no script runs %q", line)
		}
	}
	if !found || strings.Count(hook, "\n") < 3 {
		t.Errorf("hook %q", hook)
	}
}
