package localize

import (
	"cmp"
	"context"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/stat"
)

// namedShare is the probability that one of the functions is at fault that the report names together with their class
// or module. The subjects of 116 fixes name one to three functions so: 89 of these fixes change such a function, and the
// words alone put a right function first in 49 (decision 99).
const namedShare = 0.77

// These bound the functions that one report may name. More are a list of something else.
const (
	mostNamed   = 3  // names in different files
	mostClauses = 12 // clauses or overloads, in all of them
)

// qualifiedName matches names such as "TimeWithZone#to_s", "console.Console.status" and "utils::merge".
var qualifiedName = source.Lazy(`[\pL_][\pL\pN_]*(?:(?:#|\.|::)[\pL_][\pL\pN_]*[?!]?)+`)

// addNamed finds the functions that the report names together with their class or module. A failing test, its
// coverage and a stack say more than such a name.
func (s *search) addNamed(context.Context) error {
	if !s.reportLeads() {
		return nil
	}
	holders := map[string]map[string]string{} // the name as it is written, by the function's name and its class or module
	for _, written := range qualifiedName().FindAllString(s.in.Problem.Report, -1) {
		parts := strings.FieldsFunc(written, func(c rune) bool { return c == '#' || c == '.' || c == ':' })
		holder, name := plainName(parts[len(parts)-2]), parts[len(parts)-1]
		for _, n := range []string{name, strings.TrimRight(name, "?!")} { // a sentence may end with the name
			if holders[n] == nil {
				holders[n] = map[string]string{}
			}
			holders[n][holder] = strings.TrimRight(written, "?!")
		}
	}
	var found []*candidate
	names := 0
	for _, f := range s.files.withLines() {
		before := ""
		for i, fn := range f.functions {
			held := holders[fn.Name]
			if held == nil {
				continue
			}
			written := cmp.Or(held[plainName(f.stem)], held[plainName(f.folder)])
			if written == "" {
				continue
			}
			if c := s.suspect(f, i); c != nil {
				c.named = written
				found = append(found, c)
				names += stat.Count(fn.Name != before)
				before = fn.Name
			}
		}
	}
	if names > mostNamed || len(found) > mostClauses {
		for _, c := range found {
			c.named = ""
		}
	}
	return nil
}

var separators = strings.NewReplacer("_", "", "-", "")

// plainName returns the same form for TimeWithZone, time_with_zone and time-with-zone.
func plainName(name string) string { return strings.ToLower(separators.Replace(name)) }

// preferNamed gives the functions that the report names most of the probability.
func (s *search) preferNamed() {
	named := 0
	for _, c := range s.list {
		if c.named != "" {
			named++
		}
	}
	if named == 0 {
		return
	}
	for _, c := range s.list {
		c.score *= 1 - namedShare
		if c.named != "" {
			c.score += namedShare / float64(named)
		}
	}
}

// namedGrounds says by which name the report names a function.
func (c *candidate) namedGrounds() []fix.Ground {
	if c.named == "" {
		return nil
	}
	return []fix.Ground{{Source: fix.SourceReport, Text: "the report names " + c.named}}
}
