// Package lineindex stores the lines that each commit of a history removes and adds. It
// answers the question of git log -S and -G, which commits changed a text, without
// comparing any trees.
//
// An index is one file, index.db of the cache package. It holds, in numbered parts:
//
//   - the commits, each after its parents, with parents and times (graph.go), so that a
//     walk from a tip in git log's order needs no git (walk.go);
//   - the changed lines, in blocks of about 256 KB (block.go), which store repeated lines
//     once (copies.go);
//   - for each block, the set of its sequences of five bytes (gram.go), so that a search
//     unpacks few blocks.
//
// The count of a text without a line break changes by the counts in the removed and the
// added lines of a file, for every algorithm that compares the two versions. So for -S
// the stored lines decide. For -G they exclude commits that cannot match; git decides
// about the others. The index names commits as uncertain if it lacks their lines (commits
// newer than the index, files with too many lines, objects that this clone lacks), and
// git decides.
package lineindex
