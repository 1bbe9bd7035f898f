package offline

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"git-agent/agent/source"
)

// Schemata combine many variants of Go functions into one program. An environment variable
// selects the variant. So one build serves all variants (mutant schemata: Untch, Offutt and
// Harrold, ISSTA 1993).
//
// The original function and each variant get new names, and a function with the old name calls
// the selected one. Some values, such as the name of the caller or the result of recover, may
// differ from the original program. So the result of a variant is only a hint, and the patch
// itself has to be tried.

// variantVariable is the environment variable with the number of the variant to run; 0 or no number
// selects the original.
const variantVariable = "GIT_AGENT_VARIANT"

// A variantProgram is a set of files with all variants.
type variantProgram struct {
	Files map[string][]byte // by path, including the files that select the variant
	at    map[string][]span // the lines of the variants in each file
}

// A span is the lines of a variant in a combined file.
type span struct{ variant, from, to int }

// combineVariants makes a program from variants. Their keys are their numbers, from 1. original
// returns the unchanged content of a file. rejected has the numbers of variants that cannot be
// combined, because they change more than the body of one function.
func combineVariants(original func(path string) ([]byte, bool), variants map[int]variant) (p *variantProgram, rejected []int) {
	p = &variantProgram{Files: map[string][]byte{}, at: map[string][]span{}}
	files := map[string]*file{}
	for n := range maxNumber(variants) + 1 {
		v, ok := variants[n]
		if !ok {
			continue
		}
		f := files[v.Path]
		if f == nil {
			f = read(original, v.Path)
			files[v.Path] = f
		}
		if f == nil || !f.add(n, v.Content) {
			rejected = append(rejected, n)
		}
	}
	for name, f := range files {
		if f != nil && len(f.chosen) > 0 {
			p.Files[name], p.at[name] = f.combined()
			p.Files[path.Join(path.Dir(name), chooserName)] = f.chooser()
		}
	}
	return p, rejected
}

func maxNumber(variants map[int]variant) int {
	n := 0
	for k := range variants {
		n = max(n, k)
	}
	return n
}

// variantAt returns the number of the variant at a line of a combined file, 0 if there is none.
// file is the file's path or the end of it.
func (p *variantProgram) variantAt(file string, line int) int {
	for name, spans := range p.at {
		if name != file && path.Base(name) != path.Base(file) {
			continue
		}
		for _, s := range spans {
			if line >= s.from && line <= s.to {
				return s.variant
			}
		}
	}
	return 0
}

// chooserName is the name of the file that reads the environment.
const chooserName = "zz_git_agent_variant.go"

// A file is a file with variants.
type file struct {
	path    string
	content []byte
	set     *token.FileSet
	tree    *ast.File
	chosen  map[*ast.FuncDecl][]choice
	order   []*ast.FuncDecl
}

// A choice is the text of a function in a variant.
type choice struct {
	number int
	text   string
}

// read parses a file; nil if that is not possible.
func read(original func(string) ([]byte, bool), name string) *file {
	content, ok := original(name)
	if !ok || path.Ext(name) != ".go" {
		return nil
	}
	f := &file{path: name, content: content, set: token.NewFileSet(), chosen: map[*ast.FuncDecl][]choice{}}
	var err error
	if f.tree, err = parser.ParseFile(f.set, name, content, parser.SkipObjectResolution); err != nil {
		return nil
	}
	return f
}

func (f *file) offset(p token.Pos) int { return f.set.Position(p).Offset }

// text returns the source of a node.
func (f *file) text(n ast.Node) string {
	return string(f.content[f.offset(n.Pos()):f.offset(n.End())])
}

// add adds a variant if it changes only the body of one function.
func (f *file) add(number int, content []byte) bool {
	from, end := source.CommonEnds(f.content, content)
	for _, d := range f.tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || f.offset(fn.Body.Lbrace) >= from || f.offset(fn.Body.Rbrace) < len(f.content)-end {
			continue
		}
		if name := fn.Name.Name; name == "init" && fn.Recv == nil || name == "_" || name == "main" && fn.Recv == nil {
			return false
		}
		stop := len(content) - (len(f.content) - f.offset(fn.End()))
		start := f.offset(fn.Name.End())
		if stop <= start {
			return false
		}
		if len(f.chosen[fn]) == 0 {
			f.order = append(f.order, fn)
		}
		f.chosen[fn] = append(f.chosen[fn], choice{number, f.heading(fn, number) + string(content[start:stop])})
		return true
	}
	return false
}

