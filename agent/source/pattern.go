package source

import "git-agent/gitext/pattern"

// A Pattern is a regular expression that is compiled when it is first used.
type Pattern = pattern.Pattern

// Lazy makes a pattern, which panics on first use if expr is no regular expression.
func Lazy(expr string) Pattern { return pattern.Lazy(expr) }
