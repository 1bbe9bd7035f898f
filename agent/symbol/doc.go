// Package symbol finds where names are defined in the files of a commit. It needs
// no build of the project.
//
// [Find] looks up many names at once and reads only the lines with these names. It distinguishes
// a definition from a use by the form of its line. On 200 function names of C projects, the first
// answer was right for 193, and one of the first three for all.
//
// A [Finder] looks up one name that is used at a place, for the tools of a model. [Finder.Lookup]
// works in steps:
//
//  1. git grep finds the lines with the name, at the commit.
//  2. The use is the line of the place, or the nearest line of its file with the
//     name, because models miscount lines.
//  3. universal-ctags reads copies of the files with the name, and first those with a
//     line that looks like its definition. ctags reports kinds, scopes, signatures and
//     last lines. If ctags is not installed or finds nothing, the form of the lines
//     decides. The tags of a file are kept for later lookups.
//  4. Definitions are sorted by these criteria: a match of the qualifiers, a kind that
//     fits the use (a call, a member, a type), definitions before declarations, the
//     language of the place, visible from its file, in its file, not in a test, the
//     nearest folder.
//  5. If a class of Java in front of the name does not define it, the class that it extends and that
//     does takes its place.
//  6. A parameter or a local variable of the function around the use comes first.
//
// A step that fails adds a note to Found.Notes; the lookup still answers.
//
// The commit is untrusted. ctags runs in agent/sandbox, without a network, without the project's
// configuration, and with limits on time and memory. ctags sees numbers instead of file names.
// Its output is limited in size, and a path counts only if the commit contains it: texts are read
// from the commit. No link is followed.
package symbol
