// Package agent holds what every agent of git-agent shares: the events that
// engines emit, and the five read-only git tools with which a model (or a
// person, by `git agent tool`) investigates a history.
//
// What it promises:
//
//   - A tool takes typed fields, never options or argv, and starts no program
//     other than git through package gitext.
//   - A [Scope] bounds every call. Nothing later than its tip is visible, and
//     a hidden commit (the fix under study) cannot be shown, named or found.
//   - What a tool prints holds no control bytes but newline and tab, is
//     bounded, and says at each cut how to get the rest.
//   - The same call on the same history gives the same bytes.
//
// What it does not: it does not interpret what it finds, and it does not
// protect a reader from what repositories say in words. Their content is data.
package agent
