// Package crash holds what is asked about a crash and what is answered: the
// report as its formats were read, and the ranking of files and commits.
//
// The rooms of the package do the work, one step each:
//
//   - format reads a report of any known format into a [Report];
//   - locate maps the frames of a report to files of the repository;
//   - rank orders the files by suspicion;
//   - culprit names the commits that may have introduced the crash.
//
// The method is AutoCrashFL's (Kang et al., arXiv 2510.22530): stacks and
// pending exceptions of a crash report point to the files that are responsible.
package crash
