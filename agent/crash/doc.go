// Package crash holds the types of questions and answers about a crash: the report that a format
// read, and the ranking of files and commits.
//
// The packages below do the work, one step each:
//
//   - format reads a report of any known format into a [Report];
//   - locate maps the frames of a report to files of the repository;
//   - rank orders the files by suspicion;
//   - culprit names the commits that may have introduced the crash.
//
// The method is AutoCrashFL's (Kang et al., arXiv 2510.22530): stacks and pending exceptions of a
// crash report point to the responsible files.
package crash
