package locate

import (
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Limits on bundles, scripts that were made of many files.
const (
	beyondTimes = 2    // as many lines as the file, and
	beyondLines = 200  // so many more, are no line of any version of it
	minHumped   = 8    // letters of a name that a page's scripts have by no chance
	maxBundled  = 4000 // definitions of a name that are looked through
)

// ofBundle reports whether a frame is in a bundle: its file is none of the commit, and its function may be in any.
func ofBundle(frame *crash.Frame) bool { return frame.Rule == string(RuleBundled) && frame.Path == "" }

// unbundle takes the frames of bundles from the files whose names these have. A file that is tracked is a bundle's if a frame is at a line
// far behind its end; a file that is not is a bundle if npm installed it for a package of the tree, or if a page loaded it.
func (f *Files) unbundle(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) error {
	lengths, bundles := map[string]int{}, map[string]bool{}
	for frame := range scripts(report) {
		if frame.Path == "" {
			bundles[frame.File] = f.ownBundle(frame.File)
			continue
		}
		n, known := lengths[frame.Path]
		if !known {
			text, err := repo.BlobAt(ctx, commit, frame.Path, maxFitBytes)
			if err != nil && !gitext.Unreadable(err) {
				return err
			}
			n = -1
			if err == nil {
				n = len(source.SplitLines(text))
			}
			lengths[frame.Path] = n
		}
		if n >= 0 && frame.Line > beyondTimes*n+beyondLines {
			bundles[frame.File] = true
		}
	}
	for frame := range scripts(report) {
		if bundles[frame.File] {
			frame.Path, frame.Rule, frame.Moved = "", string(RuleBundled), false
		}
	}
	return nil
}

// scripts yields the frames of a report in scripts of JavaScript.
func scripts(report *crash.Report) func(yield func(*crash.Frame) bool) {
	return func(yield func(*crash.Frame) bool) {
		for i := range report.Stacks {
			if report.Stacks[i].Format != "javascript" {
				continue
			}
			for j := range report.Stacks[i].Frames {
				if f := &report.Stacks[i].Frames[j]; source.IsJavaScript(f.File) && f.Line > 0 && !yield(f) {
					return
				}
			}
		}
	}
}

// ownBundle reports whether a script that is not tracked may be a bundle of the tree's files.
func (f *Files) ownBundle(file string) bool {
	if isURL(file) {
		return true
	}
	pkg, _, installed := installedByNpm(Clean(file))
	return installed && (pkg == f.npm.Name || f.npm.folders[path.Base(pkg)])
}

// definedOnce returns the only definition of a function in the scripts of a commit, or of a method in the files with the name of its class; or
// none. Those of tests and of other projects do not count.
func definedOnce(list []symbol.Definition, frame *crash.Frame) []symbol.Definition {
	name := symbol.Last(frame.Function)
	if ofPage(frame) && (len(name) < minHumped || strings.ToLower(name[1:]) == name[1:]) {
		return nil
	}
	var own []symbol.Definition
	for _, d := range list[:min(len(list), maxBundled)] {
		if d.Kind == symbol.Function && isScriptSource(d.Path) && !source.IsTestPath(d.Path) && !source.IsVendored(d.Path) {
			own = append(own, d)
		}
	}
	others := func(d symbol.Definition) bool { return d.Path != own[0].Path }
	if slices.ContainsFunc(own, others) {
		class := strings.TrimSuffix(strings.TrimSuffix(frame.Function, name), ".")
		own = slices.DeleteFunc(own, func(d symbol.Definition) bool { return class == "" || source.Stem(path.Base(d.Path)) != class })
	}
	if slices.ContainsFunc(own, others) {
		return nil
	}
	return own[:min(len(own), 1)]
}

// ofPage reports whether a page loaded the script of a frame.
func ofPage(frame *crash.Frame) bool { return isURL(frame.File) }

func isURL(file string) bool {
	return strings.HasPrefix(file, "https://") || strings.HasPrefix(file, "http://")
}

// isScriptSource reports whether a bundle of scripts may be made of a file.
func isScriptSource(file string) bool {
	switch path.Ext(file) {
	case ".vue", ".svelte", ".coffee":
		return true
	}
	return source.IsScript(file)
}

// settleBundled records what was found for the frames of bundles, and forgets the others of pages, which may be of any library.
func settleBundled(report *crash.Report) {
	for frame := range scripts(report) {
		switch {
		case frame.Rule != string(RuleBundled):
		case frame.Path == "" && ofPage(frame):
			frame.Rule = ""
		case frame.Path != "":
			frame.Rule, frame.Moved = string(RuleTranspiled), true
		}
	}
}
