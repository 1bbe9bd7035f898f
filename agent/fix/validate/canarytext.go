package validate

import (
	"crypto/rand"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/fix/testcmd"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// canaryFile matches test files of the languages with canaries.
var canaryFile = source.Lazy(`(_test\.go|\.py|\.rs|\.[cm]?[jt]sx?|\.java|\.kt)$`)

func canaryLanguage(p string) bool { return canaryFile().MatchString(p) && !source.SteersTests(p) }

// newCanary returns a canary for the test file p with its text, or nil if the text does not
// show how to write a test.
func newCanary(p, text, command string, targets []string) *canary {
	name, token := letters(), letters()
	var base, content, id string
	switch ext := path.Ext(p); ext {
	case ".rs": // a file of its own would need a declaration, or be another program
		base = path.Base(p)
		content, id = text+rustCanary(name, token), rustModule(p)+name
	case ".go":
		base, content, id = goCanary(text, name, token, targets)
	case ".py":
		base = "test_" + name + ".py"
		content = fmt.Sprintf(
			"import unittest\n\n\nclass Test%[1]s(unittest.TestCase):\n    def test_%[1]s(self):\n        self.fail(%[2]q)\n",
			name,
			token,
		)
		id = pythonID(path.Join(path.Dir(p), base), name, targets)
	case ".java", ".kt":
		base, content, id = jvmCanary(p, text, name, token, targets)
	default:
		base, content, id = name+testSuffix().FindString(path.Base(p)), scriptCanary(p, text, name, token), name
		if m := framework().FindStringSubmatch(text); m != nil && m[1] == "node:test" {
			base, content = path.Base(p), text+"\n"+nodeCanary(text, name, token)
		}
	}
	if content == "" {
		return nil
	}
	at := path.Join(path.Dir(p), base)
	return &canary{
		file:    gitext.Overlay{Path: at, Mode: modeFile, Content: []byte(content)},
		token:   token,
		command: canaryCommand(command, p, at, targets, id),
	}
}

// letters returns a random word.
func letters() string {
	return "z" + strings.ToLower(regexp.MustCompile(`[^A-Za-z]`).ReplaceAllString(rand.Text(), ""))
}

// canaryCommand returns the test command, extended to run the canary too.
func canaryCommand(command, p, at string, targets []string, id string) string {
	if dir, _, ok := strings.Cut(strings.TrimPrefix(command, "cd "), " && "); ok && strings.HasPrefix(command, "cd ") {
		dir = path.Clean(strings.Trim(dir, "'"))
		p, at = strings.TrimPrefix(p, dir+"/"), strings.TrimPrefix(at, dir+"/")
	}
	module := func(p string) string { return strings.ReplaceAll(strings.TrimSuffix(p, ".py"), "/", ".") }
	switch {
	case strings.HasSuffix(p, ".go") || at == p:
	case strings.Contains(command, p):
		return behind(command, p, at)
	case strings.HasSuffix(p, ".py") && strings.Contains(command, module(p)):
		return behind(command, module(p), module(at))
	}
	if id != "" {
		if focused, ok := testcmd.Focus(command, append(slices.Clone(targets), id)); ok {
			return focused
		}
	}
	return command
}

// behind puts a word behind the first word of a command that starts with begins.
func behind(command, begins, word string) string {
	i := strings.Index(command, begins)
	end := len(command)
	if n := strings.IndexAny(command[i:], " \t\n;&|<>)"); n >= 0 {
		end = i + n
	}
	return command[:end] + " " + word + command[end:]
}

func rustCanary(name, token string) string {
	return fmt.Sprintf("\n#[test]\nfn %s() {\n    panic!(%q)\n}\n", name, token)
}

// rustModule returns the path of a file's module with :: at its end; "" for a file that is a
// program of tests.
func rustModule(p string) string {
	_, inside, ok := strings.Cut("/"+strings.TrimSuffix(p, ".rs"), "/src/")
	if !ok {
		return ""
	}
	inside = strings.TrimSuffix(inside, "/mod")
	if inside == "lib" || inside == "main" {
		return ""
	}
	return strings.ReplaceAll(inside, "/", "::") + "::"
}

var goPackageClause = source.Lazy(`(?m)^package\s+(\w+)`)

func goCanary(text, name, token string, targets []string) (base, content, id string) {
	m := goPackageClause().FindStringSubmatch(text)
	if m == nil {
		return "", "", ""
	}
	test := "Test" + strings.ToUpper(name[:1]) + name[1:]
	id = test
	if len(targets) > 0 {
		if pkg, _, ok := strings.Cut(targets[0], ":"); ok {
			id = pkg + ":" + test
		}
	}
	return name + "_test.go", fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc %s(t *testing.T) { t.Fatal(%q) }\n", m[1], test, token), id
}

// pythonID names the canary in the form of the failing tests' names.
func pythonID(at, name string, targets []string) string {
	if slices.ContainsFunc(targets, func(t string) bool { return strings.Contains(t, "::") }) {
		return fmt.Sprintf("%s::Test%[2]s::test_%[2]s", at, name)
	}
	module := strings.ReplaceAll(strings.TrimSuffix(at, ".py"), "/", ".")
	return fmt.Sprintf("test_%[2]s (%[1]s.Test%[2]s.test_%[2]s)", module, name)
}

var (
	jvmPackage = source.Lazy(`(?m)^package\s+([\w.]+);?\s*$`)
	jvmImport  = source.Lazy(
		`(?m)^import\s+(org\.junit\.Test|org\.junit\.jupiter\.api\.Test|org\.testng\.annotations\.Test|kotlin\.test\.Test);?\s*$`,
	)
)

// jvmCanary writes a class beside the failing one, with the same test framework.
func jvmCanary(p, text, name, token string, targets []string) (base, content, id string) {
	imported := jvmImport().FindStringSubmatch(text)
	if imported == nil {
		return "", "", ""
	}
	ext := path.Ext(p)
	class := strings.ToUpper(name[:1]) + name[1:] + "Test"
	end, method := ";", "public void "+name+"()"
	throw := fmt.Sprintf("throw new AssertionError(%q);", token)
	if ext == ".kt" {
		end, method, throw = "", "fun "+name+"()", fmt.Sprintf("throw AssertionError(%q)", token)
	}
	if m := jvmPackage().FindStringSubmatch(text); m != nil {
		content = "package " + m[1] + end + "\n\n"
	}
	content += fmt.Sprintf("import %s%s\n\npublic class %s {\n    @Test\n    %s { %s }\n}\n", imported[1], end, class, method, throw)
	return class + ext, content, jvmID(path.Base(p), class, name, targets)
}

// jvmID names the canary in the form of the failing tests' names, with its own class and
// method.
func jvmID(base, class, method string, targets []string) string {
	old := source.Stem(base)
	for _, t := range targets {
		if before, after, ok := strings.Cut(t, old); ok && len(after) > 1 {
			return before + class + after[:1] + method
		}
	}
	return ""
}

var (
	testSuffix = source.Lazy(`([._-]([Tt]ests?|[Ss]pec))?\.[cm]?[jt]sx?$`)
	esModule   = source.Lazy(`(?m)^\s*import\s`)
	framework  = source.Lazy(`['"](node:test|vitest|@jest/globals|tape|ava|uvu|tap)['"]`)
)

// nodeCanary writes a test for the end of a file with tests of node. In a file of its own it would not
// notice code that ends the process: node runs each file in a process, and prints what the code prints.
func nodeCanary(text, name, token string) string {
	body := fmt.Sprintf("(%q, () => { throw new Error(%q); });\n", name, token)
	if esModule().MatchString(text) {
		return fmt.Sprintf("import %[1]s from 'node:test';\n%[1]s%[2]s", name, body)
	}
	return "require('node:test')" + body
}

// scriptCanary writes a test in JavaScript or TypeScript with the framework of the failing
// test, or with the global functions of mocha and jest.
func scriptCanary(p, text, name, token string) string {
	m := framework().FindStringSubmatch(text)
	if m == nil {
		global := "globalThis"
		if strings.HasSuffix(strings.TrimRight(p, "x"), "ts") {
			global = "(globalThis as any)"
		}
		return fmt.Sprintf("const define = %[1]s.it || %[1]s.test;\ndefine(%[2]q, () => { throw new Error(%[3]q); });\n", global, name, token)
	}
	imported, body := "test", fmt.Sprintf("() => { throw new Error(%q); }", token)
	switch m[1] {
	case "vitest", "@jest/globals", "uvu":
		imported = "{ test }"
	case "tape", "ava", "tap":
		body = fmt.Sprintf("(t) => { t.fail(%q); if (t.end) t.end(); }", token)
	}
	head := fmt.Sprintf("const %s = require('%s');\n", imported, m[1])
	if esModule().MatchString(text) {
		head = fmt.Sprintf("import %s from '%s';\n", imported, m[1])
	}
	tail := ""
	if m[1] == "uvu" {
		tail = "test.run();\n"
	}
	return head + fmt.Sprintf("test(%q, %s);\n", name, body) + tail
}
