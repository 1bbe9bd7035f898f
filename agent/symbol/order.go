package symbol

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// order puts the likeliest definition first. The criteria, in order: a type before its constructors, a
// match of the qualifiers, a kind that fits the use, a definition before a declaration, visible from the file of the place,
// in that file, not in a test, the nearest folder.
func (l *lookup) order() {
	l.owner = l.ownerTypes()
	l.hasType = slices.ContainsFunc(l.found.Definitions, isType)
	type ranked struct {
		Definition
		rank []int
	}
	list := make([]ranked, 0, len(l.found.Definitions))
	for _, d := range l.found.Definitions {
		list = append(list, ranked{d, l.rank(d)})
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(slices.Compare(a.rank, b.rank), strings.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	l.found.Definitions = l.found.Definitions[:0]
	for i, r := range list {
		if r.Score == staticScore {
			r.Score = 0
		}
		if i == 0 || r.Path != list[i-1].Path || r.Line != list[i-1].Line {
			l.found.Definitions = append(l.found.Definitions, r.Definition)
		}
	}
}

// rank returns how far a definition is from the question, as one number for each criterion, the
// most important first.
func (l *lookup) rank(d Definition) []int {
	here := l.at.Path != "" && d.Path == l.at.Path
	foreign := l.at.Path != "" && familyOf(d.Path) != familyOf(l.at.Path)
	hidden := d.Score == staticScore && l.at.Path != "" && !here && !isHeader(d.Path)
	tested := source.IsTestPath(d.Path) && (l.at.Path == "" || !source.IsTestPath(l.at.Path))
	look := 0
	if d.Score > 0 {
		look = -d.Score
	}
	return []int{
		number(l.constructs(d)),
		-l.matched(d),
		number(l.formMisfit(d)),
		number(d.Declared),
		number(foreign),
		number(hidden),
		number(!here),
		number(tested),
		look,
		steps(d.Path, l.at.Path),
		kindOrder(d.Kind),
	}
}

// constructs reports whether a definition is a constructor of the type that is asked for: neither a
// call nor T::T names it.
func (l *lookup) constructs(d Definition) bool {
	if d.Kind != Function && d.Kind != "method" || l.form == callForm || slices.Contains(l.qualifiers, l.name) || !l.hasType {
		return false
	}
	scope := splitName(d.Scope)
	switch {
	case len(scope) > 0:
		return scope[len(scope)-1] == l.name
	case familyOf(d.Path) == "c":
		return strings.Contains(d.Text, l.name+"::"+l.name) // C has functions and structures of one name
	}
	return familyOf(d.Path) == "java" || familyOf(d.Path) == "net"
}

// isType reports whether a definition is a type with a body.
func isType(d Definition) bool {
	switch d.Kind {
	case "class", "struct", "union", "interface", "trait", "enum", Type:
		return !d.Declared
	}
	return false
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// formMisfit reports whether the use cannot mean a definition. Only in C does a dot or an arrow
// always precede a member: in other languages the dot follows a package or a class too.
func (l *lookup) formMisfit(d Definition) bool {
	if familyOf(d.Path) != "c" && (l.form == fieldForm || d.Kind == "member") {
		return false // ctags classifies Python methods as members
	}
	return !fitsForm(l.form, d.Kind)
}

// matched returns how well a definition's scope fits the question: the number of qualifiers that
// its scope or path contains, counted from the nearest.
func (l *lookup) matched(d Definition) int {
	scope := splitName(strings.ReplaceAll(d.Scope, "*", ""))
	if len(scope) > 0 && slices.Contains(l.owner, scope[len(scope)-1]) {
		return 3
	}
	if len(l.qualifiers) == 0 {
		return 0
	}
	stem, _, _ := strings.Cut(path.Base(d.Path), ".")
	places := append(strings.Split(path.Dir(d.Path), "/"), stem)
	count := 0
	for i, q := range slices.Backward(l.qualifiers) {
		switch {
		case slices.Contains(scope, q) || d.Scope == "" && strings.Contains(d.Text, q+"::"):
			count += 2
		case slices.ContainsFunc(places, func(p string) bool { return strings.EqualFold(p, q) }):
			count++
		case i == len(l.qualifiers)-1:
			return 0 // the nearest qualifier is a variable, or another class
		}
	}
	return count
}

// kindOrder puts definitions with code before definitions of mere values.
func kindOrder(k Kind) int {
	switch k {
	case Function, "method":
		return 0
	case "class", "struct", "union", "interface", "trait", "enum", Type:
		return 1
	case Macro:
		return 2
	case "typedef":
		return 3
	}
	return 4
}
