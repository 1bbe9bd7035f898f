package locate

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// namesOnly is the format whose frames have the names of files without their folders.
const namesOnly = "valgrind"

// longestLine is a column that the lines of sources do not have.
const longestLine = 500

// maxLookups limits the functions without a file that are looked up for one report.
const maxLookups = 40

// Locate sets the Path and the Rule of all frames that it can map to tracked files of the commit.
// It returns the files of the commit. If a part of the repository cannot be read, Locate maps the
// remaining frames, and returns the files together with an error for which gitext.Unreadable is
// true.
func Locate(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) (*Files, error) {
	files, err := FilesOf(ctx, repo, commit)
	if files == nil {
		return nil, err
	}
	files.mapPaths(report)
	for _, look := range []func(context.Context, *gitext.Repo, gitext.OID, *crash.Report) error{
		files.unbundle, nameNumbers, files.mapSymbols, mapCgo, files.mapCompiled,
	} {
		failed := look(ctx, repo, commit, report)
		if failed != nil && !gitext.Unreadable(failed) {
			return files, failed
		}
		err = cmp.Or(err, failed)
	}
	settleBundled(report)
	return files, err
}

// ByPath maps the frames of a report that name their files, as Locate does. It looks up no function,
// which takes seconds in a large repository.
func ByPath(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) error {
	files, err := FilesOf(ctx, repo, commit)
	if files == nil {
		return err
	}
	files.mapPaths(report)
	err = files.unbundle(ctx, repo, commit, report)
	settleBundled(report)
	if gitext.Unreadable(err) {
		return nil
	}
	return err
}

// FilesOf returns the files of a commit. If a part of its tree cannot be read, it
// returns the others together with an error for which gitext.Unreadable is true.
func FilesOf(ctx context.Context, repo *gitext.Repo, commit gitext.OID) (*Files, error) {
	tree, err := repo.Tree(ctx, commit)
	if err != nil && (len(tree) == 0 || !gitext.Unreadable(err)) {
		return nil, err
	}
	paths := make([]string, 0, len(tree))
	for _, e := range tree {
		paths = append(paths, e.Path)
	}
	files := NewFiles(paths)
	files.commit = string(commit)
	files.module = nameAtTop(ctx, repo, commit, files, "go.mod", moduleLine)
	files.crate = nameAtTop(ctx, repo, commit, files, "Cargo.toml", crateName)
	files.npm = npmAtTop(ctx, repo, commit, files)
	files.rPackages = sync.OnceValue(func() map[string]string { return packagesIn(ctx, repo, commit, files, "DESCRIPTION", packageOfR) })
	files.dartPackages = sync.OnceValue(func() map[string]string { return packagesIn(ctx, repo, commit, files, "pubspec.yaml", packageOfDart) })
	return files, err
}

var moduleLine = source.Lazy(`(?m)^module[ \t]+"?([^\s"]+)`)

