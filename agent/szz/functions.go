package szz

import (
	"context"
	"strings"

	"git-agent/gitext"
)

// A third of what SZZ misses lies in the history of the function that is fixed
// (arXiv 2308.05060: 34.6 % of the failures on Linux). Git writes the heading of the enclosing function
// behind every hunk; comparing the names there follows a function through all
// candidates' diffs at no further cost.

var calledName = lazy(`([A-Za-z_~$][\w:~$.]*)\s*[(<\[]`)

// functionName is the name in a hunk's heading, or the heading itself where
// no name stands before a parenthesis.
func functionName(section string) string {
	if m := calledName().FindStringSubmatch(section); m != nil {
		return m[1]
	}
	return strings.Join(strings.Fields(section), " ")
}

// fixFunctions are the functions that the fix changes, by the headings of its
// hunks without context.
func fixFunctions(ctx context.Context, repo *gitext.Repo, fc *FixContext) (map[string]bool, error) {
	p := fc.Patch
	if fc.Fix != "" && fc.Parent != "" {
		var err error
		p, err = repo.Patch(ctx, fc.Parent, fc.Fix, gitext.PatchOptions{Renames: true})
		if gitext.Unreadable(err) {
			p, err = fc.Patch, nil // the headings of its hunks are a few lines off
		}
		if err != nil {
			return nil, err
		}
	}
	names := map[string]bool{}
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if n := functionName(h.Section); n != "" {
				names[n] = true
			}
		}
	}
	return names, nil
}

// inFunctions gathers what a candidate did inside the functions of the fix.
func (k *casework) inFunctions(c *candidate) (in, out bag, hunks int) {
	in, out = bag{}, bag{}
	for path, hs := range c.diff.hunks {
		for i := range hs {
			if !k.set.functions[hs[i].function] || !k.paths[path] {
				continue
			}
			hunks++
			for t, n := range hs[i].in {
				in[t] += n
			}
			for t, n := range hs[i].out {
				out[t] += n
			}
		}
	}
	return in, out, hunks
}

// subsystem is what many projects put before the colon of a subject.
func subsystem(subject string) string {
	head, _, ok := strings.Cut(subject, ": ")
	if !ok || len(head) > 40 || strings.Count(head, " ") > 2 {
		return ""
	}
	return strings.ToLower(head)
}

// lastName is the part of a qualified name that a definition spells out.
func lastName(name string) string {
	if i := strings.LastIndexAny(name, ":.~"); i >= 0 {
		name = name[i+1:]
	}
	return name
}
