package symbol

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxSupers limits how many superclasses are looked up, each from the one before.
const maxSupers = 5

// Superclass returns the name of the class that a class of Java extends, as the text of its file
// writes it: "MessageAggregator" or "Outer.Inner". It returns "" if the text has no such class, or if
// the class extends none.
func Superclass(text []byte, class string) string {
	if !IsIdentifier(class) {
		return ""
	}
	heading := regexp.MustCompile(`(?m)^(.*?)\bclass\s+` + class + `\b([^{;]*)\{`)
	for _, m := range heading.FindAllSubmatch(text, -1) {
		before := bytes.TrimSpace(m[1])
		if bytes.HasPrefix(before, []byte("*")) || bytes.Contains(before, []byte("//")) || bytes.Contains(before, []byte("/*")) {
			continue
		}
		if e := extends().FindStringSubmatch(withoutTemplates(string(m[2]))); e != nil {
			return e[1]
		}
	}
	return ""
}

var extends = source.Lazy(`\bextends\s+([\w.]+)`)

// inherit looks for the superclass that defines the name, if the class before it, in a language that
// is like Java, does not. It then takes the superclass for the qualifier, and notes it.
func (l *lookup) inherit(ctx context.Context) error {
	if len(l.qualifiers) == 0 || !slices.ContainsFunc(l.found.Definitions, func(d Definition) bool { return path.Ext(d.Path) == ".java" }) {
		return nil
	}
	last := len(l.qualifiers) - 1
	asked := l.qualifiers[last]
	for class, n := asked, 0; class != "" && n < maxSupers; n++ {
		if l.has(class) {
			if class != asked {
				l.qualifiers[last] = class
				l.note("%s has no %s at this commit, and inherits that of %s", asked, l.name, class)
			}
			return nil
		}
		super, err := l.superOf(ctx, class)
		if err != nil {
			return err
		}
		class = super
	}
	return nil
}

// has reports whether a class defines the name.
func (l *lookup) has(class string) bool {
	return slices.ContainsFunc(l.found.Definitions, func(d Definition) bool {
		scope := splitName(d.Scope)
		if len(scope) > 0 {
			return scope[len(scope)-1] == class
		}
		return strings.TrimSuffix(path.Base(d.Path), ".java") == class
	})
}

// superOf returns the superclass of a class of Java by its simple name, or "".
func (l *lookup) superOf(ctx context.Context, class string) (string, error) {
	const most = 500
	if !IsIdentifier(class) || class[0] < 'A' || class[0] > 'Z' {
		return "", nil
	}
	found, err := l.repo.Grep(ctx, l.commit, gitext.GrepOptions{Pattern: "class " + class, Fixed: true, Word: true, Max: most})
	if err != nil && !gitext.Unreadable(err) {
		return "", err
	}
	for _, m := range found {
		if path.Ext(m.Path) != ".java" {
			continue
		}
		text, err := l.repo.BlobAt(ctx, l.commit, m.Path, maxUseFile)
		if err != nil {
			continue // Grep has said what cannot be read
		}
		if super := Superclass(text, class); super != "" {
			return Last(super), nil
		}
	}
	return "", nil
}
