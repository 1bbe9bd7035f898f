// Package heldout lists the repositories held out for a verb: no training and no tuning may use
// them, so that figures measured on them hold for unseen repositories.
//
// The list has hashes instead of names, so that reading it tempts nobody. A fork is held out like
// the original, because only the name after the slash counts.
package heldout

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// list has a line for each repository: the verb, and the SHA-256 of the lower-case name after the
// slash.
//
//go:embed heldout.sha256
var list string

// Out reports whether a repository, owner/name, is held out for a verb.
func Out(verb, repo string) bool {
	name := strings.ToLower(repo[strings.LastIndexByte(repo, '/')+1:])
	sum := sha256.Sum256([]byte(name))
	want := verb + " " + hex.EncodeToString(sum[:])
	for line := range strings.Lines(list) {
		if strings.TrimSpace(line) == want {
			return true
		}
	}
	return false
}

// RefuseNames returns an error if one of the repositories is held out for a verb.
func RefuseNames(verb string, names []string) error {
	return Refuse(verb, names, func(name string) string { return name })
}

// Refuse returns an error if one of the rows is of a held-out repository for a verb. repo returns
// the repository of a row.
func Refuse[T any](verb string, rows []T, repo func(T) string) error {
	var out []string
	known := map[string]bool{}
	for _, r := range rows {
		name := repo(r)
		if known[name] {
			continue
		}
		known[name] = true
		if Out(verb, name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return nil
	}
	slices.Sort(out)
	return fmt.Errorf("held out for %s, so that no training and no tuning may use it: %s; leave its cases out", verb, strings.Join(out, ", "))
}
