// Package lineindex stores the lines that each commit of a history removes and adds,
// so that the question of git log -S and -G, which commits changed a text, is answered
// without comparing any trees.
//
// An index is one file, index.db of the cache package. It holds, in numbered parts:
//
//   - the commits, each after its parents, with parents and times (graph.go), so that
//     the commits that a tip reaches are found, in git log's order, without git
//     (walk.go);
//   - the changed lines, in blocks of about 256 KB (block.go), where lines that come back
//     are stored once (copies.go);
//   - for each block, which sequences of five bytes it has (gram.go), so that a search
//     unpacks few blocks.
//
// A count of a text without a line break changes by what the removed and the added
// lines of a file hold, whatever algorithm compares the two versions. So for -S the
// stored lines decide. For -G they say which commits cannot match; git decides about the
// others. What the index cannot know (commits newer than it, files whose lines are too
// many, objects that this clone lacks) it names as uncertain, and git decides.
package lineindex
