// Package rank orders the files in a crash report by the probability that the fix of the crash
// changes them.
//
// There are three algorithms. Baseline 1 and baseline 2 are AutoCrashFL's (Kang et al., arXiv
// 2510.22530, section 4): the files in the order of the stack, and the same with the files of
// pending exceptions first. "rank" is our own: a choice model over the files of a report. Its
// features are the positions of a file in the stacks, the purpose of its functions, what the lines
// of its frames use, how much of the project mentions it, and how long ago it changed. It has one
// set of weights for native programs and one for managed languages, and is independent of any
// repository.
//
// After the ranked files come related files, marked as such: files of classes that a message
// names, files that change together with the first ones, and files with rare words of the report.
package rank