// nameAtTop returns what a pattern finds in a manifest at the top of a commit's tree, or "" if there
// is none or it cannot be read.
func nameAtTop(ctx context.Context, repo *gitext.Repo, commit gitext.OID, files *Files, manifest string, form source.Pattern) string {
	const most = 1 << 20
	if !files.Has(manifest) {
		return ""
	}
	text, err := repo.BlobAt(ctx, commit, manifest, most)
	if err != nil {
		return ""
	}
	if m := form().FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// mapPaths maps the frames with a file name.
func (f *Files) mapPaths(report *crash.Report) {
	type choice struct {
		frame *crash.Frame
		paths []string
	}
	var open []choice
	dirs := map[string]int{} // number of frames in each directory
	for i := range report.Stacks {
		for j := range report.Stacks[i].Frames {
			frame := &report.Stacks[i].Frames[j]
			frame.Moved, frame.At, frame.Uncommitted = false, 0, false
			if frame.File == "" || ofRuntime(&report.Stacks[i], frame) {
				continue
			}
			paths, rule := f.Find(frame.File)
			if frame.Column > longestLine && !slices.ContainsFunc(paths, func(p string) bool { return path.Ext(p) == path.Ext(frame.File) }) {
				paths = nil // the minified code of many files, in one that has the name of the first
			}
			if paths = ofGoPackage(frame.Function, paths); len(paths) == 0 {
				rule = ""
			}
			frame.Rule = string(rule)
			if rule == RuleGenerated && source.IsJavaScript(frame.File) {
				frame.Rule = string(RuleTranspiled)
			}
			frame.Moved = linesMade(Rule(frame.Rule)) && frame.Line > 0 // which is no line of the source
			switch {
			case len(paths) == 0:
			case rule == RuleExact && report.Stacks[i].Format == namesOnly && len(f.named(frame.File)) > 1:
				frame.Path, frame.Rule = paths[0], string(RuleAmbiguous) // unless another one defines the function
			case len(paths) == 1:
				frame.Path = paths[0]
				dirs[path.Dir(frame.Path)]++
			default:
				open = append(open, choice{frame, paths})
			}
		}
	}
	by := preferenceFor(report, dirs)
	for _, c := range open {
		c.frame.Path = choose(c.paths, by)
	}
}

// choose picks one of several files with the same name.
func choose(paths []string, by preference) string {
	best := paths[0]
	for _, p := range paths[1:] {
		if by.better(p, best) {
			best = p
		}
	}
	return best
}

// mapSymbols maps frames with only a function name to the file that defines the function. If a
// frame's path is ambiguous, it maps the frame to a file of that name that defines the function, if
// there is one.
func (f *Files) mapSymbols(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) error {
	names, order, dirs := f.openFunctions(report)
	if len(order) == 0 {
		return nil
	}
	stacks, by := stacksOf(report), preferenceFor(report, dirs)
	defined, err := symbol.Find(ctx, repo, commit, order)
	if err != nil && !gitext.Unreadable(err) {
		return err
	}
	lists := map[*crash.Frame][]symbol.Definition{}
	for _, name := range order {
		for _, frame := range names[name] {
			list := sameName(defined[name], frame.File)
			switch {
			case ofBundle(frame):
				list = definedOnce(defined[name], frame)
			case frame.Path != "":
				list = f.among(list, frame.File)
			case len(list) == 0 && inSystemHeader(stacks[frame], frame):
				list = defined[name]
			}
			list = slices.DeleteFunc(slices.Clone(list), func(d symbol.Definition) bool {
				return !fits(stacks[frame], frame, d.Path) || stacks[frame].Format == kernel && by.elsewhere(d.Path)
			})
			if stacks[frame].Format == "dotnet" && frame.Path == "" {
				list = withClass(ctx, repo, commit, list, frame.Function)
			}
			if frame.File == "" && systemLibrary().MatchString(frame.Module) { // a method of a class that the project uses
				list = slices.DeleteFunc(list, func(d symbol.Definition) bool { return !fitsScope(d, frame.Function) })
			}
			if lists[frame] = list; len(list) == 1 {
				dirs[path.Dir(list[0].Path)]++
			}
		}
	}
	for _, name := range order {
		for _, frame := range names[name] {
			d, ok := bestDefinition(lists[frame], frame, by)
			if !ok {
				if err == nil && len(defined[name]) == 0 && f.ofCaller(stacks[frame], frame) {
					frame.Path, frame.Rule = "", ""
				}
				continue
			}
			placeAt(frame, d)
		}
	}
	f.chooseAgain(report, by)
	return err
}

// placeAt maps a frame to the definition of its function.
func placeAt(frame *crash.Frame, d symbol.Definition) {
	bundled := ofBundle(frame)
	frame.Path, frame.Rule = d.Path, string(RuleDefines)
	switch {
	case bundled:
		frame.Rule, frame.DefinedAt = string(RuleBundled), d.Line
	case frame.File == "" && frame.Line >= d.Line: // Visual Studio names no file
		frame.File, frame.Rule = path.Base(d.Path), string(RuleSymbol)
	case frame.File == "" || !strings.EqualFold(path.Base(d.Path), path.Base(Clean(frame.File))):
		frame.Rule, frame.DefinedAt = string(RuleSymbol), d.Line
		frame.Moved = frame.Line > 0 // which is a line of the header
	case frame.Line == 0:
		frame.DefinedAt = d.Line
	}
}

// usualName is the number of files of a name, such as main.c, from which one of another program is as likely.
const usualName = 3

// ofCaller reports whether a frame, whose function no file of the commit defines, is in the program of somebody who uses the project: its
// file has only a name, which several files of the project have.
func (f *Files) ofCaller(s *crash.Stack, frame *crash.Frame) bool {
	if s.Format != namesOnly || strings.Contains(Clean(frame.File), "/") || len(symbol.Last(frame.Function)) < minMoved {
		return false
	}
	return len(f.named(frame.File)) >= usualName
}

// chooseAgain chooses among several files of a name by the folders in which the other frames are now.
func (f *Files) chooseAgain(report *crash.Report, by preference) {
	for i := range report.Stacks {
		for j := range report.Stacks[i].Frames {
			frame := &report.Stacks[i].Frames[j]
			if frame.Rule != string(RuleAmbiguous) {
				continue
			}
			paths, _ := f.Find(frame.File)
			if paths = ofGoPackage(frame.Function, paths); len(paths) > 0 {
				frame.Path = choose(paths, by)
			}
		}
	}
}

// openFunctions returns the frames to look up by the names of their functions, these names in the
// order of the report, and the number of frames in each directory. A frame with one of several files of
// its name is looked up, too: one of them may define the function.
func (f *Files) openFunctions(report *crash.Report) (names map[string][]*crash.Frame, order []string, dirs map[string]int) {
	names, dirs = map[string][]*crash.Frame{}, map[string]int{}
	for i := range report.Stacks {
		for j := range report.Stacks[i].Frames {
			frame := &report.Stacks[i].Frames[j]
			if frame.Path != "" && frame.Rule != string(RuleAmbiguous) {
				dirs[path.Dir(frame.Path)]++
				continue
			}
			ours := frame.File == "" || f.maybeOurs(frame.File) || inSystemHeader(&report.Stacks[i], frame) || ofBundle(frame)
			if ofRuntime(&report.Stacks[i], frame) {
				continue
			}
			if frame.Function == "" || OfCgo(*frame) || Foreign(*frame) || !ours || f.builtIn(&report.Stacks[i], frame) {
				continue
			}
			if !f.mayDefine(&report.Stacks[i], frame) {
				continue
			}
			name := symbol.Last(frame.Function)
			switch report.Stacks[i].Format {
			case "r", elisp:
				name = frame.Function // a dot or a slash is a part of the name
			}
			if len(name) < 3 || names[name] == nil && len(order) == maxLookups {
				continue
			}
			if names[name] == nil {
				order = append(order, name)
			}
			names[name] = append(names[name], frame)
		}
	}
	return names, order, dirs
}

// mayDefine reports whether the commit has a file that can define the function of a frame, by its name: a search in all
// files for a name such as "run" is slow.
func (f *Files) mayDefine(stack *crash.Stack, frame *crash.Frame) bool {
	if ofBundle(frame) {
		return true
	}
	if frame.File != "" {
		return len(f.named(frame.File)) > 0 || inSystemHeader(stack, frame)
	}
	switch stack.Format {
	case "javascript", "julia":
		return false // of the engine itself: Array.forEach (<anonymous>), new Promise (<anonymous>)
	case "r":
		if frame.Module == "" {
			return true
		}
		_, own := f.rPackages()[frame.Module]
		return own
	case "lua":
		return frame.Module != "[C]"
	case "java":
	default:
		return true
	}
	for p := range f.all {
		if inJavaClass(frame.Function, p) {
			return true
		}
	}
	return false
}

// sameName returns the definitions in files with the base name of a reported path, or all if
// there is no path.
func sameName(list []symbol.Definition, file string) []symbol.Definition {
	if file == "" {
		return list
	}
	base := path.Base(Clean(file))
	var out []symbol.Definition
	for _, d := range list {
		if strings.EqualFold(path.Base(d.Path), base) {
			out = append(out, d)
		}
	}
	return out
}

// withClass returns the definitions in files that are named like the class of a method of .NET, or else in those that name it: its frames
// name the class that declares the method. The file of a program without a class Program does not name it.
func withClass(ctx context.Context, repo *gitext.Repo, commit gitext.OID, list []symbol.Definition, function string) []symbol.Definition {
	const most, size = 50, 1 << 20
	class, _, ok := methodOf(function)
	if !ok || class == "Program" {
		return list
	}
	own := slices.DeleteFunc(slices.Clone(list), func(d symbol.Definition) bool {
		stem, _, _ := strings.Cut(path.Base(d.Path), ".")
		return stem != class
	})
	if len(own) > 0 {
		return own // a file is named like its class, as most are
	}
	if len(list) > most {
		return nil // of a method with a usual name, such as Get
	}
	named := map[string]bool{}
	for _, d := range list {
		if _, known := named[d.Path]; known {
			continue
		}
		text, err := repo.BlobAt(ctx, commit, d.Path, size)
		named[d.Path] = err != nil || path.Ext(d.Path) == ".fs" || mentions([][]byte{text}, class)
	}
	return slices.DeleteFunc(list, func(d symbol.Definition) bool { return !named[d.Path] })
}

// among returns the definitions in the files that may match a report's path.
func (f *Files) among(list []symbol.Definition, file string) []symbol.Definition {
	paths, _ := f.Find(file)
	if !strings.Contains(Clean(file), "/") {
		paths = f.named(file)
	}
	return slices.DeleteFunc(slices.Clone(list), func(d symbol.Definition) bool { return !slices.Contains(paths, d.Path) })
}

// ofClass returns the definitions of a constructor or a destructor. If there is none, the compiler
// made the function: it returns the definitions of the class, and true. For other functions it
// returns the list.
func ofClass(list []symbol.Definition, function string) (of []symbol.Definition, made bool) {
	name, scope := symbol.Last(function), symbol.Scope(function)
	if name != scope {
		return list, false
	}
	destructor := strings.HasSuffix(function, "~"+name)
	var own, class []symbol.Definition
	for _, d := range list {
		switch {
		case d.Kind == symbol.Type:
			class = append(class, d)
		case d.Kind == symbol.Function && strings.Contains(d.Text, "~"+name) == destructor:
			own = append(own, d)
		}
	}
	if len(own) == 0 && len(class) > 0 {
		return class, true
	}
	return own, false
}

// bestDefinition picks the likeliest definition for a frame.
func bestDefinition(list []symbol.Definition, frame *crash.Frame, by preference) (symbol.Definition, bool) {
	var best symbol.Definition
	list, made := ofClass(list, frame.Function)
	list = inModule(list, frame.Function)
	for _, d := range list {
		if d.Kind != symbol.Function && !made || !fitsScope(d, frame.Function) && anyFits(list, frame.Function) {
			continue
		}
		x, y := by.ofProgram(d.Path), by.ofProgram(best.Path)
		if best.Path == "" || x && !y || x == y && (d.Score > best.Score || d.Score == best.Score && by.better(d.Path, best.Path)) {
			best = d
		}
	}
	return best, best.Path != ""
}

// inModule returns the definitions in the files that are named like the modules of a function:
// crate::ui::prompt::Prompt::insert_char is in ui/prompt.rs. It returns the definitions with the
// most such names in their paths, or all if there are none.
func inModule(list []symbol.Definition, function string) []symbol.Definition {
	parts := strings.FieldsFunc(function, source.NotIdent)
	if len(parts) < 2 || !strings.Contains(function, "::") {
		return list
	}
	most := 0
	var out []symbol.Definition
	for _, d := range list {
		if path.Ext(d.Path) != ".rs" {
			continue
		}
		n := 0
		for _, dir := range strings.Split(strings.TrimSuffix(d.Path, ".rs"), "/") {
			if slices.Contains(parts[:len(parts)-1], strings.ReplaceAll(dir, "-", "_")) {
				n++
			}
		}
		if n > most {
			most, out = n, nil
		}
		if n == most && n > 0 {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

// fitsScope reports whether the text of a definition contains the class or the namespace of the
// frame's function.
func fitsScope(d symbol.Definition, function string) bool {
	scope := symbol.Scope(function)
	return scope == "" || strings.Contains(d.Text, scope)
}

func anyFits(list []symbol.Definition, function string) bool {
	for _, d := range list {
		if fitsScope(d, function) {
			return true
		}
	}
	return false
}
