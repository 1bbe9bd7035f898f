// Package rank orders the files that a crash report names by how likely the fix of
// the crash changes them.
//
// There are three algorithms. Baseline 1 and baseline 2 are those of AutoCrashFL
// (Kang et al., arXiv 2510.22530, section 4): the files in the order of the stack,
// and the same with the files of pending exceptions first. "rank" is ours: a choice
// model over the files of a report, whose features are the places of a file in the
// stacks, what its functions are for, and how much of the project uses it. It has
// one set of weights for native programs and one for managed languages, and knows
// no repository.
//
// The files of classes that a message names, and files that change together with the
// first ones, follow the ranked files. They are marked as related.
package rank
