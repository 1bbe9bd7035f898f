// Package localize ranks the functions that may contain a bug.
//
// Each function of the tree is a candidate, except in tests, generated files and vendored
// files. The evidence for a candidate comes from these sources:
//
//   - the user named the function;
//   - a stack, or a place in the output of the failing command, lies in it, or a
//     report of a crash puts its file first;
//   - the failing tests execute its lines and the passing ones do not: Ochiai's
//     coefficient (Abreu et al., An Evaluation of Similarity Coefficients for Software
//     Fault Localization, PRDC 2006), of the function's most suspicious line;
//   - the failing tests call it, directly or through other functions: the share of a
//     random walk with restarts over the names that functions call (Haveliwala,
//     Topic-sensitive PageRank, WWW 2002), which needs neither a build nor a grammar;
//   - it has words of the failing tests, of their output, or of the report;
//   - its lines changed lately.
//
// A choice model (agent/stat.Choice) combines the sources. Functions that the user named always
// come first.
package localize
