// Package gitext is git as a typed library over the real git binary.
//
// Open a repository, turn the names a user typed into object ids with Resolve
// or ResolveRevisions, and ask everything else by object id:
//
//	repo, err := gitext.Open(ctx, gitext.OpenOptions{})
//	fix, err := repo.Resolve(ctx, "HEAD")
//	patch, err := repo.Patch(ctx, parent, fix, gitext.PatchOptions{Renames: true, Context: 3})
//	lines, err := repo.Blame(ctx, parent, "main.c", gitext.BlameOptions{})
//
// # Promises
//
// The answers are git's own: each comes from git blame, log, grep, show,
// diff-tree or cat-file, and is the same whatever the user or the repository
// has configured. After names are resolved, all reads go through a shadow git
// directory (see shadow), which has our configuration and the repository's
// objects. No read runs a program that a repository configures, and none uses
// the network. Replace refs, grafts and mailmaps are not applied, so that an
// object id always means the same bytes.
//
// Every git process is started in one place (gitcmd), with a time-out, a memory
// bound, an output bound and its own process group. Those that answer a question
// about history have an allow-listed environment and pinned settings. Only
// gitconfig and usercmd run git with the user's own environment and settings, to
// learn how the user wants output to look. A context that ends interrupts git,
// and two seconds later kills it and its children.
//
// Paths are bytes in strings, as git stores them: relative to the top of the
// tree, with slashes. Paths in options are literal, never patterns.
//
// A Repo is safe for concurrent use.
//
// # Rooms
//
// What gitext stands on is in packages of its own: gitcmd starts git, shadow
// makes the directory that git reads through, gitdir examines git directories
// without git, gitconfig reads values of the configuration, openfile opens files
// that may be pipes, and quote quotes. None of them imports gitext.
//
// # Limits
//
// git 2.34 or newer is needed. Only 2.39.5 was tested; the object protocol for
// git before 2.36 was tested with that version too. A repository's path must
// not contain a line break. Objects are found through at most four steps of
// alternates, one fewer than git's five.
//
// The repository's .gitattributes files are not read: what they mark as binary
// (-diff) is shown, and a diff driver that only they name is not used. In this,
// plain git show in a work tree differs.
//
// Where a clone lacks an object (partial or damaged), the operation that needs
// it fails with a *MissingObjectError; Patches and Stats go on with the next
// commit.
//
// PatchWorktree and PatchStaged read the user's own index and files through a
// temporary git directory (uncommitted_dir.go) in which no filter or other
// program is defined. A file that only a filter of the user's can read is left
// out, and changes inside submodules are ignored.
//
// A named pipe in place of a file of the repository fails the call after two
// seconds, with the pipe's name; a named pipe that a configuration includes,
// only at the time-out.
package gitext
