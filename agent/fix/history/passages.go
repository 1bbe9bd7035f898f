package history

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/gitext"
)

// passagesOf prepares the passages about a commit.
func passagesOf(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed, kinds []fix.Heuristic) ([]passage, error) {
	var out []passage
	for _, kind := range kinds {
		var made []passage
		var err error
		switch kind {
		case fix.FnAll:
			made, err = fnAllPassage(ctx, repo, entries[0])
		case fix.FnPair:
			made, err = fnPairPassages(ctx, repo, entries)
		case fix.FlDiff:
			made, err = flDiffPassages(ctx, repo, entries)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, made...)
	}
	return out, nil
}

func flDiffPassages(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) ([]passage, error) {
	var out []passage
	for _, b := range byFile(entries) {
		d, err := leanDiff(ctx, repo, b)
		if err != nil {
			return nil, err
		}
		out = append(out, passage{kind: fix.FlDiff, size: diffSize(d) + 300, write: func(room int) written { return flDiffText(d, room) }})
	}
	others, err := otherFiles(ctx, repo, entries)
	if err != nil || len(others) == 0 {
		return out, err
	}
	size := 300
	for _, o := range others {
		size += o.size()
	}
	return append(out, passage{kind: fix.FlDiff, size: size, last: true, write: func(room int) written { return othersText(others, room) }}), nil
}

// manyBytes is the size of a long diff; from this size on, meaningless changes of white space
// are left out.
const manyBytes = 6000

// leanDiff returns a commit's diff of the faulty file. In a long diff with many changes of
// meaningless white space, these changes are left out.
func leanDiff(ctx context.Context, repo *gitext.Repo, b fix.Blamed) (Diff, error) {
	d, err := FlDiff(ctx, repo, b, false)
	if err != nil || diffSize(d) < manyBytes || layout[strings.ToLower(path.Ext(b.Path))] {
		return d, err
	}
	lean, err := FlDiff(ctx, repo, b, true)
	if err != nil || len(lean.Hunks) == 0 || 4*diffSize(lean) > 3*diffSize(d) {
		return d, err
	}
	return lean, nil
}

// layout lists the languages with meaningful indentation.
var layout = map[string]bool{
	".py":     true,
	".pyx":    true,
	".yml":    true,
	".yaml":   true,
	".mk":     true,
	".hs":     true,
	".fs":     true,
	".nim":    true,
	".coffee": true,
	".haml":   true,
	".pug":    true,
	".sass":   true,
	".elm":    true,
}

// byFile joins the entries of one commit for the same file.
func byFile(entries []fix.Blamed) []fix.Blamed {
	var out []fix.Blamed
	for _, b := range entries {
		i := slices.IndexFunc(out, func(o fix.Blamed) bool { return o.Path == b.Path && o.Parent == b.Parent })
		if i < 0 {
			out = append(out, b)
			continue
		}
		out[i].OrigLine = append(slices.Clip(out[i].OrigLine), b.OrigLine...)
	}
	return out
}

func flDiffText(d Diff, room int) written {
	if len(d.Hunks) == 0 {
		return written{text: "fl_diff: the diff of " + agent.CleanLine(d.Path) + " cannot be read here."}
	}
	head := "fl_diff: what it changed in " + agent.CleanLine(d.Path)
	switch {
	case d.OldPath == "":
		head += ", which it created"
	case d.OldPath != d.Path:
		head += ", before " + agent.CleanLine(d.OldPath)
	}
	w := diffText(d, room-len(head)-120)
	w.text = head + withCuts(w.said) + "\n" + strings.TrimSuffix(fenced(w.text, "diff"), "\n")
	return w
}

func withCuts(said []string) string {
	if len(said) == 0 {
		return ":"
	}
	return " (" + strings.Join(said, "; ") + "):"
}

func fnPairPassages(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) ([]passage, error) {
	type function struct {
		path  string
		start int
	}
	var out []passage
	seen := map[function]bool{}
	for _, b := range entries {
		p, err := FnPair(ctx, repo, b)
		if err != nil {
			return nil, err
		}
		if f := (function{p.After.Path, p.After.Start}); len(p.After.Lines) == 0 || seen[f] {
			continue
		} else {
			seen[f] = true
		}
		out = append(out, passage{kind: fix.FnPair, size: pairSize(p), write: func(room int) written {
			w := pairText(p, b.OrigLine, room-60)
			w.text = "fn_pair: the function before and after it" + withCuts(w.said) + "\n" + w.text
			return w
		}})
	}
	return out, nil
}

func fnAllPassage(ctx context.Context, repo *gitext.Repo, b fix.Blamed) ([]passage, error) {
	all, err := FnAll(ctx, repo, b)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	size := 260
	for _, f := range all {
		size += len(f.Path) + 4
		for _, n := range f.Names {
			size += len(n) + 3
		}
	}
	return []passage{{kind: fix.FnAll, size: size, write: func(room int) written { return fnAllText(all, room) }}}, nil
}

// fnAllText writes the names of functions. Functions that the commit changed come first and
// have a star.
func fnAllText(all []FileFunctions, room int) written {
	var b strings.Builder
	var said []string
	files, names := 0, 0
	for _, f := range all {
		list := starred(f)
		line := agent.CleanLine(f.Path) + ":"
		fits := 0
		for i, n := range list {
			if b.Len()+len(line)+len(n)+2 > room-220 && (files > 0 || i > 0) {
				break
			}
			line += " " + n + ","
			fits++
		}
		names += len(list) - fits
		if fits == 0 {
			files++
			continue
		}
		line = strings.TrimSuffix(line, ",")
		if fits < len(list) {
			line += fmt.Sprintf(" and %d more", len(list)-fits)
		}
		b.WriteString(line + "\n")
	}
	if names > 0 {
		cut := agent.Plural(names, "name") + " not shown"
		if files > 0 {
			cut += ", with " + agent.Plural(files, "whole file")
		}
		said = append(said, cut)
	}
	return written{
		"fn_all: the functions of the files that it changed, a star for those that it changed itself" + withCuts(
			said,
		) + "\n" + strings.TrimSuffix(
			b.String(),
			"\n",
		),
		said,
	}
}

func starred(f FileFunctions) []string {
	var first, rest []string
	for _, n := range f.Names {
		text := agent.CleanLine(agent.Shorten(n, 120))
		if slices.Contains(f.Changed, n) {
			first = append(first, text+"*")
		} else {
			rest = append(rest, text)
		}
	}
	return append(first, rest...)
}
