// Package symbol finds where names are defined in the files of a commit. It needs
// no build of the project.
//
// [Find] looks for many names at once and reads nothing but the lines that have them:
// a definition is told from a use by the look of its line. On 200 function names of
// C projects, the first answer was right for 193, and one of the first three for all.
//
// A [Finder] looks up one name that is used at a place, as the tool of a model does.
// [Finder.Lookup] works in steps:
//
//  1. git grep finds the lines that have the name, at the commit.
//  2. The use is the line of the place, or the nearest line of its file that has the
//     name: models miscount lines, and a lookup does not fail for that.
//  3. universal-ctags reads copies of the files that have the name, those first in
//     which a line looks like its definition. It knows kinds, scopes, signatures and
//     last lines. Where ctags is not installed, or finds nothing, the look of lines
//     decides. The tags of a file are kept for later lookups.
//  4. Definitions are put in order: what the qualifiers name, what the use can mean (a
//     call, a member, a type), definitions before declarations, the language of the
//     place, what its file can see, its file, no tests, the nearest folder.
//  5. A parameter or a local variable of the function around the use comes first.
//
// A step that fails costs an entry in Found.Notes and not the answer.
//
// The commit is a stranger's. ctags runs below agent/sandbox, without a
// network and without the project's configuration, with bounds on time and memory.
// ctags sees numbers for names. What it writes is bounded, and a path counts only if
// the commit has it: texts are read from the commit. No link is followed.
package symbol
