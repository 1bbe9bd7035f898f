package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// steers says, in a clause with a subject, how a file of a patch would change the choice of
// tests or their environment. It returns "" if it would not.
func (v *Validator) steers(ctx context.Context, t tree, f gitext.Overlay) (string, error) {
	if v.problem.EditTests {
		return "", nil
	}
	name := strconv.Quote(f.Path)
	old, there := t[f.Path]
	if !there && f.Mode != 0 && source.Shadows(f.Path, packaged(t, f.Path)) {
		return fmt.Sprintf("it adds %s, which takes the place of a module that tests use", name), nil
	}
	steering := source.SteersTests(f.Path)
	if !steering {
		var err error
		if steering, err = v.helps(ctx, t, f.Path); err != nil || !steering {
			return "", err
		}
	}
	if there && v.rep.Opened != nil && !v.rep.Opened[f.Path] && !v.hasSuite() {
		return "", nil // the failing run did not open the file
	}
	if harmless, err := v.harmless(ctx, old, f); err != nil || harmless {
		return "", err
	}
	return fmt.Sprintf("it changes %s, which says how the tests run", name), nil
}

// packaged reports whether a file is in a package of Python.
func packaged(t tree, p string) bool {
	_, there := t[path.Join(path.Dir(p), "__init__.py")]
	return there
}

// These match scripts by name. A script in the language of the project counts as a part of the
// product, except in a folder for test helpers.
var (
	shellScript  = source.Lazy(`(?i)\.(sh|bash|zsh|ksh|bat|cmd|ps1|awk|tcl|pl)$`)
	anyScript    = source.Lazy(`(?i)\.(sh|bash|zsh|ksh|bat|cmd|ps1|awk|tcl|pl|py|rb|php|lua|[cm]?[jt]s)$`)
	shebang      = source.Lazy(`^#![^\n]*[/ ](?:((?:ba|z|k|da)?sh|g?awk|tclsh|perl)|[\w.]+)\b`)
	helperPlace  = source.Lazy(`(?i)^(scripts?|tools?|build|ci|hack|bin|etc|utils?|dev|misc|\.ci)/`)
	helperName   = source.Lazy(`(?i)(test|check|run|spec|harness|verify)`)
	instructions = source.Lazy(
		`(?i)(^|/)((gnu)?makefile|[^/]*\.mk|package\.json|tox\.ini|noxfile\.py|justfile|taskfile\.ya?ml|rakefile|meson\.build|cmakelists\.txt)$`,
	)
)

// helps reports whether a file is a script that runs tests. Its folder or its name is typical
// of helpers, and the failing run opens it or a build file names it. The product of a project
// may consist of scripts, too: scripts in other folders, scripts that the user suspects, and
// shell scripts in a project of shell scripts are no helpers.
func (v *Validator) helps(ctx context.Context, t tree, p string) (bool, error) {
	if _, there := t[p]; !there || !helperPlace().MatchString(p) && !helperName().MatchString(path.Base(p)) {
		return false, nil
	}
	script, shell, err := v.script(ctx, t[p])
	if err != nil || !script {
		return false, err
	}
	if slices.ContainsFunc(v.problem.Given, func(g fix.GivenLocation) bool { return g.Path == p }) {
		return false, nil
	}
	if shell && !shellProject(t) && (v.rep.Opened == nil || v.rep.Opened[p]) {
		return true, nil
	}
	text, err := v.told.get(ctx, func(ctx context.Context) (string, error) { return v.instructions(ctx, t) })
	return strings.Contains(text, p), err
}

// script reports whether a file is a script, and whether of a shell or the like. Its suffix says so, or
// where it has none, its first line.
func (v *Validator) script(ctx context.Context, f gitext.Overlay) (is, shell bool, err error) {
	if path.Ext(f.Path) != "" {
		return anyScript().MatchString(f.Path), shellScript().MatchString(f.Path), nil
	}
	content, err := v.content(ctx, f)
	if ctx.Err() != nil {
		return false, false, err
	}
	m := shebang().FindSubmatch(content) // an unreadable file counts as empty
	return m != nil, m != nil && m[1] != nil, nil
}

// shellProject reports whether at least half of the sources, without helpers, are shell
// scripts.
func shellProject(t tree) bool {
	shell, all := 0, 0
	for p := range t {
		if source.FileKindOf(p) != source.SourceFile || source.SteersTests(p) || source.IsTestPath(p) || helperPlace().MatchString(p) {
			continue
		}
		all++
		if shellScript().MatchString(p) {
			shell++
		}
	}
	return 2*shell >= all
}

// maxInstructions bounds how many build files are read.
const maxInstructions = 200

// instructions returns the commands of the problem and the text of the build files.
func (v *Validator) instructions(ctx context.Context, t tree) (string, error) {
	text := strings.Join([]string{v.problem.Test, v.problem.Build, v.problem.Suite}, "\n")
	read := 0
	for _, p := range slices.Sorted(maps.Keys(t)) {
		if !instructions().MatchString(p) || read == maxInstructions {
			continue
		}
		read++
		content, err := v.content(ctx, t[p])
		if ctx.Err() != nil {
			return "", err
		}
		if err == nil { // an unreadable file counts as empty
			text += "\n" + string(content)
		}
	}
	return text, nil
}

// harmless reports whether a change of a file that steers tests has no effect on tests, such as
// a change of a package's dependencies.
func (v *Validator) harmless(ctx context.Context, old, f gitext.Overlay) (bool, error) {
	rest := map[string]func([]byte) string{"package.json": manifestRest, "go.mod": goModRest}[path.Base(f.Path)]
	if rest == nil || old.Mode == 0 || f.Mode == 0 || source.IsVendored(f.Path) {
		return false, nil
	}
	before, err := v.content(ctx, old)
	if err != nil {
		return false, err
	}
	after, err := v.content(ctx, f)
	if err != nil {
		return false, err
	}
	was, is := rest(before), rest(after)
	return was != "" && was == is, nil
}

// productKeys are the keys of package.json about the product and not about its tests.
var productKeys = strings.Fields(
	`version description keywords author contributors license repository bugs homepage funding main module types typings browser
	exports files sideEffects engines dependencies peerDependencies optionalDependencies`,
)

// manifestRest returns package.json without the keys about the product; "" if it is no JSON
// object.
func manifestRest(content []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(content, &all) != nil {
		return ""
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(productKeys, key) {
			continue
		}
		var plain bytes.Buffer
		if json.Compact(&plain, all[key]) != nil {
			return ""
		}
		fmt.Fprintf(&text, "%q:%s\n", key, plain.Bytes())
	}
	return text.String() + "{}"
}

// goModRest returns go.mod without the required versions.
func goModRest(content []byte) string {
	var text strings.Builder
	block := ""
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case block != "" && words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		case block == "require" || block == "" && words[0] == "require":
		default:
			fmt.Fprintln(&text, block, strings.Join(words, " "))
		}
	}
	return text.String()
}

// runsItself returns cautions about files of a patch that some program runs or obeys
// automatically.
func runsItself(files []gitext.Overlay) (cautions []string) {
	for _, f := range files {
		if f.Mode != 0 && source.RunsItself(f.Path) {
			cautions = append(
				cautions,
				fmt.Sprintf("it changes %s, which programs run or obey by themselves: read it before you apply the patch", strconv.Quote(f.Path)),
			)
		}
	}
	return cautions
}