// heading returns the beginning of a function up to its name, with a number added to the name.
func (f *file) heading(fn *ast.FuncDecl, number int) string {
	return string(f.content[f.offset(fn.Pos()):f.offset(fn.Name.End())]) + suffix(number)
}

func suffix(number int) string { return fmt.Sprintf("__zz%d", number) }

// combined returns the file with all variants, and their lines.
func (f *file) combined() ([]byte, []span) {
	var out bytes.Buffer
	at := 0
	for _, d := range f.tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || len(f.chosen[fn]) == 0 {
			continue
		}
		out.Write(f.content[at:f.offset(fn.Pos())])
		out.WriteString(f.dispatcher(fn) + "\n\n")
		out.WriteString(f.heading(fn, 0))
		at = f.offset(fn.Name.End())
	}
	out.Write(f.content[at:])
	line := bytes.Count(out.Bytes(), []byte("\n")) + 1
	var spans []span
	for _, fn := range f.order {
		for _, c := range f.chosen[fn] {
			out.WriteString("\n" + c.text + "\n")
			n := strings.Count(c.text, "\n")
			spans = append(spans, span{c.number, line + 1, line + 1 + n})
			line += n + 2
		}
	}
	return out.Bytes(), spans
}

// dispatcher returns the function with the old name that calls the selected variant.
func (f *file) dispatcher(fn *ast.FuncDecl) string {
	var b strings.Builder
	b.WriteString("func ")
	target := fn.Name.Name
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		fmt.Fprintf(&b, "(zzr %s) ", f.text(fn.Recv.List[0].Type))
		target = "zzr." + target
	}
	b.WriteString(fn.Name.Name)
	types := ""
	if fn.Type.TypeParams != nil {
		b.WriteString(f.text(fn.Type.TypeParams))
		types = "[" + strings.Join(names(fn.Type.TypeParams), ", ") + "]"
	}
	params, args := f.parameters(fn)
	fmt.Fprintf(&b, "(%s) ", params)
	call := func(n int) string { return target + suffix(n) + types + "(" + args + ")" }
	if fn.Type.Results != nil {
		b.WriteString(f.text(fn.Type.Results) + " ")
	}
	b.WriteString("{\n\tswitch gitAgentVariant {\n")
	for _, c := range f.chosen[fn] {
		fmt.Fprintf(&b, "\tcase %d:\n\t\t%s\n", c.number, returned(fn, call(c.number)))
	}
	fmt.Fprintf(&b, "\tdefault:\n\t\t%s\n\t}\n}", returned(fn, call(0)))
	return b.String()
}

// returned returns the statement that ends the dispatcher with a call.
func returned(fn *ast.FuncDecl, call string) string {
	if fn.Type.Results == nil {
		return call
	}
	return "return " + call
}

// parameters returns the parameters of the dispatcher, and the arguments that it passes
// on.
func (f *file) parameters(fn *ast.FuncDecl) (params, args string) {
	var ps, as []string
	for _, field := range fn.Type.Params.List {
		for range max(len(field.Names), 1) {
			name := fmt.Sprintf("zz%d", len(ps))
			ps = append(ps, name+" "+f.text(field.Type))
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				name += "..."
			}
			as = append(as, name)
		}
	}
	return strings.Join(ps, ", "), strings.Join(as, ", ")
}

func names(list *ast.FieldList) []string {
	var out []string
	for _, field := range list.List {
		for _, n := range field.Names {
			out = append(out, n.Name)
		}
	}
	return out
}

// chooser returns the file that reads the environment.
func (f *file) chooser() []byte {
	return fmt.Appendf(nil, `package %s

import (
	"os"
	"strconv"
)

var gitAgentVariant = func() int {
	n, _ := strconv.Atoi(os.Getenv(%q))
	return n
}()
`, f.tree.Name.Name, variantVariable)
}
